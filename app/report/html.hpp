// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "sim/config/json.hpp"

namespace tilewave {

/// `data` as one HTML page that needs no other file and no network: `folder`/page.html with each
/// `/*@NAME*/` in it replaced: `/*@report*/` by the data as JSON, escaped for a script element, any other
/// by the file NAME beside the page. What replaces is not looked at again. Throws ConfigError if a part of
/// the page is missing or unfit.
[[nodiscard]] std::string html_page(const Json& data, const std::filesystem::path& folder);

/// The page of a report: that of `viz_dir`/report.
[[nodiscard]] std::string html_report(const Json& report, const std::filesystem::path& viz_dir);

/// With the page of this installation: viz_dir() of app/library/config_dir.hpp.
[[nodiscard]] std::string html_report(const Json& report);

}  // namespace tilewave
