# SPDX-License-Identifier: Apache-2.0
"""Machines and workloads as users give them: a name, a path, a dict, or an object of this module."""

import json
import os
import warnings

from tilewave import _core
from tilewave.record import Record


class TilewaveWarning(UserWarning):
    """What the command line prints as a warning."""


def warn_all(texts, stacklevel=3):
    for text in texts:
        warnings.warn(text, TilewaveWarning, stacklevel=stacklevel + 1)


def config_error(message, label="", path=""):
    """A ConfigError with one fault, in the words of the simulator: `label: path: message`."""
    text = ": ".join(part for part in (label, path, message) if part)
    error = _core.ConfigError(text)
    error.faults = [(label, path, message, 0, 0)]
    return error


def _plain(value):
    """Numbers of NumPy and the like, for json."""
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        return value.item()
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} is no JSON value")


def json_text(value, label):
    """The value as JSON; what cannot be is a ConfigError."""
    try:
        return json.dumps(value, allow_nan=False, default=_plain)
    except RecursionError:
        raise config_error("is nested too deeply", label) from None
    except (TypeError, ValueError) as error:
        raise config_error(f"cannot be written as JSON: {error}", label) from None


class Arch(Record):
    """A machine, complete: the dict that `tilewave show arch` prints, members also as attributes."""

    def __repr__(self):
        return f"<tilewave.Arch {self.get('name', '')}>"

    def to_json(self, path=None, indent=2):
        """The machine as JSON text; with a path, written there. It can be read again as a file."""
        return _written(json.dumps(self, indent=indent) + "\n", path)


class Workload:
    """A workload.

    name: str. ops: list of dicts, complete, as `tilewave show workload` prints them. warnings: list of
    str, what was noticed on the way. source: what it was made of, the name or dict that simulate() reads.
    """

    def __init__(self, source, warnings=(), resolved=None):
        self.source = source
        self.warnings = list(warnings)
        self._resolved = resolved
        self.unknown_ops = {}  # of an ONNX graph: {op type: [node names]}

    @property
    def resolved(self):
        """The complete dict."""
        if self._resolved is None:
            text, _ = _core.workload_json(make_inputs(workload=self.source))
            self._resolved = json.loads(text)
        return self._resolved

    @property
    def name(self):
        return self.resolved["name"]

    @property
    def ops(self):
        return self.resolved["ops"]

    def __len__(self):
        return len(self.ops)

    def __repr__(self):
        return f"<tilewave.Workload {self.name}: {len(self)} op{'' if len(self) == 1 else 's'}>"

    def to_dict(self):
        """A copy of the complete dict."""
        return json.loads(json.dumps(self.resolved))

    def to_json(self, path=None, indent=2):
        """The workload as JSON text; with a path, written there."""
        return _written(json.dumps(self.resolved, indent=indent) + "\n", path)

    def to_frame(self):
        """pandas.DataFrame, a row an op: its name, kind, type and sizes."""
        import pandas
        return pandas.DataFrame(self.ops)


def _written(text, path):
    if path is not None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return text


def is_path(value):
    return isinstance(value, os.PathLike)


def _name(value):
    """A path is a file even if it looks like a name."""
    text = os.fspath(value)
    if is_path(value) and os.sep not in text and not os.path.splitext(text)[1]:
        return os.path.join(os.curdir, text)
    return text


def _set_texts(overrides, label="overrides"):
    """{"a.b": 1, "c": {"d": 2}} -> ["a.b=1", "c.d=2"], values as JSON."""
    texts = []

    def add(path, value):
        if isinstance(value, dict) and value:
            for key, inner in value.items():
                add(f"{path}.{key}" if path else str(key), inner)
        else:
            texts.append(f"{path}={json_text(value, label)}")

    if overrides is not None:
        if not isinstance(overrides, dict):
            raise config_error(f"is a dict of paths and values, not a {type(overrides).__name__}",
                               label)
        add("", overrides)
    return texts


def _wrong_kind(what, value):
    return config_error(f"is a name, a path, a dict or a tilewave.{what.capitalize()}, not a "
                        f"{type(value).__name__}", what)


def make_inputs(arch=None, workload=None, overrides=None, batch=None, dtype=None, fidelity="fast",
                scale_sim_ceil=False):
    """_core.Inputs of what a user gave."""
    inputs = _core.Inputs()
    if isinstance(arch, dict):
        document = dict(arch)
        document.setdefault("name", "custom")
        inputs.arch_json = json_text(document, "arch")
    elif isinstance(arch, (str, os.PathLike)):
        inputs.arch_name = _name(arch)
    elif arch is not None:
        raise _wrong_kind("arch", arch)
    if isinstance(workload, Workload):
        workload = workload.source
    if isinstance(workload, dict):
        inputs.workload_json = json_text(workload, "workload")
    elif isinstance(workload, (str, os.PathLike)):
        name = _name(workload)
        if name.lower().endswith(".onnx"):
            from tilewave.onnx_import import from_onnx
            imported = from_onnx(name, batch=batch)
            batch = None
            inputs.workload_json = json_text(imported.source, "workload")
        else:
            inputs.workload_name = name
    elif workload is not None:
        raise _wrong_kind("workload", workload)
    inputs.sets = _set_texts(overrides)
    inputs.batch = None if batch is None else str(batch)
    inputs.dtype = None if dtype is None else str(dtype)
    inputs.fidelity = str(fidelity)
    inputs.scale_sim_ceil = bool(scale_sim_ceil)
    return inputs


def arch(name, overrides=None):
    """A machine, complete.

    name: a preset (list_arch()), a path to an architecture file, or a dict as such a file has it,
    `{"extends": "tpu_v1", "core": {...}}`. overrides: {path: value}, as
    {"core.matrix_unit.rows": 128}. Raises ConfigError.
    """
    text, warnings_ = _core.arch_json(make_inputs(arch=name, overrides=overrides))
    warn_all(warnings_)
    return Arch(json.loads(text))


def workload(name, **parameters):
    """A workload.

    name: a network (list_models()), a preset (list_workloads()), a path to a workload file (JSON,
    SCALE-Sim CSV, ONNX), or a dict as a workload file has it. parameters: of a network, as batch=8,
    dtype="fp16", phase="decode", kv_len=2048 (list_models() names them); of an ONNX graph, those of
    from_onnx() and its symbolic dimensions by name. Raises ConfigError.
    """
    if isinstance(name, Workload):
        name = name.source
    if isinstance(name, dict):
        source = {**name, **parameters}
    elif parameters:
        text = _name(name)
        if text.lower().endswith(".onnx"):
            from tilewave.onnx_import import from_onnx
            known = {"batch", "dims", "dtype", "layout", "name"}
            options = {key: value for key, value in parameters.items() if key in known}
            sizes = {key: value for key, value in parameters.items() if key not in known}
            return from_onnx(text, **{**options, "dims": {**(options.get("dims") or {}), **sizes}})
        source = text + ":" + ",".join(f"{key}={value}" for key, value in parameters.items())
    elif isinstance(name, (str, os.PathLike)):
        source = _name(name)
        if source.lower().endswith(".onnx"):
            from tilewave.onnx_import import from_onnx
            return from_onnx(source)
    else:
        raise _wrong_kind("workload", name)
    text, warnings_ = _core.workload_json(make_inputs(workload=source))
    warn_all(warnings_)
    return Workload(source, warnings_, json.loads(text))


def from_scale_sim(path, batch=None, dtype=None, ceil=False):
    """The workload of a SCALE-Sim topology file (CSV; convolution or GEMM form, told apart by the
    header). batch: images of every convolution. dtype: of all ops, default int8. ceil: round output
    sizes up where the stride does not divide, as SCALE-Sim does. Raises ConfigError."""
    inputs = make_inputs(workload=os.fspath(path), batch=batch, dtype=dtype, scale_sim_ceil=ceil)
    text, warnings_ = _core.workload_json(inputs)
    warn_all(warnings_)
    resolved = json.loads(text)
    return Workload(resolved, warnings_, resolved)
