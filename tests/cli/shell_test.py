# SPDX-License-Identifier: Apache-2.0
"""Completion in a real bash, scripts that other shells can read, the manual's page."""

import pathlib
import shutil
import subprocess
import unittest

import _support

HERE = pathlib.Path(_support.PROGRAM).parent
TRY = """
PATH="$PROGRAM_DIR:$PATH"
source <(tilewave completion bash)
compopt() { :; }
COMP_WORDS=("$@")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_tilewave
printf '%s\\n' "${COMPREPLY[@]}"
"""


class CompletionTest(_support.CliTest):
    def complete(self, *words):
        return " ".join(self.complete_lines(*words)).split()

    def complete_lines(self, *words):
        run = subprocess.run(["bash", "-c", TRY, "bash", "tilewave", *words], check=True, text=True, capture_output=True,
                             cwd=self.folder, env={**_support.ENVIRONMENT, "PROGRAM_DIR": str(HERE)}, timeout=30)
        self.assertEqual(run.stderr, "")
        return run.stdout.splitlines()

    def test_commands_options_and_values(self):
        self.assertEqual(self.complete("r"), ["run"])
        self.assertEqual(self.complete("run", "--wo"), ["--workload"])
        self.assertEqual(self.complete("run", "--fidelity", "d"), ["detailed"])
        self.assertEqual(self.complete("run", "--set", ""), [])
        self.assertEqual(self.complete("list", "mod"), ["models"])
        self.assertEqual(self.complete("completion", "f"), ["fish"])

    def test_names_of_presets(self):
        self.assertEqual(self.complete("run", "--arch", "tpu_v1"), ["tpu_v1"])
        self.assertEqual(set(self.complete("run", "--workload", "resnet")), {"resnet18", "resnet50"})
        self.assertEqual(self.complete("sweep", "array_s"), ["array_size"])
        self.assertIn("int8", self.complete("run", "--dtype", "int"))
        self.assertIn("tpu_v3_kernels", self.complete("validate", "tpu_v3"))

    def test_files(self):
        self.write("my_chip.json", {})
        self.assertEqual(self.complete("run", "--arch", "my_"), ["my_chip.json"])
        self.assertEqual(self.complete("check", "my_"), ["my_chip.json"])
        self.write("a chip.json", {})
        self.assertEqual(self.complete("check", "a"), ["a", "chip.json"])  # one reply: see the next line
        self.assertEqual(self.complete_lines("check", "a"), ["a chip.json"])
        self.assertEqual(self.complete("run", "--arch", "=", "tpu_v1"), ["tpu_v1"])  # --arch=tpu_v1

    def test_every_command_and_option_is_there(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.call("completion", shell).stdout
            for name in [line.split()[0] for line in self.call("--help").stdout.split("Commands:")[1].splitlines()
                         if line.startswith("  ") and line[2] != " " and not line.startswith("  tilewave")]:
                self.assertIn(name, script)
                for option in {word for line in self.call(name, "--help").stdout.split("Options:")[1].splitlines()
                               for word in line.split()[:1] if word.startswith("--")}:
                    self.assertIn(option.lstrip("-"), script, (shell, name))

    def test_shells_can_read_their_scripts(self):
        for shell in ("bash", "zsh", "fish"):
            if not shutil.which(shell):
                continue
            path = self.folder / shell
            path.write_text(self.call("completion", shell).stdout, encoding="utf-8")
            subprocess.run([shell, "-n", path], check=True, timeout=30)

    def test_an_unknown_shell(self):
        result = self.call("completion", "bsh")
        self.assertEqual(result.returncode, 2)
        self.assertIn('did you mean "bash"?', result.stderr)


class ReferenceTest(_support.CliTest):
    def test_it_has_every_command(self):
        page = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")
        names = [line.split()[0] for line in self.call("--help").stdout.split("Commands:")[1].splitlines()
                 if line.startswith("  ") and line[2] != " " and not line.startswith("  tilewave")]
        self.assertGreater(len(names), 8)
        for name in names:
            self.assertIn(f"## tilewave {name}\n\n```sh\ntilewave {name} --help\n```", page)


class ManualTest(_support.CliTest):
    def test_it_is_sound_and_names_all(self):
        page = self.call("man").stdout
        self.assertTrue(page.startswith(".TH TILEWAVE 1"))
        for option in ("dump", "resume", "in\\-flight"):
            self.assertIn(option, page)
        if not shutil.which("groff"):
            self.skipTest("no groff")
        run = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8", "-k"], input=page, text=True, capture_output=True,
                             check=False, timeout=30)
        self.assertEqual((run.returncode, run.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
