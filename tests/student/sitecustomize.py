"""Stand in for the student's environment: what only the book, tests and graders use is missing.

Put on PYTHONPATH, so that the kernel of a notebook that is being graded starts with it. Packages
that the extra `lab` does not bring, directly or through others, cannot be imported.
"""

import importlib.abc
import os
import re
import sys
from importlib import metadata


def _closure(extra: str) -> set[str]:
    """The names of the distributions that the extra brings."""
    wanted, found = [("from-text-to-tokens", extra)], set()
    while wanted:
        name, extras = wanted.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        if (key, extras) in found:
            continue
        found.add((key, extras))
        try:
            requirements = metadata.requires(key) or []
        except metadata.PackageNotFoundError:
            continue  # for another system or version of Python
        for text in requirements:
            needed = re.match(r"([\w.-]+)(?:\[([^]]*)\])?", text)
            condition = re.search(r"extra\s*==\s*['\"]([^'\"]+)", text)
            if needed and (condition is None or condition[1] in extras.split(",")):
                wanted.append((needed[1], needed[2] or ""))
    return {name for name, _ in found}


class _Missing(importlib.abc.MetaPathFinder):
    def __init__(self) -> None:
        inside = _closure("lab")
        owners = metadata.packages_distributions()
        self.names = {
            module
            for module, names in owners.items()
            if not {re.sub(r"[-_.]+", "-", name).lower() for name in names} & inside
        } - {"pip", "setuptools", "pkg_resources", "_distutils_hack"}

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r} for students", name=name)


# Only in kernels: nbgrader itself, which starts them, is not in the student's environment.
if "ipykernel_launcher" in " ".join(sys.orig_argv) and os.environ.get("BPE_PROGRESS") == "off":
    sys.meta_path.insert(0, _Missing())
