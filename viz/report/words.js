// SPDX-License-Identifier: Apache-2.0
// Names of the report in words. A key that is not here is shown as it is written.

// Without what each object inherits: the report may use any key, "constructor" too.
const named = (entries) => Object.assign(Object.create(null), entries);

// Classes of cycles, as arch/core/layer_record.hpp and sm/sm_record.hpp define them, in the order they are stacked.
const CYCLE_CLASSES = named({
  matrix_busy: { name: "Matrix busy", color: "blue", text: "a matrix unit takes in vectors" },
  vector_busy: { name: "Vector busy", color: "sky",
    text: "the vector unit works, the matrix units do not" },
  weight_load: { name: "Weight load", color: "orange",
    text: "stationary operands move into the array" },
  fill_drain: { name: "Fill and drain", color: "yellow",
    text: "the array's pipeline fills, or results leave it" },
  wait_weights: { name: "Wait: weights", color: "red", text: "weights are not on chip yet" },
  wait_activations: { name: "Wait: activations", color: "pink",
    text: "activations are not on chip yet" },
  wait_output: { name: "Wait: accumulators", color: "green", text: "no accumulator stage is free" },
  wait_dram: { name: "Wait: DRAM", color: "wine",
    text: "data from DRAM is on the way, of a kernel without multiplications or to an SM" },
  wait_l2: { name: "Wait: L2", color: "other-3", text: "data that the L2 has is on the way" },
  wait_host: { name: "Wait: host", color: "violet", text: "data is on the way over the host link" },
  wait_link: { name: "Wait: links", color: "other-2",
    text: "data is on the way between the chips" },
  wait_store: { name: "Wait: store", color: "teal", text: "results are being written off chip" },
  wait_cores: { name: "Wait: cores", color: "other-1", text: "another core is not done yet" },
  sync: { name: "Sync", color: "green", text: "barriers; pipelines fill and drain" },
  launch: { name: "Launch", color: "other-0", text: "an op is being started" },
  idle: { name: "Idle", color: "grey", text: "latencies in between" },
});

const BOUNDS = named({
  matrix: { name: "matrix", color: "blue", mark: "circle", text: "the matrix unit" },
  vector: { name: "vector", color: "sky", mark: "down", text: "the vector unit" },
  dram: { name: "dram", color: "red", mark: "square", text: "DRAM bandwidth" },
  l2: { name: "l2", color: "pink", mark: "cross", text: "the L2 memory" },
  l1: { name: "l1", color: "green", mark: "cross", text: "on-chip buffers" },
  latency: { name: "latency", color: "orange", mark: "up",
    text: "latency: loading, filling, draining the array, and waiting on links that are not full" },
  launch: { name: "launch", color: "wine", mark: "up", text: "the time to start kernels" },
  host: { name: "host", color: "violet", mark: "diamond", text: "the host link" },
  link: { name: "link", color: "teal", mark: "diamond", text: "the links between chips" },
});

const COMPONENTS = named({
  matrix: { name: "Matrix unit", color: "blue" },
  vector: { name: "Vector unit", color: "sky" },
  register_file: { name: "Registers", color: "yellow" },
  l1: { name: "On-chip buffers (L1)", color: "green" },
  l2: { name: "L2", color: "pink" },
  dram: { name: "DRAM", color: "red" },
  interconnect: { name: "Links", color: "violet" },
  static: { name: "Static", color: "grey", text: "leakage, whether work is done or not" },
});

// Levels of memory from the outside in; a `part` is one of those whose sum l1 is.
const LEVELS = named({
  host: { name: "Host link", link: true },
  link: { name: "Links between chips", link: true },
  dram: { name: "DRAM", link: true },
  l2: { name: "L2" },
  l1: { name: "On-chip buffers (L1)" },
  activation: { name: "Activations", part: true },
  weight: { name: "Weights", part: true },
  accumulator: { name: "Accumulators", part: true },
});

const LINK_BYTES = named({
  dram_read: { name: "DRAM read", color: "red" },
  dram_write: { name: "DRAM write", color: "orange" },
  host_read: { name: "Host to chip", color: "violet" },
  host_write: { name: "Chip to host", color: "sky" },
});

const nameOf = (kinds, key) => kinds[key]?.name ?? key;
const words = (key) => textOf(key).replaceAll("_", " ");
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
// Known keys in their order, then the others as the report has them.
function ordered(kinds, values) {
  const keys = Object.keys(values);
  const known = Object.keys(kinds).filter((k) => keys.includes(k));
  return [...known, ...keys.filter((k) => !(k in kinds))];
}
