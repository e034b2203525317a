// SPDX-License-Identifier: Apache-2.0
// A memory written against the TLM-2.0 standard only takes the place of ours: the chip runs on it.
#include <nlohmann/json.hpp>
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_target_socket.h>

#include "support/catch.hpp"
#include "support/machines.hpp"

#include "arch/chip/systolic_chip.hpp"
#include "sim/config/json.hpp"
#include "workloads/mapping/lower.hpp"

namespace tilewave::test {
namespace {

/// As a text book has it: a payload event queue, the four phases, one request accepted at a time. Its
/// latency is fixed; it knows nothing of Tilewave.
class TextbookMemory final : public sc_core::sc_module {
 public:
  TextbookMemory(sc_core::sc_module_name name, sc_core::sc_time accept, sc_core::sc_time serve)
      : sc_module(name), queue_(this, &TextbookMemory::on_phase), accept_(accept), serve_(serve) {
    socket.register_nb_transport_fw(this, &TextbookMemory::nb_transport_fw);
  }
  tlm_utils::simple_target_socket<TextbookMemory> socket;

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) payload.acquire();
    queue_.notify(payload, phase, delay);
    return tlm::TLM_ACCEPTED;
  }
  void on_phase(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
    tlm::tlm_phase next = tlm::END_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (phase == tlm::BEGIN_REQ) {
      next = tlm::END_REQ;
      queue_.notify(payload, tlm::END_REQ, accept_);
    } else if (phase == tlm::END_REQ) {
      socket->nb_transport_bw(payload, next, delay);
      queue_.notify(payload, tlm::BEGIN_RESP, serve_);
    } else if (phase == tlm::BEGIN_RESP) {
      next = tlm::BEGIN_RESP;
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
      socket->nb_transport_bw(payload, next, delay);
      payload.release();
    }
  }
  tlm_utils::peq_with_cb_and_phase<TextbookMemory> queue_;
  sc_core::sc_time accept_, serve_;
};

TEST_CASE("the chip runs on a foreign TLM-2.0 memory", "[memory]") {
  const ResolvedArch machine = resolve(small_machine());
  Diagnostics diagnostics;
  const Workload workload = workload_of(Json::parse(R"({"ops": [
      {"op": "gemm", "name": "a", "m": 48, "n": 40, "k": 96},
      {"op": "gemm", "name": "b", "m": 17, "n": 33, "k": 40}]})"));
  const auto lowered = lower(workload, machine.chip.target(), "test", diagnostics);
  diagnostics.throw_if_errors();

  const auto run = [&](double serve_ns, std::uint64_t& bytes) {
    RunHooks hooks;
    hooks.dram = [&](tlm::tlm_initiator_socket<>& socket) {
      auto made = std::make_unique<TextbookMemory>("foreign", sc_core::sc_time(2, sc_core::SC_NS),
                                                   sc_core::sc_time(serve_ns, sc_core::SC_NS));
      socket.bind(made->socket);
      return made;
    };
    const ChipRun result = run_on_chip(machine.chip, lowered.program, Fidelity::fast, hooks);
    bytes = 0;
    for (const LayerRecord& layer : result.layers) {
      bytes += layer.dram_read_bytes + layer.dram_write_bytes;
    }
    return result.cycles;
  };
  std::uint64_t bytes_near = 0, bytes_far = 0;
  const Cycle near = run(20, bytes_near), far = run(2000, bytes_far);
  CHECK(bytes_near == bytes_far);
  CHECK(bytes_near > 0);
  CHECK(far > near);
}

}  // namespace
}  // namespace tilewave::test
