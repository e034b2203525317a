# SPDX-License-Identifier: Apache-2.0
"""Tilewave: a cycle-level simulator of accelerators for machine learning.

    import tilewave as tw
    r = tw.simulate("tpu_v1", "resnet50", batch=8)
    r.total.cycles      # core-clock cycles
    r.layers            # pandas.DataFrame, a row a layer
    r.plot.roofline()   # matplotlib.axes.Axes

Names, files, keys and errors are those of the command line; see docs/ of the project.
"""

from tilewave._core import ConfigError, SimulationError, __version__
from tilewave import _data  # noqa: F401  (finds the presets)
from tilewave.inputs import Arch, TilewaveWarning, Workload, arch, from_scale_sim, workload
from tilewave.presets import (list_arch, list_dram, list_dtypes, list_energy, list_models,
                              list_suites, list_sweeps, list_workloads)
from tilewave.result import Result, load_report
from tilewave.simulation import dump_program, simulate
from tilewave.sweeps import sweep

__all__ = [
    "Arch", "ConfigError", "Result", "SimulationError", "TilewaveWarning", "Workload", "__version__",
    "arch", "dump_program", "from_hf_config", "from_onnx", "from_scale_sim", "list_arch",
    "list_dram", "list_dtypes", "list_energy", "list_models", "list_suites", "list_sweeps",
    "list_workloads", "load_report", "simulate", "sweep", "workload",
]

# Loaded when first asked for: the onnx package takes longer to import than all of the above.
_LATER = {"from_onnx": "tilewave.onnx_import", "from_hf_config": "tilewave.hf_config"}


def __getattr__(name):
    if name in _LATER:
        import importlib
        return getattr(importlib.import_module(_LATER[name]), name)
    raise AttributeError(f"module 'tilewave' has no attribute {name!r}")


def __dir__():
    return sorted(__all__)
