// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/interconnect/interconnect_config.hpp"

#include <array>
#include <nlohmann/json.hpp>

namespace tilewave {

namespace {

constexpr std::array<Topology, 3> kTopologies{Topology::crossbar, Topology::ring, Topology::mesh};
constexpr std::array<Arbitration, 2> kArbitrations{Arbitration::round_robin,
                                                   Arbitration::oldest_first};
constexpr Range kWidth{1, 1U << 16};
constexpr Range kNodes{1, kMaxNodes};

void read_mesh_size(ObjectReader& reader, InterconnectParams& p) {
  constexpr const char* kColumns = "nodes of a row of the mesh";
  constexpr const char* kRows = "nodes of a column of the mesh";
  if (p.topology == Topology::mesh) {
    p.mesh_columns = reader.count("mesh_columns", kNodes, kColumns);
    p.mesh_rows = reader.count("mesh_rows", kNodes, kRows);
    if (p.mesh_columns * p.mesh_rows > kMaxNodes) {
      reader.error("mesh_rows", std::to_string(p.mesh_columns) + " x " +
                                    std::to_string(p.mesh_rows) + " nodes are more than " +
                                    std::to_string(kMaxNodes));
    }
  } else {
    (void)reader.maybe_count("mesh_columns", kNodes, kColumns);
    (void)reader.maybe_count("mesh_rows", kNodes, kRows);
  }
}

/// A preset may hold what only another topology needs; a user who sets it is told.
void tell_what_has_no_effect(ObjectReader& reader, Topology topology) {
  if (topology != Topology::mesh) {
    reader.no_effect("mesh_columns", "it is about a mesh");
    reader.no_effect("mesh_rows", "it is about a mesh");
  }
  if (topology != Topology::ring) reader.no_effect("ring_nodes", "it is about a ring");
  if (topology == Topology::crossbar) {
    for (const char* key : {"endpoints_per_node", "client_nodes", "server_nodes"}) {
      reader.no_effect(key, "a crossbar has no nodes to place endpoints on");
    }
  } else {
    reader.no_effect("virtual_output_queues", "it is about a crossbar");
  }
}

}  // namespace

InterconnectParams read_interconnect(ObjectReader& reader) {
  const InterconnectParams defaults;
  InterconnectParams p;
  const auto table = named<Topology>(kTopologies);
  p.topology = reader.choice<Topology>("topology", table, "how clients and servers are connected");
  p.request_bytes_per_cycle =
      reader.count("request_bytes_per_cycle", kWidth, "width of every link for requests");
  p.response_bytes_per_cycle =
      reader.count("response_bytes_per_cycle", kWidth, "width of every link for responses");
  p.header_bytes = reader.optional_count(
      "header_bytes", defaults.header_bytes, {0, 4096},
      "bytes of each request and response beside its data; 0: on wires of their own");
  p.hop_latency_cycles = reader.optional_count("hop_latency_cycles", defaults.hop_latency_cycles,
                                               {1, 10000}, "latency of every link");
  p.router_latency_cycles =
      reader.optional_count("router_latency_cycles", defaults.router_latency_cycles, {0, 10000},
                            "from the input of a router to the arbitration for its outputs");
  const auto arbitrations = named<Arbitration>(kArbitrations);
  p.arbitration = reader.optional_choice<Arbitration>(
      "arbitration", default_arbitration(p.topology), arbitrations,
      "which of those that wait for an output goes first; not given: round_robin in a crossbar, "
      "else oldest_first");
  p.input_buffer_packets =
      reader.optional_count("input_buffer_packets", defaults.input_buffer_packets, {1, 4096},
                            "requests or responses that an input of a router holds");
  p.outstanding_per_client =
      reader.optional_count("outstanding_per_client", defaults.outstanding_per_client,
                            {1, 1U << 16}, "requests of a client taken and not yet answered");
  p.virtual_output_queues =
      reader.optional_flag("virtual_output_queues", defaults.virtual_output_queues,
                           "a crossbar has a buffer for each input and output");
  p.ring_nodes = reader.optional_count("ring_nodes", defaults.ring_nodes, {0, kMaxNodes},
                                       "nodes of a ring; 0: as many as clients and servers need");
  read_mesh_size(reader, p);
  p.endpoints_per_node =
      reader.optional_count("endpoints_per_node", defaults.endpoints_per_node, {1, 256},
                            "most clients, and most servers, at a node of a ring or mesh");
  p.client_nodes = reader.optional_counts("client_nodes", {}, {0, 1U << 16}, {0, kMaxNodes - 1},
                                          "node of each client; none: spread evenly");
  p.server_nodes = reader.optional_counts("server_nodes", {}, {0, 1U << 16}, {0, kMaxNodes - 1},
                                          "node of each server; none: spread evenly");
  tell_what_has_no_effect(reader, p.topology);
  reader.finish();
  return p;
}

void check_endpoints(const InterconnectParams& params, std::size_t clients, std::size_t servers,
                     ObjectReader& reader) {
  for (const InterconnectFault& fault : endpoint_faults(params, clients, servers)) {
    reader.error(fault.key, fault.message);
  }
}

Json to_json(const InterconnectParams& params) {
  Json json{{"topology", to_string(params.topology)},
            {"request_bytes_per_cycle", params.request_bytes_per_cycle},
            {"response_bytes_per_cycle", params.response_bytes_per_cycle},
            {"header_bytes", params.header_bytes},
            {"hop_latency_cycles", params.hop_latency_cycles},
            {"router_latency_cycles", params.router_latency_cycles},
            {"arbitration", to_string(params.arbitration)},
            {"input_buffer_packets", params.input_buffer_packets},
            {"outstanding_per_client", params.outstanding_per_client}};
  if (params.topology == Topology::crossbar) {
    json["virtual_output_queues"] = params.virtual_output_queues;
    return json;
  }
  if (params.topology == Topology::ring) {
    json["ring_nodes"] = params.ring_nodes;
  } else {
    json["mesh_columns"] = params.mesh_columns;
    json["mesh_rows"] = params.mesh_rows;
  }
  json["endpoints_per_node"] = params.endpoints_per_node;
  if (!params.client_nodes.empty()) json["client_nodes"] = params.client_nodes;
  if (!params.server_nodes.empty()) json["server_nodes"] = params.server_nodes;
  return json;
}

}  // namespace tilewave
