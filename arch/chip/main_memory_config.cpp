// SPDX-License-Identifier: Apache-2.0
#include "arch/chip/main_memory_config.hpp"

#include "arch/memory/dram/dram_config.hpp"

namespace tilewave {

namespace {

/// A memory of configs/dram: its name, and values of its file that this machine has otherwise.
void read_preset(ObjectReader& dram, MainMemoryParams& d) {
  d.preset =
      dram.text("preset", "a memory of configs/dram, or a file: its controllers are simulated");
  d.stacks = dram.optional_count("stacks", 1, {1, 64}, "so many times the channels of the preset");
  const auto channels =
      dram.maybe_count("channels", {1, 4096}, "channels in all; else the preset's");
  if (channels && dram.has("stacks")) dram.error("channels", "give channels or stacks, not both");
  d.latency_ns =
      dram.optional_number("latency_ns", 0, RealRange::non_negative(1e9),
                           "controller, PHY and clock crossings, on top of the DRAM's own");
  d.requests = dram.optional_count("requests", d.requests, {1, 65536},
                                   "requests that the controllers hold at a time");
  d.preset_changes = Json::object();
  const auto take = [&](const char* key, const char* meaning) {
    if (const Json* value = dram.maybe_any(key, meaning)) d.preset_changes[key] = *value;
  };
  take("data_rate_mbps", "per pin; else the preset's");
  take("organisation", "changes to the preset's organisation");
  take("timing_cycles", "changes to the preset's timings");
  take("controller", "changes to the preset's controller");
  take("address_map", "changes to the preset's address map");
  take("energy", "changes to the preset's energies");
  if (channels) d.preset_changes["organisation"]["channels"] = *channels;
  for (const char* key : {"kind", "bandwidth_gb_per_s"}) {
    (void)dram.maybe_any(key, "not with a preset");
    dram.no_effect(key, "the preset says it");
  }
}

}  // namespace

MainMemoryParams read_main_memory(ObjectReader dram) {
  MainMemoryParams d;
  enum class Model { simple, ideal, controller };
  const bool has_preset = dram.has("preset");
  const auto model = dram.optional_choice<Model>(
      "model", has_preset ? Model::controller : Model::simple,
      {{"simple", Model::simple}, {"ideal", Model::ideal}, {"controller", Model::controller}},
      "simple: bandwidth and latency; ideal: answers at once; controller: channels, banks and rows "
      "of "
      "a preset, cycle by cycle");
  d.ideal = model == Model::ideal;
  if (model == Model::controller) {
    read_preset(dram, d);
  } else {
    // A machine made simple or ideal by an override still has its preset, and may have a kind for it.
    for (const char* key :
         {"preset", "stacks", "channels", "requests", "data_rate_mbps", "organisation",
          "timing_cycles", "controller", "address_map", "energy"}) {
      (void)dram.maybe_any(key, "only with model controller");
      dram.no_effect(key, "the model is not controller");
    }
    d.kind = dram.text("kind", "memory standard, an entry of the energy table");
    const RealRange bandwidth{.min = 1e-6, .max = 1e6};
    const char* const of_all = "of all channels together";
    if (d.ideal) {
      // A machine made ideal by an override still has them.
      for (const char* key : {"bandwidth_gb_per_s", "latency_ns"}) {
        (void)dram.maybe_number(key, RealRange::non_negative(1e9), "not used by model ideal");
        dram.no_effect(key, "the model is ideal");
      }
    } else {
      d.bandwidth = Bandwidth::from_gb_per_s(dram.number("bandwidth_gb_per_s", bandwidth, of_all));
      d.latency_ns = dram.optional_number("latency_ns", 0, RealRange::non_negative(1e9),
                                          "from the end of a transfer to its response");
    }
  }
  const auto capacity =
      dram.optional_capacity("capacity", 0, {0, Count{1} << 60}, "size; 0: not stated");
  if (model == Model::controller) {
    for (const char* unit : {"capacity_bytes", "capacity_kib", "capacity_mib", "capacity_gib"}) {
      dram.no_effect(unit, "the preset's organisation says it");
    }
  } else {
    d.capacity_bytes = capacity;
  }
  d.weights_only = dram.optional_choice<bool>("holds", false, {{"all", false}, {"weights", true}},
                                              "weights: activations go over the host link");
  dram.finish();
  return d;
}

// Of a preset all that a file may change in it, so that the machine is the same whatever becomes of
// the preset; only the standard's rules stay in the preset.
Json to_json(const MainMemoryParams& d) {
  Json json;
  if (d.controllers) {
    json = {{"model", "controller"},
            {"preset", d.preset},
            {"latency_ns", d.latency_ns},
            {"requests", d.requests}};
    const Json preset = to_json(*d.controllers);
    for (const char* key : {"data_rate_mbps", "organisation", "timing_cycles", "controller",
                            "address_map", "energy"}) {
      json[key] = preset.at(key);
    }
    return json;
  }
  json = {{"model", d.ideal ? "ideal" : "simple"}, {"kind", d.kind}};
  if (!d.ideal) {
    json["bandwidth_gb_per_s"] = d.bandwidth.gb_per_s();
    json["latency_ns"] = d.latency_ns;
  }
  if (d.capacity_bytes > 0) json["capacity_bytes"] = d.capacity_bytes;
  return json;
}

void set_controllers(MainMemoryParams& memory, const DramParams& dram) {
  memory.controllers = dram;
  memory.controllers->organisation.channels *= memory.stacks;
  memory.stacks = 1;
  memory.bandwidth = Bandwidth::from_gb_per_s(memory.controllers->peak_gb_per_s());
  memory.capacity_bytes = memory.controllers->capacity_bytes();
}

}  // namespace tilewave
