# SPDX-License-Identifier: Apache-2.0
"""Pages in a headless Chromium: what tests of them have in common.

Needs a Chromium (TILEWAVE_CHROMIUM, or one in PATH); without one that runs, says SKIPPED and succeeds.
"""

import html.parser
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from _support import CliTest

# What each chart was given becomes an attribute of it, so that it is in the printed page.
FIGURES = """for (const chart of document.querySelectorAll(".js-plotly-plot")) {
    const { data, layout } = chart;
    chart.dataset.figure = JSON.stringify({ data, layout }); }"""

VOID = {"meta", "link", "input", "br", "img", "hr"}

# Runs before anything else of the page: faults become an attribute of its root.
COLLECTOR = """<script>
{ const add = (text) => { document.documentElement.dataset.faults =
    (document.documentElement.dataset.faults ?? "") + text + ";"; };
  addEventListener("error", (event) => add(event.message ?? "error"));
  addEventListener("unhandledrejection", (event) => add(String(event.reason)));
  addEventListener("securitypolicyviolation", (event) => add(event.blockedURI));
  for (const kind of ["error", "warn"]) console[kind] = (...all) => add(all.join(" "));
  window.alert = (text) => add("alert " + text); }
</script>"""


class Element:
    def __init__(self, tag, attributes, parent):
        self.tag, self.attributes, self.parent = tag, attributes, parent
        self.children = []

    def __getitem__(self, name):
        return self.attributes.get(name)

    @property
    def text(self):
        return "".join(c if isinstance(c, str) else c.text for c in self.children)

    def all(self, tag=None, kind=None, **attributes):
        """Elements below this one; an attribute a_b=True stands for a-b, whatever its value."""
        for child in self.children:
            if isinstance(child, str):
                continue
            if ((tag is None or child.tag == tag)
                    and (kind is None or kind in (child["class"] or "").split())
                    and all((child[name.replace("_", "-")] is not None) if value is True
                            else child[name.replace("_", "-")] == value
                            for name, value in attributes.items())):
                yield child
            yield from child.all(tag, kind, **attributes)

    def one(self, *what, **attributes):
        found = list(self.all(*what, **attributes))
        if len(found) != 1:
            raise AssertionError(f"{len(found)} elements {what} {attributes}, not one")
        return found[0]


class Dom(html.parser.HTMLParser):
    """The tree a browser printed. What is in <noscript> is not part of it."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.root = self.open = Element("document", {}, None)
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        element = Element(tag, dict(attributes), self.open)
        if tag != "noscript":
            self.open.children.append(element)
        if tag not in VOID:
            self.open = element

    def handle_startendtag(self, tag, attributes):
        self.open.children.append(Element(tag, dict(attributes), self.open))

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.tag == tag, (self.open.tag, tag)
            self.open = self.open.parent

    def handle_data(self, data):
        self.open.children.append(data)


def chromium():
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    given = os.environ.get("TILEWAVE_CHROMIUM")
    return shutil.which(given) if given else next(filter(None, map(shutil.which, names)), None)


def printed(browser, address, folder):
    """The page at the address as elements, after all its timers have run."""
    # As root, which CI often is, Chromium has no sandbox. Time in the page is virtual.
    result = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--window-size=1280,1000", "--virtual-time-budget=20000", f"--user-data-dir={folder}",
         "--dump-dom", address],
        capture_output=True, text=True, encoding="utf-8", timeout=50, check=False)
    return result.stdout


def why_not(browser):
    if browser is None:
        return "no Chromium found"
    with tempfile.TemporaryDirectory(prefix="tilewave-browser-") as folder:
        try:
            text = printed(browser, "data:text/html,<p>rea</p><script>document.body.append('dy')</script>",
                           folder)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{browser} does not run: {error}"
    return None if "dy</body>" in text else f"{browser} does not run headless here"


BROWSER = chromium()
REASON = why_not(BROWSER)


class Pages(CliTest):
    def shown(self, page, hash="", script=""):
        """The page drawn, without a fault. The script runs when the page has been drawn."""
        page = page.replace("<head>", "<head>" + COLLECTOR, 1)
        end = page.rindex("</body>")
        page = f"""{page[:end]}<script>document.addEventListener("drawn", () => {{
            {script};{FIGURES} }});</script>{page[end:]}"""
        path = self.write("shown.html", page)
        root = Dom(printed(BROWSER, path.as_uri() + hash, self.folder / "profile")).root.one("html")
        self.assertIsNone(root["data-faults"])
        self.assertEqual(root["data-drawn"], "yes")
        self.assertEqual([e.text for e in root.all(kind="draw-error")], [])
        return root

    def figure(self, section):
        """Of the chart in the section: its traces, and its layout."""
        figure = json.loads(section.one("div", "js-plotly-plot")["data-figure"])
        return figure["data"], figure["layout"]


def main():
    if REASON:
        print(f"SKIPPED: the pages were not looked at in a browser: {REASON}")
        sys.exit(0)
    unittest.main()
