# SPDX-License-Identifier: Apache-2.0
"""Hostile files, wherever the program reads one: an error in a line, in bounded memory and time."""

import json
import os
import resource
import unittest

from _support import CliTest

MEMORY_BYTES = 1536 << 20  # address space of the program; a file may have 64 MiB
CPU_S = 10
MOST_MESSAGE_BYTES = 8000
DEPTH = 100_000
GEMM = {"op": "gemm", "m": 8, "n": 8, "k": 8}

# How each kind of file comes to be read: files around it, and the command line. FILE is the hostile one.
READERS = {
    "machine": ({}, ["run", "--arch", "FILE", "--workload", "gemm_1024"]),
    "machine that is extended": ({"m.json": {"extends": "FILE"}}, ["show", "arch", "m.json"]),
    "energy table": ({"m.json": {"extends": "tpu_v1", "energy": "FILE"}}, ["show", "arch", "m.json"]),
    "memory": ({}, ["dram", "--preset", "FILE", "--pattern", "random"]),
    "memory of a machine": ({"m.json": {"extends": "tpu_v1", "memory": {"dram": {"preset": "FILE"}}}},
                            ["show", "arch", "m.json"]),
    "workload": ({}, ["run", "--arch", "tpu_v1", "--workload", "FILE"]),
    "sweep": ({}, ["sweep", "FILE", "--out", "out"]),
    "machine of a sweep": ({"s.json": {"arch": "FILE", "workload": {"ops": [GEMM]},
                                       "parameters": {"clock_ghz": [1, 2]}}},
                           ["sweep", "s.json", "--out", "out"]),
    "workload of a sweep": ({"s.json": {"arch": "tpu_v1", "workload": "FILE",
                                        "parameters": {"clock_ghz": [1, 2]}}},
                            ["sweep", "s.json", "--out", "out"]),
    "suite": ({}, ["validate", "FILE"]),
    "any file": ({}, ["check", "FILE"]),
}
TABLES = {
    "topology": ({}, ["run", "--arch", "tpu_v1", "--workload", "FILE"]),
    "table of measurements": ({"s.json": {"source": "none", "data": "FILE", "arch": "tpu_v1", "ops": [GEMM],
                                          "measured": [{"column": "t", "quantity": "cycles"}]}},
                              ["validate", "./s.json"]),
}

JSON_TEXTS = {
    "deep arrays": b"[" * DEPTH,
    "deep arrays in a key": b'{"core":' + b"[" * DEPTH + b"]" * DEPTH + b"}",
    "deep objects": b'{"a":' * DEPTH + b"1" + b"}" * DEPTH,
    "a number too large": b'{"clock_ghz": 1e400}',
    "a number of many digits": b'{"clock_ghz": ' + b"9" * 100_000 + b"}",
    "NaN": b'{"clock_ghz": NaN}',
    "Infinity": b'{"clock_ghz": Infinity}',
    "-Infinity": b'{"clock_ghz": -Infinity}',
    "a key twice": b'{"name": "a", "name": "b"}',
    "a byte that is no UTF-8": b'{"name": "\xff"}',
    "half a surrogate pair": b'{"name": "\\ud800"}',
    "a NUL byte": b'{"name": "a\0b"}',
    "an escaped NUL": b'{"extends": "tpu_v1\\u0000", "model": "mlp\\u0000", "parameters": {"a\\u0000": 1}}',
    "a long key": b'{"' + b"k" * (1 << 20) + b'": 1}',
    "a long text": b'{"extends": "' + b"x" * (1 << 20) + b'"}',
}
TABLE_TEXTS = {
    "many cells": b"," * (1 << 20),
    "a long cell": b"a,b\n" + b"x" * (1 << 20) + b",1\n",
    "an open quote": b'name,m,n,k\n"a,1,2,3\n',
    "numbers too large": b"name,m,n,k\na,99999999999999999999,1e400,3\n",
    "a byte that is no UTF-8": b"name,m,n,k\n\xff,1,2,3\n",
}
TEXTS = {
    "nothing": b"",
    "white space": b" \n\t\n",
    "NUL bytes": b"\0" * 1000,
    "UTF-16": '{"name": "a"}'.encode("utf-16"),
    "a program": b"\x7fELF\x02\x01\x01\0\0\0\xfe\xff",
}


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class HostileTest(CliTest):
    def refuse(self, name, reader, *patterns):
        """The reader refuses the file `name`."""
        around, words = reader
        for file, content in around.items():
            self.write(file, json.loads(json.dumps(content).replace("FILE", name)))
        before = self.files()
        result = self.call(*[word.replace("FILE", name) for word in words], preexec_fn=limit)
        self.assertEqual(result.returncode, 2, result.stdout[:200] + result.stderr[:200])
        self.assertEqual(result.stdout, "")
        self.assertLess(len(result.stderr), MOST_MESSAGE_BYTES)
        self.assertNotIn("\0", result.stderr)
        lines = result.stderr.splitlines()
        self.assertGreater(len(lines), 0)
        for line in lines:
            self.assertTrue(line.startswith("error: "), line)
        for pattern in patterns:
            self.assertRegex(result.stderr, pattern)
        self.assertEqual(self.files(), before)

    def refuse_by_all(self, readers, name, content, *patterns):
        if content is not None:
            (self.folder / name).write_bytes(content)
        for kind, reader in readers.items():
            with self.subTest(f"{kind}: {name}"):
                self.refuse(name, reader, *patterns)

    def test_texts_that_are_no_json(self):
        for what, content in {**JSON_TEXTS, **TEXTS}.items():
            with self.subTest(what):
                self.refuse_by_all(READERS, "./x.json", content)

    def test_texts_that_are_no_tables(self):
        for what, content in {**TABLE_TEXTS, **TEXTS}.items():
            with self.subTest(what):
                self.refuse_by_all(TABLES, "./x.csv", content)

    def test_depth_is_told_by_its_place(self):
        (self.folder / "x.json").write_bytes(JSON_TEXTS["deep objects"])
        self.refuse("./x.json", READERS["workload"], r"\./x\.json:1:1001: .*nested more than 200 deep")

    def test_a_string_of_a_gigabyte(self):
        for name, readers in (("./x.json", READERS), ("./x.csv", TABLES)):
            with open(self.folder / name, "wb") as file:
                file.write(b'{"name": "')
                file.truncate(1 << 30)  # a hole: reading it would take the memory, not the disk
            self.refuse_by_all(readers, name, None, r"x\.(json|csv): is larger than 64 MiB")

    def test_the_largest_files_that_are_read(self):
        size = (64 << 20) - 100
        for kind, content in (("machine", b'{"name": "' + b"a" * size + b'"}'),
                              ("workload", b"[" + b"0," * (size // 2) + b"0]"),
                              ("workload", b'{"ops": [' + b'{"op":"gemm"},' * (size // 14) + b"{}]}"),
                              ("machine", b'{"clock_ghz": ' + b"1" * size + b"}")):
            (self.folder / "x.json").write_bytes(content)
            with self.subTest(kind + " " + content[:20].decode()):
                self.refuse("./x.json", READERS[kind])
        keys = b",".join(b'"%x":0' % i for i in range(1_000_000))
        (self.folder / "x.json").write_bytes(b'{"extends": "tpu_v1", "core": {' + keys + b"}}")
        self.refuse("./x.json", READERS["machine"], "has more than 10000 keys")
        (self.folder / "x.json").write_bytes(b'{"arch": "tpu_v1", "workload": "mlp", "parameters": {' + keys + b"}}")
        self.refuse("./x.json", READERS["sweep"], "parameters: are 1000000, more than 1000")
        (self.folder / "x.csv").write_bytes(b"a,1,2,3\n" * (size // 8))
        self.refuse("./x.csv", TABLES["topology"], "there are more than 1000000 rows")

    def test_what_is_no_file_with_an_end(self):
        os.mkfifo(self.folder / "pipe.json")
        (self.folder / "zero.json").symlink_to("/dev/zero")
        (self.folder / "circle.json").symlink_to("circle.json")
        (self.folder / "folder.json").mkdir()
        for name, pattern in (("./pipe.json", "no regular file"), ("./zero.json", "no regular file"),
                              ("./folder.json", "is a directory|no regular file"),
                              ("./circle.json", "no such file|Too many|cannot be")):
            self.refuse_by_all({**READERS, **TABLES}, name, None, pattern)

    def test_traces_of_a_memory(self):
        reader = ({}, ["dram", "--preset", "ddr3_2133", "--trace", "FILE"])
        for content in (b"LD " + b"9" * (1 << 20), b"LD 99999999999999999999\n", b"LD NaN\n", b"LD -1\n",
                        b"LD 0x\n", b"LD 0 0\n", b"\0" * (1 << 20), b"\xff\xfe\n", b"LD 1e400\n", b""):
            (self.folder / "t").write_bytes(content)
            self.refuse("./t", reader, r"\./t")
        with open(self.folder / "t", "wb") as file:
            file.truncate(1 << 40)
        self.refuse("./t", reader, "is longer than")
        self.refuse("/dev/zero", reader, "is longer than")


class NumbersTest(CliTest):
    """Numbers that no field can hold, in the fields."""

    def test_fields(self):
        for number in ("99999999999999999999", "-99999999999999999999", "9223372036854775808", "1e300", "-1e300"):
            for name, text, words in (
                    ("rows", '{"extends": "tpu_v1", "core": {"matrix_unit": {"rows": N}}}',
                     ["show", "arch", "x.json"]),
                    ("channels", '{"extends": "tpu_v1", "memory": {"dram": {"channels": N}}}',
                     ["show", "arch", "x.json"]),
                    (r"ops\[0\].m", '{"ops": [{"op": "gemm", "m": N, "n": 1, "k": 1}]}',
                     ["show", "workload", "x.json"]),
                    ("batch", '{"model": "resnet50", "batch": N}', ["show", "workload", "x.json"]),
                    ("samples", '{"arch": "tpu_v1", "workload": "mlp", "parameters": {"clock_ghz": [1]}, '
                                '"mode": "random", "samples": N}', ["check", "x.json"]),
                    ("seed", '{"arch": "tpu_v1", "workload": "mlp", "parameters": {"clock_ghz": [1]}, '
                             '"mode": "random", "samples": 1, "seed": N}', ["check", "x.json"]),
                    ("range", '{"arch": "tpu_v1", "workload": "mlp", "parameters": {"cores": '
                              '{"range": [1, N], "step": 1}}}', ["check", "x.json"])):
                with self.subTest(f"{name} {number}"):
                    self.write("x.json", text.replace("N", number))
                    self.assert_faults(words, name)
            if number[0] != "-":
                self.assert_faults(["show", "arch", "tpu_v1", "--set", f"core.matrix_unit.rows={number}"], "rows")
                self.assert_faults(["show", "workload", f"resnet50:batch={number}"], "batch")
                self.assert_faults(["run", "--arch", "tpu_v1", "--workload", "resnet50", "--batch", number],
                                   "--batch")


class EscapeTest(CliTest):
    """Names lead to presets, not out of their folder; outputs go where they were asked to go."""

    def test_names_are_no_ways_out(self):
        for words, pattern in (
                (["show", "arch", "../energy/28nm"], "no such file"),
                (["show", "arch", "../../../../etc/passwd"], "no such file|:1:1:"),
                (["show", "arch", "tpu_v1", "--set", "energy=../arch/tpu_v1"], "no energy table"),
                (["show", "arch", "tpu_v1", "--set", "memory.dram.preset=../arch/tpu_v1"], "no such file"),
                (["dram", "--preset", "standards/ddr3", "--pattern", "random"], "no such file"),
                (["show", "workload", "../arch/tpu_v1"], "no such file"),
                (["validate", "../sweeps/array_size"], "no such file|no suite"),
                (["sweep", "../sweeps/array_size", "--out", "out"], "no such file"),
                (["show", "arch", ".."], "no machine|directory"),
                (["show", "workload", ".."], "no network|directory"),
                (["dram", "--preset", "..", "--pattern", "random"], "no memory|directory")):
            with self.subTest(words):
                self.assert_faults(words, pattern)

    def test_a_file_that_is_extended_shows_no_more_than_a_word(self):
        self.write("m.json", {"extends": "../../../../../../../../etc/passwd"})
        self.assert_faults(["show", "arch", "m.json"], "m.json|/etc/passwd:1:1: ")

    def test_outputs(self):
        run = ["run", "--arch", "tpu_v1", "--workload", "gemm_1024"]
        (self.folder / "folder").mkdir()
        for option in ("--out", "--csv", "--html", "--trace"):
            for target in ("no/such/file", "folder", "", "/proc/x", "folder/"):
                with self.subTest(f"{option} {target}"):
                    self.assert_faults([*run, option, target], option)


if __name__ == "__main__":
    unittest.main()
