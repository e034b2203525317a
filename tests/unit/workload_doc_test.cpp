// SPDX-License-Identifier: Apache-2.0
// docs/workload_file.md has every key that a workload may have, with the range and the default that
// the readers know, and every network.
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/doc_tables.hpp"

#include "workloads/models/registry.hpp"
#include "workloads/ops/kinds.hpp"
#include "workloads/workload_json.hpp"

using namespace tilewave;
using namespace tilewave::test;

namespace {

/// The keys asked for, whatever else is wrong.
std::vector<KeyDoc> keys_of(const Json& workload) {
  KeyDocs keys;
  Diagnostics ignored;
  WorkloadReadOptions options;
  options.file = "test.json";
  options.docs = &keys;
  (void)read_workload(workload, options, ignored);
  return keys.all();
}

std::vector<KeyDoc> keys_of_op(std::string_view kind) {
  Json json = Json::object();
  json["ops"] = Json::array({Json{{"op", kind}}});
  return keys_of(json);
}

bool is_of_op(const KeyDoc& key) { return key.path.starts_with("ops[]."); }

bool is_in(const std::vector<KeyDoc>& keys, const KeyDoc& wanted) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](const KeyDoc& key) { return key.path == wanted.path; });
}

}  // namespace

TEST_CASE("every key of a workload is documented", "[docs]") {
  std::vector<KeyDoc> keys = keys_of_op("gemm");
  std::erase_if(keys, is_of_op);
  CHECK(doc_faults("workload_file.md", "workload", keys) == "");
}

TEST_CASE("every key of an op is documented", "[docs]") {
  // What the first and the last kind both have, all have.
  const auto gemm = keys_of_op("gemm"), elementwise = keys_of_op("elementwise");
  std::vector<KeyDoc> common = gemm;
  std::erase_if(common,
                [&](const KeyDoc& key) { return !is_of_op(key) || !is_in(elementwise, key); });
  CHECK(doc_faults("workload_file.md", "op", common, "ops[].") == "");
  for (const OpKind& kind : op_kinds()) {
    INFO(kind.name);
    auto keys = keys_of_op(kind.name);
    std::erase_if(keys, [&](const KeyDoc& key) { return !is_of_op(key) || is_in(common, key); });
    CHECK(!keys.empty());
    CHECK(doc_faults("workload_file.md", std::string(kind.name), keys, "ops[].") == "");
  }
}

TEST_CASE("every network and its parameters are documented", "[docs]") {
  KeyDocs all;
  for (const Model& model : models()) {
    INFO(model.name);
    CHECK(doc_table("workload_file.md", "networks").count(std::string(model.name)) == 1);
    for (const KeyDoc& key : keys_of(Json{{"model", model.name}})) all.add(key);
  }
  CHECK(doc_faults("workload_file.md", "parameters", all.all()) == "");
}
