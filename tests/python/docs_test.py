# SPDX-License-Identifier: Apache-2.0
"""The Python blocks of README.md and docs/ after <!-- python --> run, those of a page in order."""

import os
import pathlib
import re

import matplotlib.pyplot
import pytest
from conftest import ROOT

matplotlib.use("Agg")
BLOCK = re.compile(r"^<!-- python -->\n```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PAGES = [page for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
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
