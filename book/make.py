"""The commands of the course, for machines with and without make.

    python book/make.py book        build the book and say where it is
    python book/make.py lab         open the chapters in JupyterLab
    python book/make.py test        check everything
    python book/make.py test-all    the same with the long comparisons whole
    python book/make.py release 03  write the student's notebook of chapter 03 (or of all)
    python book/make.py grade 03 F  grade the submissions in folder F, with feedback
    python book/make.py bench       measure speed against other libraries
    python book/make.py notebooks   run the chapters whose text has changed
    python book/make.py lock        write requirements.txt anew from pyproject.toml
    python book/make.py clean       remove what was built

Each command first makes the environment (.venv) if it is missing or older than requirements.txt.
With --here the running Python is used as it is (a conda environment, for example).
"""

# Only the standard library, and nothing newer than Python 3.8: this file runs before there is an
# environment, on whatever Python the reader typed, to say what is missing.

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
PAGES = ROOT / "_build" / "html"
OLDEST, NEWEST = (3, 11), (3, 13)


def say(text):
    print(f"[course] {text}", flush=True)


def stop(text):
    sys.exit(f"[course] {text}")


def call(command, **options):
    """Run a command in the repository's folder; end with its exit code if it fails."""
    done = subprocess.run([str(part) for part in command], cwd=options.pop("cwd", ROOT), **options)
    if done.returncode:
        sys.exit(done.returncode)


def suitable_python():
    """A Python that the course runs on: this one, or one found on the PATH."""
    if OLDEST <= sys.version_info[:2] <= NEWEST:
        return sys.executable
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        found = shutil.which(f"python3.{minor}")
        probe = [found, "-c", f"import sys; sys.exit(sys.version_info[:2] != (3, {minor}))"]
        if found and subprocess.run(probe, capture_output=True).returncode == 0:
            return found
    return stop(
        "the course needs Python 3.{} to 3.{}, and this is {}.{} ({}). Install one of them and "
        "name it: make book PYTHON=python3.{}".format(
            OLDEST[1], NEWEST[1], *sys.version_info[:2], sys.executable, NEWEST[1]
        )
    )


def environment():
    """The Python of the course's own environment, which is made or renewed when it has to be."""
    python = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = ENVIRONMENT / "installed.txt"
    wanted = hashlib.sha256(
        b"".join((ROOT / name).read_bytes() for name in ("requirements.txt", "pyproject.toml"))
    ).hexdigest()
    if python.exists() and stamp.exists() and stamp.read_text() == wanted:
        return python
    started = time.time()
    say("preparing the environment in .venv: about a minute, once")
    if not python.exists():
        made = subprocess.run([suitable_python(), "-m", "venv", str(ENVIRONMENT)])
        if made.returncode:
            shutil.rmtree(ENVIRONMENT, ignore_errors=True)
            stop("Python could not make a virtual environment (on Debian: install python3-venv)")
    install = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-input"]
    install += ["--disable-pip-version-check"]
    packages = subprocess.run([*map(str, install), "-r", str(ROOT / "requirements.txt")])
    if packages.returncode:
        stop(
            "pip could not install requirements.txt (see above). Check that pip reaches its "
            "package index, then run the command again: it goes on where it stopped."
        )
    call([*install, "--no-build-isolation", "--editable", ROOT])
    stamp.write_text(wanted)
    say(f"environment ready after {time.time() - started:.0f} s")
    return python


def book(python):
    started = time.time()
    say("building the book")
    sphinx = [python, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    call([*sphinx, "-d", PAGES.parent / "doctrees", "book", PAGES])
    say(f"done after {time.time() - started:.0f} s. Open this page in a browser:")
    print(PAGES / "index.html")


def test(python, *arguments):
    started = time.time()
    book(python)
    say("testing: package, chapters, exercises, and the book in a browser if there is one")
    workers = ["-n", str(min(4, os.cpu_count() or 1)), "--dist", "loadscope"]
    try:
        call([python, "-m", "pytest", *workers, *arguments])
    finally:
        say(f"tests ended after {time.time() - started:.0f} s")


def test_all(python, *arguments):
    os.environ["COURSE_TESTS"] = "all"
    test(python, *arguments)


def release(python, *arguments):
    call([python, "grading/assignments.py", "release", *arguments])


def grade(python, *arguments):
    call([python, "grading/assignments.py", "grade", *arguments])


def bench(python, *arguments):
    say("measuring speed, as ratios against other libraries (some minutes)")
    call([python, "tests/benchmark.py", *arguments])


def lab(python):
    say("opening the chapters in JupyterLab (Ctrl-C twice ends it)")
    try:
        call([python, "-m", "jupyter", "lab", "--ServerApp.root_dir=chapters"])
    except KeyboardInterrupt:
        pass


def notebooks(python, *arguments):
    call([python, "book/notebooks.py", *arguments])


def lock(python):
    """One list for Python 3.11 to 3.13 on every system, with markers and without addresses."""
    call([python, "-m", "pip", "install", "--quiet", "uv"])
    options = "--universal --python-version 3.11 --all-extras --no-header --no-annotate --quiet"
    options += " --output-file requirements.txt"
    call([python, "-m", "uv", "pip", "compile", "pyproject.toml", *options.split()])


def clean(python):
    for path in (ROOT / "_build", ROOT / "book" / "chapters"):
        shutil.rmtree(path, ignore_errors=True)
    say("removed what was built; the environment (.venv) stays, delete the folder to be rid of it")


COMMANDS = {
    "book": book,
    "test": test,
    "test-all": test_all,
    "release": release,
    "grade": grade,
    "bench": bench,
    "lab": lab,
    "notebooks": notebooks,
    "lock": lock,
    "clean": clean,
}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--here", action="store_true", help="use this Python as it is")
    options, arguments = parser.parse_known_args()
    passed_on = ("test", "test-all", "release", "grade", "bench", "notebooks")
    if arguments and options.command not in passed_on:
        parser.error(f"{options.command} takes no arguments, got {' '.join(arguments)}")
    here = options.here or options.command == "clean"
    COMMANDS[options.command](Path(sys.executable) if here else environment(), *arguments)


if __name__ == "__main__":
    main()
