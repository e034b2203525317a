// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace tilewave {

/// The folder with the presets: the environment's TILEWAVE_CONFIG_DIR, else
/// ../share/tilewave/configs from the folder of the running program (an installed tree, wherever it
/// was moved), else configs/ of the source tree it was built from. Throws ConfigError if there is
/// none, naming the places.
[[nodiscard]] std::filesystem::path config_dir();

/// The folder with the parts of the HTML report: viz/ beside the presets, else as for config_dir().
[[nodiscard]] std::filesystem::path viz_dir();

/// Plotly's bundle, plotly.min.js: in viz_dir() (an installed tree), else where the program was built.
[[nodiscard]] std::filesystem::path plotly_bundle();

/// Makes `folder`, which holds configs/ and viz/, the first place to look after the environment: for a
/// library inside another program, as the Python module, whose data lie beside it.
void set_data_folder(std::filesystem::path folder);

}  // namespace tilewave
