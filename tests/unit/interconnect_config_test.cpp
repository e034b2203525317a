// SPDX-License-Identifier: Apache-2.0
// What a file may say about an interconnect.
#include "arch/memory/interconnect/interconnect_config.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.hpp"
#include "support/reader_fixture.hpp"

namespace tilewave::test {
namespace {

const std::string kWidths = R"("request_bytes_per_cycle": 32, "response_bytes_per_cycle": 64)";

InterconnectParams read(const std::string& text) {
  ReaderFixture fixture(text);
  const InterconnectParams params = read_interconnect(fixture.reader);
  INFO(text);
  CHECK(fixture.errors().empty());
  return params;
}

std::string faults(const std::string& text, std::size_t clients = 4, std::size_t servers = 2) {
  return errors_of(text, [&](ObjectReader& reader) {
    const InterconnectParams params = read_interconnect(reader);
    if (reader.ok()) check_endpoints(params, clients, servers, reader);
  });
}

std::string crossbar(const std::string& more) {
  return R"({"topology": "crossbar", )" + kWidths + (more.empty() ? "" : ", ") + more + "}";
}
std::string ring(const std::string& more) {
  return R"({"topology": "ring", )" + kWidths + (more.empty() ? "" : ", ") + more + "}";
}
std::string mesh(std::size_t columns, std::size_t rows, const std::string& more = "") {
  return R"({"topology": "mesh", "mesh_columns": )" + std::to_string(columns) +
         R"(, "mesh_rows": )" + std::to_string(rows) + ", " + kWidths + (more.empty() ? "" : ", ") +
         more + "}";
}

TEST_CASE("topology and widths are needed, the rest has defaults") {
  const InterconnectParams p = read(crossbar(""));
  const InterconnectParams defaults;
  CHECK(p.topology == Topology::crossbar);
  CHECK(p.request_bytes_per_cycle == 32);
  CHECK(p.response_bytes_per_cycle == 64);
  CHECK(p.header_bytes == defaults.header_bytes);
  CHECK(p.hop_latency_cycles == defaults.hop_latency_cycles);
  CHECK(p.router_latency_cycles == defaults.router_latency_cycles);
  CHECK(p.input_buffer_packets == defaults.input_buffer_packets);
  CHECK(p.outstanding_per_client == defaults.outstanding_per_client);
  CHECK_FALSE(p.virtual_output_queues);

  const std::string missing = faults("{}");
  CHECK_THAT(missing, contains("core.topology: is missing"));
  CHECK_THAT(missing, contains("core.request_bytes_per_cycle: is missing"));
  CHECK_THAT(missing, contains("core.response_bytes_per_cycle: is missing"));
}

TEST_CASE("a network of several hops serves the oldest first if the file says nothing else") {
  CHECK(read(crossbar("")).arbitration == Arbitration::round_robin);
  CHECK(read(ring("")).arbitration == Arbitration::oldest_first);
  CHECK(read(mesh(2, 2)).arbitration == Arbitration::oldest_first);
  CHECK(read(crossbar(R"("arbitration": "oldest_first")")).arbitration ==
        Arbitration::oldest_first);
  CHECK(read(ring(R"("arbitration": "round_robin")")).arbitration == Arbitration::round_robin);
}

TEST_CASE("what is shown is read back as the same") {
  for (const std::string& text :
       {crossbar(R"("virtual_output_queues": true, "header_bytes": 0)"),
        ring(R"("ring_nodes": 6, "client_nodes": [0, 1, 2, 5], "hop_latency_cycles": 3)"),
        ring(R"("endpoints_per_node": 2, "arbitration": "round_robin")"),
        mesh(3, 2, R"("server_nodes": [5, 0], "router_latency_cycles": 0)"),
        mesh(2, 2, R"("input_buffer_packets": 3, "outstanding_per_client": 7)")}) {
    const Json shown = to_json(read(text));
    CHECK(to_json(read(shown.dump())) == shown);
    const Json given = Json::parse(text);
    for (const auto& [key, value] : given.items()) CHECK(shown.at(key) == value);
  }
}

TEST_CASE("a fault names key, value and what is allowed") {
  struct Row {
    std::string text, fault;
  };
  for (
      const Row& row : {
          Row{R"({"topology": "torus", )" + kWidths + "}",
              "core.topology: must be one of crossbar, ring, mesh"},
          Row{R"({"topology": "ring", "request_bytes_per_cycle": 0, "response_bytes_per_cycle": 1})",
              "core.request_bytes_per_cycle: must be from 1 to 65536, is 0"},
          Row{crossbar(R"("hop_latency_cycles": 0)"), "core.hop_latency_cycles: must be from 1 "},
          Row{crossbar(R"("input_buffer_packets": 0)"),
              "core.input_buffer_packets: must be from 1 "},
          Row{crossbar(R"("outstanding_per_client": 0)"),
              "core.outstanding_per_client: must be from 1 "},
          Row{crossbar(R"("hop_latency": 2)"), "did you mean \"hop_latency_cycles\"?"},
          Row{R"({"topology": "mesh", )" + kWidths + "}", "core.mesh_columns: is missing"},
          Row{mesh(0, 4), "core.mesh_columns: must be from 1 to 1024, is 0"},
          Row{mesh(64, 64), "core.mesh_rows: 64 x 64 nodes are more than 1024"},
          Row{mesh(3, 1),
              "core.mesh_columns: 3 x 1 nodes with 1 clients and servers each are too "
              "few for 4 clients and 2 servers"},
          Row{ring(R"("ring_nodes": 3)"),
              "core.ring_nodes: 3 nodes with 1 clients and servers each "
              "are too few for 4 clients and 2 servers"},
          Row{ring(R"("client_nodes": [0, 1])"),
              "core.client_nodes: must name a node for each of 4, names 2"},
          Row{ring(R"("server_nodes": [0, 4])"),
              "core.server_nodes: entry 1 names node 4: there are 4, the first is 0"},
          Row{mesh(2, 2, R"("client_nodes": [0, 1, 1, 2])"),
              "core.client_nodes: entry 2 names node 1: it has no more room (endpoints_per_node is "
              "1)"},
      }) {
    INFO(row.text);
    CHECK_THAT(faults(row.text), contains(row.fault));
  }
}

TEST_CASE("an interconnect needs both ends") {
  CHECK_THAT(faults(crossbar(""), 0, 2), contains("needs at least one client and one server"));
  CHECK_THAT(faults(crossbar(""), 1, 0), contains("has 1 and 0"));
  CHECK(faults(crossbar(""), 1, 1).empty());
}

TEST_CASE("nodes can be shared if the file says so") {
  CHECK(faults(mesh(2, 1, R"("endpoints_per_node": 2)")).empty());
  CHECK(faults(mesh(2, 2, R"("endpoints_per_node": 2, "client_nodes": [3, 3, 1, 1])")).empty());
  CHECK_THAT(faults(ring(R"("endpoints_per_node": 2, "client_nodes": [1, 1, 1, 0])")),
             contains("core.client_nodes: entry 2 names node 1: it has no more room"));
}

TEST_CASE("what another topology needs may stand there, but to set it has no effect") {
  const auto warnings = [](const std::string& text, const std::string& set) {
    ReaderFixture fixture(text);
    fixture.diagnostics.set_origin("x.json", "core." + set, kOverrideLabel);
    (void)read_interconnect(fixture.reader);
    CHECK(fixture.errors().empty());
    std::string all;
    for (const Fault& fault : fixture.diagnostics.warnings()) all += format(fault) + "\n";
    return all;
  };
  CHECK(warnings(crossbar(R"("mesh_rows": 3, "ring_nodes": 4)"), "topology").empty());
  CHECK_THAT(warnings(crossbar(R"("mesh_rows": 3)"), "mesh_rows"), contains("mesh_rows"));
  CHECK_THAT(warnings(crossbar(R"("client_nodes": [1])"), "client_nodes"),
             contains("client_nodes"));
  CHECK_THAT(warnings(mesh(2, 2, R"("ring_nodes": 4)"), "ring_nodes"),
             contains("it is about a ring"));
  CHECK_THAT(warnings(ring(R"("virtual_output_queues": true)"), "virtual_output_queues"),
             contains("it is about a crossbar"));
}

}  // namespace
}  // namespace tilewave::test
