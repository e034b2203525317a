# SPDX-License-Identifier: Apache-2.0
"""The HTML report in a headless Chromium: what it draws is what the report says, and nothing fails.

Needs a Chromium (TILEWAVE_CHROMIUM, or one in PATH); without one that runs, says SKIPPED and succeeds.
"""

import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
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


def with_report(page, report):
    """The same page with another report in it."""
    data = json.dumps(report).replace("<", "\\u003c")
    begin = page.index(">", page.index('id="report"')) + 1
    return page[:begin] + data + page[page.index("</script>", begin):]


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


@unittest.skipIf(REASON, REASON)
class PageTest(Pages):
    def simulated(self, *words):
        """A run's page and report."""
        self.results("run", *words, "--quiet", "--html", self.folder / "p.html",
                     "--out", self.folder / "r.json")
        return ((self.folder / "p.html").read_text(encoding="utf-8"),
                json.loads((self.folder / "r.json").read_text(encoding="utf-8")))

    def rows(self, root):
        return [int(row["data-layer"]) for row in root.one(id="layers").all("tr", data_layer=True)]

    def test_all_is_drawn_as_the_report_says(self):
        page, report = self.simulated("--arch", "tpu_v1", "--workload", "resnet50")
        root = self.shown(page)
        layers, total = report["layers"], report["total"]
        self.assertEqual(root.one("title").text, "resnet50 on tpu_v1 – Tilewave")

        # Roofline: a mark for each layer, ceilings of both types and both links.
        traces, layout = self.figure(root.one(id="roofline"))
        marks = [t for t in traces if "customdata" in t]
        for trace in marks:
            for i, x, y in zip(trace["customdata"], trace["x"], trace["y"]):
                layer = layers[i]
                self.assertEqual(trace["meta"], layer["bound"])
                self.assertAlmostEqual(y, layer["flops"] / layer["time_s"] * 1e-12, delta=1e-9 * y)
                traffic = [layer["traffic"][k] for k in ("dram", "host")]
                moved = sum(t["read_bytes"] + t["write_bytes"] for t in traffic)
                if trace.get("xaxis") == "x2":
                    self.assertEqual(moved, 0)
                else:
                    self.assertAlmostEqual(x, layer["flops"] / moved, delta=1e-9 * x)
        self.assertEqual(sorted(i for t in marks for i in t["customdata"]),
                         [i for i, l in enumerate(layers) if l["flops"] and l["time_s"]])
        names = " ".join(a["text"] for a in layout["annotations"])
        for name in ("int8 91.8 TOPS", "int16 22.9 TOPS", "DRAM 34.1 GB/s", "Host link 14 GB/s"):
            self.assertIn(name, names)
        # They are drawn, too.
        points = [p for p in root.one(id="roofline").all("path", "point")]
        self.assertEqual(len(points), sum(len(t["x"]) for t in marks))

        # Over time: a step for each bin, and each layer.
        series = {k: v for k, v in report["timeline"].items() if isinstance(v, list)}
        traces, _ = self.figure(root.one(id="timeline"))
        areas = {t["meta"]: t for t in traces if t.get("fill")}
        self.assertEqual(set(areas), set(series))
        for key, area in areas.items():
            self.assertEqual(area["y"][:-1], series[key])
            self.assertEqual(area["x"][-1], total["cycles"])
        strip = next(t for t in traces if t["meta"] == "layers")
        self.assertEqual({i: [b, c] for i, b, c in zip(strip["customdata"], strip["base"], strip["x"])},
                         {i: [l["start_cycle"], l["cycles"]] for i, l in enumerate(layers) if l["cycles"]})

        # Stacks: of the run, and of each layer.
        for section, parts, of_layer in (("breakdown", total["breakdown"], "breakdown"),
                                         ("energy", total["energy_by_component_j"], "energy_j")):
            section = root.one(id=section)
            self.check_stack(next(section.all(kind="total-bar")), parts, sum(parts.values()))
            bars = {int(bar["data-layer"]): bar for bar in section.all("li", "bar")}
            sums = [sum(layer[of_layer].values()) for layer in layers]
            self.assertEqual(sorted(bars), [i for i, s in enumerate(sums) if s > 0])
            for i, bar in bars.items():
                self.check_stack(bar, layers[i][of_layer], max(sums))

        # Traffic by level.
        for row in root.one(id="traffic").all("tr", data_level=True):
            whole = sum(layer["traffic"][row["data-level"]]["read_bytes"] for layer in layers)
            text = [cell.text for cell in row.all("td", "number")][0]
            self.assertAlmostEqual(self.number(text), whole, delta=0.006 * whole)

        self.check_flow(root, layers)

        # Table: all layers in order, with the report's figures.
        self.assertEqual(self.rows(root), list(range(len(layers))))
        table = root.one(id="layers")
        keys = [head["data-key"] for head in table.all("th", data_key=True)]
        for row, layer in zip(table.all("tr", data_layer=True), layers):
            cells = dict(zip(keys, [c for c in row.children if not isinstance(c, str)]))
            self.assertEqual(cells["name"].text, layer["name"])
            self.assertEqual(cells["cycles"].text, f"{layer['cycles']:,}")
            self.assertEqual(float(cells["utilization"]["title"]), layer["utilization"])
            self.assertEqual(int(cells["dramRead"]["title"]),
                             layer["traffic"]["dram"]["read_bytes"])
            self.assertEqual(cells["bound"].text.strip(), layer["bound"])

        machine = root.one(id="machine").text
        for part in ("256 × 256 PEs", "24 MiB", "34.1 GB/s", "core.dma.outstanding", "28nm"):
            self.assertIn(part, machine)

    def check_flow(self, root, layers):
        """Each ribbon has the report's bytes."""
        (flow,), _ = self.figure(root.one(id="traffic"))
        shown = dict(zip(flow["link"]["label"], flow["link"]["value"]))
        for name, value in shown.items():
            level, kind = name.split()
            self.assertEqual(value, sum(layer["traffic"][level][f"{kind}_bytes"] for layer in layers))
        self.assertLessEqual({"dram read", "l1 read", "l1 write"}, set(shown))
        self.assertEqual(len(list(root.one(id="traffic").all("path", "sankey-link"))), len(shown))

    def check_stack(self, bar, parts, full):
        shown = {part["data-kind"]: float(re.match(r"width:\s*([\d.]+)%", part["style"])[1])
                 for part in bar.all(kind="segment")}
        self.assertEqual(set(shown), {k for k, v in parts.items() if v > 0})
        for key, width in shown.items():
            self.assertAlmostEqual(width, 100 * parts[key] / full, delta=0.001)

    def number(self, text):
        value, unit = text.split()
        factor = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}[unit]
        return float(value.replace(",", "")) * factor

    def test_the_table_sorts_filters_and_opens(self):
        page, report = self.simulated("--arch", "gemmini_16x16", "--workload", "mobilenet_v2")
        layers = report["layers"]
        cycles = [layer["cycles"] for layer in layers]
        by_cycles = sorted(range(len(layers)), key=lambda i: cycles[i])
        self.assertEqual(self.rows(self.shown(page, "#sort=cycles")), by_cycles)

        root = self.shown(page, "#sort=-cycles&filter=DEPTHWISE&bound=matrix")
        kept = [i for i, l in enumerate(layers) if "depthwise" in l["name"] and l["bound"] == "matrix"]
        self.assertTrue(kept and len(kept) < len(layers))
        self.assertEqual(self.rows(root), sorted(kept, key=lambda i: -cycles[i]))
        self.assertIn(f"{len(kept)} of {len(layers)} layers", root.one(id="layers").text)
        sorted_by = [h["data-key"] for h in root.all("th", aria_sort="descending")]
        self.assertEqual(sorted_by, ["cycles"])

        # As with the keyboard: buttons, pressed. The first press sorts numbers from the largest.
        root = self.shown(page, script="""
            document.querySelector("th[data-key=energyTotal] button").click();
            document.querySelector("#layers tbody tr button").click();""")
        energy = [sum(layer["energy_j"].values()) for layer in layers]
        order = sorted(range(len(layers)), key=lambda i: -energy[i])
        self.assertEqual(self.rows(root), order)
        details = root.one(id="layers").one("tr", "detail-row")
        self.assertIn(layers[order[0]]["kernel"], details.text)
        self.assertEqual(len(list(root.all(aria_expanded="true"))), 1)

        # A bar leads to its layer's row.
        root = self.shown(page, "#filter=nothing-is-called-so", """
            document.querySelector("#breakdown .bar[data-layer='7'] button").click();""")
        self.assertIn(layers[7]["kernel"], root.one("tr", "detail-row").text)
        self.assertEqual(self.rows(root), list(range(len(layers))))

    def test_names_are_text(self):
        names = ["<script>alert(1)</script>", "</script><img src=x onerror=alert(2)>", "<b>bold</b>",
                 "line\u2028separator", "<!-- & &amp; \"'", "/*@report*/", "__proto__"]
        ops = [{"op": "gemm", "name": name, "m": 64, "n": 64, "k": 64} for name in names]
        workload = self.write("w.json", {"name": names[1], "ops": ops})
        page, report = self.simulated("--arch", "tpu_v1", "--workload", workload, "--dtype", "int8")
        root = self.shown(page, script="""
            for (const button of document.querySelectorAll("#layers .open")) button.click();""")
        self.assertEqual([e.text for e in root.one(id="layers").all(kind="open")], names)
        self.assertEqual(root.one("title").text, f"{names[1]} on tpu_v1 – Tilewave")
        self.assertIn(names[1], root.one("h1").text)
        self.assertEqual(list(root.all("img")), [])
        self.assertEqual([e.text for e in root.all("b") if e.text == "bold"], [])
        texts = [t for traces in (self.figure(root.one(id="roofline"))[0],) for trace in traces
                 for t in trace.get("text", [])]
        self.assertTrue(any("&lt;script&gt;alert(1)" in t for t in texts))
        # The page's data and script, Plotly as text and as script, the collector and the script of this test.
        self.assertEqual(len(list(root.all("script"))), 6)
        self.assertEqual(json.loads(root.one("script", id="report").text), report)

    def test_2000_layers(self):
        page, report = self.simulated("--arch", "tpu_v1", "--workload", "resnet50")
        once = report["layers"]
        report["layers"] = [dict(once[i % len(once)], name=f"layer {i}") for i in range(2000)]
        for key in ("matrix_utilization", "dram_gb_per_s", "power_w"):
            report["timeline"][key] *= 100
        report["timeline"]["bin_cycles"] /= 100
        start = time.monotonic()
        root = self.shown(with_report(page, report))
        print(f"2000 layers: {time.monotonic() - start:.1f} s, with the browser's start and the dump")
        self.assertEqual(self.rows(root), list(range(2000)))
        self.assertEqual(len(list(root.one(id="roofline").all("path", "point"))), 2000)
        traces, _ = self.figure(root.one(id="timeline"))
        for area in (t for t in traces if t.get("fill")):  # of a long timeline
            self.assertLessEqual(len(area["x"]), 2001)
        breakdown = root.one(id="breakdown")
        self.assertEqual(len(list(breakdown.all("li", "bar"))), 101)
        self.assertIn("1,900 other layers", breakdown.text)
        self.assertIn("Of 2,000 layers, the 100 with the most have a bar", breakdown.text)

    def test_a_report_may_lack_anything(self):
        page, report = self.simulated("--arch", "tpu_v1", "--workload", "tiny_cnn")
        lacking = [{}, {"layers": [{}, None, 3, "x"]}, {"layers": None, "total": 3, "arch": "x", "timeline": []},
                   {"arch": {"core": {"type": "not known yet", "sm": {"lanes": 4}}}}]
        lacking += [{k: v for k, v in report.items() if k != key} for key in report]
        lacking += [dict(report, layers=[{k: v for k, v in layer.items() if k != key}
                                         for layer in report["layers"]])
                    for key in report["layers"][0]]
        # Each in a frame of one page: a browser starts slowly.
        frames = []
        # All take Plotly from one file, which the page itself does not: reading it is most of a page's time.
        tag = '<script type="text/plain" id="plotly">'
        begin = page.index(tag)
        end = page.index("</script>", begin)
        self.write("plotly.js", page[begin + len(tag):end])
        page = f'{page[:begin]}<script src="plotly.js" id="plotly">{page[end:]}'
        page = page.replace("script-src 'unsafe-inline'", "script-src 'unsafe-inline' file:")
        for i, other in enumerate(lacking):
            text = with_report(page, other).replace("<head>", "<head>" + COLLECTOR, 1)
            self.write(f"frame{i}.html", text)
        # Frames of files may not look at each other: each tells what it has to say by a message.
        tell = """<script>document.addEventListener("drawn", () => setTimeout(() => parent.postMessage([
            location.pathname, document.documentElement.dataset.drawn,
            document.documentElement.dataset.faults ?? "",
            /NaN|undefined|Infinity|\\[object/.exec(document.body.innerText)?.[0] ?? "",
            document.querySelectorAll("svg [d*=NaN], svg [x*=NaN], svg [y*=NaN]").length], "*"),
            200));</script></body>"""
        for i in range(len(lacking)):
            path = self.folder / f"frame{i}.html"
            path.write_text(tell.join(path.read_text(encoding="utf-8").rsplit("</body>", 1)),
                            encoding="utf-8")
            frames.append(f'<iframe src="frame{i}.html" width="900"></iframe>')
        listen = """<script>addEventListener("message", (event) => {
            const p = document.createElement("p"); p.textContent = JSON.stringify(event.data);
            document.body.append(p); });</script>"""
        path = self.write("frames.html", f"<html><body>{listen}{''.join(frames)}</body></html>")
        root = Dom(printed(BROWSER, path.as_uri(), self.folder / "profile")).root
        said = [json.loads(p.text) for p in root.all("p")]
        self.assertEqual(len(said), len(lacking))
        for path, drawn, faults, odd, broken in said:
            index = int(re.search(r"frame(\d+)", path)[1])
            self.assertEqual([drawn, faults, odd, broken], ["yes", "", "", 0],
                             json.dumps(lacking[index])[:300])


@unittest.skipIf(REASON, REASON)
class SweepPageTest(Pages):
    def swept(self, **changes):
        """The page of a sweep and its data."""
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        self.write("s.json", json.dumps({
            "name": "a <b>sweep</b>", "arch": "gemmini_16x16",
            "workload": {"ops": [{"op": "gemm", "m": 64, "n": 48, "k": 96}]},
            "parameters": {"core.matrix_unit.rows": [4, 8, 16], "core.matrix_unit.cols": [4, 8, 16],
                           "clock_ghz": [0.5, 1.0]},
            "objectives": ["total.cycles", "total.energy_j"], **changes}))
        self.results("sweep", "s.json", "--out", self.folder / "out", "--jobs", "1", "--quiet")
        page = (self.folder / "out" / "sweep.html").read_text(encoding="utf-8")
        begin = page.index(">", page.index('id="report"')) + 1
        return page, json.loads(page[begin:page.index("</script>", begin)])

    def test_the_page_shows_all_points_and_the_front(self):
        page, data = self.swept()
        root = self.shown(page)
        self.assertEqual(root.one("h1").text, "a <b>sweep</b>")
        costs = {p["point"]: p["objectives"] for p in data["points"]}
        self.assertEqual(len(costs), 18)
        front = {p for p, c in costs.items()
                 if not any(all(x <= y for x, y in zip(o, c)) and o != c for o in costs.values())}
        self.assertTrue(0 < len(front) < 18)
        scatter = {t["meta"]: t for t in self.figure(root.one(id="scatter"))[0]}
        dots = scatter["others"]["customdata"] + scatter["front"]["customdata"]
        self.assertEqual(sorted(dots), sorted(costs))
        self.assertEqual(set(scatter["front"]["customdata"]), front)
        for trace in scatter.values():
            for p, x, y in zip(trace["customdata"], trace["x"], trace["y"]):
                self.assertEqual([x, y], costs[p])
        lines = list(root.one(id="parallel").all("path", "path"))
        self.assertEqual(sorted(int(d["data-point"]) for d in lines), sorted(costs))
        # A cell of the heat map has the best of its points.
        (heat,), _ = self.figure(root.one(id="heat"))
        cells = {p for row in heat["customdata"] for p in row}
        values = {p["point"]: p["parameters"] for p in data["points"]}
        best = {}
        for p, c in costs.items():
            key = tuple(values[p][:2])
            best[key] = min(best.get(key, c[0]), c[0])
        self.assertEqual(len(cells), 9)
        self.assertEqual({tuple(values[p][:2]): costs[p][0] for p in cells}, best)
        shares = {r["data-parameter"] for r in root.one(id="sensitivity").all("tr", data_parameter=True)}
        self.assertEqual(shares, set(data["parameters"]))
        rows = [int(r["data-point"]) for r in root.one(id="points").all("tr", data_point=True)]
        self.assertEqual(rows, sorted(costs))

    def test_the_table_sorts_and_a_click_marks_a_point_everywhere(self):
        page, data = self.swept()
        root = self.shown(page, script="""
            for (const b of document.querySelectorAll("#points thead button"))
              if (b.textContent === "total.energy_j") b.click();
            document.querySelector("#parallel path.front")
              .dispatchEvent(new MouseEvent("click", {bubbles: true}));""")
        energy = {p["point"]: p["objectives"][1] for p in data["points"]}
        rows = [int(r["data-point"]) for r in root.one(id="points").all("tr", data_point=True)]
        self.assertEqual(rows, sorted(energy, key=lambda p: (energy[p], p)))
        marked = {e["data-point"] for e in root.all(kind="chosen")}
        self.assertEqual(len(marked), 1)
        self.assertEqual({e.tag for e in root.all(kind="chosen")}, {"path", "tr"})
        scatter = {t["meta"]: t for t in self.figure(root.one(id="scatter"))[0]}
        self.assertEqual({str(p) for p in scatter["chosen"]["customdata"]}, marked)

    def test_one_objective_and_one_parameter_are_drawn_too(self):
        page, _ = self.swept(parameters={"clock_ghz": [1.0, 2.0, 4.0]}, objectives=["total.time_s"])
        traces, _ = self.figure(self.shown(page).one(id="scatter"))
        self.assertEqual(sum(len(t["x"]) for t in traces if t["meta"] != "chosen"), 3)
        page, _ = self.swept(parameters={"clock_ghz": [1.0]}, objectives=["total.time_s"])
        self.shown(page)


@unittest.skipIf(REASON, REASON)
class ComparePageTest(Pages):
    def page(self):
        for name, words in {"a": [], "b": ["--set", "memory.dram.preset=gddr5_7000"]}.items():
            self.results("run", "--arch", "tpu_v1", "--workload", "tiny_cnn", *words, "--out", f"{name}.json", "--quiet")
        self.results("compare", "a.json", "b.json", "--label", "<b>one</b>", "--label", "two", "--html", "c.html",
                     "--quiet")
        return (self.folder / "c.html").read_text(encoding="utf-8")

    def test_runs_bars_and_layers(self):
        root = self.shown(self.page())
        report = json.loads((self.folder / "a.json").read_text(encoding="utf-8"))
        runs = list(root.one(id="summary").all("tr", data_run=True))
        self.assertEqual(len(runs), 2)
        self.assertIn("<b>one</b>", runs[0].text)
        self.assertIn(f"{report['total']['cycles']:,}", runs[0].text)
        for section in ("breakdown", "energy"):
            bars = list(root.one(id=section).all("li", data_run=True))
            self.assertEqual(len(bars), 2)
            self.assertTrue(all(list(bar.all(kind="segment")) for bar in bars))
        traces, _ = self.figure(root.one(id="roofline"))
        marks = {t["meta"]: t for t in traces if "customdata" in t}
        self.assertEqual(set(marks), {0, 1})
        speed = {l["name"]: l["flops"] / l["time_s"] * 1e-12 for l in report["layers"] if l["flops"]}
        for name, y in zip(marks[0]["customdata"], marks[0]["y"]):
            self.assertAlmostEqual(y, speed[name], delta=1e-9 * y)
        self.assertTrue(any("&lt;b&gt;one&lt;/b&gt;: DRAM" in t["name"] for t in traces))
        rows = [row["data-layer"] for row in root.one(id="layers").all("tr", data_layer=True)]
        self.assertEqual(rows, [layer["name"] for layer in report["layers"]])

    def test_the_table_sorts_and_filters(self):
        page = self.page()
        layers = json.loads((self.folder / "a.json").read_text(encoding="utf-8"))["layers"]
        root = self.shown(page, script="document.querySelectorAll('#layers thead button')[2].click();")
        rows = [row["data-layer"] for row in root.one(id="layers").all("tr", data_layer=True)]
        self.assertEqual(rows, [x["name"] for x in sorted(layers, key=lambda x: -x["time_s"])])
        root = self.shown(page, script="""const box = document.querySelector('#layers input'); box.value = 'pool';
                                          box.dispatchEvent(new Event('input'));""")
        self.assertEqual([row["data-layer"] for row in root.one(id="layers").all("tr", data_layer=True)], ["pool"])


if __name__ == "__main__":
    if REASON:
        print(f"SKIPPED: the HTML report was not looked at in a browser: {REASON}")
        sys.exit(0)
    unittest.main()
