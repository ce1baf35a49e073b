"""Grade a folder of submissions with pytest alone, without nbgrader:

    pytest grading/test_submissions.py --submissions FOLDER --chapter 03 --junitxml grades.xml

Each student and exercise is one test. The folder may be laid out as for `make grade`.
"""

from pathlib import Path

import pytest

import catalog


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("submissions")
    group.addoption("--submissions", type=Path, help="a folder of students' notebooks")
    group.addoption("--chapter", default="", help="only this chapter, such as 03")
    group.addoption("--seconds", type=int, default=60, help="the most that a cell may take")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "submission" not in metafunc.fixturenames:
        return
    from submissions import find

    folder, chosen = metafunc.config.getoption("submissions"), metafunc.config.getoption("chapter")
    cases = []
    for name in catalog.chapter_names() if folder else []:
        if name.startswith(chosen):
            exercises = catalog.read_chapter(name)
            for student, path in find(folder, name).items():
                cases += [
                    pytest.param((name, path), each, id=f"{student}-{each.number}")
                    for each in exercises
                ]
    metafunc.parametrize(("submission", "exercise"), cases, scope="session")
