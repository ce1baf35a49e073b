"""Run a notebook that may do anything: loop for ever, print without end, end its own kernel.

Whatever a cell does, the cells after it are still run, and the cell says what happened. A cell that
takes too long is interrupted; one that does not react, or ends the kernel, is left out, and the
notebook is run again without it.
"""

import copy
import sys
from typing import Any

from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbclient.util import run_sync
from nbformat import NotebookNode
from nbformat.v4 import new_output

LONGEST_OUTPUT = 100_000  # characters that are kept of a cell's output
MOST_KILLERS = 8  # a notebook with more cells that end the kernel is given up
MEMORY = 6 << 30  # bytes of addresses that a kernel may take, where the system can limit it

# What a kernel runs first: memory without end ends in a MemoryError of that cell; and exit() is
# nothing, because the kernel would leave at some later moment, under an innocent cell.
LIMIT_MEMORY = (
    f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY})); del resource"
)
STAY = "get_ipython().ask_exit = lambda: None"
FIRST_LINES = [STAY] if sys.platform != "linux" else [STAY, LIMIT_MEMORY]
KERNEL_ARGUMENTS = [f"--IPKernelApp.exec_lines={line}" for line in FIRST_LINES]


def too_long(seconds: int) -> dict[str, Any]:
    """The error of a cell that was interrupted, in the form that nbclient takes."""
    text = f"this cell ran longer than {seconds} s and was stopped. Is there a loop without end?"
    return {"ename": "TimeoutError", "evalue": text, "traceback": [f"TimeoutError: {text}"]}


class Patience:
    """Mixed into an nbclient client, in front of it."""

    _killers: frozenset[int] = frozenset()  # the cells that are left out
    _running = -1  # the cell that is being run
    _written = 0  # characters that it has put out

    def run_patiently(self, run: Any, notebook: NotebookNode) -> NotebookNode:
        """Call `run(notebook)` until it comes through, each time without one more bad cell."""
        killers: dict[int, str] = {}
        while True:
            trial = copy.deepcopy(notebook)
            self._killers = frozenset(killers)
            try:
                run(trial)
                break
            except (DeadKernelError, CellTimeoutError) as error:
                did = "ended the kernel" if isinstance(error, DeadKernelError) else "did not stop"
                killers[self._running] = f"this cell {did}, and the rest was run without it"
            if len(killers) > MOST_KILLERS:
                first_run = range(len(notebook.cells))
                killers |= {k: "not run: too many cells ended the kernel" for k in first_run}
                trial = copy.deepcopy(notebook)
                break
        for at, text in killers.items():
            if trial.cells[at].cell_type == "code":
                trial.cells[at].outputs = [_error("KernelDied", text)]
        return trial

    async def async_execute_cell(
        self, cell: NotebookNode, cell_index: int, *args: Any, **kwargs: Any
    ) -> NotebookNode:
        if cell_index in self._killers:
            return cell
        self._running, self._written = cell_index, 0
        return await super().async_execute_cell(cell, cell_index, *args, **kwargs)  # type: ignore

    execute_cell = run_sync(async_execute_cell)

    def output(
        self, outs: list[NotebookNode], msg: dict, display_id: str | None, cell_index: int
    ) -> NotebookNode | None:
        """Keep an output if the cell has not put out too much yet."""
        before, self._written = self._written, self._written + len(str(msg["content"]))
        if self._written <= LONGEST_OUTPUT or msg["msg_type"] == "error":
            return super().output(outs, msg, display_id, cell_index)  # type: ignore[misc]
        if before <= LONGEST_OUTPUT:
            text = f"\n... (this cell put out more than {LONGEST_OUTPUT:,} characters)\n"
            outs.append(new_output("stream", name="stdout", text=text))
        return None


def _error(name: str, text: str) -> NotebookNode:
    return new_output("error", ename=name, evalue=text, traceback=[f"{name}: {text}"])
