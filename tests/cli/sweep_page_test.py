# SPDX-License-Identifier: Apache-2.0
"""A sweep's page in a headless Chromium."""

import json
import shutil
import unittest

from _pages import REASON, Pages, main


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


if __name__ == "__main__":
    main()
