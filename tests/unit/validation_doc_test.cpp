// SPDX-License-Identifier: Apache-2.0
// docs/validation.md has every key that a suite may have, with the range and the default that the
// reader knows.
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/doc_tables.hpp"
#include "support/dram_files.hpp"
#include "support/temporary_folder.hpp"

#include "app/validate/suite.hpp"

using namespace tilewave;
using namespace tilewave::test;

TEST_CASE("every key of a suite is documented", "[docs]") {
  // Keys within an object are asked for where the object is.
  const TemporaryFolder folder("suite_keys");
  folder.write("t.csv", "a\n1\n");
  folder.write("s.json", R"({"source": "s", "data": "t.csv", "arch": "tpu_v1", "workload": "mlp",
      "where": [{"column": "a"}], "skip": [{"column": "a"}], "baseline": {},
      "groups": {"g": {"weights": {"mlp": 1}}},
      "overhead": [{"us": 1, "reason": "r", "where": [{"column": "a"}]}],
      "reasons": [{"reason": "r", "where": [{"column": "a"}]}],
      "measured": [{"column": "a", "quantity": "cycles", "limit": {}}]})");
  KeyDocs keys;
  Diagnostics ignored;
  (void)load_suite(folder.file("s.json"), source_configs(), ignored, &keys);
  KeyDocs merged;
  for (KeyDoc key : keys.all()) {
    key.path = replaced(key.path, "groups.g.", "groups.NAME.");
    merged.add(std::move(key));
  }
  CHECK(merged.all().size() > 30);
  CHECK(doc_faults("validation.md", "suite", merged.all()) == "");
}
