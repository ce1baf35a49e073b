"""Compiled code is kept where it can't go stale, and runs where none can be kept."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from bpe.fast import compiling
from course import ROOT

PROBE = """
from bpe.fast.memory import handle
from bpe.fast.scanning import WordTable, fill_slots

table = WordTable()
print(fill_slots(handle(table._words)), fill_slots(handle(table._words)))
"""


def run(probe: str, root: Path = ROOT, **settings: str) -> subprocess.CompletedProcess:
    done = subprocess.run(
        [sys.executable, "-c", probe],
        env=os.environ | {"PYTHONPATH": str(root)} | settings,
        capture_output=True,
        text=True,
        cwd=root,
    )
    assert done.returncode == 0, done.stderr
    return done


def test_tells_that_it_compiles_once_and_keeps_the_code(tmp_path: Path) -> None:
    cache = {"BPE_CACHE": str(tmp_path / "cache")}
    first, second = run(PROBE, **cache), run(PROBE, **cache)
    assert first.stdout == second.stdout == "None None\n"
    assert first.stderr.count("bpe.fast: compiling, about") == 1
    assert str(tmp_path / "cache" / "compiled") in first.stderr
    assert second.stderr == ""
    assert list((tmp_path / "cache" / "compiled").rglob("*.nbc"))


def test_works_where_nothing_can_be_kept(tmp_path: Path) -> None:
    in_the_way = tmp_path / "cache"
    in_the_way.write_text("a file, not a folder", "utf-8")
    done = run(PROBE, BPE_CACHE=str(in_the_way))
    assert done.stdout == "None None\n"
    assert "each time" in done.stderr and "BPE_CACHE" in done.stderr


@pytest.mark.parametrize("file", ["memory.py", "patterns.py", "compiling.py"])
def test_a_change_anywhere_means_another_folder(tmp_path: Path, file: str) -> None:
    shutil.copytree(ROOT / "bpe", tmp_path / "bpe", ignore=shutil.ignore_patterns("fonts"))
    probe = "from bpe.fast.compiling import code_folder; print(code_folder())"
    cache = {"BPE_CACHE": str(tmp_path / "cache")}
    before = run(probe, tmp_path, **cache).stdout
    assert run(probe, tmp_path, **cache).stdout == before
    with (tmp_path / "bpe" / "fast" / file).open("a") as source:
        source.write("\n# changed\n")
    assert run(probe, tmp_path, **cache).stdout != before
    assert run(probe, tmp_path, NUMBA_BOUNDSCHECK="1", **cache).stdout != before


def test_the_folder_that_numba_was_told_is_used(tmp_path: Path) -> None:
    probe = "from bpe.fast.compiling import code_folder; print(code_folder())"
    done = run(probe, NUMBA_CACHE_DIR=str(tmp_path / "numba"))
    assert Path(done.stdout.strip()).parent == tmp_path / "numba"


def test_settings_of_numba_are_left_alone() -> None:
    before = numba.config.CACHE_DIR
    compiling.compiled(lambda i: i)
    assert numba.config.CACHE_DIR == before


def test_importing_the_package_needs_no_numba() -> None:
    probe = "import sys, bpe; print('numba' in sys.modules, 'numpy' in sys.modules)"
    assert run(probe).stdout == "False False\n"


def test_without_numba_the_way_out_is_told() -> None:
    probe = (
        "import sys; sys.modules['numba'] = None\n"
        "try:\n    import bpe.fast\n"
        "except ImportError as error:\n    print(error)"
    )
    assert 'pip install "from-text-to-tokens[fast]"' in run(probe).stdout


def test_whoever_encodes_does_not_wait_for_the_trainer() -> None:
    probe = (
        "import sys; from bpe.fast import Encoder\n"
        "print('bpe.fast.training' in sys.modules)\n"
        "try:\n    from bpe.fast import encoder\n"
        "except ImportError as error:\n    print(error)"
    )
    assert run(probe).stdout.startswith("False\ncannot import name 'encoder'")
