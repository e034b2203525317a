# SPDX-License-Identifier: Apache-2.0
"""Static figures: what they show is what the report says, and the same report gives the same bytes."""

import json
import subprocess
import sys
import xml.etree.ElementTree

import matplotlib
import matplotlib.image

matplotlib.use("Agg")

import numpy  # noqa: E402
import pandas  # noqa: E402
import pytest  # noqa: E402
import tilewave as tw  # noqa: E402
from tilewave import viz  # noqa: E402
from tilewave.viz.array import array_use  # noqa: E402
from tilewave.viz.machine import peak_tflops  # noqa: E402
from tilewave.viz.front import front  # noqa: E402

NET = {"name": "net $x$", "ops": [
    {"op": "conv2d", "name": "conv", "c": 3, "h": 32, "w": 32, "k": 48, "r": 3, "s": 3, "padding": [1, 1]},
    {"op": "elementwise", "name": "relu", "kind": "relu", "elements": 49152},
    {"op": "gemm", "name": "wide", "m": 300, "n": 700, "k": 300}]}


@pytest.fixture(scope="module")
def result():
    return tw.simulate("tpu_v1", NET)


def test_figures_are_files_and_always_the_same(result, tmp_path):
    report = tmp_path / "report.json"
    result.to_json(report)
    made = []
    for folder in ("a", "b"):
        run = subprocess.run([sys.executable, "-m", "tilewave.viz", str(report), "-o",
                              str(tmp_path / folder)], capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        made.append(sorted((tmp_path / folder).iterdir()))
    names = [path.name for path in made[0]]
    assert names == sorted(f"{n}.{k}" for n in ("array", "breakdown", "energy", "roofline", "timeline")
                           for k in ("png", "svg"))
    for first, second in zip(*made):
        assert first.read_bytes() == second.read_bytes(), first.name
        if first.suffix == ".svg":
            xml.etree.ElementTree.parse(first)
        else:
            image = matplotlib.image.imread(first)
            assert image.shape[0] > 500 and image.std() > 0.02  # something is drawn


def test_bars_add_up_to_the_report(result):
    ax = result.plot.breakdown()
    widths = sum(bar.get_width() for bar in ax.patches)
    assert widths == result.total.cycles
    energy = sum(bar.get_width() for bar in result.plot.energy().patches)
    assert energy == pytest.approx(result.total.energy_j)
    # With fewer bars than layers, the rest is one.
    ax = result.plot.breakdown(layers=2)
    assert [label.get_text() for label in ax.get_yticklabels()][-1] == "2 others"
    assert sum(bar.get_width() for bar in ax.patches) == result.total.cycles
    matplotlib.pyplot.close("all")


def test_roofline_has_every_layer_below_its_ceiling(result):
    ax = result.plot.roofline()
    points = numpy.concatenate([c.get_offsets() for c in ax.collections])
    layers = result.layers[result.layers["roofline.flops_per_byte"] > 0]
    assert sorted(p[0] for p in points) == pytest.approx(sorted(layers["roofline.flops_per_byte"]))
    reached = layers["flops"] / layers["time_s"] / 1e12
    assert sorted(p[1] for p in points) == pytest.approx(sorted(reached))
    assert (reached <= layers["roofline.limit_tflops"] * 1.0001).all()
    matplotlib.pyplot.close("all")


def test_peaks_are_the_machines():
    # TPU v1's paper: 92 TOPS; A100's white paper: 312 TFLOPS of fp16, 19.5 of fp32.
    assert peak_tflops(tw.arch("tpu_v1"))["int8"] == pytest.approx(91.75, rel=1e-3)
    a100 = peak_tflops(tw.arch("a100_sxm_80gb"))
    assert a100["fp16"] == pytest.approx(312, rel=1e-2)
    assert a100["fp32"] == pytest.approx(19.5, rel=1e-2)


def test_pes_at_work_are_those_of_the_mapping(result):
    use, _ = array_use(result.report, "wide")
    # k = 300 on 256 rows: two folds, the second of 44; n = 700 on 256 columns: three, the last of 188.
    assert use[0, 0] == 1 and use[44, 0] == 0.5 and use[43, 187] == 1
    assert use[43, 188] == pytest.approx(2 / 3)
    whole, words = array_use(result.report)
    layers = result.layers[result.layers["macs"] > 0]
    mean = (layers["mapping_efficiency"] * layers["cycles"]).sum() / layers["cycles"].sum()
    assert whole.mean() == pytest.approx(mean)
    assert words.startswith("2 of 3 layers")
    with pytest.raises(ValueError, match="no layer"):
        array_use(result.report, "nothing")
    gpu = tw.simulate("a100_sxm_80gb", {"dtype": "fp16", "ops": [{"op": "gemm", "m": 64, "n": 64, "k": 64}]})
    with pytest.raises(ValueError, match="no systolic array"):
        array_use(gpu.report)


def test_the_front_is_what_nothing_beats(tmp_path):
    points = [(3, 1), (1, 3), (2, 2), (2, 3), (3, 3), (1, 4)]
    assert sorted(points[i] for i in front(points)) == [(1, 3), (2, 2), (3, 1)]
    frame = pandas.DataFrame(points, columns=["total.cycles", "total.energy_j"])
    ax = viz.pareto(frame, "total.cycles", "total.energy_j")
    assert len(ax.collections[0].get_offsets()) == 6 and len(ax.collections[1].get_offsets()) == 3
    matplotlib.pyplot.close("all")
    frame.to_csv(tmp_path / "sweep.csv", index=False)
    run = subprocess.run([sys.executable, "-m", "tilewave.viz", str(tmp_path / "sweep.csv"), "-o",
                          str(tmp_path), "--format", "svg"], capture_output=True, text=True, check=False)
    assert run.returncode == 0 and (tmp_path / "pareto.svg").exists(), run.stderr


@pytest.mark.parametrize("words, part", [
    (["nothing.json"], "no such file"), (["bad.json"], "is no report"),
    (["bad.json", "--format", "bmp"], "must be of png"), (["bad.csv"], "give --x and --y")])
def test_wrong_input_is_an_error(tmp_path, words, part):
    (tmp_path / "bad.json").write_text(json.dumps({"total": {}}))
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n")
    run = subprocess.run([sys.executable, "-m", "tilewave.viz", *words], cwd=tmp_path,
                         capture_output=True, text=True, check=False)
    assert run.returncode == 2 and part in run.stderr and run.stderr.startswith("error: ")
