"""The chapters as assignments: released, solved, graded and explained by the real nbgrader."""

import csv
import html
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import nbformat
import pytest

import catalog
import editions
import mending
from course import ROOT, WRITTEN, notebook, wrong_answers

SECONDS = 8  # the most that a cell may take here; the slowest of the chapters takes about four
QUICK = "03-pairs"
# Whose wrong answers go through nbgrader, too: test_exercises grades all of them without it, so a
# few chapters show that both agree. All chapters: COURSE_TESTS=rounds make test.
ROUNDS = {"all": (QUICK, "06-splitting", "09-files"), "rounds": WRITTEN}


def command(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command that an instructor runs."""
    return subprocess.run(
        [sys.executable, "grading/assignments.py", *map(str, arguments)],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )


def answered(released: Path, answers: dict[str, str]) -> nbformat.NotebookNode:
    """The released notebook with these answers in place of the stubs."""
    book = nbformat.read(released, as_version=4)
    for cell in book.cells:
        name = mending.grade_id(cell)
        if name in answers:
            cell.source = answers[name]
    return book


def submit(book: nbformat.NotebookNode, folder: Path, student: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(book, folder / f"{student}.ipynb")


def rows(course: Path) -> dict[tuple[str, str], dict[str, str]]:
    """The table of results, by student and exercise."""
    with (course / "exercises.csv").open(encoding="utf-8", newline="") as file:
        return {(row["student"], row["exercise"]): row for row in csv.DictReader(file)}


def feedback(course: Path, student: str, name: str) -> str:
    """The page that the student gets back, as text: colors and code marks stand between words."""
    page = (course / "feedback" / student / name / f"{name}.html").read_text("utf-8")
    return html.unescape(re.sub(r"<[^>]+>", "", page[page.index("<body") :]))


class Round:
    """Release a chapter, hand in the solution, nothing, and each wrong answer; grade them all."""

    name: str

    @pytest.fixture(scope="class")
    @classmethod
    def whole(cls, tmp_path_factory: pytest.TempPathFactory) -> Path:
        """The course folder after a round with the whole chapter, in the student's environment."""
        course, folder = tmp_path_factory.mktemp("whole"), tmp_path_factory.mktemp("handed-in")
        assert command("release", cls.name, "--course", course).returncode == 0
        released = course / "release" / cls.name / f"{cls.name}.ipynb"
        solutions = {each.name: each.solution for each in catalog.read_chapter(cls.name)}
        submit(answered(released, solutions), folder, "solution")
        # The chapter's own cells run once; this one hands in no more than the empty answers.
        submit(editions.exercises_only(answered(released, {})), folder, "empty")
        done = command(
            *("grade", cls.name, folder, "--course", course, "--seconds", 60),
            PYTHONPATH=str(ROOT / "tests" / "student"),
        )
        assert done.returncode == 0, done.stderr
        return course

    def test_solution_gets_all_points(self, whole: Path) -> None:
        got = rows(whole)
        for each in catalog.read_chapter(self.name):
            row = got["solution", each.number]
            assert float(row["points"]) == float(row["of"]) == each.points, row["remark"]

    def test_empty_gets_none(self, whole: Path) -> None:
        got = rows(whole)
        for each in catalog.read_chapter(self.name):
            assert float(got["empty", each.number]["points"]) == 0
            if each.rubric:
                row = got["empty", f"{each.number} rubric"]
                assert (float(row["points"]), row["by_hand"]) == (0, "0")

    def test_no_cell_of_the_chapter_fails(self, whole: Path) -> None:
        path = whole / "autograded" / "solution" / self.name / f"{self.name}.ipynb"
        for cell in nbformat.read(path, as_version=4).cells:
            failed = any(output.output_type == "error" for output in cell.get("outputs", []))
            assert failed == ("raises-exception" in cell.metadata.get("tags", [])), cell.outputs

    def test_released_as_the_book_offers_it(self, whole: Path) -> None:
        """The book's download and nbgrader's release hold the same cells, and nothing secret."""
        released = nbformat.read(whole / "release" / self.name / f"{self.name}.ipynb", as_version=4)
        chapter = notebook(ROOT / "chapters" / f"{self.name}.ipynb")
        offered = editions.for_students(chapter)
        assert [cell.source.rstrip() for cell in released.cells] == [
            cell.source.rstrip() for cell in offered.cells
        ]
        told = catalog.read_chapter(self.name)
        shown = [cell.source for cell in chapter.cells if "nbgrader" not in cell.metadata]
        shown += [each.visible_checks for each in told]
        # A solution may use a line that the chapter has shown; in the others none of it stands.
        others = "\n".join(lines(cell.source for cell in released.cells) - lines(shown))
        for each in told:
            for text in set(secrets(each)) - lines(shown):
                assert text not in others

    def test_feedback_reveals_no_hidden_check(self, whole: Path) -> None:
        for student in ("solution", "empty"):
            page = feedback(whole, student, self.name)
            for each in catalog.read_chapter(self.name):
                assert each.title in page
                hidden = hidden_lines(each)
                assert not any(line in page for line in hidden)

    @pytest.fixture(scope="class")
    @classmethod
    def slips(cls, tmp_path_factory: pytest.TempPathFactory) -> Path:
        """The course folder after a round in which the k-th student makes each k-th mistake."""
        if cls.name not in ROUNDS.get(os.environ.get("COURSE_TESTS", ""), (QUICK,)):
            pytest.skip("the long form: COURSE_TESTS=rounds")
        course, folder = tmp_path_factory.mktemp("slips"), tmp_path_factory.mktemp("handed-in")
        command("release", cls.name, "--course", course, "--exercises-only")
        released = course / "release" / cls.name / f"{cls.name}.ipynb"
        wrong = wrong_answers(cls.name)
        for k in range(max(map(len, wrong.values()))):
            answers = {name: slips[k][1] for name, slips in wrong.items() if k < len(slips)}
            submit(answered(released, answers), folder, f"slip{k}")
        done = command("grade", cls.name, folder, "--course", course, "--seconds", 60)
        assert done.returncode == 0, done.stderr
        return course

    def test_each_slip_loses_points_and_hears_why(self, slips: Path) -> None:
        got = rows(slips)
        for each in catalog.read_chapter(self.name):
            for k, (slip, _, message) in enumerate(wrong_answers(self.name)[each.name]):
                row = got[f"slip{k}", each.number]
                assert float(row["points"]) < each.points, f"{each.number}: {slip}"
                assert message in row["remark"], f"{each.number}: {slip}"
                assert not any(
                    line in feedback(slips, f"slip{k}", self.name) for line in hidden_lines(each)
                )


def lines(texts: Iterable[str]) -> set[str]:
    return {line.strip() for text in texts for line in text.splitlines()}


def secrets(each: catalog.Exercise) -> list[str]:
    """Lines of the solution and of the hidden checks that a student must not get."""
    solution = re.search(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", each.solution, re.S)
    lines = [line.strip() for line in solution[1].splitlines()] if solution else []
    stub = {line.strip() for line in each.visible_checks.splitlines()}
    return [line for line in lines if len(line) > 25 and line not in stub] + hidden_lines(each)


def hidden_lines(each: catalog.Exercise) -> list[str]:
    visible = set(each.visible_checks.splitlines())
    lines = [line.strip() for line in each.checks.splitlines() if line not in visible]
    # a because= sentence may be told: it is the idea, and not the check
    return [line for line in lines if len(line) > 25 and not line.startswith("because=")]


for _name in WRITTEN:  # a class for each chapter, so that chapters are graded side by side
    _class = f"TestRound{_name[:2]}"
    globals()[_class] = type(_class, (Round,), {"name": _name})


HOSTILE = {
    "loops": ("count_disjoint", "def count_disjoint(ids, pair):\n    while True:\n        pass"),
    "deaf": (
        "decompress",
        "del decompress\nwhile True:\n    try:\n        while True:\n            pass\n"
        "    except BaseException:\n        pass",
    ),
    "asks": ("compress", "del compress\nidx = input('which id? ')"),
    "floods": ("greatest", "del greatest\nwhile True:\n    print('x' * 10_000)"),
    "imports": ("count_disjoint", "del count_disjoint\nimport no_such_module"),
    "leaves": ("decompress", "del decompress\nexit()"),
    "crashes": (
        "compress",
        "import os\n\ndef compress(ids, idx):\n    os._exit(1)",
    ),
    "hoards": ("greatest", "del greatest\neverything = [0] * 10**12"),
    "cheats": (
        "greatest",
        "def greatest(stats, vocab):\n    return 0, 0\n\nimport contextlib\n\n"
        "import bpe.exercises, bpe.steps\n\ndef check(*args, **kwargs):\n    pass\n\n"
        "hidden = contextlib.nullcontext\nbpe.exercises.check = bpe.exercises._same = check\n"
        "bpe.exercises.hidden = hidden\nbpe.steps.counted = check",
    ),
    "speaks": (
        "count_disjoint",
        "del count_disjoint\nname = 'Žofie 日本 🙂'\nraise ValueError(name)",
    ),
}
TOLD = {  # alternatives stand on both sides of a |, where it depends on how busy the machine is
    "loops": "ran longer than 8 s and was stopped",
    "deaf": "did not stop, and the rest was run without it",
    "asks": "StdinNotImplementedError",
    "floods": "ran longer than 8 s|did not stop, and the rest was run without it",
    "imports": "No module named 'no_such_module'",
    "leaves": "name 'decompress' is not defined",
    "crashes": "ended the kernel",
    "hoards": "MemoryError",
    "cheats": "got (0, 0)",
    "speaks": "Žofie 日本 🙂",
    "broken": "could not be read as a notebook",
    "deletes": "test_greatest was missing and was put back",
    "changes": "test_greatest had been changed",
    "copies": "greatest was there more than once",
    "loses": "greatest, which holds your answer, is missing",
}


class TestHostile:
    """Whatever is handed in: the round ends, the student is told, and all others are graded."""

    @pytest.fixture(scope="class")
    @classmethod
    def course(cls, tmp_path_factory: pytest.TempPathFactory) -> Path:
        course, folder = tmp_path_factory.mktemp("course"), tmp_path_factory.mktemp("handed-in")
        command("release", QUICK, "--course", course, "--exercises-only")
        released = course / "release" / QUICK / f"{QUICK}.ipynb"
        good = {each.name: each.solution for each in catalog.read_chapter(QUICK)}
        for student, (name, source) in HOSTILE.items():
            submit(answered(released, good | {name: f"{good[name]}\n\n{source}"}), folder, student)
        cls.hand_in_damaged(answered(released, good), folder)
        submit(answered(released, good), folder, "Žofie")
        done = command(
            *("grade", QUICK, folder, "--course", course, "--seconds", SECONDS),
            **{"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        )
        assert done.returncode == 0, done.stderr
        return course

    @staticmethod
    def hand_in_damaged(good: nbformat.NotebookNode, folder: Path) -> None:
        (folder / "broken.ipynb").write_text('{"cells": [', "utf-8")
        text = nbformat.writes(good)

        def damaged(student: str, change: object) -> None:
            book = nbformat.reads(text, as_version=4)
            change(book.cells)  # type: ignore[operator]
            submit(book, folder, student)

        def at(cells: list, name: str) -> int:
            return [mending.grade_id(cell) for cell in cells].index(name)

        damaged("deletes", lambda cells: cells.pop(at(cells, "test_greatest")))
        damaged("loses", lambda cells: cells.pop(at(cells, "greatest")))
        damaged("copies", lambda cells: cells.insert(0, dict_copy(cells[at(cells, "greatest")])))

        def change(cells: list) -> None:
            cells[at(cells, "greatest")].source = "def greatest(stats, vocab):\n    return 0"
            check = cells[at(cells, "test_greatest")]
            check.source, check.metadata.nbgrader["points"] = "pass", 100

        damaged("changes", change)

    @pytest.mark.parametrize("student", [*TOLD])
    def test_told(self, course: Path, student: str) -> None:
        page = feedback(course, student, QUICK)
        assert any(message in page for message in TOLD[student].split("|"))

    @pytest.mark.parametrize("student", [*HOSTILE])
    def test_only_the_bad_answer_loses(self, course: Path, student: str) -> None:
        got = rows(course)
        for each in catalog.read_chapter(QUICK):
            bad = each.name == HOSTILE[student][0]
            assert float(got[student, each.number]["points"]) == (0 if bad else each.points)

    def test_damaged_notebooks(self, course: Path) -> None:
        got = rows(course)
        exercises = catalog.read_chapter(QUICK)
        for each in exercises:
            for student in ("deletes", "copies", "Žofie"):
                assert float(got[student, each.number]["points"]) == each.points, student
            for student in ("changes", "loses"):
                bad = each.name == "greatest"
                points = got[student, each.number]
                assert float(points["points"]) == (0 if bad else each.points), student
                assert float(points["of"]) == each.points
            assert float(got["broken", each.number]["points"]) == 0

    def test_feedback_stays_small(self, course: Path) -> None:
        assert len(feedback(course, "floods", QUICK)) < 2_000_000

    def test_table_of_grades(self, course: Path) -> None:
        with (course / "grades.csv").open(encoding="utf-8", newline="") as file:
            grades = {row["student_id"]: row for row in csv.DictReader(file)}
        assert set(grades) == {*TOLD, "Žofie"}
        best = sum(each.points for each in catalog.read_chapter(QUICK))
        assert float(grades["Žofie"]["score"]) == best

    def test_a_second_round_grades_only_what_is_new(self, course: Path, tmp_path: Path) -> None:
        before = course / "autograded" / "loops" / QUICK / f"{QUICK}.ipynb"
        stamp = before.stat().st_mtime_ns
        released = course / "release" / QUICK / f"{QUICK}.ipynb"
        good = {each.name: each.solution for each in catalog.read_chapter(QUICK)}
        submit(answered(released, good), tmp_path, "imports")
        done = command("grade", QUICK, tmp_path, "--course", course, "--seconds", SECONDS)
        assert done.returncode == 0, done.stderr
        first = catalog.read_chapter(QUICK)[0]
        assert float(rows(course)["imports", first.number]["points"]) == first.points
        assert before.stat().st_mtime_ns == stamp


def dict_copy(cell: nbformat.NotebookNode) -> nbformat.NotebookNode:
    return nbformat.from_dict({**cell, "id": "copied"})


class TestCommand:
    """What an instructor mistypes is answered in a sentence."""

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("release", "77"), "there is no chapter '77'"),
            (("release", ""), "there is no chapter ''"),
            (("grade", "03"), "say where the submissions are"),
            (("grade", "03", "nowhere"), "nowhere is not a folder of submissions"),
        ],
    )
    def test_mistakes(self, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
        done = command(*arguments, "--course", tmp_path / "course")
        assert done.returncode == 1
        assert message in done.stderr and "Traceback" not in done.stderr

    def test_settings_of_a_course_are_kept(self, tmp_path: Path) -> None:
        config = tmp_path / "nbgrader_config.py"
        config.write_text("c = get_config()\n", "utf-8")
        done = command("release", QUICK, "--course", tmp_path)
        assert done.returncode == 1 and config.read_text("utf-8") == "c = get_config()\n"
        line = done.stderr.splitlines()[-1]
        config.write_text(f"c = get_config()\n{line}\n", "utf-8")
        assert command("release", QUICK, "--course", tmp_path).returncode == 0
        assert config.read_text("utf-8") == f"c = get_config()\n{line}\n"

    def test_two_files_of_one_student(self, tmp_path: Path) -> None:
        for path in (tmp_path / "ada.ipynb", tmp_path / "ada" / f"{QUICK}.ipynb"):
            path.parent.mkdir(exist_ok=True)
            nbformat.write(editions.for_students(notebook(ROOT / f"chapters/{QUICK}.ipynb")), path)
        done = command("grade", QUICK, tmp_path, "--course", tmp_path / "course")
        assert done.returncode == 1 and "would both be of ada" in done.stderr

    def test_pytest_alone_grades_too(self, tmp_path: Path) -> None:
        book = editions.for_students(notebook(ROOT / "chapters" / f"{QUICK}.ipynb"))
        exercises = catalog.read_chapter(QUICK)
        for cell in book.cells:
            if mending.grade_id(cell) == exercises[0].name:
                cell.source = exercises[0].solution
        book = editions.exercises_only(book)
        submit(book, tmp_path, "ada")
        call = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n0"]
        call += ["grading/test_submissions.py", "--submissions", str(tmp_path)]
        done = subprocess.run(call, cwd=ROOT, capture_output=True, text=True)
        assert f"{len(exercises) - 1} failed, 1 passed" in done.stdout
        assert "nothing is written yet" in done.stdout
