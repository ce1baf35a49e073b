"""The lists of packages agree, and the lock is one that any plain pip can install."""

import re
import tomllib

import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

import bpe
from course import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
LOCK = [
    Requirement(line)
    for line in (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    if line.strip()
]
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))["dependencies"]
PYTHONS = ("3.11.7", "3.12.1", "3.13.0")


def asked_for(*extras: str) -> dict[str, SpecifierSet]:
    lines = [*PROJECT["dependencies"], *(line for extra in extras for line in EXTRAS[extra])]
    return {need.name: need.specifier for need in map(Requirement, lines)}


def test_one_version_everywhere() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert bpe.__version__ == PROJECT["version"] == citation["version"]


def test_environment_yml_lists_what_pyproject_lists() -> None:
    pip_part = next(entry["pip"] for entry in CONDA if isinstance(entry, dict))
    lines = [entry for entry in CONDA if isinstance(entry, str)] + pip_part
    listed = {
        need.name: need.specifier
        for need in (Requirement(line) for line in lines if not line.startswith("--"))
    }
    assert "--editable ." in pip_part
    assert listed.pop("python") == SpecifierSet(PROJECT["requires-python"])
    listed.pop("pip")
    assert listed == asked_for("lab", "fast", "scale", "book", "test")


def test_environment_yml_names_what_conda_users_look_for() -> None:
    names = {re.split("[<>=]", entry)[0] for entry in CONDA if isinstance(entry, str)}
    assert names >= {"jupyter", "jupytext", "nbval", "matplotlib", "tiktoken"}


def test_lock_meets_pyproject_on_every_python() -> None:
    for python in PYTHONS:
        marker = {"python_full_version": python, "python_version": python.rsplit(".", 1)[0]}
        locked = {
            need.name: str(need.specifier).removeprefix("==")
            for need in LOCK
            if need.marker is None or need.marker.evaluate(marker)
        }
        for name, wanted in asked_for(*EXTRAS).items():
            assert locked[name] in wanted, f"{name} {locked[name]} is not {wanted}"


def test_lock_is_exact_and_names_no_address() -> None:
    for need in LOCK:
        assert re.fullmatch(r"==[\w.+!]+", str(need.specifier)), f"{need} is not pinned"
        assert need.url is None
    text = (ROOT / "requirements.txt").read_text("utf-8")
    assert "://" not in text and "--" not in text
