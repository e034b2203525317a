#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/accuracy.md and its pictures from what `tilewave validate --json` says.

    scripts/accuracy.py            write it
    scripts/accuracy.py --check    exit 1 if it is not what it would be now, or a limit is exceeded

The program is the environment's TILEWAVE, else build/release/tilewave.
"""

import concurrent.futures
import difflib
import json
import os
import pathlib
import subprocess
import sys

import accuracy_scatter

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "accuracy.md"
PROGRAM = os.environ.get("TILEWAVE", str(ROOT / "build" / "release" / "tilewave"))
PICTURES = ROOT / "docs" / "img" / "accuracy"
WORST = 10  # rows shown of each score
WHOLE = 6  # so many rows and fewer are shown all: such a table is read row by row
LEAST_POINTS = 10  # of a picture
WIDTH = 120

INTRODUCTION = """\
# Accuracy

How far our results are from published measurements. This page is made by `scripts/accuracy.py` from `tilewave validate
--json`; a test holds it against the program. What a suite is and how errors are counted:
[Against measurements](validation.md).

Cycle counts of arrays and memories by themselves are compared with other simulators and with cases by hand:
[the model](model.md#how-far-to-trust-it).

## All suites

Errors are |simulated / measured - 1|; bias is the mean of simulated / measured (geometric). Limits guard what is reached.

"""


def suite(name):
    run = subprocess.run([PROGRAM, "validate", name, "--json"], text=True, capture_output=True, check=False)
    if run.returncode not in (0, 1) or not run.stdout:
        raise RuntimeError(f"{PROGRAM} validate {name} failed:\n{run.stderr}")
    return json.loads(run.stdout)["suites"]


def results():
    """Of every suite, some at a time: each is a process of its own, so how many there are changes nothing."""
    names = sorted(path.stem for path in (ROOT / "configs" / "validation").glob("*.json"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            return [s for suites in pool.map(suite, names) for s in suites]
        except RuntimeError as error:
            sys.exit(str(error))


def wrapped(text):
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join([*lines, line])


def error(value, score, sign=""):
    return f"{value:{sign}.1f} {'%' if score['error'] == 'percent' else 'points'}"


def limit(score):
    unit = "%" if score["error"] == "percent" else "points"
    limits = score.get("limits", {})
    words = [f"{name} {limits[name]:g} {unit}" for name in ("mean", "median", "each") if name in limits]
    words += ["per row"] if "each_column" in limits else []
    return ", ".join(words) + ("" if score.get("within_limits", True) else " **exceeded**")


def number(value):
    return f"{value:.4g}"


def score_rows(scores):
    yield "| | rows | mean | median | within 10 | within 20 | bias | worst | limit |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for s in scores:
        name = f"… {s['split']}" if "split" in s else s["name"]
        bias = f"× {s['bias']:.3f}" if s["error"] == "percent" else error(s["bias"], s, "+")
        yield (f"| {name} | {s['rows']} | {error(s['mean'], s)} | {error(s['median'], s)} | "
               f"{s['within_10_pct']:.0f} % | {s['within_20_pct']:.0f} % | {bias} | "
               f"{error(s['worst'], s)} | {limit(s)} |")


def case_rows(suite):
    yield "| row | quantity | simulated | measured | error | |"
    yield "|---|---|---|---|---|---|"
    for score in suite["scores"]:
        if "split" in score:
            continue
        cases = [c for c in suite["cases"] if c["score"] == score["name"]]
        for c in cases if suite["rows"] <= WHOLE else cases[:WORST]:
            unit = f" {score['unit']}"
            yield (f"| {c['label']} | {score['name']} | {number(c['simulated'])}{unit} | "
                   f"{number(c['measured'])}{unit} | {error(c['error'], score, '+')} | {c.get('reason', '')} |")


def sources(source):
    if isinstance(source, str):
        return [wrapped(f"Source: {source}.")]
    return [wrapped(f"{key.capitalize()}: {value}.") for key, value in source.items()]


def section(suite):
    lines = [f"## `{suite['name']}`", "", wrapped(f"{suite['note']}. On {', '.join(f'`{m}`' for m in suite['machines'])}.")]
    if suite["rows_skipped"]:
        lines.append(wrapped(f"{suite['rows_skipped']} more rows are left out, by rules in the suite's file."))
    if suite["rows"] < suite["rows_in_table"]:
        lines.append(f"{suite['rows']} of {suite['rows_in_table']} rows, spread evenly over the table.")
    for text in sources(suite["source"]):
        lines += ["", text]
    for overhead in suite.get("overhead", []):
        lines += ["", wrapped(f"{overhead['us']:g} µs are added to our times: {overhead['reason']}.")]
    for score, _ in pictures(suite):
        lines += ["", f"![{score['name']}, simulated over measured](img/accuracy/{picture_name(suite, score)})"]
    whole = suite["rows"] <= WHOLE
    lines += ["", *score_rows(suite["scores"]), "", "All rows:" if whole else "The worst rows:", "", *case_rows(suite)]
    return "\n".join(lines) + "\n"


def picture_name(suite, score):
    return f"{suite['name']}_{score['name'].replace(' ', '_')}.svg"


def pictures(suite):
    """The scores of which a picture is made, with their cases."""
    for score in suite["scores"]:
        cases = [c for c in suite["cases"] if c["score"] == score["name"] and c["simulated"] > 0 and c["measured"] > 0]
        if "split" not in score and score["error"] == "percent" and len(cases) >= LEAST_POINTS:
            yield score, cases


def overview(suites):
    yield "| suite | on | rows | mean error | bias | limit |"
    yield "|---|---|---|---|---|---|"
    for s in suites:
        score = s["scores"][0]
        bias = f"× {score['bias']:.3f}" if score["error"] == "percent" else error(score["bias"], score, "+")
        yield (f"| [`{s['name']}`](#{s['name']}) | {', '.join(f'`{m}`' for m in s['machines'])} | {score['rows']} of "
               f"{s['rows_in_table']} | {error(score['mean'], score)} | {bias} | {limit(score)} |")


def files():
    """Path and text of all that is made."""
    suites = results()
    text = INTRODUCTION + "\n".join(overview(suites)) + "\n" + "".join("\n" + section(suite) for suite in suites)
    made = {PAGE: text}
    for suite in suites:
        for score, cases in pictures(suite):
            parts = [s["split"] for s in suite["scores"] if "split" in s and s["name"] == score["name"]]
            made[PICTURES / picture_name(suite, score)] = accuracy_scatter.scatter(score, cases, parts)
    return made


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    made = files()
    if sys.argv[1:]:
        status = 0
        for path in sorted({*made, *PICTURES.glob("*.svg")}):
            name, new = str(path.relative_to(ROOT)), made.get(path, "")
            old = path.read_text(encoding="utf-8") if path.exists() else ""
            print("".join(difflib.unified_diff(old.splitlines(True), new.splitlines(True), name, "now")), end="")
            status |= old != new
        sys.exit(1 if status or "**exceeded**" in made[PAGE] else 0)
    PICTURES.mkdir(parents=True, exist_ok=True)
    for path in PICTURES.glob("*.svg"):
        path.unlink()
    for path, text in made.items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
