# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C, pipes, and the progress line on a terminal."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unittest

from _support import ENDLESS, ENVIRONMENT, PROGRAM, CliTest

KEEP_WAITING_S = 30


def terminals_exist():
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError:  # a container without /dev/pts
        return False
    return True


NEEDS_TERMINAL = unittest.skipUnless(terminals_exist(), "this system has no pseudo-terminals")


class Started:
    """A run that does not end by itself, with a terminal of the given width for its errors."""

    def __init__(self, test, *words, columns=80, environment=None):
        test.write("endless.json", ENDLESS)
        self.master, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.process = subprocess.Popen(
            [PROGRAM, "run", "--arch", "tpu_v1", "--workload", "endless.json", "--fidelity", "detailed",
             *words], cwd=test.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=terminal,
            env={**ENVIRONMENT, "TERM": "xterm", **(environment or {})})
        os.close(terminal)
        test.addCleanup(self.close)

    def close(self):
        self.process.kill()
        self.process.communicate()
        os.close(self.master)

    def errors(self, until=None):
        """Text from the terminal until `until` is in it, or to the end."""
        text = ""
        deadline = time.monotonic() + KEEP_WAITING_S
        while time.monotonic() < deadline and not (until and until in text):
            if not select.select([self.master], [], [], 0.1)[0]:
                continue
            try:
                piece = os.read(self.master, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            text += piece.decode()
        return text


@NEEDS_TERMINAL
class InterruptTest(CliTest):
    def test_ctrl_c_stops_the_run_and_writes_nothing(self):
        self.write("r.json", "old")
        run = Started(self, "--out", "r.json", "--csv", "l.csv", "--trace", "t.json", "--html", "p.html")
        run.errors(until="cycles/s")
        run.process.send_signal(signal.SIGINT)
        rest = run.errors()
        self.assertEqual(run.process.wait(KEEP_WAITING_S), 130)
        self.assertEqual(run.process.stdout.read(), b"")
        self.assertTrue(rest.endswith("\r\x1b[Kerror: interrupted\r\n"), repr(rest))
        self.assertEqual(self.files(), ["endless.json", "r.json"])
        self.assertEqual((self.folder / "r.json").read_text(), "old")

    def test_another_end_leaves_no_file_either(self):
        run = Started(self, "--out", "r.json")
        run.errors(until="cycles/s")
        run.process.terminate()
        self.assertEqual(run.process.wait(KEEP_WAITING_S), -signal.SIGTERM)
        self.assertEqual(self.files(), ["endless.json"])

    def test_where_it_is_ignored_it_stays_so(self):
        words = "run --arch tpu_v1 --workload mobilenet_v2 --quiet --out r.json".split()
        process = subprocess.Popen([PROGRAM, *words], cwd=self.folder, env=ENVIRONMENT,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        for _ in range(20):
            process.send_signal(signal.SIGINT)
            time.sleep(0.002)
        self.assertEqual(process.wait(KEEP_WAITING_S), 0)
        self.assertEqual(self.files(), ["r.json"])


class PipeTest(CliTest):
    def test_a_reader_that_leaves_is_no_reason_for_a_message(self):
        for words in ("list arch", "run --arch tpu_v1 --workload resnet50 --json"):
            process = subprocess.Popen([PROGRAM, *words.split()], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, env=ENVIRONMENT,
                                       restore_signals=False)
            process.stdout.close()
            errors = process.stderr.read()
            process.stderr.close()
            process.wait(KEEP_WAITING_S)
            self.assertEqual(errors, b"")


@NEEDS_TERMINAL
class ProgressTest(CliTest):
    def test_a_line_is_redrawn_within_the_terminal(self):
        for columns in (80, 45, 24):
            run = Started(self, columns=columns)
            text = ""
            while text.count("\r\x1b[K") < 4:
                more = run.errors(until="\x1b[K")
                self.assertTrue(more, "no progress")
                text += more
            lines = re.split(r"\r\x1b\[K", text)[1:-1]
            for line in lines:
                self.assertLess(len(line), columns)
                self.assertRegex(line, r"^(\[[#.]+\] )? *\d+ %  layer 1 of")
            if columns == 80:
                self.assertRegex(lines[0], r"layer 1 of 1 endless  +[0-9.]+ [kM]?cycles/s")
            self.assertNotIn("\n", text)

    def test_the_environment_may_say_how_wide_it_is(self):
        run = Started(self, columns=200, environment={"COLUMNS": "30"})
        run.errors(until="\x1b[K")
        line = run.errors(until="\x1b[K").split("\r")[0]
        self.assertLess(len(line), 30)

    def test_none_where_it_is_not_wanted(self):
        for words, environment in ((["--quiet"], {}), ([], {"TERM": "dumb"})):
            run = Started(self, *words, environment=environment)
            time.sleep(1)
            run.process.send_signal(signal.SIGINT)
            self.assertEqual(run.errors(), "error: interrupted\r\n")

    def test_none_without_a_terminal(self):
        self.write("w.json", {"ops": [{"op": "gemm", "m": 512, "n": 512, "k": 512}]})
        result = self.call("run", "--arch", "tpu_v1", "--workload", "w.json", "--fidelity", "detailed")
        self.assertEqual((result.returncode, result.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
