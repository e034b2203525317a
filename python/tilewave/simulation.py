# SPDX-License-Identifier: Apache-2.0
"""One run."""

from tilewave import _core
from tilewave.inputs import make_inputs, warn_all
from tilewave.result import Result


def simulate(arch, workload, overrides=None, batch=None, dtype=None, fidelity="fast", *,
             scale_sim_ceil=False, trace=False, progress=None):
    """Simulates a workload on a machine.

    arch: a preset, a path, a dict (an architecture file's object) or an Arch.
    workload: a network or preset, a path (JSON, SCALE-Sim CSV, ONNX), a dict or a Workload.
    overrides: {path: value} put over the machine, as {"clock_ghz": 1.2, "core.matrix_unit.rows": 128};
        "workload.batch" and "workload.dtype" are the workload's. Nested dicts do the same.
    batch: int, images or sequences of a network. dtype: data type of all ops (list_dtypes()).
    fidelity: "fast" (whole tiles at a time) or "detailed" (each PE in each cycle).
    scale_sim_ceil: see from_scale_sim(). trace: record what each unit did (Result.to_trace()).
    progress: called as progress(layers_done, layers, cycle) some times a second.

    Returns a Result. Raises ConfigError (wrong input, with the text of the command line) or
    SimulationError. Ctrl-C stops it. Other threads go on meanwhile; calls from several threads run one
    after another: for parallel runs use processes.
    """
    inputs = make_inputs(arch, workload, overrides, batch, dtype, fidelity, scale_sim_ceil)
    output = _core.simulate(inputs, progress, trace)
    warn_all(output.warnings)
    return Result(output.report, output.warnings, output.trace)


def dump_program(arch, workload, overrides=None, batch=None, dtype=None, *, scale_sim_ceil=False):
    """What the machine would execute, in words (`tilewave run --dump-program`)."""
    return _core.dump_program(make_inputs(arch, workload, overrides, batch, dtype,
                                          scale_sim_ceil=scale_sim_ceil))
