# SPDX-License-Identifier: Apache-2.0
"""The HTML report in a headless Chromium: what it draws is what the report says, and nothing fails."""

import json
import re
import time
import unittest

from _pages import BROWSER, COLLECTOR, REASON, Dom, Pages, main, printed


def with_report(page, report):
    """The same page with another report in it."""
    data = json.dumps(report).replace("<", "\\u003c")
    begin = page.index(">", page.index('id="report"')) + 1
    return page[:begin] + data + page[page.index("</script>", begin):]


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


if __name__ == "__main__":
    main()
