# SPDX-License-Identifier: Apache-2.0
"""Hostile files for what Python reads: a ConfigError or exit status 2, in bounded memory and time."""

import copy
import json
import os
import random
import resource
import subprocess
import sys

import pytest
import tilewave as tw
from conftest import MLP

MEMORY_BYTES = 3 << 30  # address space: libraries of tables and figures take most of it
JSON_TEXTS = [b"", b" ", b"[" * 100_000, b'{"a":' * 100_000, b'{"a": 1e400}', b'{"a": NaN}',
              b'{"a": Infinity}', b'{"a": 1, "a": 2}', b'{"a": "\xff"}', b'{"a": "\0"}', b"\0" * 1000,
              b'{"total": ' + b"9" * 100_000 + b"}", b"\x7fELF", "{}".encode("utf-16")]


def make(kind, path):
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "zero":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    elif kind == "large":
        with open(path, "wb") as file:
            file.write(b'{"a": "')
            file.truncate(3 << 30)  # a hole


KINDS = {"pipe": "no regular file", "zero": "no regular file", "folder": "is a directory",
         "large": "is larger than"}


@pytest.mark.parametrize("text", range(len(JSON_TEXTS)))
def test_json(tmp_path, text):
    path = tmp_path / "config.json"
    path.write_bytes(JSON_TEXTS[text])
    for read in (tw.load_report, tw.from_hf_config, tw.sweep, tw.arch, tw.workload):
        with pytest.raises(tw.ConfigError, match="config.json"):
            read(path)


@pytest.mark.parametrize("kind", KINDS)
def test_no_files_with_an_end(tmp_path, kind):
    for name, reads in (("x.json", (tw.load_report, tw.from_hf_config, tw.sweep, tw.arch, tw.workload)),
                        ("x.onnx", (tw.from_onnx,)), ("x.csv", (tw.from_scale_sim,))):
        make(kind, tmp_path / name)
        for read in reads:
            if kind == "folder" and read is tw.from_hf_config:
                continue  # its config.json is meant
            with pytest.raises(tw.ConfigError, match=KINDS[kind]):
                read(tmp_path / name)


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@pytest.mark.parametrize("kind", KINDS)
def test_programs(tmp_path, kind, cli):
    for name in ("x.json", "x.csv", "x.onnx"):
        make(kind, tmp_path / name)
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # each thread takes address space
    for words in (["tilewave.viz", "x.json"], ["tilewave.viz", "x.csv"], ["tilewave.onnx_import", "x.onnx"]):
        run = subprocess.run([sys.executable, "-m", *words], cwd=tmp_path, capture_output=True, text=True,
                             check=False, timeout=60, preexec_fn=limit, env=environment)
        assert (run.returncode, run.stdout) == (2, ""), run.stderr
        assert run.stderr.startswith("error: ") and KINDS[kind] in run.stderr
    run = cli("run", "--arch", "tpu_v1", "--workload", str(tmp_path / "x.onnx"))
    assert run.returncode == 2 and KINDS[kind] in run.stderr, run.stderr


def test_malformed_protobufs_of_the_command_line(tmp_path, cli):
    path = tmp_path / "x.onnx"
    for content in (b"", b"no protobuf", b"\0" * (1 << 20), b"\xff" * (1 << 20), b"\x0a" * (1 << 20)):
        path.write_bytes(content)
        run = cli("run", "--arch", "tpu_v1", "--workload", str(path))
        assert (run.returncode, run.stdout) == (2, ""), run.stderr
        assert run.stderr.startswith("error: ") and "is no ONNX model" in run.stderr


def nodes_of(value, path=()):
    yield path
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from nodes_of(value[key], (*path, key))


def test_damaged_reports_are_read_or_refused(tmp_path):
    sound = tw.simulate("tpu_v1", MLP).report
    path = tmp_path / "r.json"
    draw = random.Random(20261201)
    places = [place for place in nodes_of(sound) if place and place[0] in ("total", "layers", "arch", "workload")
              and len(place) <= 3]
    refused = 0
    for _ in range(150):
        report = copy.deepcopy(sound)
        place = draw.choice(places)
        inside = report
        for key in place[:-1]:
            inside = inside[key]
        if draw.random() < 0.3:
            del inside[place[-1]]
        else:
            inside[place[-1]] = draw.choice([None, 5, "x", [], {}, [1], -1.5, True])
        path.write_text(json.dumps(report), encoding="utf-8")
        try:
            result = tw.load_report(path)
        except tw.ConfigError as error:
            assert "is no report" in str(error)
            refused += 1
            continue
        # What is read beyond is shown as far as it is there.
        assert str(result) and repr(result) and result.to_csv() and result.to_html()
        assert result.compare(result).shape[0] > 0
    assert 10 < refused < 140
