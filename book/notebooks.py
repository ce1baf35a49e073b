"""Keep the executed notebooks in step with their MyST sources.

    python book/notebooks.py              run the chapters whose source has changed
    python book/notebooks.py 03 05        run these, changed or not
    python book/notebooks.py --check      run nothing; name those out of step, and fail if there are any

The `.md` file is what people write; the `.ipynb` beside it holds the same cells with their outputs.
A cell keeps its id for as long as its text is the same. Two runs give the same bytes: execution
times and the versions of the machine are left out.
"""

import argparse
import hashlib
import sys
import time
from pathlib import Path

import jupytext
import nbformat
from jupytext.combine import combine_inputs_with_outputs
from nbclient import NotebookClient
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = (ROOT / "chapters", ROOT / "book")
SECONDS_PER_CELL = 120


def sources() -> list[Path]:
    """The MyST files that are notebooks, in reading order."""
    found = [path for folder in FOLDERS for path in sorted(folder.glob("*.md"))]
    return [path for path in found if "kernelspec:" in path.read_text("utf-8")[:400]]


def as_notebook(source: Path) -> NotebookNode:
    """The source as a notebook, with the ids and outputs of the notebook beside it where cells agree."""
    notebook = jupytext.read(source, fmt="md:myst")
    stored = source.with_suffix(".ipynb")
    if stored.exists():
        old = nbformat.read(stored, as_version=4)
        notebook = combine_inputs_with_outputs(notebook, old, fmt="md:myst")
    _give_ids(notebook, nbformat.read(stored, as_version=4) if stored.exists() else None)
    notebook.metadata.pop("language_info", None)
    notebook.metadata.pop("jupytext", None)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return notebook


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


def in_step(source: Path) -> bool:
    """Whether the notebook beside the source holds the same cells, all of them executed."""
    stored = source.with_suffix(".ipynb")
    if not stored.exists():
        return False
    old = nbformat.read(stored, as_version=4)
    new = jupytext.read(source, fmt="md:myst")
    return _cells(old) == _cells(new) and all(
        cell.execution_count for cell in old.cells if cell.cell_type == "code"
    )


def _cells(notebook: NotebookNode) -> list[tuple]:
    def metadata(cell: NotebookNode) -> dict:
        return {key: value for key, value in cell.metadata.items() if key != "trusted"}

    return [(cell.cell_type, cell.source, metadata(cell)) for cell in notebook.cells]


def run(source: Path) -> None:
    """Execute the source from top to bottom and write the notebook beside it."""
    notebook = as_notebook(source)
    client = NotebookClient(
        notebook,
        timeout=SECONDS_PER_CELL,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(source.parent)}},
    )
    client.execute()
    notebook.metadata.pop("language_info", None)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    nbformat.validate(notebook)
    new = source.with_suffix(".ipynb.new")
    with new.open("w", encoding="utf-8", newline="\n") as file:
        nbformat.write(notebook, file)
    new.replace(source.with_suffix(".ipynb"))


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
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
