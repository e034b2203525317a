// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "app/sweep/run_point.hpp"
#include "app/sweep/sha256.hpp"
#include "arch/memory/dram/dram_standard_config.hpp"
#include "arch/program/data_type.hpp"
#include "tilewave/version.hpp"
#include "workloads/workload_json.hpp"

namespace tilewave {
namespace {

Json facts_of(const EnergyTable& table) {
  Json json = {
      {"node_nm", table.node_nm},
      {"register", table.register_pj_per_bit},
      {"wire", table.wire_pj_per_bit_mm},
      {"sram_bits", table.sram_access_bits},
      {"dram", table.dram_pj_per_bit},
      {"host", table.host_link_pj_per_bit},
      {"leakage", {table.leakage.sram_mw_per_mib, table.leakage.pe_uw, table.leakage.lane_uw}}};
  for (const auto& [type, pj] : table.macs) {
    json["macs"][std::string(to_string(type))] = {pj.multiply, pj.add};
  }
  for (const auto& [bits, pj] : table.vector_ops) {
    json["vector"].push_back({bits, pj.multiply, pj.add});
  }
  for (const EnergyTable::SramPoint& point : table.sram_points) {
    json["sram"].push_back({point.capacity_bytes, point.read_pj, point.write_pj});
  }
  return json;
}

}  // namespace

std::string key_of(const RunRequest& request) {
  const ResolvedArch& arch = request.arch;
  const MainMemoryParams& dram = arch.gpu ? arch.gpu->dram : arch.chip.dram;
  Json input = {{"version", kVersion},
                {"fidelity", request.fidelity == Fidelity::fast ? "fast" : "detailed"},
                {"arch", to_json(arch)},
                {"energy", facts_of(arch.energy)},
                {"workload", to_json(request.workload)}};
  // The rules of the DRAM's standard, which a machine's JSON does not repeat.
  if (dram.controllers) input["dram_standard"] = dram_standard_to_json(*dram.controllers);
  return sha256(input.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace tilewave
