// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/units.hpp"

namespace tilewave {

enum class Topology : std::uint8_t {
  crossbar,  ///< one switch with an input for each sender and an output for each receiver
  ring,      ///< nodes in a circle, links both ways, the shorter way round
  mesh       ///< a grid of nodes, first along the row, then along the column (XY routing)
};
[[nodiscard]] std::string_view to_string(Topology topology);

/// Which of the packets that wait for the same output of a router goes first.
enum class Arbitration : std::uint8_t {
  round_robin,  ///< inputs in turn: fair at one router, so in a crossbar
  /// The one longest in the network. Over several routers, turns are not fair (who passes many gets
  /// little), and a full ring or mesh with turns moves less the more is offered; with this it does
  /// not. Stands for what real networks of several hops do against both.
  oldest_first
};
[[nodiscard]] std::string_view to_string(Arbitration arbitration);
/// Crossbar: round_robin, else oldest_first.
[[nodiscard]] Arbitration default_arbitration(Topology topology);

/// Most nodes of a ring or mesh.
inline constexpr Count kMaxNodes = 1024;

/// An interconnect without its clients and servers, whose numbers the chip knows.
struct InterconnectParams {
  Topology topology = Topology::crossbar;
  Bytes request_bytes_per_cycle = 32;   ///< width of every link for requests
  Bytes response_bytes_per_cycle = 32;  ///< width of every link for responses
  Bytes header_bytes = 8;               ///< of each request and response, beside its data
  Cycle hop_latency_cycles = 1;         ///< of every link, >= 1; credits take as long to come back
  Cycle router_latency_cycles = 1;  ///< from the input of a router to the arbitration for outputs
  Arbitration arbitration = Arbitration::round_robin;
  std::size_t input_buffer_packets = 8;       ///< depth of each input buffer
  std::size_t outstanding_per_client = 1024;  ///< requests taken and not yet answered
  bool virtual_output_queues = false;         ///< crossbar: an input buffer for each output
  std::size_t ring_nodes = 0;                 ///< 0: as many as clients and servers need
  std::size_t mesh_columns = 0, mesh_rows = 0;
  /// Most clients, and most servers, at a node of a ring or mesh.
  std::size_t endpoints_per_node = 1;
  /// Node of each client and of each server; empty: spread evenly. Mesh: row x columns + column.
  std::vector<Count> client_nodes, server_nodes;
};

/// What is wrong with a value: the key it stands at, and the message.
struct InterconnectFault {
  std::string key, message;
};

/// Do the nodes have room for so many clients and servers, and do the lists name each its node?
[[nodiscard]] std::vector<InterconnectFault> endpoint_faults(const InterconnectParams& params,
                                                             std::size_t clients,
                                                             std::size_t servers);

/// Routers: 1 for a crossbar. Requires that endpoint_faults() finds none.
[[nodiscard]] std::size_t node_count(const InterconnectParams& params, std::size_t clients,
                                     std::size_t servers);

/// Node of each of `count` endpoints: the list, or if it is empty i x nodes / count.
[[nodiscard]] std::vector<std::uint32_t> place_endpoints(const std::vector<Count>& list,
                                                         std::size_t count, std::size_t nodes);

}  // namespace tilewave
