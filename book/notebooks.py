"""Keep the executed notebooks in step with their MyST sources.

    python book/notebooks.py              run the chapters whose source has changed
    python book/notebooks.py 03 05        run these, changed or not
    python book/notebooks.py --check      run nothing; name those out of step, fail if any

The list of exercises that the package carries is brought up to date, too.

The `.md` file is what people write; the `.ipynb` beside it holds the same cells with their outputs.
A cell keeps its id for as long as its text is the same. Two runs give the same bytes: execution
times and the versions of the machine are left out.
"""

import argparse
import copy
import hashlib
import os
import sys
import time
from pathlib import Path

import jupytext
import nbformat
from jupytext.combine import combine_inputs_with_outputs
from nbclient import NotebookClient
from nbformat import NotebookNode, from_dict

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "grading"))
import catalog  # noqa: E402

FOLDERS = (ROOT / "chapters", ROOT / "book")
SECONDS_PER_CELL = 120


def sources() -> list[Path]:
    """The MyST files that are notebooks, in reading order."""
    found = [path for folder in FOLDERS for path in sorted(folder.glob("*.md"))]
    return [path for path in found if "kernelspec:" in path.read_text("utf-8")[:400]]


def as_notebook(source: Path) -> NotebookNode:
    """The source as a notebook; where the one beside it has the same cell, its id and outputs."""
    notebook = jupytext.read(source, fmt="md:myst")
    stored = source.with_suffix(".ipynb")
    if stored.exists():
        old = nbformat.read(stored, as_version=4)
        notebook = combine_inputs_with_outputs(notebook, old, fmt="md:myst")
    _give_ids(notebook, nbformat.read(stored, as_version=4) if stored.exists() else None)
    _clean(notebook)
    return notebook


def _clean(notebook: NotebookNode) -> None:
    """Leave out what depends on the machine: versions of Python, times of execution."""
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    kernelspec = {"display_name": "Python 3", "language": "python", "name": "python3"}
    language = {"name": "python", "pygments_lexer": "ipython3", "file_extension": ".py"}
    notebook.metadata = from_dict({"kernelspec": kernelspec, "language_info": language})
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)


def _give_ids(notebook: NotebookNode, old: NotebookNode | None) -> None:
    """Give each cell the id that the same cell had, or one made from its text."""
    known: dict[tuple[str, str], list[str]] = {}
    for cell in old.cells if old else []:
        known.setdefault((cell.cell_type, cell.source), []).append(cell.id)
    taken = {cell_id for ids in known.values() for cell_id in ids}
    for cell in notebook.cells:
        ids = known.get((cell.cell_type, cell.source))
        if ids:
            cell["id"] = ids.pop(0)
            continue
        salt = 0
        while True:
            text = f"{cell.cell_type}\n{cell.source}\n{salt}"
            cell["id"] = hashlib.sha1(text.encode("utf-8")).hexdigest()[:8]
            if cell["id"] not in taken:
                break
            salt += 1
        taken.add(cell["id"])


def as_source(notebook: NotebookNode) -> str:
    """The MyST text of a notebook, spelled as jupytext spells it."""
    return jupytext.writes(copy.deepcopy(notebook), fmt="md:myst")


def in_step(source: Path) -> bool:
    """Whether the notebook beside the source holds the same cells, all of them executed."""
    stored = source.with_suffix(".ipynb")
    if not stored.exists():
        return False
    notebook = nbformat.read(stored, as_version=4)
    executed = all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code")
    return executed and as_source(notebook) == source.read_text("utf-8")


def run(source: Path) -> None:
    """Execute the source from top to bottom, write the notebook beside it, tidy the source."""
    os.environ["BPE_PROGRESS"] = "off"  # what the author runs is not what a learner passed
    notebook = as_notebook(source)
    if source.parent == catalog.CHAPTERS:  # the checks look up the exercise that they check
        catalog.write_index(**{source.stem: notebook})
    client = NotebookClient(
        notebook,
        timeout=SECONDS_PER_CELL,
        kernel_name="python3",
        record_timing=False,
        # A stored error is its message: the traceback would show where this machine keeps Python.
        extra_arguments=["--InteractiveShell.xmode=Minimal"],
        resources={"metadata": {"path": str(source.parent)}},
    )
    client.execute()
    _clean(notebook)
    nbformat.validate(notebook)
    stored = source.with_suffix(".ipynb")
    for path, text in ((stored, nbformat.writes(notebook) + "\n"), (source, as_source(notebook))):
        new = path.with_name(path.name + ".new")
        new.write_text(text, "utf-8", newline="\n")
        new.replace(path)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chapters", nargs="*", help="beginnings of names, such as 03")
    parser.add_argument("--check", action="store_true", help="run nothing, fail if out of step")
    options = parser.parse_args()
    chosen = sources()
    if options.chapters:
        chosen = [path for path in chosen if path.name.startswith(tuple(options.chapters))]
        if not chosen:
            parser.error(f"no source begins with {' or '.join(options.chapters)}")
    else:
        chosen = [path for path in chosen if not in_step(path)]
    late = 0
    for path in chosen:
        name = path.relative_to(ROOT).with_suffix("")
        if options.check:
            if not in_step(path):
                print(f"{name}: notebook and source differ: python book/notebooks.py {path.stem}")
                late += 1
            continue
        started = time.perf_counter()
        print(f"{name}: running ...", end=" ", flush=True)
        run(path)
        print(f"{time.perf_counter() - started:.0f} s")
    if not options.check and catalog.write_index():
        print(f"{catalog.INDEX.relative_to(ROOT)}: written anew")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
