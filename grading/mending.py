"""Put a submitted notebook in order before it is run, and say what was not in order.

Students delete cells, copy them, change checks and lose the metadata by which a grader finds them.
The assignment's own notebook knows how it should be.
"""

import copy
import re
from dataclasses import dataclass, field

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from catalog import HIDDEN

REMARKS = "grading-remarks"  # the id of the cell that tells what was found


@dataclass
class Mended:
    """A notebook in order, and what had to be done for it."""

    notebook: NotebookNode
    remarks: list[str] = field(default_factory=list)


def grade_id(cell: NotebookNode) -> str | None:
    """The name by which the grader knows the cell, if it has one."""
    about = cell.metadata.get("nbgrader")
    return about.get("grade_id") if isinstance(about, dict) else None


def mend(submitted: NotebookNode, assigned: NotebookNode) -> Mended:
    """Compare a submission with the assignment, cell by cell of those that are graded.

    Args:
        submitted: The student's notebook.
        assigned: The grader's edition, with solutions and hidden checks.
    """
    ours = {name: cell for cell in assigned.cells if (name := grade_id(cell))}
    done = Mended(copy.deepcopy(submitted))
    _drop_copies(done, ours)
    _restore_changed(done, ours)
    _put_back(done, ours)
    if done.remarks:
        remark(done.notebook, *done.remarks)
    return done


def remark(notebook: NotebookNode, *remarks: str) -> None:
    """Write remarks into the first cell of the notebook, for the student to read."""
    cells = notebook.cells
    if not cells or cells[0].get("id") != REMARKS:
        cells.insert(0, new_markdown_cell("## What was found before grading\n", id=REMARKS))
    cells[0].source += "".join(f"\n- {text}" for text in remarks)


def _drop_copies(done: Mended, ours: dict[str, NotebookNode]) -> None:
    """Of cells with one grade id the last one counts; unknown ids are of no assignment of ours."""
    seen: set[str] = set()
    for cell in reversed(done.notebook.cells):
        name = grade_id(cell)
        if name is None:
            continue
        if name not in ours:
            del cell.metadata["nbgrader"]
        elif name in seen:
            del cell.metadata["nbgrader"]
            done.remarks.append(f"The cell `{name}` was there more than once: the last one counts.")
        seen.add(name)


def _restore_changed(done: Mended, ours: dict[str, NotebookNode]) -> None:
    for cell in done.notebook.cells:
        name = grade_id(cell)
        if name is None:
            continue
        own = ours[name]
        cell.metadata["nbgrader"] = copy.deepcopy(own.metadata["nbgrader"])
        if own.metadata["nbgrader"].get("locked"):
            if _bare(cell.source) != _bare(own.source):
                done.remarks.append(
                    f"The check `{name}` had been changed: it was graded as it was handed out."
                )
            cell.source = own.source


def _put_back(done: Mended, ours: dict[str, NotebookNode]) -> None:
    """Checks that are gone come back behind their answers, or at the end."""
    for name, own in ours.items():
        cells = done.notebook.cells
        here = [grade_id(cell) for cell in cells]
        if name in here:
            continue
        about = own.metadata["nbgrader"]
        if not about.get("grade"):  # an answer: there is nothing of the student's to put back
            done.remarks.append(f"The cell `{name}`, which holds your answer, is missing.")
            continue
        answer = re.sub("^(test|explain)_", "", name)
        at = here.index(answer) + 1 if answer in here else len(cells)
        cells.insert(at, copy.deepcopy(own))
        if about.get("solution"):
            cells[at].source = ""
        done.remarks.append(f"The cell `{name}` was missing and was put back.")


def _bare(source: str) -> str:
    """The visible lines of a check, without blanks at their ends."""
    lines = HIDDEN.sub("", source).splitlines()
    return "\n".join(line.rstrip() for line in lines if line.strip())
