# SPDX-License-Identifier: Apache-2.0
"""simulate() and what it takes and gives: the same as the command line's."""

import json
import pickle
import subprocess
import sys

import numpy
import pandas
import pytest
import tilewave as tw
from conftest import MLP


def without_host(report):
    return {key: value for key, value in report.items() if key != "host"}


@pytest.fixture(scope="module")
def result():
    return tw.simulate("tpu_v1", MLP)


def test_a_run_is_the_command_lines(result, cli, tmp_path):
    file = tmp_path / "mlp.json"
    file.write_text(json.dumps(MLP))
    call = cli("run", "--arch", "tpu_v1", "--workload", file, "--out", tmp_path / "r.json", "--csv",
               tmp_path / "r.csv", "--quiet")
    assert call.returncode == 0, call.stderr
    written = json.loads((tmp_path / "r.json").read_text())
    assert without_host(written) == without_host(result.report)
    # Also the texts, but for what is about the machine that simulates.
    ours = result.to_json(tmp_path / "ours.json")
    assert ours == (tmp_path / "ours.json").read_text()
    theirs = (tmp_path / "r.json").read_text()
    assert ours[:ours.index('"host"')] == theirs[:theirs.index('"host"')]
    assert result.to_csv() == (tmp_path / "r.csv").read_text()


def test_total_and_layers(result):
    assert result.total.cycles == sum(result.layers["cycles"]) > 0
    assert result.total.macs == 64 * 64 * 256 * 2
    assert list(result.layers["name"]) == ["up", "down"]
    header = result.to_csv().splitlines()[0]
    assert ",".join(result.layers.columns) == header
    assert result.layers["traffic.dram.read_bytes"].dtype.kind == "i"
    with pytest.raises(AttributeError, match='did you mean "cycles"'):
        _ = result.total.cycle


def test_inputs_may_be_names_paths_dicts_and_objects(result, tmp_path):
    file = tmp_path / "mlp.json"
    file.write_text(json.dumps(MLP))
    machine, workload = tw.arch("tpu_v1"), tw.workload(MLP)
    chip = tmp_path / "chip.json"
    machine.to_json(chip)
    for arch, load in ((machine, workload), (chip, file), (str(chip), str(file)),
                       ({"extends": "tpu_v1"}, dict(MLP))):
        other = tw.simulate(arch, load)
        assert other.total == result.total
        assert other.layers.equals(result.layers)


def test_overrides_are_set(result):
    changed = tw.simulate("tpu_v1", MLP, overrides={"core.matrix_unit.rows": numpy.int64(128)})
    nested = tw.simulate("tpu_v1", MLP, overrides={"core": {"matrix_unit": {"rows": 128}}})
    assert changed.arch.core.matrix_unit.rows == 128
    assert changed.total == nested.total != result.total
    assert tw.arch("tpu_v1", {"clock_ghz": 1.5}).clock_ghz == 1.5
    batches = tw.simulate("tpu_v1", "mlp:width=64", overrides={"workload.batch": 8})
    assert batches.total == tw.simulate("tpu_v1", "mlp:width=64", batch=8).total


def test_workloads_have_parameters():
    decode = tw.workload("llama2_7b", phase="decode", kv_len=2048, layers=1)
    attention = next(op for op in decode.ops if op["op"] == "attention")
    assert (attention["q_len"], attention["kv_len"]) == (1, 2048)
    assert tw.workload({"model": "resnet18"}, batch=4).ops[0]["n"] == 4
    assert isinstance(decode.to_frame(), pandas.DataFrame)
    # One that is shared by chips keeps its parameters, so that each gets its part.
    resnet = tw.workload("resnet18", batch=8)
    share = tw.simulate("tpu_v2_board", resnet, overrides={"mapping.parallel": "data",
                                                           "mapping.batch": "total"}, dtype="bf16")
    assert share.workload["ops"][0]["n"] == 2


ERRORS = [
    (("tpu_v9", "resnet18"), {}, 'did you mean "tpu_v'),
    (("tpu_v1", {"ops": [{"op": "gemm", "m": 0, "n": 1, "k": 1}]}), {},
     "workload: ops[0].m: must be from 1"),
    (("tpu_v1", {"ops": [{"op": "gem", "m": 1, "n": 1, "k": 1}]}), {}, 'did you mean "gemm"'),
    (("tpu_v1", MLP), {"dtype": "fp61"}, "dtype: must be one of"),
    (("tpu_v1", "resnet18"), {"batch": 0}, "batch: must be a whole number of at least 1"),
    (("tpu_v1", MLP), {"fidelity": "exact"}, "fidelity: must be one of fast, detailed"),
    (("tpu_v1", MLP), {"overrides": {"core.matrix_unit.row": 1}}, "core.matrix_unit.row"),
    (("tpu_v1", {"ops": [{"op": "gemm", "m": float("nan")}]}), {}, "workload: cannot be written as JSON"),
    (("tpu_v1", 3), {}, "workload: is a name, a path, a dict"),
    (({"extends": "nothing"}, MLP), {}, "arch: extends: no machine"),
]


@pytest.mark.parametrize("inputs, options, words", ERRORS)
def test_wrong_input_is_a_config_error(inputs, options, words):
    with pytest.raises(tw.ConfigError) as caught:
        tw.simulate(*inputs, **options)
    assert words in str(caught.value)
    assert caught.value.faults and isinstance(caught.value, ValueError)


def test_errors_read_as_on_the_command_line(cli, tmp_path):
    file = tmp_path / "bad.json"
    file.write_text(json.dumps({"ops": [{"op": "gemm", "m": -i, "n": 1, "k": "x"} for i in range(15)]}))
    call = cli("run", "--arch", "tpu_v9", "--workload", file)
    assert call.returncode == 2
    with pytest.raises(tw.ConfigError) as caught:
        tw.simulate("tpu_v9", file)
    assert "".join(f"error: {line}\n" for line in str(caught.value).splitlines()) == call.stderr
    copy = pickle.loads(pickle.dumps(caught.value))  # as another process gets it
    assert type(copy) is tw.ConfigError and copy.faults == caught.value.faults


def test_hostile_input_is_an_error():
    deep = current = {}
    for _ in range(100_000):
        current["a"] = {}
        current = current["a"]
    for workload in (deep, {"ops": [{"op": "gemm", "m": 10 ** 400, "n": 1, "k": 1}]},
                     {"name": "\ud800", "ops": []}, {"ops": [{1, 2}]}):
        with pytest.raises(tw.ConfigError):
            tw.simulate("tpu_v1", workload)
    # A dict that deep ends the interpreter when it is freed by recursion: take it apart.
    while deep:
        deep = deep.pop("a", None)


def test_warnings_are_warnings():
    with pytest.warns(tw.TilewaveWarning, match="no vector unit"):
        result = tw.simulate("scale_sim_8_ws", {"ops": [
            {"op": "elementwise", "kind": "relu", "elements": 64}]})
    assert "no vector unit" in result.warnings[0]


def test_lists_name_what_is_there(cli):
    for kind, names in (("arch", tw.list_arch()), ("models", tw.list_models()),
                        ("workloads", tw.list_workloads()), ("dtypes", tw.list_dtypes()),
                        ("energy", tw.list_energy()), ("dram", tw.list_dram()),
                        ("suites", tw.list_suites())):
        listed = json.loads(cli("list", kind, "--json").stdout)
        assert names == {entry["name"]: entry["description"] for entry in listed}
        assert names


def test_pages_traces_and_notebooks(tmp_path):
    hostile = {"name": "</script><script>", "ops": [{"op": "gemm", "name": "<b>&", "m": 8, "n": 8, "k": 8}]}
    result = tw.simulate("tpu_v1", hostile, trace=True)
    page = result.to_html(tmp_path / "page.html")
    assert page.startswith("<!") and page == (tmp_path / "page.html").read_text(encoding="utf-8")
    assert json.loads(result.to_trace())["traceEvents"]
    notebook = result._repr_html_()
    assert "<script>" not in notebook and "<b>&<" not in notebook and "&lt;b&gt;&amp;" in notebook
    assert "cycles" in repr(result) and "DRAM" in str(result)
    with pytest.raises(tw.ConfigError, match="trace=True"):
        tw.simulate("tpu_v1", MLP).to_trace()


def test_a_report_is_read_again(result, tmp_path):
    result.to_json(tmp_path / "r.json")
    again = tw.load_report(tmp_path / "r.json")
    assert again.report == result.report and again.layers.equals(result.layers)
    (tmp_path / "no.json").write_text("{}")
    with pytest.raises(tw.ConfigError, match="is no report"):
        tw.load_report(tmp_path / "no.json")


def test_runs_are_compared(result):
    faster = tw.simulate("tpu_v1", MLP, overrides={"clock_ghz": 1.4})
    table = result.compare(faster, labels=["slow", "fast"])
    assert list(table.index) == ["up", "down", "total"]
    assert table.loc["total", ("cycles", "fast")] == faster.total.cycles
    assert table.loc["total", ("speedup", "fast")] == pytest.approx(
        result.total.time_s / faster.total.time_s)
    assert table.loc["total", ("energy_j", "slow")] == pytest.approx(
        table[("energy_j", "slow")].iloc[:-1].sum())
    with pytest.raises(tw.ConfigError, match="labels"):
        result.compare(faster, labels=["one"])


def test_a_comparison_is_a_page_too(result, cli, tmp_path):
    faster = tw.simulate("tpu_v1", MLP, overrides={"clock_ghz": 1.4})
    result.compare(faster, labels=["slow", "fast"], html=tmp_path / "python.html")
    result.to_json(tmp_path / "a.json")
    faster.to_json(tmp_path / "b.json")
    cli("compare", tmp_path / "a.json", tmp_path / "b.json", "--label", "slow", "--label", "fast", "--quiet",
        "--html", tmp_path / "cli.html")
    assert (tmp_path / "python.html").read_bytes() == (tmp_path / "cli.html").read_bytes()


def test_scale_sim_files(tmp_path):
    file = tmp_path / "net.csv"
    file.write_text("Layer, M, N, K,\nfc, 16, 1000, 512,\n")
    workload = tw.from_scale_sim(file)
    assert workload.ops[0]["k"] == 512
    assert tw.simulate("scale_sim_32_ws", workload).total.macs == 16 * 1000 * 512
    file.write_text("Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, "
                    "Num Filter, Strides,\nconv1, 224, 224, 7, 7, 3, 64, 2,\n")
    with pytest.warns(tw.TilewaveWarning, match="rounded down"):
        floor = tw.from_scale_sim(file)
    assert tw.from_scale_sim(file, ceil=True, batch=2).ops[0]["n"] == 2
    assert floor.ops[0]["op"] == "conv2d"


def test_programs_are_printed():
    assert "up" in tw.dump_program("tpu_v1", MLP)


def test_values_of_functional_runs():
    numpy.testing.assert_allclose(*_product("fp32", 1e-5))
    numpy.testing.assert_array_equal(*_product("int8", 0))


def _product(dtype, _):
    machine = {"extends": "tpu_v1", "core": {"matrix_unit": {"throughput": {"fp32": 1, "int8": 1}}}}
    run = tw.simulate(machine if dtype != "int8" else "tpu_v1", {
        "dtype": dtype, "functional": True, "ops": [{"op": "gemm", "m": 5, "n": 3, "k": 7}]})
    values = run.report["layers"][0]["values"]
    a, b, c = (numpy.array(values[key][0]) for key in "abc")
    return c, a @ b


def test_importing_starts_nothing():
    code = ("import sys, tilewave; assert 'onnx' not in sys.modules; "
            "assert 'matplotlib' not in sys.modules; assert 'pandas' not in sys.modules")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_the_stubs_name_what_is_there():
    import ast
    import pathlib
    from tilewave import _core
    folder = pathlib.Path(tw.__file__).parent
    assert (folder / "py.typed").exists()
    for module, names in ((_core, dir(_core)), (tw, tw.__all__)):
        file = folder / ("_core.pyi" if module is _core else "__init__.pyi")
        tree = ast.parse(file.read_text(encoding="utf-8"))
        declared = set()
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                declared.add(node.name)
            elif isinstance(node, ast.AnnAssign):
                declared.add(node.target.id)
            elif isinstance(node, ast.ImportFrom):
                declared |= {alias.asname or alias.name for alias in node.names}
        public = {name for name in names if not name.startswith("__")} | {"__version__"}
        assert public <= declared
