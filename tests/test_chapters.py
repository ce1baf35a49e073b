"""Every notebook is whole: executed, in step with its source, and built as a chapter should be."""

import json
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

import contents
import editions
import notebooks
from course import CONTENTS, NAMES, NOTEBOOKS, ROOT, WRITTEN, exercises, notebook

CODE_LINES, CODE_COLUMNS = 15, 88
FOLDED_LINES = 30  # a solution, or the checks of an exercise
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
each_chapter = pytest.mark.parametrize("name", WRITTEN)


def chapter(name: str) -> nbformat.NotebookNode:
    return notebook(ROOT / "chapters" / f"{name}.ipynb")


def code_cells(book: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in book.cells if cell.cell_type == "code"]


def prose_cells(book: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in book.cells if cell.cell_type == "markdown"]


def output_text(cell: nbformat.NotebookNode) -> str:
    parts = []
    for output in cell.outputs:
        parts += [output.get("text", ""), output.get("ename", ""), output.get("evalue", "")]
        parts += [str(v) for k, v in output.get("data", {}).items() if not k.startswith("image/")]
    return "\n".join(parts)


# --- the files ----------------------------------------------------------------------------------


def test_chapters_so_far_are_the_first_of_the_contents() -> None:
    assert WRITTEN == NAMES[: len(WRITTEN)]
    assert {path.stem for path in (ROOT / "chapters").glob("*.ipynb")} == set(WRITTEN)


@each_notebook
def test_in_step_with_its_source(path: Path) -> None:
    assert notebooks.in_step(path.with_suffix(".md")), "run: make notebooks"


@each_notebook
def test_every_cell_has_an_id_of_its_own(path: Path) -> None:
    # Read as JSON: nbformat would give ids to cells that lack one.
    ids = [cell.get("id") for cell in json.loads(path.read_text("utf-8"))["cells"]]
    assert None not in ids
    assert len(set(ids)) == len(ids)


@each_notebook
def test_executed_from_top_to_bottom(path: Path) -> None:
    cells = code_cells(notebook(path))
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))


@each_notebook
def test_no_error_but_those_on_purpose(path: Path) -> None:
    for cell in code_cells(notebook(path)):
        failed = any(output.output_type == "error" for output in cell.outputs)
        assert failed == ("raises-exception" in cell.metadata.get("tags", [])), cell.source


@each_notebook
def test_outputs_hold_nothing_of_the_machine(path: Path) -> None:
    for cell in code_cells(notebook(path)):
        text = output_text(cell)
        assert not re.search(r"/home/|/tmp/|/root/|[A-Z]:\\\\|ipykernel_", text), cell.source
        assert str(ROOT) not in text
        assert not any(output.get("name") == "stderr" for output in cell.outputs), cell.source
        # "<Figure size 640x480 with 1 Axes>" without a picture: the figure was not shown
        for output in cell.outputs:
            data = output.get("data", {})
            if data.get("text/plain", "").startswith("<Figure"):
                assert "image/png" in data, cell.source


@each_notebook
def test_every_picture_says_what_it_shows(path: Path) -> None:
    for cell in code_cells(notebook(path)):
        if any("image/png" in output.get("data", {}) for output in cell.outputs):
            alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
            assert len(alt) > 30, f"no alt text: {cell.source}"


@each_notebook
def test_cells_can_be_read_in_one_look(path: Path) -> None:
    for cell in code_cells(notebook(path)):
        lines = [line for line in cell.source.splitlines() if line.strip()]
        limit = FOLDED_LINES if "nbgrader" in cell.metadata else CODE_LINES
        assert len(lines) <= limit, cell.source
        assert max(map(len, lines), default=0) <= CODE_COLUMNS, cell.source


def test_a_notebook_that_fails_is_not_written(tmp_path: Path) -> None:
    source = tmp_path / "broken.md"
    head = (ROOT / "chapters" / f"{WRITTEN[0]}.md").read_text("utf-8").split("---\n")[1]
    source.write_text(f"---\n{head}---\n\n```{{code-cell}} ipython3\n1 / 0\n```\n", "utf-8")
    with pytest.raises(Exception, match="ZeroDivisionError"):
        notebooks.run(source)
    assert not source.with_suffix(".ipynb").exists()


def test_a_line_that_looks_like_a_command_stays_code(tmp_path: Path) -> None:
    """`cat = 1` is an assignment, though `cat` is also a magic command of IPython."""
    source = tmp_path / "cat.md"
    head = (ROOT / "chapters" / f"{WRITTEN[0]}.md").read_text("utf-8").split("---\n")[1]
    source.write_text(
        f"---\n{head}---\n\n```{{code-cell}} ipython3\ncat = 1\ncat + 1\n```\n", "utf-8"
    )
    notebooks.run(source)
    book = nbformat.read(source.with_suffix(".ipynb"), as_version=4)
    assert book.cells[0].source == "cat = 1\ncat + 1"
    assert output_text(book.cells[0]).strip() == "2"
    assert notebooks.in_step(source)
    before = source.with_suffix(".ipynb").read_bytes()
    notebooks.run(source)
    assert source.with_suffix(".ipynb").read_bytes() == before, "two runs differ"


# --- the anatomy of a chapter -------------------------------------------------------------------


def headings(name: str) -> list[str]:
    text = "\n".join(cell.source for cell in prose_cells(chapter(name)))
    return re.findall(r"^(#{1,6} .+)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)


@each_chapter
def test_title_goals_and_time(name: str) -> None:
    fields = CONTENTS["chapter"][name]
    first = prose_cells(chapter(name))[0].source
    assert headings(name)[0] == f"# {fields['title']}"
    assert sum(heading.startswith("# ") for heading in headings(name)) == 1
    opening = "\n".join(cell.source for cell in prose_cells(chapter(name))[:3])
    assert "In this chapter you will" in opening
    assert 3 <= len(re.findall(r"^[-*] ", opening, re.M)) <= 5, "three to five goals"
    assert f"{fields['minutes']} minutes" in opening, "the time of the table of contents"
    assert first.startswith("# ")


@each_chapter
def test_closing_sections_in_their_order(name: str) -> None:
    closing = ["## What the package gained"] if CONTENTS["chapter"][name].get("module") else []
    closing += ["## Exercises", "## Summary", "## Where this comes from"]
    second_level = [heading for heading in headings(name) if heading.startswith("## ")]
    assert second_level[-len(closing) :] == closing


@each_chapter
def test_sections_end_with_something_to_see(name: str) -> None:
    cells = [c for c in code_cells(chapter(name)) if "nbgrader" not in c.metadata]
    shown = sum(bool(cell.outputs) for cell in cells)
    assert shown >= 0.7 * len(cells), "most cells should end in an expression"
    assert sum("print(" in cell.source for cell in cells) <= 0.25 * len(cells), "rarely print"


YEAR = re.compile(r"(?<![\d,.])(1[6-9]\d\d|20\d\d)(?![\d,.]\d)")
NUMBER = re.compile(r"(?<![\w.,+#-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w])")
NOT_PROSE = re.compile(
    r"\{cite\w*(?::\w+)?\}`[^`]*`|\]\([^)]*\)|RFC \d+"
    r"|U\+[0-9A-F]+(?:[-–]U?\+?[0-9A-F]+)?|0x[0-9A-Fa-f]+"
    r"|ISO[ /-]*\d+|^:label:.*$|GPT-\S+",
    re.M,
)


def digits(number: str) -> str:
    return number.replace(",", "")


@each_chapter
def test_every_number_of_the_prose_is_computed(name: str) -> None:
    """Numbers of three digits or more stand in an output or in the code of the same chapter."""
    book = chapter(name)
    known = set()
    for cell in code_cells(book):
        text = re.sub(r"(?<=\d)_(?=\d)", "", cell.source + "\n" + output_text(cell))
        known |= {digits(number) for number in re.findall(r"\d+(?:,\d{3})*(?:\.\d+)?", text)}
        known |= set(re.findall(r"\d+", text))
    prose = [cell.source for cell in prose_cells(book)]
    prose += [
        cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "") for cell in book.cells
    ]
    strange = []
    for text in prose:
        text = YEAR.sub("", NOT_PROSE.sub("", text))
        for number in NUMBER.findall(text):
            if len(re.sub(r"\D", "", number)) >= 3 and digits(number) not in known:
                strange.append(number)
    assert not strange, f"typed, not computed: {strange}"


@each_chapter
def test_words_that_the_course_does_without(name: str) -> None:
    words = r"\b(simply|obviously|powerful|note that|as we can see|of course|trivially)\b"
    for cell in prose_cells(chapter(name)):
        assert not re.search(words, cell.source, re.I), cell.source


def test_spelling() -> None:
    files = [ROOT / "README.md", *(ROOT / "book").glob("*.md"), *(ROOT / "chapters").glob("*.md")]
    files += [*(ROOT / "bpe").glob("*.py"), *(ROOT / "bpe" / "data").glob("*.txt")]
    command = [sys.executable, "-m", "codespell_lib", *map(str, files)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_code_style() -> None:
    for command in (["check"], ["format", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "bpe", "tests", "book"],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout


def test_readme_has_the_table_of_contents() -> None:
    assert contents.table(ROOT / "chapters") in (ROOT / "README.md").read_text("utf-8")


# --- the editions -------------------------------------------------------------------------------


def test_grade_ids_are_unique_in_the_whole_course() -> None:
    ids = [
        cell.metadata.nbgrader.grade_id
        for name in WRITTEN
        for cell in chapter(name).cells
        if "nbgrader" in cell.metadata
    ]
    assert len(set(ids)) == len(ids)


@each_chapter
def test_solutions_fold_in_jupyterlab_too(name: str) -> None:
    for cell in code_cells(chapter(name)):
        if cell.metadata.get("nbgrader", {}).get("solution"):
            assert cell.metadata.get("jupyter", {}).get("source_hidden"), cell.source


@each_chapter
def test_readers_see_solutions_and_no_hidden_checks(name: str) -> None:
    book = editions.for_readers(chapter(name))
    text = nbformat.writes(book)
    assert "HIDDEN TESTS" not in text and "SOLUTION" not in text
    assert len(book.cells) == len(chapter(name).cells)


@each_chapter
def test_students_see_neither(name: str) -> None:
    book = editions.for_students(chapter(name))
    text = "\n".join(cell.source for cell in book.cells)
    assert "SOLUTION" not in text and "HIDDEN TESTS" not in text and "solution-start" not in text
    assert not any(cell.outputs for cell in code_cells(book))
    of_chapter = [exercise for exercise in exercises() if exercise.chapter == name]
    assert text.count("raise NotImplementedError") >= len(of_chapter)
    for exercise in of_chapter:
        solution = exercise.solution.split("### BEGIN SOLUTION")[1].split("### END SOLUTION")[0]
        lines = [line.strip() for line in solution.splitlines() if len(line.strip()) > 20]
        student = next(
            c.source
            for c in book.cells
            if c.metadata.get("nbgrader", {}).get("grade_id") == exercise.name
        )
        assert not any(line in student for line in lines)
        hidden = set(exercise.checks.splitlines()) - set(exercise.visible_checks.splitlines())
        assert not any(line in text for line in hidden if len(line) > 20)


@each_chapter
def test_points_are_told(name: str) -> None:
    words = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    text = "\n".join(cell.source for cell in prose_cells(chapter(name)))
    told = [words.index(word.lower()) for word in re.findall(r"\*\*(\w+) points? ·", text)]
    here = [exercise for exercise in exercises() if exercise.chapter == name]
    assert told == [exercise.points + exercise.rubric for exercise in here]
