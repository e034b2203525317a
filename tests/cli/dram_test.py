# SPDX-License-Identifier: Apache-2.0
"""tilewave dram: a memory alone under a pattern or a trace."""

import fcntl
import json
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import threading
import time
import unittest

from _support import ENVIRONMENT, PROGRAM, CliTest

KEEP_WAITING_S = 30
ENDLESS = ("dram", "--preset", "ddr4_3200", "--pattern", "random", "--requests", "1e15")
CONFIGS = pathlib.Path(__file__).resolve().parents[2] / "configs" / "dram"


def terminals_exist():
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError:  # a container without /dev/pts
        return False
    return True


class DramTest(CliTest):
    def report(self, *words):
        return json.loads(self.results("dram", *words, "--json"))


class ResultsTest(DramTest):
    def test_every_preset_nears_its_peak_with_a_stream(self):
        names = [entry["name"] for entry in json.loads(self.results("list", "dram", "--json"))]
        self.assertEqual(sorted(names), sorted(path.stem for path in CONFIGS.glob("*.json")))
        for name in names:
            with self.subTest(name):
                report = self.report("--preset", name, "--pattern", "sequential", "--requests", "20000")
                self.assertEqual(report["preset"], name)
                self.assertEqual(report["bytes"], 20000 * 64)
                self.assertAlmostEqual(report["gb_per_s"], report["bytes"] / report["time_s"] * 1e-9)
                self.assertGreater(report["share_of_peak"], 0.85)
                self.assertLessEqual(report["share_of_peak"], 1)
                self.assertGreater(report["row_hits"], 0.9 * report["bursts"]["read"])
                self.assertGreater(report["energy_j"], 0)

    def test_all_but_the_host_is_the_same_each_time_and_in_both_fidelities(self):
        for words in (["--pattern", "mixed"], ["--pattern", "random", "--read-share", "0.6"],
                      ["--pattern", "strided", "--stride", "8192", "--request-bytes", "256"]):
            reports = []
            for fidelity in ("fast", "fast", "detailed"):
                report = self.report("--preset", "hbm3_5200", "--requests", "5000", "--fidelity", fidelity,
                                     *words)
                host = report.pop("host")
                self.assertEqual(host["fidelity"], fidelity)
                self.assertGreater(host["requests_per_s"], 0)
                reports.append(json.dumps(report))
            self.assertEqual(reports[0], reports[1])
            self.assertEqual(reports[0], reports[2])

    def test_one_request_at_a_time_has_the_latency_of_the_timings(self):
        timing = json.loads((CONFIGS / "ddr4_3200.json").read_text(encoding="utf-8"))["timing_cycles"]
        report = self.report("--preset", "ddr4_3200", "--pattern", "random", "--in-flight", "1",
                             "--requests", "5000", "--set", "controller.refresh=none")
        conflict = timing["nRP"] + timing["nRCD"] + timing["nCL"] + timing["nBL"]
        self.assertEqual(report["latency_cycles"]["p50"], conflict)
        self.assertEqual(report["commands"]["REFab"], 0)
        self.assertEqual(report["refresh_share"], 0)

    def test_changes_take_effect(self):
        def of(*words):
            return self.report("--preset", "hbm2_2000", "--pattern", "sequential", "--requests", "20000",
                               *words)

        base = of()
        half = of("--channels", "4")
        self.assertEqual(half["channels"], 4)
        self.assertAlmostEqual(half["peak_gb_per_s"], base["peak_gb_per_s"] / 2)
        self.assertLess(half["gb_per_s"], 0.6 * base["gb_per_s"])
        self.assertEqual(of("--set", "organisation.channels=4")["cycles"], half["cycles"])
        self.assertGreater(of("--set", "controller.page_policy=closed")["commands"]["RDA"], 0)
        writes = of("--read-share", "0")
        self.assertEqual((writes["reads"], writes["writes"]), (0, 20000))
        self.assertEqual(writes["commands"]["RD"], 0)
        one_way = self.report("--preset", "ddr4_3200", "--pattern", "random", "--seed", "7",
                              "--requests", "2000")
        other = self.report("--preset", "ddr4_3200", "--pattern", "random", "--seed", "8",
                            "--requests", "2000")
        self.assertNotEqual(one_way["cycles"], other["cycles"])

    def test_a_memory_from_a_file(self):
        memory = json.loads((CONFIGS / "ddr4_3200.json").read_text(encoding="utf-8"))
        del memory["name"]
        memory["organisation"]["channels"] = 2
        self.write("mine.json", memory)
        report = self.report("--preset", "mine.json", "--pattern", "sequential", "--requests", "1000")
        self.assertEqual((report["preset"], report["channels"]), ("mine", 2))
        self.assertRegex(self.results("check", "mine.json"), r"^mine\.json: ok \(memory mine, 2 x 1 x 64 bits")

    def test_table(self):
        for columns in (120, 80, 50, 20):
            text = self.results("dram", "--preset", "hbm4_8000", "--pattern", "mixed", "--requests", "2000",
                                environment={"COLUMNS": str(columns)})
            self.assertLessEqual(max(map(len, text.splitlines())), max(columns, 40))
            for title in ("bandwidth", "read latency", "write latency", "rows", "commands", "energy"):
                self.assertRegex(text, rf"(?m)^{title}  ")
        self.assertEqual(self.results("dram", "--preset", "ddr3_2133", "--pattern", "strided",
                                      "--requests", "100", "--quiet"), "")


class TraceTest(DramTest):
    def test_a_trace_equals_the_pattern_it_was_written_from(self):
        lines = ["# sequential", ""]
        lines += [f"LD {64 * i:#x}" if i % 2 else f"{64 * i} R" for i in range(3000)]
        self.write("a.trace", "\n".join(lines))
        trace = self.report("--preset", "hbm2_2000", "--trace", "a.trace")
        self.assertEqual(trace["traffic"], {"trace": "a.trace"})
        pattern = self.report("--preset", "hbm2_2000", "--pattern", "sequential", "--requests", "3000")
        for report in (trace, pattern):
            del report["traffic"], report["host"]
        self.assertEqual(trace, pattern)

    def test_a_part_of_a_trace(self):
        self.write("a.trace", "LD 0\nST 64\nLD 128\n")
        report = self.report("--preset", "ddr4_3200", "--trace", "a.trace", "--requests", "2")
        self.assertEqual((report["reads"], report["writes"]), (1, 1))
        report = self.report("--preset", "ddr4_3200", "--trace", "a.trace", "--requests", "200")
        self.assertEqual(report["requests"], 3)

    def test_addresses_beyond_the_capacity_wrap_with_one_warning(self):
        self.write("a.trace", "LD 0\nLD 0x7f0000001234\nST 0xffffffffffffffff\n")
        result = self.call("dram", "--preset", "ddr4_3200", "--trace", "a.trace", "--json")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stderr, "warning: a.trace: 2 of 3 requests are beyond the memory's "
                                        "8589934592 bytes; their addresses wrap\n")
        self.assertEqual(json.loads(result.stdout)["wrapped_requests"], 2)

    def test_a_trace_from_a_pipe(self):
        os.mkfifo(self.folder / "pipe")
        writer = threading.Thread(target=lambda: (self.folder / "pipe").write_text("LD 64\n" * 5000))
        writer.start()
        self.assertEqual(self.report("--preset", "ddr4_3200", "--trace", "pipe")["requests"], 5000)
        writer.join()

    def test_wrong_traces(self):
        for text, pattern in (("LD 0\nLD\n", r'a\.trace:2: must be "LD ADDRESS", .* is "LD"'),
                              ("LD 0\n0x4", r'a\.trace:2: must be .* is "0x4"'),
                              ("0x10 X\n", r'a\.trace:1: must be .* is "0x10 X"'),
                              ("LD 12k\n", r'a\.trace:1: "12k" is no address'),
                              ("LD 0x1" + "0" * 16 + "\n", r"a\.trace:1: .* is more than 64 bits"),
                              ("# nothing\n", r"a\.trace: has no request"),
                              ("", r"a\.trace: has no request"),
                              ("\x7fELF\x01\x02" * 3000, r"a\.trace:1: is longer than 4096 characters")):
            self.write("a.trace", text)
            self.assert_faults(["dram", "--preset", "ddr4_3200", "--trace", "a.trace"], pattern)
        self.assert_faults(["dram", "--preset", "ddr4_3200", "--trace", "b.trace"], "b.trace: no such file")
        self.assert_faults(["dram", "--preset", "ddr4_3200", "--trace", "."], r"\.: is a directory")


class InputTest(DramTest):
    def faults(self, words, *patterns):
        self.assert_faults(["dram", *words.split()], *patterns)

    def test_what_must_be_given(self):
        self.faults("", "--preset must be given", "--pattern or --trace must be given")
        self.faults("--preset ddr4_3200 --pattern random --trace x", "cannot both be given")

    def test_wrong_values(self):
        for words, pattern in (
                ("--pattern seqential", '--pattern: must be one of sequential, .* did you mean "sequential"'),
                ("--pattern random --requests 0", "--requests: must be at least 1, is 0"),
                ("--pattern random --requests 2.5", "--requests: must be an integer .* is 2.5"),
                ("--pattern random --requests many", '--requests: must be an integer .* the string "many"'),
                ("--pattern random --in-flight 0", "--in-flight: must be from 1 to 65536, is 0"),
                ("--pattern random --in-flight 1e9", "--in-flight: must be from 1 to 65536, is"),
                ("--pattern random --channels 0", "--channels: must be from 1 to 4096, is 0"),
                ("--pattern random --channels 4097", "--channels: must be from 1 to 4096, is 4097"),
                ("--pattern random --read-share 1.01", "--read-share: must be from 0 to 1, is 1.01"),
                ("--pattern random --read-share half", "--read-share: must be a number from 0 to 1, is the"),
                ("--pattern random --request-bytes 48", "--request-bytes: must be a power of two, is 48"),
                ("--pattern random --request-bytes 0", "--request-bytes: must be from 1 to 1048576, is 0"),
                ("--pattern strided --stride 100", "--stride: must be a multiple of the request's 64 bytes"),
                ("--pattern strided --stride 8589934592", "--stride: must be from 64 to 8589934591"),
                ("--pattern random --fidelity slow", "--fidelity: must be one of fast, detailed"),
                ("--pattern random --set controller.page_policy=close",
                 '--set: controller.page_policy: must be one of open, closed, .*did you mean "closed"'),
                ("--pattern random --set timing_cycles.nCLX=3", "--set: timing_cycles.nCLX: unknown key"),
                ("--pattern random --set controller.refresh=null", "--set: controller.refresh: cannot be taken"),
                ("--pattern random --set nothing", "--set: .*there is no '='")):
            self.faults(f"--preset ddr4_3200 {words}", pattern)

    def test_options_without_effect(self):
        for words, pattern in (("--pattern random --stride 128", "--stride: is only for strided"),
                               ("--pattern sequential --seed 3", "--seed: is only for random"),
                               ("--pattern mixed --read-share 0.5", "--read-share: .* mixed has its own"),
                               ("--pattern random --channels 2 --set organisation.channels=3",
                                "--channels: is given already by --set")):
            self.faults(f"--preset ddr4_3200 {words}", pattern)
        self.write("a.trace", "LD 0\n")
        self.faults("--preset ddr4_3200 --trace a.trace --stride 128", "--stride: is only for patterns")

    def test_memories_that_are_not_there_or_wrong(self):
        self.faults("--preset hbm3_520 --pattern random", '--preset: no memory "hbm3_520"; .*"hbm3_5200"')
        self.faults("--preset xyz --pattern random", '--preset: no memory "xyz"; may be ddr3_2133, ')
        self.faults("--preset x.json --pattern random", "--preset: no such file: x.json")
        memory = json.loads((CONFIGS / "hbm2_2000.json").read_text(encoding="utf-8"))
        memory["organisation"]["banks"] = 3
        del memory["timing_cycles"]["nCL"]
        self.write("m.json", memory)
        patterns = ("m.json: organisation.banks: must be a power of two", "m.json: timing_cycles.nCL: ")
        self.faults("--preset m.json --pattern random", *patterns)
        self.assert_faults(["check", "m.json"], *patterns)

    def test_a_standard_is_no_memory(self):
        self.assert_faults(["check", str(CONFIGS / "standards" / "hbm2.json")], "is a DRAM standard")


@unittest.skipUnless(terminals_exist(), "this system has no pseudo-terminals")
class TerminalTest(DramTest):
    def test_progress_is_shown_until_ctrl_c(self):
        master, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        process = subprocess.Popen([PROGRAM, *ENDLESS], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=terminal,
                                   env={**ENVIRONMENT, "TERM": "xterm"})
        os.close(terminal)
        text, interrupted = "", False
        deadline = time.monotonic() + KEEP_WAITING_S
        try:
            while time.monotonic() < deadline:
                if not interrupted and text.count("\r\x1b[K") >= 3:
                    process.send_signal(signal.SIGINT)
                    interrupted = True
                if not select.select([master], [], [], 0.1)[0]:
                    continue
                try:
                    text += os.read(master, 65536).decode()
                except OSError:  # the other end is closed
                    break
            self.assertEqual(process.wait(KEEP_WAITING_S), 130)
            self.assertEqual(process.stdout.read(), b"")
        finally:
            process.kill()
            process.communicate()
            os.close(master)
        self.assertTrue(text.endswith("\r\x1b[Kerror: interrupted\r\n"), repr(text))
        for line in re.split(r"\r\x1b\[K", text)[1:-1]:
            self.assertRegex(line, r"^\[\.{10}\]   0 %  [0-9.]+ [kM]?requests  [0-9.]+ [kM]?requests/s$")


if __name__ == "__main__":
    unittest.main()
