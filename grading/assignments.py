"""Hand out chapters as assignments, and grade what comes back, with nbgrader.

    python grading/assignments.py release 03            the student's notebook of chapter 03
    python grading/assignments.py grade 03 SUBMISSIONS  grade a folder of them, with feedback

`all` takes every chapter. Everything is kept in one course folder (assignments/, or --course), laid
out as nbgrader wants it: source, release, submitted, autograded, feedback and gradebook.db;
nbgrader's own commands and its page in JupyterLab (formgrader) work in it.
"""

import argparse
import csv
import os
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook

import catalog
import editions
import submissions

HERE = Path(__file__).resolve().parent
CONFIG = '''"""Made by the release command of the course: nbgrader can be used in this folder."""

c = get_config()
c.CourseDirectory.course_id = "from-text-to-tokens"
load_subconfig("nbgrader_config.py", path={path!r})
'''


class Refused(Exception):
    """A command cannot do its work; the message says why."""


def chapters(chosen: str) -> list[str]:
    """The names of the chapters that are meant: a number such as 03, a name, or all."""
    names = catalog.chapter_names()
    found = names if chosen == "all" else [name for name in names if name.startswith(chosen)]
    if not chosen or not found:
        raise Refused(f"there is no chapter {chosen!r}: name one of {', '.join(names)}, or all")
    return found


def nbgrader(course: Path, *arguments: str) -> int:
    """Run one of nbgrader's commands in the course folder; return its exit code."""
    environment = os.environ | {"PYTHONUTF8": "1", "BPE_PROGRESS": "off"}
    # nbgrader calls alembic, which stands beside this Python also where no environment is active
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    command = [sys.executable, "-m", "nbgrader", *arguments, "--log-level=ERROR"]
    done = subprocess.run(command, cwd=course, env=environment, capture_output=True, text=True)
    with (course / "nbgrader.log").open("a", encoding="utf-8") as log:
        log.write(f"$ nbgrader {' '.join(arguments)}\n{done.stdout}{done.stderr}")
    return done.returncode


def release(course: Path, names: list[str], exercises_only: bool = False) -> None:
    """Write the student's notebooks, by nbgrader, from the grader's edition of the chapters.

    A chapter that is unchanged since it was released is left alone: what students have in their
    hands stays comparable with it.

    Raises:
        Refused: nbgrader could not do it.
    """
    course.mkdir(parents=True, exist_ok=True)
    _configure(course / "nbgrader_config.py")
    for name in names:
        notebook = nbformat.read(catalog.CHAPTERS / f"{name}.ipynb", as_version=4)
        edition = editions.for_graders(notebook)
        if exercises_only:
            edition = editions.exercises_only(edition)
        text = nbformat.writes(edition) + "\n"
        source = course / "source" / name / f"{name}.ipynb"
        released = course / "release" / name / f"{name}.ipynb"
        if released.exists() and source.exists() and source.read_text("utf-8") == text:
            continue
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(text, "utf-8", newline="\n")
        for path in files_beside(text):
            shutil.copy(path, source.parent)  # nbgrader hands them on, and grades with them
        if nbgrader(course, "generate_assignment", name, "--force", "--create"):
            raise Refused(f"nbgrader could not release {name}: see {course / 'nbgrader.log'}")


def files_beside(text: str) -> list[Path]:
    """The files of the chapters' folder that a notebook reads."""
    folder = sorted(catalog.CHAPTERS.iterdir())
    return [path for path in folder if path.suffix in (".toml", ".json") and path.name in text]


def _configure(config: Path) -> None:
    """See to it that the folder loads our settings; the settings of a course of yours stay."""
    ours = CONFIG.format(path=str(HERE))
    opening, line = ours.splitlines()[0], ours.splitlines()[-1]
    text = config.read_text("utf-8") if config.exists() else opening
    if text.startswith(opening):
        config.write_text(ours, "utf-8")
    elif line not in text:
        raise Refused(f"{config} has settings of your own. Add this line at its end:\n{line}")


def collect(course: Path, name: str, folder: Path) -> list[str]:
    """Copy submissions of a chapter to where nbgrader looks; return the students' names.

    A file that is no notebook is graded as an empty one, whose first lines say so.

    Raises:
        Refused: There is no such folder, nothing in it, or two files of one student.
    """
    if not folder.is_dir():
        raise Refused(f"{folder} is not a folder of submissions")
    try:
        found = submissions.find(folder, name)
    except submissions.Ambiguous as error:
        raise Refused(str(error)) from error
    if not found:
        raise Refused(f"{folder} holds no submission of {name}: see the instructor's guide")
    for student, path in found.items():
        empty = nbformat.read(course / "release" / name / f"{name}.ipynb", as_version=4)
        text = nbformat.writes(submissions.read(path, empty)) + "\n"
        target = course / "submitted" / student / name / f"{name}.ipynb"
        if target.exists() and target.read_text("utf-8") == text:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8", newline="\n")
        # nbgrader grades again what has a newer time than what it graded
        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S.%f %Z")
        (target.parent / "timestamp.txt").write_text(now, "utf-8")
    return list(found)


def grade(course: Path, name: str, students: list[str]) -> None:
    """Autograde the students' notebooks of a chapter and write the feedback, by nbgrader.

    Raises:
        Refused: nbgrader left out a student.
    """
    nbgrader(course, "autograde", name)
    nbgrader(course, "generate_feedback", name, "--force")
    kinds = ("autograded", "ipynb"), ("feedback", "html")
    for student in students:
        for folder, suffix in kinds:
            if not (course / folder / student / name / f"{name}.{suffix}").exists():
                raise Refused(
                    f"{student}'s {name} could not be {folder}: see {course / 'nbgrader.log'}"
                )


COLUMNS = ("student", "chapter", "exercise", "title", "points", "of", "by_hand", "remark")


def results(course: Path, names: list[str]) -> list[dict[str, object]]:
    """One row for each student, chapter and graded cell, as the gradebook has them.

    `by_hand` is 1 where a person still has to mark an answer; `remark` is the message of the check.
    """
    rows = []
    known = {each.name: each for each in catalog.read_all()}
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}", "from-text-to-tokens") as book:
        for name in names:
            for submission in sorted(book.assignment_submissions(name), key=lambda s: s.student_id):
                student = submission.student_id
                path = course / "autograded" / student / name / f"{name}.ipynb"
                ran = nbformat.read(path, as_version=4) if path.exists() else None
                said = submissions.messages(ran) if ran else {}
                for cell in (grade for part in submission.notebooks for grade in part.grades):
                    own = known.get(re.sub("^(test|explain)_", "", cell.name))
                    rubric = cell.name.startswith("explain_")
                    rows.append(
                        {
                            "student": student,
                            "chapter": name,
                            "exercise": own.number + (" rubric" if rubric else "") if own else "",
                            "title": own.title if own else cell.name,
                            "points": cell.score,
                            "of": cell.max_score,
                            "by_hand": int(cell.needs_manual_grade),
                            "remark": said.get(cell.name, ""),
                        }
                    )
    return sorted(rows, key=lambda row: (row["student"], row["chapter"], row["exercise"]))


def write_tables(course: Path, names: list[str]) -> list[dict[str, object]]:
    """Write grades.csv (nbgrader's, one line a submission) and exercises.csv (one an exercise)."""
    nbgrader(course, "export", "--to=grades.csv")
    rows = results(course, names)
    with (course / "exercises.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        table.writerows(rows)
    return rows


def main() -> int:
    if sys.getfilesystemencoding() != "utf-8" or sys.stdout.encoding.lower() != "utf-8":
        # names of students are not ASCII, whatever the locale of the machine says
        again = [sys.executable, "-X", "utf8", *sys.argv]
        return subprocess.run(again, env=os.environ | {"PYTHONUTF8": "1"}).returncode
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=("release", "grade"))
    parser.add_argument("chapter", help="a number such as 03, or all")
    parser.add_argument("submissions", nargs="?", type=Path, help="a folder (for grade)")
    parser.add_argument("--course", type=Path, default=catalog.ROOT / "assignments")
    parser.add_argument("--exercises-only", action="store_true", help="leave the text out")
    parser.add_argument("--seconds", type=int, default=60, help="the most that a cell may take")
    options = parser.parse_args()
    course = options.course.expanduser().resolve()
    os.environ["SECONDS_PER_CELL"] = str(options.seconds)
    try:
        names = chapters(options.chapter)
        if options.command == "release":
            release(course, names, options.exercises_only)
            print(f"the notebooks for your students, in {course / 'release'}:")
            print("\n".join(f"  {name}/{name}.ipynb" for name in names))
            return 0
        if options.submissions is None and not (course / "submitted").is_dir():
            raise Refused("say where the submissions are: make grade CHAPTER=03 SUBMISSIONS=folder")
        handed_in = options.submissions or course / "submitted"
        for name in names:
            if not (course / "release" / name).is_dir():
                release(course, [name])
            try:
                students = collect(course, name, handed_in.expanduser())
            except Refused:
                if options.chapter == "all" and handed_in.is_dir():
                    continue  # not every chapter has been handed in
                raise
            print(f"{name}: grading {len(students)} (a minute or less for each)", flush=True)
            grade(course, name, students)
        _tell(write_tables(course, catalog.chapter_names()), names)
        print(f"feedback, to give back: {course / 'feedback'}")
        print(f"grades: {course / 'grades.csv'}, by exercise: {course / 'exercises.csv'}")
    except Refused as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _tell(rows: list[dict[str, object]], names: list[str]) -> None:
    for student, name in dict.fromkeys((row["student"], row["chapter"]) for row in rows):
        own = [row for row in rows if (row["student"], row["chapter"]) == (student, name)]
        if name in names:
            points, most = sum(r["points"] for r in own), sum(r["of"] for r in own)
            wait = sum(r["of"] for r in own if r["by_hand"])
            later = f", {wait:g} of them to be marked by hand" if wait else ""
            print(f"  {student:20} {name:18} {points:g} of {most:g}{later}")


if __name__ == "__main__":
    sys.exit(main())
