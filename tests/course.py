"""What several tests need to know of the course: its chapters, their cells, their exercises."""

import re
import runpy
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parent.parent
CONTENTS = tomllib.loads((ROOT / "chapters" / "chapters.toml").read_text("utf-8"))
NAMES = [name for part in CONTENTS["part"] for name in part["chapters"]]
WRITTEN = [name for name in NAMES if (ROOT / "chapters" / f"{name}.ipynb").exists()]
NOTEBOOKS = [*sorted((ROOT / "chapters").glob("*.ipynb")), *sorted((ROOT / "book").glob("*.ipynb"))]

HIDDEN = re.compile(r"^### BEGIN HIDDEN TESTS\n.*?^### END HIDDEN TESTS\n?", re.M | re.S)


@cache
def notebook(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


@dataclass(frozen=True)
class Exercise:
    """An exercise of a chapter: the cell with its solution, and the cell that checks it."""

    chapter: str
    name: str
    solution: str
    checks: str
    points: int

    @property
    def visible_checks(self) -> str:
        return HIDDEN.sub("", self.checks)


@cache
def exercises() -> list[Exercise]:
    found = []
    for chapter in WRITTEN:
        cells = notebook(ROOT / "chapters" / f"{chapter}.ipynb").cells
        graded = {
            cell.metadata.nbgrader.grade_id: cell
            for cell in cells
            if cell.cell_type == "code" and "nbgrader" in cell.metadata
        }
        for name, cell in graded.items():
            if cell.metadata.nbgrader.solution:
                checks = graded[f"test_{name}"]
                points = checks.metadata.nbgrader.points
                found.append(Exercise(chapter, name, cell.source, checks.source, points))
    return found


@cache
def wrong_answers(chapter: str) -> dict[str, list[tuple[str, str, str]]]:
    """For each exercise of the chapter: (name of the slip, source, what the message must say)."""
    path = ROOT / "tests" / "answers" / f"{chapter}.py"
    return runpy.run_path(str(path))["ANSWERS"] if path.exists() else {}
