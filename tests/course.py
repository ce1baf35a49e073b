"""What several tests need to know of the course: its chapters, their cells, their exercises."""

import runpy
import tomllib
from functools import cache
from pathlib import Path

import nbformat

import catalog
from catalog import Exercise

__all__ = ["CONTENTS", "NAMES", "NOTEBOOKS", "ROOT", "WRITTEN", "Exercise"]

ROOT = Path(__file__).resolve().parent.parent
CONTENTS = tomllib.loads((ROOT / "chapters" / "chapters.toml").read_text("utf-8"))
NAMES = [name for part in CONTENTS["part"] for name in part["chapters"]]
WRITTEN = [name for name in NAMES if (ROOT / "chapters" / f"{name}.ipynb").exists()]
NOTEBOOKS = [*sorted((ROOT / "chapters").glob("*.ipynb")), *sorted((ROOT / "book").glob("*.ipynb"))]


@cache
def notebook(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


def exercises() -> list[Exercise]:
    return list(catalog.read_all())


@cache
def wrong_answers(chapter: str) -> dict[str, list[tuple[str, str, str]]]:
    """For each exercise of the chapter: (name of the slip, source, what the message must say)."""
    path = ROOT / "tests" / "answers" / f"{chapter}.py"
    return runpy.run_path(str(path))["ANSWERS"] if path.exists() else {}
