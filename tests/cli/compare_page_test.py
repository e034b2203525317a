# SPDX-License-Identifier: Apache-2.0
"""The page that compares reports in a headless Chromium."""

import json
import unittest

from _pages import REASON, Pages, main


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
    main()
