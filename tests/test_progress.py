"""What a learner has passed is kept on her machine, shown as a table, and hers to delete."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import bpe.progress as module
import catalog
from bpe.exercises import WrongAnswer, assess, passed, progress, run_checks

EXERCISES = catalog.read_all()
OPEN = next(each for each in EXERCISES if each.rubric)
CLOSED = next(each for each in EXERCISES if not each.rubric)


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "new folder" / "progress.json"
    monkeypatch.setenv("BPE_PROGRESS", str(path))
    return path


class TestRecord:
    def test_passed_is_told_and_kept(self, record: Path, capsys: pytest.CaptureFixture) -> None:
        passed(CLOSED.number)
        assert f"Exercise {CLOSED.number} passes its checks" in capsys.readouterr().out
        kept = json.loads(record.read_text("utf-8"))
        assert kept[CLOSED.number]["points"] == CLOSED.points

    def test_passed_twice_counts_once(self, record: Path) -> None:
        passed(CLOSED.number)
        passed(CLOSED.number)
        assert progress().points == CLOSED.points

    def test_off_keeps_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("BPE_PROGRESS", "off")
        passed(CLOSED.number)
        assert module.record_path() is None
        assert progress().points == 0

    def test_rubric_points_are_the_learners_own(self, record: Path) -> None:
        passed(OPEN.number)
        assess(OPEN.number, OPEN.rubric)
        assert progress().points == OPEN.points + OPEN.rubric

    @pytest.mark.parametrize("points", [-1, OPEN.rubric + 1, 0.5, "all"])
    def test_points_out_of_the_rubric(self, record: Path, points: object) -> None:
        with pytest.raises(ValueError, match=f"gives 0 to {OPEN.rubric} points"):
            assess(OPEN.number, points)
        assert not record.exists()

    def test_no_rubric(self, record: Path) -> None:
        with pytest.raises(ValueError, match="has no rubric: its checks mark it"):
            assess(CLOSED.number, 1)

    def test_unknown_exercise_names_the_near_ones(self, record: Path) -> None:
        with pytest.raises(ValueError, match=r"no exercise '3\.99'\. Chapter 3 has 3\.1, 3\.2"):
            passed("3.99")
        with pytest.raises(ValueError, match=r"Numbers look like 3\.1"):
            passed("pairs")

    @pytest.mark.parametrize("text", ["", "{", "[1]", '{"3.1": 2}', '{"3.1": {"points": "two"}}'])
    def test_a_damaged_record_is_named_and_left(self, record: Path, text: str) -> None:
        record.parent.mkdir()
        record.write_text(text, "utf-8")
        with pytest.raises(ValueError, match="is not a record of exercises"):
            progress()
        with pytest.raises(ValueError, match=record.name):
            passed(CLOSED.number)
        assert record.read_text("utf-8") == text

    def test_many_at_once_lose_nothing(self, record: Path) -> None:
        """Two notebooks and a command line write the same file: no half file, no lost exercise."""
        numbers = [each.number for each in EXERCISES[:24]]
        code = "import sys; from bpe.exercises import passed; [passed(n) for n in sys.argv[1:]]"
        running = [
            subprocess.Popen([sys.executable, "-c", code, *numbers[k::4]], stdout=subprocess.PIPE)
            for k in range(4)
        ]
        while any(each.poll() is None for each in running):
            progress()  # a reader in between finds a whole record, or none
        told = "".join(each.communicate()[0].decode() for each in running)
        assert told.count("passes its checks") == 24 and "could not" not in told
        assert sorted(json.loads(record.read_text("utf-8"))) == sorted(numbers)
        assert os.listdir(record.parent) == [record.name]

    def test_a_write_that_breaks_off_leaves_the_old_record(
        self, record: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
    ) -> None:
        passed(CLOSED.number)
        before = record.read_bytes()

        def full(*args: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        passed(OPEN.number)
        assert "could not be kept" in capsys.readouterr().out
        assert record.read_bytes() == before
        assert os.listdir(record.parent) == [record.name]

    def test_a_sign_left_by_a_crash_is_taken_away(self, record: Path) -> None:
        (record.parent / f"{record.name}.lock").mkdir(parents=True)
        passed(CLOSED.number)
        assert os.listdir(record.parent) == [record.name]

    def test_a_place_that_cannot_be_written_stops_no_lesson(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
    ) -> None:
        (tmp_path / "file").write_text("no folder")
        monkeypatch.setenv("BPE_PROGRESS", str(tmp_path / "file" / "progress.json"))
        passed(CLOSED.number)
        told = capsys.readouterr().out
        assert "could not be kept" in told and "passes its checks" in told

    def test_the_usual_place_is_the_users(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("BPE_PROGRESS")
        for name in ("XDG_DATA_HOME", "APPDATA", "HOME", "USERPROFILE"):
            monkeypatch.setenv(name, str(tmp_path))
        for system in ("linux", "darwin", "win32"):
            monkeypatch.setattr(sys, "platform", system)
            assert tmp_path in module.record_path().parents


class TestTable:
    def test_lists_every_exercise(self, record: Path) -> None:
        shown = repr(progress())
        for each in EXERCISES:
            assert f"{each.number} {each.title}" in shown
        total = sum(each.points + each.rubric for each in EXERCISES)
        assert f"0 of {total}" in shown

    def test_one_chapter(self, record: Path) -> None:
        table = progress(3)
        assert {row[0] for row in table.rows[:-1]} == {"03-pairs"}

    def test_markdown_has_a_row_each(self, record: Path) -> None:
        passed(CLOSED.number)
        lines = progress()._repr_markdown_().splitlines()
        assert len(lines) == len(EXERCISES) + 3
        row = next(line for line in lines if CLOSED.title in line)
        assert f"{CLOSED.points} of {CLOSED.points}" in row


class TestIndex:
    def test_is_in_step_with_the_chapters(self) -> None:
        assert catalog.INDEX.read_text("utf-8") == catalog.index(EXERCISES)

    def test_holds_nothing_hidden(self) -> None:
        text = catalog.INDEX.read_text("utf-8")
        assert "HIDDEN" not in text and "SOLUTION" not in text


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda each: each.number)
def test_every_exercise_runs_outside_of_its_notebook(
    exercise: catalog.Exercise, record: Path
) -> None:
    namespace: dict[str, object] = {"__name__": "__main__"}
    exec(compile(exercise.solution, "answer", "exec"), namespace)
    run_checks(exercise.number, *(namespace[name] for name in exercise.answers))
    assert progress().points == exercise.points
    run_checks(exercise.number, **{name: namespace[name] for name in exercise.answers})


class TestRunChecks:
    def test_wrong_answer(self, record: Path) -> None:
        with pytest.raises(WrongAnswer, match=r"expected \[1, 2, 3\], got 7"):
            run_checks("3.2", lambda ids, rules: 7)
        assert not record.exists()

    def test_missing_and_too_many(self) -> None:
        with pytest.raises(ValueError, match=r"3\.2 asks for decompress; it came without"):
            run_checks("3.2")
        with pytest.raises(ValueError, match="it came as 2 answers"):
            run_checks("3.2", len, len)


class TestCommandLine:
    def run(self, record: Path, *arguments: str) -> subprocess.CompletedProcess:
        command = [sys.executable, "-m", "bpe.progress", *arguments]
        return subprocess.run(command, capture_output=True, text=True, encoding="utf-8")

    def answer(self, folder: Path, text: str) -> str:
        path = folder / "answer.py"
        path.write_text(text, "utf-8")
        return str(path)

    def test_solution_then_table_then_forget(self, record: Path, tmp_path: Path) -> None:
        first = next(each for each in EXERCISES if each.number == "3.2")
        done = self.run(record, "3.2", self.answer(tmp_path, first.solution))
        assert done.returncode == 0, done.stderr
        assert "Exercise 3.2 passes" in done.stdout
        assert f"{first.points} of {first.points}" in self.run(record).stdout
        assert self.run(record, "--forget").returncode == 0
        assert not record.exists()
        assert self.run(record, "--forget").returncode == 0

    def test_wrong_answer_is_a_line_and_a_code(self, record: Path, tmp_path: Path) -> None:
        wrong = self.answer(tmp_path, "def decompress(ids, rules):\n    return 0\n")
        done = self.run(record, "3.2", wrong)
        assert done.returncode == 1
        assert "expected [1, 2, 3], got 0" in done.stderr and "Traceback" not in done.stderr

    def test_what_is_missing_is_named(self, record: Path, tmp_path: Path) -> None:
        for arguments, told in [
            (("3.2", str(tmp_path / "none.py")), "none.py"),
            (("3.99", self.answer(tmp_path, "")), "no exercise '3.99'"),
            (("3.2", self.answer(tmp_path, "")), "it came without decompress"),
            (("3.2",), "name the file with the answer"),
        ]:
            done = self.run(record, *arguments)
            assert done.returncode != 0 and told in done.stderr
            assert "Traceback" not in done.stderr
