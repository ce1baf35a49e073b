"""Chapter 09: tokenizers as files, in the course's own format and in those of three libraries.

====================  =====================================  =====================================
format                holds                                  read by
====================  =====================================  =====================================
the course's          everything, in one file to read        ``bpe.Tokenizer.load``
vocab.json,           tokens with ids, merges in order;      GPT-2, Hugging Face
merges.txt            no pattern, and not what is special
``.tiktoken``         tokens with ranks; no pattern,         tiktoken
                      no special tokens
tokenizer.json        everything                             Hugging Face tokenizers
====================  =====================================  =====================================

All of them are text in UTF-8 with ``\\n``, whatever the locale, and none holds code. A file is
written under another name and moved into place, so that nobody reads half of one.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from bpe import openai, specials
from bpe.fetching import write_file
from bpe.huggingface import (
    Step,
    as_tokenizer_json,
    follow,
    from_tokenizer_json,
    named_merges,
    named_tokens,
    special_among,
    unnamed_ranks,
)
from bpe.openai import read_ranks, to_characters, write_ranks
from bpe.pairs import Pair
from bpe.splitting import GPT2_PATTERN
from bpe.training import N_BYTES

if TYPE_CHECKING:
    import tiktoken
    import tokenizers

FORMAT, VERSION = "from-text-to-tokens", 1
PathLike = str | Path


class Tokenizer(specials.Tokenizer):
    """The tokenizer of chapter 07, which can also be saved, loaded and handed to other libraries.

    Example:
        >>> tok = Tokenizer.train("low lower lowest", 258)
        >>> tok.to_tiktoken().encode("lower") == tok.encode("lower")
        True
    """

    def save(self, path: PathLike) -> None:
        """Write the tokenizer to one file, in the course's own format.

        Folders that are missing are made.

        Raises:
            ValueError: The ranks are no chain of merges.
            OSError: The file cannot be written; one that was there before is still whole.
        """
        head = {
            "format": FORMAT,
            "version": VERSION,
            "pattern": self.pattern,
            "ties": self.ties,
            "special_tokens": self.special_tokens,
        }
        start = json.dumps(head, ensure_ascii=False, indent=1).removesuffix("\n}")
        ids = json.dumps([self.ranks[bytes([byte])] for byte in range(N_BYTES)])
        lines = ",\n".join(
            f"  {json.dumps([*pair, idx, to_characters(self.vocab[idx])], ensure_ascii=False)}"
            for pair, idx in self.merges.items()
        )
        _write(path, f'{start},\n "bytes": {ids},\n{MERGES}\n{lines}\n ]\n}}\n')

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Read a tokenizer that ``save`` wrote.

        Raises:
            ValueError: The file is not of this format. The message names the file and the place.
            OSError: The file cannot be read.
        """
        text = _read(path)
        data = _parse(text, path)
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise ValueError(
                f'{path} is not of the course\'s own format (no "format": "{FORMAT}" in it). '
                "bpe.files reads the formats of other libraries, too: read_vocab_and_merges, "
                "read_tiktoken, read_tokenizer_json."
            )
        if data.get("version") != VERSION:
            raise ValueError(
                f"{path} is of version {data.get('version')!r}, and this package knows {VERSION}: "
                "use a newer package"
            )
        kinds = {"pattern": str, "special_tokens": dict, "bytes": list, "merges": list}
        for field, kind in kinds.items():
            if not isinstance(data.get(field), kind):
                raise ValueError(f'{path}: "{field}" is missing, or is no {NAMES[kind]}')
        if not isinstance(data.get("ties"), str | None):
            raise ValueError(f'{path}: "ties" is {data["ties"]!r}, and should be text or null')
        if len(ids := data["bytes"]) != N_BYTES or not all(isinstance(idx, int) for idx in ids):
            raise ValueError(f'{path}: "bytes" is no list of {N_BYTES} ids, one for each byte')
        ranks = {bytes([byte]): idx for byte, idx in enumerate(ids)}
        merges = follow(ranks, _steps(data["merges"], ranks, text, path))
        tok = _make(cls, path, ranks, merges, data["pattern"], data["special_tokens"])
        tok.ties = data.get("ties")
        return tok

    def to_tiktoken(self, name: str = "from-text-to-tokens") -> "tiktoken.Encoding":
        """Return the same tokenizer as a ``tiktoken.Encoding``.

        Where special tokens begin alike, tiktoken takes one that fits, not always the longest.
        """
        import tiktoken

        return tiktoken.Encoding(
            name,
            pat_str=self.pattern,
            mergeable_ranks=self.ranks,
            special_tokens=self.special_tokens,
        )

    def to_huggingface(self) -> "tokenizers.Tokenizer":
        """Return the same tokenizer as a ``tokenizers.Tokenizer``.

        Hugging Face turns the text of a special token into its id always: the ids are those of
        ``encode(text, allowed_special="all")``.

        Raises:
            ValueError: The ranks are no chain of merges, a special token cannot be told apart, or
                the pattern is none for Oniguruma.
        """
        import tokenizers

        try:
            return tokenizers.Tokenizer.from_str(json.dumps(as_tokenizer_json(self)))
        except ValueError:
            raise
        except Exception as error:  # the library has no class of its own for this
            raise ValueError(
                f"Hugging Face cannot build it: {error}. The pattern is {self.pattern!r}"
            ) from None


def get_encoding(name: str) -> Tokenizer:
    """Return one of OpenAI's tokenizers (see ``openai.get_encoding``), which can also be saved.

    Raises:
        ValueError: The name is none of ``openai.ENCODINGS``.
        DataError: The ranks are not in the cache and could not be fetched.
    """
    return openai.get_encoding(name, Tokenizer)


# --- vocab.json and merges.txt ------------------------------------------------------------------


def write_vocab_and_merges(tok: specials.Tokenizer, folder: PathLike) -> None:
    """Write ``vocab.json`` and ``merges.txt`` into a folder, as GPT-2 did.

    The pattern is not in them, nor which tokens are special: whoever reads them has to know.

    Raises:
        ValueError: A token cannot be written in this format; the message names it, and nothing is
            written.
    """
    vocab = json.dumps(named_tokens(tok), ensure_ascii=False, indent=0) + "\n"
    lines = ["#version: 0.2"]
    for left, right in named_merges(tok):
        if left.startswith("#version"):
            raise ValueError(
                f"the merge {left!r} {right!r} cannot stand in merges.txt: readers take a line "
                "that begins with #version for a comment. Use Tokenizer.save or write_tiktoken."
            )
        lines.append(f"{left} {right}")
    _write(Path(folder) / "vocab.json", vocab)
    _write(Path(folder) / "merges.txt", "\n".join([*lines, ""]))


def read_vocab_and_merges(
    folder: PathLike,
    *,
    pattern: str = GPT2_PATTERN,
    special_tokens: Iterable[str] | None = None,
) -> Tokenizer:
    """Read ``vocab.json`` and ``merges.txt`` from a folder.

    Args:
        folder: Where the two files are.
        pattern: What a word is; the files do not say.
        special_tokens: Which tokens are special; the files do not say. Without it, those that no
            merge makes, unless one looks as if its merge were missing.

    Raises:
        ValueError: A file is malformed, or the two disagree. The message names file and line.
    """
    vocab_file, merges_file = Path(folder) / "vocab.json", Path(folder) / "merges.txt"
    named = _parse(_read(vocab_file), vocab_file)
    if not isinstance(named, dict):
        raise ValueError(f"{vocab_file} holds no object of tokens and ids")
    pairs = []
    lines = _read(merges_file).removesuffix("\n").split("\n")
    for number, line in enumerate(lines, start=1):
        parts = line.split(" ")
        if line.startswith("#version") or lines == [""]:
            continue
        if len(parts) != 2 or not all(parts):
            raise ValueError(
                f"{merges_file}, line {number}: {line!r} is not two tokens and one space"
            )
        pairs.append((f"{merges_file}, line {number}", *parts))
    ranks, merges, left = unnamed_ranks(named, pairs, vocab_file)
    special = special_among(left, ranks, special_tokens, vocab_file)
    return _make(Tokenizer, vocab_file, ranks, merges, pattern, special)


# --- .tiktoken ----------------------------------------------------------------------------------


def write_tiktoken(tok: specials.Tokenizer, path: PathLike) -> None:
    """Write the ranks as a ``.tiktoken`` file. Pattern and special tokens are not in it."""
    write_file(Path(path), write_ranks(tok.ranks))


def read_tiktoken(
    path: PathLike, *, pattern: str, special_tokens: Mapping[str, int] | Iterable[str] = ()
) -> Tokenizer:
    """Read a ``.tiktoken`` file; pattern and special tokens, which it does not hold, are arguments.

    Raises:
        ValueError: The file is malformed. The message names file and line.
    """
    ranks = read_ranks(Path(path).read_bytes().removeprefix(BOM), str(path))
    return _make(Tokenizer, path, ranks, None, pattern, special_tokens)


# --- tokenizer.json -----------------------------------------------------------------------------


def write_tokenizer_json(tok: specials.Tokenizer, path: PathLike) -> None:
    """Write a ``tokenizer.json`` for Hugging Face tokenizers.

    Raises:
        ValueError: The format cannot hold the tokenizer; nothing is written.
    """
    _write(path, json.dumps(as_tokenizer_json(tok), ensure_ascii=False, indent=1) + "\n")


def read_tokenizer_json(path: PathLike, *, pattern: str | None = None) -> Tokenizer:
    """Read a ``tokenizer.json`` that holds a byte-level BPE.

    Every added token becomes a special token. What comes after the ids (post_processor, truncation,
    padding) is not read: compare with ``encode(text, add_special_tokens=False)``.

    Args:
        path: The file.
        pattern: What a word is; needed only when the file does not say.

    Raises:
        ValueError: The file is malformed, or holds another kind of tokenizer. The message names the
            file and what is in the way.
    """
    data = _parse(_read(path), path)
    try:
        ranks, merges, special, pattern = from_tokenizer_json(data, path, pattern)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is no tokenizer.json that can be read here: {error!r}") from None
    return _make(Tokenizer, path, ranks, merges, pattern, special)


# --- reading and writing ------------------------------------------------------------------------

BOM = b"\xef\xbb\xbf"  # Windows puts it before UTF-8; it is no part of the text
MERGES = ' "merges": ['
NAMES = {str: "text", list: "list", dict: "object"}


def _write(path: PathLike, text: str) -> None:
    write_file(Path(path), text.encode("utf-8"))


def _read(path: PathLike) -> str:
    content = Path(path).read_bytes()
    try:
        return content.removeprefix(BOM).decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ValueError(f"{path}, line {line}: not UTF-8 ({error.reason})") from None


def _parse(text: str, path: PathLike) -> Any:
    """Read JSON; a key that comes twice is refused instead of dropped."""

    def once(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) < len(items):
            keys = [key for key, _ in items]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise ValueError(f"{path}: {twice!r} comes twice")
        return found

    try:
        return json.loads(text, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}, line {error.lineno}: not JSON ({error.msg})") from None
    except RecursionError:
        raise ValueError(f"{path}: brackets are nested too deep for a tokenizer") from None


def _steps(
    entries: list[Any], ranks: Mapping[bytes, int], text: str, path: PathLike
) -> Iterable[Step]:
    """What ``follow`` needs, from the course's own merges: [left id, right id, new id, token]."""
    lines = text.split("\n")
    first_line = lines.index(MERGES) + 2 if MERGES in lines else None  # one merge a line
    tokens = {idx: token for token, idx in ranks.items()}
    for number, entry in enumerate(entries):
        place = f"{path}, " + (f"line {first_line + number}" if first_line else f"merge {number}")
        match entry:
            case [int(left), int(right), int(idx), str(written)]:
                pass
            case _:
                raise ValueError(f"{place}: {entry!r} is not two ids, a new id and its token")
        for part in (left, right):
            if part not in tokens:
                raise ValueError(
                    f"{place}: the merge {entry} uses id {part}, which is not made yet"
                )
        token = tokens[left] + tokens[right]
        if to_characters(token) != written:
            raise ValueError(
                f"{place}: {left} and {right} make {to_characters(token)!r}, not {written!r}"
            )
        yield place, tokens[left], tokens[right], idx
        tokens[idx] = token


def _make(
    cls: type[Tokenizer],
    path: PathLike,
    ranks: dict[bytes, int],
    merges: dict[Pair, int] | None,
    pattern: str,
    special_tokens: Mapping[str, int] | Iterable[str],
) -> Any:
    """Build a tokenizer; what its class has to say about the parts, it says of the file."""
    try:
        tok = cls(ranks, pattern=pattern, special_tokens=special_tokens)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if merges is not None:
        tok.__dict__["merges"] = merges
    return tok
