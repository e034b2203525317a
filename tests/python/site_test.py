# SPDX-License-Identifier: Apache-2.0
"""The site of docs/ is built without a warning: all pages are in its contents, all links and headings are there."""

import os
import re
import subprocess
import sys

from conftest import ROOT


def test_the_site_is_built_without_a_warning(tmp_path):
    site = tmp_path / "site"
    build = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", site], cwd=ROOT, check=False,
                           text=True, capture_output=True, timeout=120, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    assert build.returncode == 0, build.stderr
    pages = {path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")}
    for page in pages:
        folder = page.parent if page.stem == "README" else page.parent / page.stem
        assert (site / folder / "index.html").is_file(), page
    # Links to files beside docs/ are their paths; nothing comes from elsewhere.
    model = (site / "model" / "index.html").read_text(encoding="utf-8")
    assert "<code>workloads/mapping/matrix_mapping.hpp</code>" in model
    start = (site / "index.html").read_text(encoding="utf-8")
    assert not re.search(r'(?:src|href)="https?://(?:fonts|cdn)', start)
