# SPDX-License-Identifier: Apache-2.0
"""Prints, for each scenario of a Google Benchmark JSON file, the ratio of fast to detailed."""

import json
import sys

rates: dict[str, dict[str, float]] = {}
with open(sys.argv[1], encoding="utf-8") as file:
    for entry in json.load(file)["benchmarks"]:
        _, scenario, fidelity = entry["name"].split("/")[:3]
        rates.setdefault(scenario, {})[fidelity] = entry["simulated_cycles_per_s"]
for scenario, rate in rates.items():
    fast, detailed = rate["fast"], rate["detailed"]
    print(
        f"{scenario}: fast : detailed = {fast / detailed:.0f} : 1 ({fast / 1e6:.1f} against "
        f"{detailed / 1e6:.2f} million simulated cycles a second)"
    )
