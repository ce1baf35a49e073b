"""The editions of a chapter, its one source: for readers, for students, for the grader.

The book shows the solutions folded and no hidden check. The student's notebook has no solutions, no
hidden checks and no outputs, so that the reader predicts before the cell tells. The grader's has
all, and its hidden checks tell the idea that is missed without the input that showed it.
"""

import copy
import re

from nbconvert.preprocessors import ClearOutputPreprocessor, TagRemovePreprocessor
from nbformat import NotebookNode
from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions

MARKS = re.compile(r"^ *### (BEGIN|END) SOLUTION\n?", re.M)
HIDDEN_PART = re.compile(
    r"(?<=^### BEGIN HIDDEN TESTS\n)(.*?)(?=^### END HIDDEN TESTS)", re.M | re.S
)
STUB = "# YOUR CODE HERE\nraise NotImplementedError"


def is_check(cell: NotebookNode) -> bool:
    """Whether the cell checks an exercise."""
    return cell.cell_type == "code" and bool(cell.metadata.get("nbgrader", {}).get("locked"))


def for_readers(notebook: NotebookNode) -> NotebookNode:
    """The notebook as the book shows it: no hidden checks, no marks of the grader."""
    notebook, _ = ClearHiddenTests().preprocess(copy.deepcopy(notebook), {})
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.source = MARKS.sub("", cell.source).rstrip("\n")
        if is_check(cell):  # folded: who reads sees that there are checks, and opens them at will
            cell.metadata["tags"] = [*cell.metadata.get("tags", []), "hide-input"]
            cell.metadata["mystnb"] = {"code_prompt_show": "Show the checks"}
            cell.outputs = []
    return notebook


def for_students(notebook: NotebookNode) -> NotebookNode:
    """The notebook to work in: no solutions, no hidden checks, no outputs."""
    notebook = _without(notebook, "book-only")
    for preprocessor in (
        ClearSolutions(code_stub={"python": STUB}),
        ClearHiddenTests(),
        ClearOutputPreprocessor(enabled=True),
    ):
        notebook, _ = preprocessor.preprocess(notebook, {})
    return notebook


def for_graders(notebook: NotebookNode) -> NotebookNode:
    """The notebook that nbgrader takes as its source: solutions and hidden checks, no outputs."""
    notebook = _without(notebook, "book-only")
    notebook, _ = ClearOutputPreprocessor(enabled=True).preprocess(notebook, {})
    for cell in notebook.cells:
        if is_check(cell):
            cell.source = with_hidden_ideas(cell.source)
    return notebook


def exercises_only(notebook: NotebookNode) -> NotebookNode:
    """The title and the exercises: for students who have read the chapter in the book.

    Every solution runs without the chapter's other cells; a test sees to it.
    """
    notebook = copy.deepcopy(notebook)
    kept, inside = [], False
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts = re.split(r"^(?=## )", cell.source, flags=re.M)
            chosen = [] if kept else parts[0].splitlines()[:1]  # the title
            for part in parts:
                if part.startswith("## "):
                    inside = part.startswith("## Exercises")
                chosen += [part.rstrip()] if inside else []
            if chosen:
                cell.source = "\n\n".join(chosen)
                kept.append(cell)
        elif inside:
            kept.append(cell)
    notebook.cells = kept
    return notebook


# No name stays behind that an answer could lean on. Hidden, so that no feedback shows it.
FRESH_CHECKS = """### BEGIN HIDDEN TESTS
[
    __import__("sys").modules.pop(f"bpe.{name}", None)
    for name in ("exercises", "steps", "progress")
]
### END HIDDEN TESTS
"""


def with_hidden_ideas(checks: str) -> str:
    """The source of a check cell with its hidden part in `with hidden():`.

    The checks are loaded afresh there: what a submission put in their place is forgotten. Someone
    who means to cheat finds other ways; this is for the cell that redefines `check` for its tests.
    """

    def wrap(part: re.Match[str]) -> str:
        lines = "".join(
            f"    {line}" if line.strip() else line for line in part[1].splitlines(True)
        )
        return f"from bpe.exercises import hidden\nwith hidden():\n{lines}"

    return FRESH_CHECKS + HIDDEN_PART.sub(wrap, checks)


def _without(notebook: NotebookNode, tag: str) -> NotebookNode:
    remove = TagRemovePreprocessor(enabled=True, remove_cell_tags={tag})
    notebook, _ = remove.preprocess(copy.deepcopy(notebook), {})
    for cell in notebook.cells:
        cell.metadata.get("jupyter", {}).pop("source_hidden", None)
    return notebook
