"""Keep what a learner has passed, on her own machine, and show it as a small table.

Not part of the ladder. The cell that checks an exercise ends in ``passed("3.1")``. The record is
one JSON file in the learner's own data folder: nothing leaves the machine. ``run_checks`` runs the
checks of an exercise outside of its notebook; the command line does the same with a file.

    python -m bpe.progress                 show the table
    python -m bpe.progress 3.2 answer.py   run the checks of exercise 3.2 on the answer in a file
    python -m bpe.progress --forget        delete the record
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from bpe.fetching import write_file


@cache
def _exercises() -> dict[str, dict[str, Any]]:
    """From the number of each exercise to its chapter, title, points, answers and visible checks.

    The file is made from the chapters by ``book/notebooks.py``.
    """
    text = resources.files("bpe").joinpath("data/exercises.json").read_text("utf-8")
    return {exercise["number"]: exercise for exercise in json.loads(text)}


def record_path() -> Path | None:
    """Return the file of the record; ``BPE_PROGRESS`` names another one, or is ``off`` for none."""
    if chosen := os.environ.get("BPE_PROGRESS"):
        return None if chosen == "off" else Path(chosen).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "from-text-to-tokens" / "progress.json"


def _read() -> dict[str, dict[str, Any]]:
    path = record_path()
    if path is None or not path.exists():
        return {}
    try:
        record = json.loads(path.read_text("utf-8"))
        for fields in record.values():
            int(fields["points"]), str(fields["day"])
        return record
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(
            f"{path}: this is not a record of exercises ({error}). Mend the file, or delete it "
            "to begin anew."
        ) from error


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Two notebooks may pass an exercise at once: the second one waits until the first has kept it.

    A folder is the sign, as two cannot make the same one. A sign that was left behind by a crash
    costs a second, and is taken away then.
    """
    sign = path.with_name(f"{path.name}.lock")
    for _ in range(100):
        try:
            sign.mkdir()
            break
        except (FileExistsError, PermissionError):  # the latter on Windows, while it goes away
            time.sleep(0.01)
    try:
        yield
    finally:
        with suppress(OSError):
            sign.rmdir()


def _keep(number: str, points: int) -> None:
    path = record_path()
    if path is None:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _alone(path):
            record = _read() | {number: {"points": points, "day": date.today().isoformat()}}
            write_file(path, (json.dumps(record, indent=1, sort_keys=True) + "\n").encode("utf-8"))
    except OSError as error:  # a lesson must not fail because a disk is full or read-only
        print(f"(This could not be kept in {path}: {error.strerror or error}.)")


def _exercise(number: str) -> dict[str, Any]:
    try:
        return _exercises()[number]
    except KeyError:
        chapter = str(number).partition(".")[0]
        near = [known for known in _exercises() if known.partition(".")[0] == chapter]
        known = f"Chapter {chapter} has {', '.join(near)}." if near else "Numbers look like 3.1."
        raise ValueError(f"there is no exercise {number!r}. {known}") from None


def passed(number: str) -> None:
    """Tell, and keep, that all checks of an exercise passed: the last line of its check cell.

    Raises:
        ValueError: There is no such exercise.
    """
    points = _exercise(number)["points"]
    _keep(number, points)
    print(f"Exercise {number} passes its checks: {_counted(points, 'point')}.")


def assess(number: str, points: int) -> None:
    """Keep the points that a learner gives herself for an open exercise, by its rubric.

    Raises:
        ValueError: There is no such exercise, it is marked by its checks alone, or the points are
            not between 0 and those of its rubric.
    """
    exercise = _exercise(number)
    most = exercise["rubric"]
    if not most:
        raise ValueError(f"exercise {number} has no rubric: its checks mark it")
    if not isinstance(points, int) or not 0 <= points <= most:
        raise ValueError(f"the rubric of exercise {number} gives 0 to {most} points, not {points}")
    _keep(f"{number} rubric", points)


def run_checks(number: str, *answers: Any, **named: Any) -> None:
    """Run the visible checks of an exercise on an answer that was written anywhere.

    Args:
        number: As the chapter numbers it, such as ``"3.1"``.
        answers: What the exercise asks for, in its order: most often one function, of any name.
        named: The same by name, for exercises that ask for several things.

    Raises:
        ValueError: There is no such exercise, or it asks for other things.
        WrongAnswer: A check is not met; its message says what is wrong.

    >>> def decompress(ids, rules):
    ...     return []
    >>> run_checks("3.2", decompress)
    Traceback (most recent call last):
        ...
    bpe.exercises.WrongAnswer: decompress([1, 2, 3], []): expected [1, 2, 3], got []. Without ...
    """
    exercise = _exercise(number)
    namespace = dict(zip(exercise["answers"], answers)) | named
    missing = [name for name in exercise["answers"] if name not in namespace]
    if missing or len(answers) > len(exercise["answers"]):
        got = f"without {', '.join(missing)}" if missing else f"as {len(answers)} answers"
        raise ValueError(
            f"exercise {number} asks for {', '.join(exercise['answers'])}; it came {got}"
        )
    exec(compile(exercise["checks"], f"<checks of {number}>", "exec"), namespace)


class Progress:
    """What is passed and what is not: a table, as text and in a notebook."""

    def __init__(self, chapter: int | None = None) -> None:
        record = _read()
        self.rows: list[tuple[str, str, str, str]] = []
        self.points = self.most = 0
        for number, exercise in _exercises().items():
            if chapter not in (None, int(number.partition(".")[0])):
                continue
            done, marked = record.get(number), record.get(f"{number} rubric")
            points = (done or {"points": 0})["points"] + (marked or {"points": 0})["points"]
            most = exercise["points"] + exercise["rubric"]
            name = f"{number} {exercise['title']}"
            self.rows.append(
                (exercise["chapter"], name, done["day"] if done else "", f"{points} of {most}")
            )
            self.points, self.most = self.points + points, self.most + most
        self.rows.append(("all", "", "", f"{self.points} of {self.most}"))

    _head = ("chapter", "exercise", "passed", "points")

    def __repr__(self) -> str:
        table = [self._head, *self.rows]
        widths = [max(len(row[k]) for row in table) for k in range(4)]
        lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in table]
        return "\n".join(lines)

    def _repr_markdown_(self) -> str:
        table = [self._head, ("---", "---", "---", "--:"), *self.rows]
        return "\n".join("| " + " | ".join(row) + " |" for row in table)


def progress(chapter: int | None = None) -> Progress:
    """Return the learner's table: chapter, exercise, the day it was passed, points.

    Args:
        chapter: Its number, for the exercises of one chapter only.

    Raises:
        ValueError: The record's file is not one.
    """
    return Progress(chapter)


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m bpe.progress", description=__doc__.split("\n")[0]
    )
    parser.add_argument("number", nargs="?", help="an exercise, such as 3.1")
    parser.add_argument("answer", nargs="?", type=Path, help="a file of Python with the answer")
    parser.add_argument("--forget", action="store_true", help="delete the record")
    options = parser.parse_args(arguments)
    if options.forget:
        path = record_path()
        if path is not None:
            path.unlink(missing_ok=True)
        return 0
    if options.number is None:
        print(progress())
        return 0
    if options.answer is None:
        parser.error("name the file with the answer, too")
    try:
        exercise = _exercise(options.number)
        namespace: dict[str, Any] = {"__name__": "__main__"}
        source = options.answer.read_text("utf-8")
        exec(compile(source, str(options.answer), "exec"), namespace)
        answers = {name: namespace[name] for name in exercise["answers"] if name in namespace}
        run_checks(options.number, **answers)
    except (OSError, ValueError, AssertionError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
