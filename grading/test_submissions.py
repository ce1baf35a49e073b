"""One test for each student and exercise: see conftest.py for the command."""

import os
from pathlib import Path

import pytest

import submissions
from catalog import Exercise
from mending import REMARKS


def test_answer(
    submission: tuple[str, Path], exercise: Exercise, pytestconfig: pytest.Config
) -> None:
    os.environ["BPE_PROGRESS"] = "off"
    chapter, path = submission
    notebook = submissions.run(chapter, path, pytestconfig.getoption("seconds"))
    said = submissions.messages(notebook).get(f"test_{exercise.name}")
    if said:
        first = notebook.cells[0]
        remarks = first.source.splitlines()[2:] if first.get("id") == REMARKS else []
        pytest.fail("\n".join([said, *remarks]), pytrace=False)
