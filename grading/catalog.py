"""The exercises of the chapters: the one place that knows how they are written.

An exercise is a heading (`### Exercise 3.1 · Two for one`), a line that says what it is worth
(`**two points · ten minutes · warm-up · deliver: a function**`), its text, a cell with the
solution, and a cell that checks it. An open exercise also has a cell of prose, which a person marks
by the rubric. What a learner needs outside of a notebook goes into `bpe/data/exercises.json`.
"""

import ast
import json
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parent.parent
CHAPTERS = ROOT / "chapters"
INDEX = ROOT / "bpe" / "data" / "exercises.json"

HEADING = re.compile(r"^### Exercise (\d+\.\d+) · (.+)$", re.M)
WORTH = re.compile(
    r"^\*\*(?P<points>[a-z]+) points? · (?P<time>[^·*]+) · "
    r"(?P<difficulty>warm-up|medium|hard|open) · deliver: (?P<deliver>[^*]+)\*\*$",
    re.M,
)
HIDDEN = re.compile(r"^### BEGIN HIDDEN TESTS\n.*?^### END HIDDEN TESTS\n?", re.M | re.S)


@dataclass(frozen=True)
class Exercise:
    """An exercise of a chapter.

    Attributes:
        chapter: Its name, such as ``03-pairs``.
        number, title: As its heading has them.
        name: The grade id of the cell with the answer; that of the checks has ``test_`` before it.
        worth: The line with points, time, difficulty and what is to be delivered, in those groups.
        solution, checks: The sources of the two cells.
        points: What the checks give.
        rubric: What a reader may give on top of it, in an open exercise; otherwise 0.
    """

    chapter: str
    number: str
    title: str
    name: str
    worth: re.Match[str] | None
    solution: str
    checks: str
    points: int
    rubric: int

    @property
    def visible_checks(self) -> str:
        return HIDDEN.sub("", self.checks)

    @property
    def answers(self) -> list[str]:
        """The names that the solution defines and the checks use, in the order of the solution."""
        defined = []
        for node in ast.parse(self.solution).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                defined.append(node.name)
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    defined += [each.id for each in ast.walk(target) if isinstance(each, ast.Name)]
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                defined.append(node.target.id)
        used = {
            node.id
            for node in ast.walk(ast.parse(self.checks))
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        return [name for name in dict.fromkeys(defined) if name in used]


def chapter_names() -> list[str]:
    """The chapters that are written, in the order of the book."""
    contents = tomllib.loads((CHAPTERS / "chapters.toml").read_text("utf-8"))
    names = [name for part in contents["part"] for name in part["chapters"]]
    return [name for name in names if (CHAPTERS / f"{name}.ipynb").exists()]


def read_chapter(name: str, notebook: nbformat.NotebookNode | None = None) -> list[Exercise]:
    """The exercises of one chapter, in their order: of its stored notebook, or of a new one."""
    cells = (notebook or nbformat.read(CHAPTERS / f"{name}.ipynb", as_version=4)).cells
    graded = {
        cell.metadata.nbgrader.grade_id: cell for cell in cells if "nbgrader" in cell.metadata
    }
    found, heading, worth = [], None, None
    for cell in cells:
        if cell.cell_type == "markdown":
            heading = HEADING.search(cell.source) or heading
            worth = WORTH.search(cell.source) or worth
        elif cell.metadata.get("nbgrader", {}).get("solution"):
            grade_id = cell.metadata.nbgrader.grade_id
            if heading is None or f"test_{grade_id}" not in graded:
                raise ValueError(f"{name}: {grade_id} has no heading or no cell test_{grade_id}")
            checks, prose = graded[f"test_{grade_id}"], graded.get(f"explain_{grade_id}")
            found.append(
                Exercise(
                    chapter=name,
                    number=heading[1],
                    title=heading[2],
                    name=grade_id,
                    worth=worth,
                    solution=cell.source,
                    checks=checks.source,
                    points=checks.metadata.nbgrader.points,
                    rubric=prose.metadata.nbgrader.points if prose else 0,
                )
            )
            heading = worth = None
    return found


@cache
def read_all() -> tuple[Exercise, ...]:
    """The exercises of all chapters that are written."""
    return tuple(each for name in chapter_names() for each in read_chapter(name))


def index(exercises: Iterable[Exercise]) -> str:
    """What the package carries of the exercises, as JSON: nothing hidden, no solution."""
    fields = [
        {
            "number": each.number,
            "chapter": each.chapter,
            "title": each.title,
            "points": each.points,
            "rubric": each.rubric,
            "answers": each.answers,
            "checks": each.visible_checks,
        }
        for each in exercises
    ]
    return json.dumps(fields, ensure_ascii=False, indent=1) + "\n"


def write_index(**new: nbformat.NotebookNode) -> bool:
    """Bring the package's list up to date; return whether it was not.

    Args:
        new: By the names of chapters, notebooks that stand for the stored ones.
    """
    names = sorted({*chapter_names(), *(name for name in new if name[:2].isdigit())})
    text = index(each for name in names for each in read_chapter(name, new.get(name)))
    if INDEX.exists() and INDEX.read_text("utf-8") == text:
        return False
    INDEX.write_text(text, "utf-8", newline="\n")
    return True
