"""The instructor's guide tells what is so: its commands, its tables, its messages."""

import re

import make
from test_assignments import TOLD

import bpe
from course import ROOT, exercises, notebook

TEXT = (ROOT / "book" / "teaching.md").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8")


def shown() -> str:
    """What the cells of the page put out."""
    cells = notebook(ROOT / "book" / "teaching.ipynb").cells
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    data = [output.get("data", {}) for output in outputs]
    return "\n".join(each.get("text/markdown", each.get("text/html", "")) for each in data)


def test_commands_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    commands = re.findall(r"(?:`|^)make ([a-z-]+)((?: +[A-Z_]+=\S+)*)", TEXT + README, re.M)
    assert {"release", "grade", "notebooks", "lab", "test"} <= {target for target, _ in commands}
    for target, variables in commands:
        assert target in make.COMMANDS and f"\n{target}:" in makefile
        for name in re.findall("[A-Z_]+(?==)", variables):
            assert f"$({name})" in makefile, name
    for command in re.findall(r"python book/make.py ([a-z][a-z-]*)", TEXT + README):
        assert command in make.COMMANDS, command


def test_files_exist() -> None:
    paths = re.findall(r"(?:tests|chapters|grading|book)/[\w./-]+\.(?:py|md)", TEXT)
    assert paths
    for path in paths:
        assert (ROOT / path).exists(), path
    assert f"from_text_to_tokens-{bpe.__version__}-py3-none-any.whl" in TEXT


def test_options_exist() -> None:
    known = (ROOT / "grading" / "conftest.py").read_text("utf-8")
    line = next(line for line in TEXT.splitlines() if "grading/test_submissions.py" in line)
    options = set(re.findall("--[a-z]+", line)) - {"--junitxml"}
    assert options == {"--submissions", "--chapter"}
    assert all(f'"{option}"' in known for option in options)


def test_table_has_every_exercise_as_it_is() -> None:
    rows = shown().splitlines()
    for each in exercises():
        points = f"{each.points} + {each.rubric}" if each.rubric else f"{each.points}"
        row = f"| {each.number} | {each.title} | {points} | "
        assert any(line.startswith(row) for line in rows), (
            f"{row}: run python book/make.py notebooks teaching"
        )


def test_mistakes_of_every_chapter_are_answered() -> None:
    answered = re.findall(r"<tr><td>(\d+)\.\d</td><td>[^<]+</td><td>[^<]{20}", shown())
    assert set(answered) == {str(int(each.chapter[:2])) for each in exercises()}


def test_messages_for_misbehaving_notebooks_are_those_that_come() -> None:
    """`test_assignments` grades such notebooks and looks for the same words in the feedback."""
    table = TEXT[TEXT.index("## Notebooks that misbehave") : TEXT.index("## What this cannot do")]
    table = re.sub(r"\d+ s\b", "N s", table.replace("`", ""))
    for student, message in TOLD.items():
        if student != "speaks":  # its own error, in its own script
            for each in re.sub(r"\d+ s\b", "N s", message).split("|"):
                assert each in table, message
