# SPDX-License-Identifier: Apache-2.0
"""The documentation is true: links lead somewhere, named files are there, and what it shows is what
the program prints.

In a Markdown file of the project

  * a relative link or image leads to a file or folder, `#part` to a heading;
  * in README.md and docs/, a path in backticks that starts with a folder of ours is there;
  * a line of a ```sh block that starts with `tilewave` or `build/release/tilewave` is run, in order,
    in a folder of the document's own (a line that ends with a backslash goes on); all else in the
    block is left alone. Its status must be 0, or what a comment before the block says:
        <!-- status: 2 -->
  * a block of any kind after <!-- file: NAME --> is a file in that folder;
  * a block after <!-- output --> is the last command's standard output, after <!-- errors --> its
    standard error. A line of "..." stands for any lines.

    export TILEWAVE=$PWD/build/release/tilewave
    python3 tests/cli/docs_links.py            # check
    python3 tests/cli/docs_links.py --write    # put the blocks right

--write keeps as many lines before and after a "..." as there were; with more than one in a block, it
looks for lines with the same first word. Read the difference before you commit it.
"""

import pathlib
import re
import shlex
import sys
import unittest

from _support import CliTest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("app", "arch", "bench", "cmake", "configs", "docs", "python", "scripts", "sim", "tests", "viz",
           "workloads")
PROGRAMS = ("tilewave", "build/release/tilewave")
REST = "..."

FENCE = re.compile(r"^(```+)\s*(\S*)")
NOTE = re.compile(r"^<!-- (file|status|output|errors)(?:: (.+?))? -->$")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
IMAGE = re.compile(r"<img [^>]*src=\"([^\"]+)\"")
CODE = re.compile(r"`([^`]+)`")
OUR_PATH = re.compile(rf"^(?:{'|'.join(FOLDERS)})/[\w./*-]*$")


def documents():
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("**/*.md")])


class Block:
    """A fenced block: its lines, where they are, and the notes before it."""

    def __init__(self, language, first, notes):
        self.language = language
        self.first = first  # index of its first line in the document
        self.notes = notes
        self.lines = []


def blocks_and_prose(lines):
    """The fenced blocks of a document, and its other lines with their numbers."""
    blocks, prose, notes, fence = [], [], {}, None
    for index, line in enumerate(lines):
        match = FENCE.match(line)
        if fence:
            if line.startswith(fence) and not line.strip("`").strip():
                fence = None
            else:
                blocks[-1].lines.append(line)
        elif match:
            fence = match[1]
            blocks.append(Block(match[2], index + 1, notes))
            notes = {}
        else:
            note = NOTE.match(line.strip())
            if note:
                notes[note[1]] = note[2] or ""
            elif line.strip():
                notes = {}
            prose.append((index + 1, line))
    return blocks, prose


def anchors(lines):
    """What GitHub calls the headings of a document."""
    found = {}
    for _, line in blocks_and_prose(lines)[1]:
        match = re.match(r"^#+\s+(.*)$", line)
        if match:
            words = re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", match[1]).lower()).replace(" ", "-")
            count = found[words] = found.get(words, -1) + 1
            if count:
                found[f"{words}-{count}"] = 0
    return set(found)


def commands(block):
    """The commands of a block that are run."""
    if block.language != "sh":
        return
    for command in re.sub(r"\\\n\s*", " ", "\n".join(block.lines)).splitlines():
        words = shlex.split(command, comments=True)
        if words and words[0] in PROGRAMS:
            yield command, words[1:]


def matches(shown, actual):
    """Is `actual` what `shown` says, "..." standing for any lines?"""
    pattern = "".join("(?:.*\n)*" if line.strip() == REST else re.escape(line.rstrip()) + "\n"
                      for line in shown)
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in actual)) is not None


def renewed(shown, actual):
    """`shown` as it should be, see above."""
    words = [line.strip() for line in shown]
    if words.count(REST) == 0:
        return actual
    if words.count(REST) == 1:
        at = words.index(REST)
        rest = len(shown) - at - 1
        return [*actual[:at], REST, *(actual[-rest:] if rest else [])]
    out, left = [], list(actual)
    for line in shown:
        first = line.split()[:1]
        while line.strip() != REST and left and left[0].split()[:1] != first:
            left.pop(0)
        out.append(left.pop(0) if line.strip() != REST and left else line)
    return out


class DocumentTest(CliTest):
    def test_links_lead_somewhere(self):
        for document in documents():
            _, prose = blocks_and_prose(document.read_text(encoding="utf-8").splitlines())
            # A link may go over the end of a line.
            text = "\n".join(line for _, line in prose)
            for link in [*LINK.finditer(text), *IMAGE.finditer(text)]:
                number = prose[text.count("\n", 0, link.start())][0]
                if re.match(r"^[a-z]+:", link[1]):
                    continue
                with self.subTest(f"{document.relative_to(ROOT)}:{number}: {link[1]}"):
                    path, _, part = link[1].partition("#")
                    place = (document.parent / path).resolve() if path else document
                    self.assertTrue(place.is_relative_to(ROOT), "leads out of the project")
                    self.assertTrue(place.exists(), "there is no such file")
                    if part:
                        self.assertIn(part, anchors(place.read_text(encoding="utf-8").splitlines()))

    def test_named_files_are_there(self):
        for document in documents():
            if document.parent == ROOT and document.name != "README.md":
                continue  # others also name what will be
            lines = document.read_text(encoding="utf-8").splitlines()
            for number, line in blocks_and_prose(lines)[1]:
                for code in filter(OUR_PATH.match, CODE.findall(line)):
                    with self.subTest(f"{document.relative_to(ROOT)}:{number}: {code}"):
                        self.assertTrue(any(ROOT.glob(code.rstrip("/"))), "there is no such file")

    def test_every_document_of_docs_is_in_its_index(self):
        index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
        for document in (ROOT / "docs").glob("*.md"):
            if document.name != "README.md":
                self.assertIn(f"({document.name})", index)

    def run_document(self, document, on_difference):
        """Runs what the document says; calls on_difference(block, actual lines) where it shows else."""
        blocks, _ = blocks_and_prose(document.read_text(encoding="utf-8").splitlines())
        result = None
        for block in blocks:
            where = f"{document.relative_to(ROOT)}:{block.first}"
            if "file" in block.notes:
                self.write(block.notes["file"], "\n".join(block.lines) + "\n")
            for command, words in commands(block):
                result = self.call(*words)
                self.assertEqual(result.returncode, int(block.notes.get("status", 0)),
                                 f"{where}: {command}\n{result.stderr}")
            for stream in ("output", "errors"):
                if stream not in block.notes:
                    continue
                self.assertIsNotNone(result, f"{where}: no command before this block")
                actual = (result.stdout if stream == "output" else result.stderr).splitlines()
                if not matches(block.lines, actual):
                    on_difference(block, actual)

    def test_commands_do_what_is_shown(self):
        ran = 0
        for document in documents():
            with self.subTest(document.name):
                self.setUp()
                shown = document.relative_to(ROOT)

                def fail(block, actual, shown=shown):
                    self.fail(f"{shown}:{block.first}: shows\n" + "\n".join(block.lines) +
                              "\nbut the program says (docs_links.py --write puts it right)\n" +
                              "\n".join(actual))

                self.run_document(document, fail)
                text = document.read_text(encoding="utf-8").splitlines()
                ran += sum(1 for block in blocks_and_prose(text)[0] for _ in commands(block))
        self.assertGreater(ran, 20, "the documentation has lost its commands")


class MatchTest(unittest.TestCase):
    """The checks themselves."""

    def test_output_is_compared_whole_but_for_what_is_left_out(self):
        actual = ["a", "b", "", "d"]
        for shown in (actual, ["a", REST], [REST, "d"], ["a", REST, "", "d"], [REST], [*actual, REST]):
            self.assertTrue(matches(shown, actual), shown)
        for shown in (["a"], ["a", "b", "d"], ["b", REST], [REST, "b"], [REST, "x", REST], []):
            self.assertFalse(matches(shown, actual), shown)

    def test_a_block_is_put_right(self):
        self.assertEqual(renewed(["x", REST, "y"], ["a", "b", "c"]), ["a", REST, "c"])
        self.assertEqual(renewed(["x", REST], ["a", "b", "c"]), ["a", REST])
        self.assertEqual(renewed(["x"], ["a", "b"]), ["a", "b"])
        self.assertEqual(renewed([REST, "a 1", REST, "b 2", REST], ["x", "a 2", "y", "b 3"]),
                         [REST, "a 2", REST, "b 3", REST])

    def test_blocks_commands_and_anchors(self):
        text = ["# A `b`: c", "<!-- status: 2 -->", "```sh", "# no", "tilewave run \\", "  --x", "ls", "```",
                "# A b c", "<!-- output -->", "", "````text", "```", "````", "tilewave no"]
        blocks, prose = blocks_and_prose(text)
        self.assertEqual([(b.language, b.notes, b.lines) for b in blocks],
                         [("sh", {"status": "2"}, text[3:7]), ("text", {"output": ""}, ["```"])])
        self.assertEqual([words for _, words in commands(blocks[0])], [["run", "--x"]])
        self.assertEqual([number for number, _ in prose], [1, 2, 9, 10, 11, 15])
        self.assertEqual(anchors(text), {"a-b-c", "a-b-c-1"})


def write():
    """Puts the shown output of all documents right."""
    for document in documents():
        lines = document.read_text(encoding="utf-8").splitlines()
        changes = []
        test = DocumentTest("test_commands_do_what_is_shown")
        test.setUp()
        test.run_document(document, lambda block, actual: changes.append((block, actual)))
        for block, actual in reversed(changes):
            lines[block.first:block.first + len(block.lines)] = renewed(block.lines, actual)
        if changes:
            document.write_text("\n".join(lines) + "\n", encoding="utf-8")
            print(f"{document.relative_to(ROOT)}: {len(changes)} blocks")
        test.doCleanups()


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        unittest.main()
