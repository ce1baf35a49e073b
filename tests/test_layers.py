"""The package grows: modules import downwards only, chapters use what has been introduced."""

import ast
import subprocess
import sys
import tomllib

import pytest

from course import CONTENTS, NAMES, ROOT, WRITTEN, notebook

BESIDE_THE_LADDER = {
    "__main__",
    "blocks",
    "categories",
    "commands",
    "datasets",
    "exercises",
    "fetching",
    "huggingface",
    "plots",
    "ranks",
    "progress",
    "rungs",
    "shards",
    "show",
    "steps",
    "walks",
    "watch",
    "workers",
}
MODULES = {path.stem for path in (ROOT / "bpe").glob("*.py")} - {"__init__"}


def test_import_linter_keeps_the_layers() -> None:
    probe = "from importlinter.cli import lint_imports_command as c; c()"
    command = [sys.executable, "-c", probe]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Contracts: 3 kept, 0 broken." in done.stdout


def test_layers_follow_the_table_of_contents() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    ladder = [CONTENTS["chapter"][name].get("module") for name in WRITTEN]
    come_first = {CONTENTS["chapter"][name].get("module") for name in NAMES} - {*ladder}
    # What stands beside the ladder, yet is held to the layers; modules whose chapter is to come.
    beside = BESIDE_THE_LADDER | {
        "fast.compiling",
        "fast.memory",
        "fast.patterns",
        "fast.scanning",
        "fast.tables",
        "fast.merging",
        "fast.caching",
    }
    layers = [each for each in layers if each.removeprefix("bpe.") not in beside | come_first]
    assert layers == [f"bpe.{module}" for module in reversed(ladder) if module]


def test_every_module_belongs_to_a_chapter_or_stands_beside_the_ladder() -> None:
    ladder = {CONTENTS["chapter"][name].get("module") for name in NAMES}
    assert ladder | BESIDE_THE_LADDER >= MODULES


@pytest.mark.parametrize("name", WRITTEN)
def test_one_word_for_chapter_module_and_test(name: str) -> None:
    module = CONTENTS["chapter"][name].get("module")
    if module:
        assert name.split("-", 1)[1] == module.replace(".", "-")
        assert (ROOT / "bpe" / f"{module.replace('.', '/')}.py").exists()
        assert (ROOT / "tests" / f"test_{module.replace('.', '_')}.py").exists()


def imported(source: str) -> set[str]:
    """The modules of bpe that a cell imports; "*" where it takes names from the package itself."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            if node.module == "bpe":
                found |= {alias.name for alias in node.names}
            elif node.module.startswith("bpe."):
                found.add(node.module.removeprefix("bpe."))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == "bpe":
                    found.add("*")
                elif alias.name.startswith("bpe."):
                    found.add(alias.name.removeprefix("bpe."))
    return found


@pytest.mark.parametrize("name", WRITTEN)
def test_chapter_imports_only_what_has_been_introduced(name: str) -> None:
    so_far = NAMES[: NAMES.index(name) + 1]
    allowed = {CONTENTS["chapter"][each].get("module") for each in so_far} | BESIDE_THE_LADDER
    if "fast.training" in allowed:  # what it is made of is part of its chapter
        allowed |= {"fast.compiling", "fast.memory", "fast.patterns", "fast.scanning"}
    for cell in notebook(ROOT / "chapters" / f"{name}.ipynb").cells:
        if cell.cell_type == "code":
            source = "\n".join(
                line for line in cell.source.splitlines() if not line.startswith(("%", "!"))
            )
            assert imported(source) <= allowed, f"{cell.source}\nmay import only {allowed}"


def test_import_is_light() -> None:
    """`import bpe` brings in the standard library, `regex`, and nothing else."""
    probe = "import sys; before = set(sys.modules); import bpe; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    brought = {name.split(".")[0] for name in done.stdout.split()} - {"bpe", "regex"}
    assert brought <= set(sys.stdlib_module_names), brought - set(sys.stdlib_module_names)


@pytest.mark.parametrize("module", sorted(BESIDE_THE_LADDER - {"plots", "shards"}))
def test_modules_beside_the_ladder_are_light_too(module: str) -> None:
    probe = f"import sys, bpe.{module}; print('matplotlib' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
