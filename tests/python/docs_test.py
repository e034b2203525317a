# SPDX-License-Identifier: Apache-2.0
"""The Python blocks of README.md and docs/ after <!-- python --> run, those of a page in order, and so do
the cells of notebooks."""

import ast
import json
import os
import pathlib
import re

import matplotlib.pyplot
import pytest
from conftest import ROOT

matplotlib.use("Agg")
BLOCK = re.compile(r"^<!-- python -->\n```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PAGES = [page for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
         if BLOCK.search(page.read_text(encoding="utf-8"))]


def test_there_are_pages_with_python():
    assert {"README.md", "python.md"} <= {page.name for page in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
@pytest.mark.filterwarnings("ignore::tilewave.TilewaveWarning")
def test_the_blocks_of_a_page_run(page, tmp_path):
    before, names = pathlib.Path.cwd(), {}
    os.chdir(tmp_path)
    try:
        for block in BLOCK.findall(page.read_text(encoding="utf-8")):
            exec(compile(block, str(page), "exec"), names)  # what a reader would do
    finally:
        os.chdir(before)
        matplotlib.pyplot.close("all")


def run_cell(source, names):
    """As a notebook does: what the last line gives is shown."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        assert value is None or getattr(value, "_repr_html_", value.__repr__)()


@pytest.mark.parametrize("notebook", sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")),
                         ids=lambda notebook: notebook.name)
def test_the_cells_of_a_notebook_run(notebook):
    names = {}
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            assert not cell["outputs"], "outputs are not kept: a reader runs it"
            run_cell("".join(cell["source"]), names)
    matplotlib.pyplot.close("all")
    # What the text says of the results is so.
    runs, large, gddr = names["runs"], names["large"], names["gddr"]
    breakdown = large.report["total"]["breakdown"]
    assert max(breakdown, key=breakdown.get) == "wait_weights"
    assert gddr.total.time_s < large.total.time_s
    assert runs[128].total.utilization > runs[256].total.utilization


def test_the_cluster_of_slurm_starts_our_workers():
    """The tutorial's SLURMCluster makes jobs of one thread with the environment's set-up; no Slurm is needed for that."""
    pytest.importorskip("dask_jobqueue")
    text = (ROOT / "docs" / "tutorials" / "cluster_sweep.md").read_text(encoding="utf-8")
    call = re.search(r"SLURMCluster\((.*?)\)\ncluster.scale", text, re.DOTALL)
    from dask_jobqueue import SLURMCluster
    with eval(f"SLURMCluster({call[1]}, scheduler_options={{'dashboard_address': None}})",
              {"SLURMCluster": SLURMCluster}) as cluster:
        script = cluster.job_script()
    assert "--nthreads 1" in script and "--cpus-per-task=1" in script
    assert "source /shared/venv/bin/activate" in script
