// SPDX-License-Identifier: Apache-2.0
// What the tests of ObjectReader share.
#pragma once

#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "support/catch.hpp"

#include "sim/config/json_file.hpp"
#include "sim/config/reader.hpp"

namespace tilewave::test {

enum class Flow { weight, output, input };
inline constexpr std::array<Named<Flow>, 3> kFlows{{{"weight_stationary", Flow::weight},
                                                    {"output_stationary", Flow::output},
                                                    {"input_stationary", Flow::input}}};

/// A JSON text, a reader of it and the faults found.
struct ReaderFixture {
  explicit ReaderFixture(std::string_view text, KeyDocs* docs = nullptr)
      : json(parse_json(text, "x.json", diagnostics).value()),
        reader(json, "x.json", "core", diagnostics, docs) {}

  std::string errors() const {
    std::string all;
    for (const Fault& fault : diagnostics.errors()) {
      all += (all.empty() ? "" : "\n") + format(fault);
    }
    return all;
  }

  Diagnostics diagnostics;
  Json json;
  ObjectReader reader;
};

using Read = std::function<void(ObjectReader&)>;
/// The errors of one getter on `text`, without the file.
inline std::string errors_of(std::string_view text, const Read& read) {
  ReaderFixture fixture(text);
  read(fixture.reader);
  std::string all;
  for (const Fault& fault : fixture.diagnostics.errors()) {
    CHECK(fault.file == "x.json");
    all += (all.empty() ? "" : "\n") + fault.path + ": " + fault.message;
  }
  return all;
}

}  // namespace tilewave::test
