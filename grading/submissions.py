"""Find submissions in a folder, and run one without nbgrader."""

import re
from functools import cache
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

import catalog
import editions
import patience
from mending import grade_id, mend, remark


class Ambiguous(ValueError):
    """Two files would be of one student."""


def find(folder: Path, chapter: str) -> dict[str, Path]:
    """From each student to the notebook that she handed in for the chapter.

    Three layouts are understood: `student/03-pairs/03-pairs.ipynb` (nbgrader's own), a folder for
    each student, and one file for each student, named after her. The cells of a notebook tell which
    chapter it is of; where there are none to tell, its name does, and its folder's.

    Raises:
        Ambiguous: Two files would be of one student.
    """
    found: dict[str, Path] = {}
    for entry in sorted(folder.iterdir()):
        inside = sorted(entry.rglob("*.ipynb")) if entry.is_dir() else [entry]
        student = re.sub(r"[^\w.-]", "_", entry.name if entry.is_dir() else entry.stem)
        for path in inside:
            hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
            if hidden or path.suffix != ".ipynb" or chapter_of(path) not in (chapter, None):
                continue
            if student in found:
                raise Ambiguous(f"{path} and {found[student]} would both be of {student}: rename")
            found[student] = path
    return found


@cache
def _chapters_by_cell() -> dict[str, str]:
    return {each.name: each.chapter for each in catalog.read_all()}


def chapter_of(path: Path) -> str | None:
    """The chapter that a notebook is of: that of most of its graded cells, or by its name."""
    text = path.read_bytes().decode("utf-8", "replace")
    known = _chapters_by_cell()
    cells = re.findall(r'"grade_id":\s*"(?:test_|explain_)?([^"]+)"', text)
    chapters = [known[name] for name in cells if name in known]
    if chapters:
        return max(set(chapters), key=chapters.count)
    named = {path.stem, path.parent.name} & set(catalog.chapter_names())
    return named.pop() if named else None


def read(path: Path, instead: NotebookNode) -> NotebookNode:
    """The notebook in a file; if it is none, an empty one whose first lines say so."""
    try:
        notebook = nbformat.reads(path.read_bytes().decode("utf-8-sig"), as_version=4)
        nbformat.validate(notebook)
    except Exception as error:  # whatever is wrong with it, the others are still graded
        notebook = instead
        problem = " ".join(str(error).split())[:200]
        remark(notebook, f"The file `{path.name}` could not be read as a notebook: {problem}")
    return notebook


class _Client(patience.Patience, NotebookClient):
    pass


@cache
def run(chapter: str, path: Path, seconds: int) -> NotebookNode:
    """Put a submission in order and run it, whatever it does; return it with its outputs."""
    own = nbformat.read(catalog.CHAPTERS / f"{chapter}.ipynb", as_version=4)
    submitted = read(path, editions.for_students(own))
    notebook = mend(submitted, editions.for_graders(own)).notebook

    def execute(trial: NotebookNode) -> None:
        client.nb = trial
        client.execute()

    client = _Client(
        notebook,
        timeout=seconds,
        kernel_name="python3",
        allow_errors=True,
        interrupt_on_timeout=True,
        error_on_timeout=patience.too_long(seconds),
        raise_on_iopub_timeout=True,
        extra_arguments=patience.KERNEL_ARGUMENTS,
    )
    return client.run_patiently(execute, notebook)


def messages(notebook: NotebookNode) -> dict[str, str]:
    """From the grade ids of cells that failed to what they said.

    A check that found nothing to check says what became of the answer, if that failed.
    """
    said: dict[str, str] = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []) if grade_id(cell) else []:
            if output.output_type == "error":
                said[grade_id(cell) or ""] = f"{output.ename}: {output.evalue}"
    for name in [name for name in said if name.startswith("test_")]:
        if said[name].startswith("NameError"):
            said[name] = said.get(name.removeprefix("test_"), said[name])
    return said
