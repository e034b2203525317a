// SPDX-License-Identifier: Apache-2.0
#include "arch/memory/interconnect/interconnect.hpp"

#include <algorithm>
#include <utility>

#include "sim/diagnostics.hpp"

namespace tilewave {

namespace {

const InterconnectParams& checked(const std::string& name, const InterconnectParams& params,
                                  std::size_t clients, std::size_t servers) {
  if (params.outstanding_per_client == 0 || params.endpoints_per_node == 0) {
    throw SimulationError(
        "interconnect: outstanding_per_client and endpoints_per_node must be at least 1");
  }
  std::vector<Fault> faults;
  for (const InterconnectFault& fault : endpoint_faults(params, clients, servers)) {
    faults.push_back({.file = "",
                      .path = fault.key.empty() ? name : name + "." + fault.key,
                      .message = fault.message});
  }
  if (!faults.empty()) throw ConfigError(std::move(faults));
  return params;
}

enum class Direction { to_servers, to_clients };

NetworkPlan plan_for(Direction direction, const InterconnectParams& params, std::size_t clients,
                     std::size_t servers) {
  const std::size_t nodes = node_count(params, clients, servers);
  const bool listed = params.topology != Topology::crossbar;
  const std::vector<Count> none;
  NetworkPlan plan = plan_of(params, nodes);
  plan.source_nodes = place_endpoints(listed ? params.client_nodes : none, clients, nodes);
  plan.destination_nodes = place_endpoints(listed ? params.server_nodes : none, servers, nodes);
  if (direction == Direction::to_clients) std::swap(plan.source_nodes, plan.destination_nodes);
  return plan;
}

PacketNetworkParams network_params(const InterconnectParams& params, Bytes bytes_per_cycle) {
  return {.bytes_per_cycle = bytes_per_cycle,
          .hop_latency = params.hop_latency_cycles,
          .router_latency = params.router_latency_cycles,
          .arbitration = params.arbitration,
          .buffer_packets = params.input_buffer_packets};
}

}  // namespace

Interconnect::Interconnect(const std::string& name, const InterconnectParams& params,
                           const std::vector<MemoryLink*>& clients,
                           std::vector<MemoryLink*> servers, const AddressRouter& router,
                           StatGroup& parent)
    : params_(checked(name, params, clients.size(), servers.size())),
      servers_(std::move(servers)),
      router_(router),
      requests_("requests", "client", "server",
                plan_for(Direction::to_servers, params, clients.size(), servers_.size()),
                network_params(params, params.request_bytes_per_cycle)),
      responses_("responses", "server", "client",
                 plan_for(Direction::to_clients, params, clients.size(), servers_.size()),
                 network_params(params, params.response_bytes_per_cycle)),
      table_(clients.size(), params.outstanding_per_client) {
  clients_.reserve(clients.size());
  for (MemoryLink* link : clients) clients_.push_back({.link = link});
  StatGroup& group = parent.group(name);
  group.count("accepted", "requests", "taken from clients", accepted_);
  group.count("answered", "requests", "answered to clients", answered_);
  group.count("data_bytes", "bytes", "read and written by the requests answered", answered_bytes_);
  requests_.register_stats(group);
  responses_.register_stats(group);
}

/// Routers first, then what has arrived, then what is new: only the end of a cycle's work knows all
/// places that it freed, and nothing that it sends is seen within the cycle.
Cycle Interconnect::step(Cycle now) {
  requests_.step(now);
  responses_.step(now);
  Cycle next = deliver_requests(now);
  next = std::min(next, deliver_responses(now));
  next = std::min(next, take_requests(now));
  next = std::min(next, take_responses(now));
  return std::min({next, requests_.next(), responses_.next()});
}

Cycle Interconnect::deliver_requests(Cycle now) {
  return requests_.deliver(now, [&](std::size_t server, const Packet& packet) {
    auto& pipe = servers_[server]->requests;
    if (!pipe.can_push(now)) return false;
    MemoryRequest request = table_.reach_server(packet.id).request;
    request.tag = packet.id;
    pipe.push(now, request);
    return true;
  });
}

Cycle Interconnect::deliver_responses(Cycle now) {
  return responses_.deliver(now, [&](std::size_t client, const Packet& packet) {
    auto& pipe = clients_[client].link->responses;
    if (!pipe.can_push(now)) return false;
    const MemoryRequest& request = table_.finish(packet.id).request;
    pipe.push(now, {.tag = request.tag, .bytes = request.bytes, .write = request.write});
    ++answered_;
    answered_bytes_ += request.bytes;
    return true;
  });
}

Cycle Interconnect::take_requests(Cycle now) {
  Cycle next = kNever;
  for (std::size_t c = 0; c < clients_.size(); ++c) {
    Client& client = clients_[c];
    auto& pipe = client.link->requests;
    if (!pipe.can_pop(now)) {
      next = std::min(next, pipe.next_visible());
      continue;
    }
    if (!table_.has_place(c)) continue;  // until a response is delivered, here
    const MemoryRequest& request = pipe.front();
    if (client.server == kNotRouted) client.server = route(request.address);
    const Cycle at = requests_.injectable_at(now, c, client.server);
    if (at > now) {
      next = std::min(next, at);
      continue;
    }
    const Bytes bytes = params_.header_bytes + (request.write ? request.bytes : 0);
    requests_.inject(now, c, client.server, bytes, table_.add(request, c, client.server));
    ++accepted_;
    accepted_bytes_ += request.bytes;
    client.server = kNotRouted;
    pipe.pop(now);
    if (!pipe.empty()) next = std::min(next, std::max(pipe.next_visible(), now + 1));
  }
  return next;
}

Cycle Interconnect::take_responses(Cycle now) {
  Cycle next = kNever;
  for (std::size_t s = 0; s < servers_.size(); ++s) {
    auto& pipe = servers_[s]->responses;
    if (!pipe.can_pop(now)) {
      next = std::min(next, pipe.next_visible());
      continue;
    }
    const MemoryResponse& response = pipe.front();
    const std::size_t client = table_.answered_by(s, response).client;
    const Cycle at = responses_.injectable_at(now, s, client);
    if (at > now) {
      next = std::min(next, at);
      continue;
    }
    const Bytes bytes = params_.header_bytes + (response.write ? 0 : response.bytes);
    const auto id = static_cast<std::uint32_t>(response.tag);
    table_.leave_server(id);
    responses_.inject(now, s, client, bytes, id);
    pipe.pop(now);
    if (!pipe.empty()) next = std::min(next, std::max(pipe.next_visible(), now + 1));
  }
  return next;
}

std::uint32_t Interconnect::route(std::uint64_t address) const {
  const std::size_t server = router_.server_of(address);
  if (server >= servers_.size()) {
    throw SimulationError("interconnect: address " + std::to_string(address) +
                          " is routed to server " + std::to_string(server) + " of " +
                          std::to_string(servers_.size()));
  }
  return static_cast<std::uint32_t>(server);
}

bool Interconnect::idle() const { return requests_.in_flight() + responses_.in_flight() == 0; }

void Interconnect::check_laws() const {
  using Stage = RequestTable::Stage;
  requests_.check_laws();
  responses_.check_laws();
  const auto require = [](bool holds, const std::string& law) {
    if (!holds) throw SimulationError("interconnect: " + law);
  };
  require(accepted_ == answered_ + table_.outstanding(),
          std::to_string(accepted_) + " requests taken, " + std::to_string(answered_) +
              " answered, " + std::to_string(table_.outstanding()) + " outstanding");
  require(table_.in_stage(Stage::to_server) == requests_.in_flight() &&
              table_.in_stage(Stage::to_client) == responses_.in_flight(),
          "a network does not hold the requests or responses that are on their way");
  require(table_.outstanding() > 0 || accepted_bytes_ == answered_bytes_,
          std::to_string(accepted_bytes_) + " bytes asked for, " + std::to_string(answered_bytes_) +
              " answered");
}

}  // namespace tilewave
