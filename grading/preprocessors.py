"""What the course adds to nbgrader's round: `nbgrader_config.py` puts these in their places."""

import re
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import Execute, NbGraderPreprocessor
from traitlets import default

import patience
from catalog import HIDDEN
from mending import mend

PASSED = re.compile(r"^Exercise [\d.]+ passes its checks: .*\n", re.M)


class Mend(NbGraderPreprocessor):
    """Before nbgrader compares with its database: put the submission in order, say what was not."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        about, course = resources["nbgrader"], self.parent.parent.coursedir
        folder = course.format_path(course.source_directory, ".", about["assignment"])
        own = nbformat.read(Path(folder) / f"{about['notebook']}.ipynb", as_version=4)
        return mend(nb, own).notebook, resources


class PatientExecute(patience.Patience, Execute):
    """nbgrader's execution, which comes through whatever a cell does."""

    @default("error_on_timeout")
    def _error_on_timeout(self) -> dict[str, Any]:
        return patience.too_long(self.timeout)

    def preprocess(
        self, nb: NotebookNode, resources: Any = None, km: Any = None
    ) -> tuple[NotebookNode, Any]:
        self.error_on_timeout = patience.too_long(self.timeout)
        self.extra_arguments = patience.KERNEL_ARGUMENTS
        run = super().preprocess
        nb = self.run_patiently(lambda trial: run(trial, resources, km), nb)
        for cell in nb.cells:
            if cell.metadata.get("nbgrader", {}).get("grade") and cell.cell_type == "code":
                for output in cell.outputs:
                    # nbgrader takes text on standard error for a failure: a progress bar is none
                    if output.output_type == "stream":
                        output.name = "stdout"
        return nb, resources


class TellIdeasOnly(NbGraderPreprocessor):
    """For the feedback: a check cell shows what the student could see, and the message."""

    def preprocess_cell(
        self, cell: NotebookNode, resources: Any, cell_index: int
    ) -> tuple[NotebookNode, Any]:
        if cell.cell_type != "code" or not cell.metadata.get("nbgrader", {}).get("locked"):
            return cell, resources
        cell.source = HIDDEN.sub("", cell.source)
        told = []
        for output in cell.outputs:
            if output.output_type == "error":
                # The trace would show the line of a hidden check.
                output.traceback = [f"{output.ename}: {output.evalue}"]
                told.append(output)
            elif output.output_type == "stream":
                # What the answer prints when it is called might be the hidden input.
                output.text = "".join(PASSED.findall(output.text))
                told += [output] if output.text else []
        cell.outputs = told
        return cell, resources


class HideLaterOutputs(NbGraderPreprocessor):
    """For the feedback: no output of a cell after the first checks, which could repeat an input."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        checked = False
        for cell in nb.cells:
            locked = bool(cell.metadata.get("nbgrader", {}).get("locked"))
            checked = checked or locked
            if checked and not locked and cell.cell_type == "code":
                cell.outputs = [each for each in cell.outputs if each.output_type == "error"]
        return nb, resources
