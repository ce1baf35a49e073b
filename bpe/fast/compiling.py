"""How Python becomes machine code: ``@compiled``, ``@borrowing``, ``@inlined``, on top of numba.

Compiling takes seconds, so its result is kept in a folder. numba looks only at the file of the
function that it compiles; when a function from another file has changed, it takes the old result
and gives wrong answers. Here the folder's name is a hash of everything that a kernel can depend on,
and code that is out of date is not found.
"""

import hashlib
import platform
import tempfile
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import config
from numba.core import event as numba_events
from numba.core.options import DefaultOptions

from bpe.fetching import cache_folder, tell

CHECKED = bool(config.BOUNDSCHECK)
"""Whether every index is checked (``NUMBA_BOUNDSCHECK=1``): slow, for tests."""

# numba's name for "no runtime", which is what counts. A version that has no such option is slower,
# and where indices are checked, handles are arrays: functions return them, so they are counted.
NOT_COUNTED = {"_nrt": False} if hasattr(DefaultOptions, "_nrt") and not CHECKED else {}

SECONDS = 20  # roughly what compiling takes, on a machine of 2026


@cache
def code_folder() -> Path | None:
    """Return the folder for compiled code, or None where nothing can be kept.

    It stands in the cache folder (``BPE_CACHE``), or where ``NUMBA_CACHE_DIR`` says.
    """
    parts = [path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))]
    versions = (numba.__version__, llvmlite.__version__, np.__version__, platform.python_version())
    key = hashlib.sha256(b"\0".join([*parts, repr((versions, CHECKED)).encode()])).hexdigest()
    base = Path(config.CACHE_DIR) if config.CACHE_DIR else cache_folder() / "compiled"
    folder = base / key[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return None
    return folder


def compiled(function: Callable) -> Any:
    """Compile a function when it is first called; it runs without the GIL.

    Its arguments are numbers, arrays and tuples of arrays. Only this module's folder is used, and
    numba's settings are left as they were: other people's functions are not touched.
    """
    return _compile(function, forceinline=False)


def borrowing(function: Callable) -> Any:
    """Like ``compiled``, for functions that make no array: they use those of their caller.

    So they need not count who holds an array, at every call and every copy of its name. In the
    innermost loops that counting was most of the time: training took three times as long.
    """
    return _compile(function, forceinline=False, **NOT_COUNTED)


def inlined(function: Callable) -> Any:
    """Like ``borrowing``, for small functions that become part of each function that calls them."""
    return _compile(function, forceinline=True, **NOT_COUNTED)


def _compile(function: Callable, forceinline: bool, **options: bool) -> Any:
    folder = code_folder()
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder) if folder else ""
    try:
        wrap = numba.njit(
            nogil=True,
            cache=folder is not None,
            boundscheck=CHECKED,
            forceinline=forceinline,
            **options,
        )
        return wrap(function)
    finally:
        config.CACHE_DIR = before


class _Teller(numba_events.Listener):
    """Says once in a process that somebody has to wait, and why."""

    def __init__(self) -> None:
        self._told = False
        self._lock = threading.Lock()

    def on_start(self, event: numba_events.Event) -> None:
        module = event.data["dispatcher"].py_func.__module__
        if not module.startswith("bpe.fast"):
            return
        with self._lock:
            told, self._told = self._told, True
        if not told:
            kept = (
                f"once (kept in {code_folder()})"
                if code_folder()
                else f"each time: {cache_folder()} cannot be written (BPE_CACHE names another)"
            )
            tell(f"compiling, about {SECONDS} s, {kept}", "bpe.fast")

    def on_end(self, event: numba_events.Event) -> None:
        pass


numba_events.register("numba:compile", _Teller())
