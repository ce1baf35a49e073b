"""Chapter 09: tokenizers as files, in the course's own format and in those of three libraries.

====================  =====================================  =====================================
format                holds                                  read by
====================  =====================================  =====================================
the course's          everything, in one file to read        ``bpe.Tokenizer.load``
vocab.json,           tokens with ids, merges in order;      GPT-2, Hugging Face
merges.txt            no pattern
``.tiktoken``         tokens with ranks; no pattern,         tiktoken
                      no special tokens
tokenizer.json        everything                             Hugging Face tokenizers
====================  =====================================  =====================================

All of them are text in UTF-8 with ``\\n``, whatever the locale, and none holds code. A file is
written under another name and moved into place, so that nobody reads half of one.
"""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from bpe import openai, specials
from bpe.fetching import write_file
from bpe.openai import from_characters, read_ranks, to_characters, write_ranks
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

        Raises:
            ValueError: The ranks are no chain of merges.
            OSError: The file cannot be written; one that was there before is still whole.
        """
        lines = ",\n".join(
            f"  {json.dumps([*pair, idx, to_characters(self.vocab[idx])], ensure_ascii=False)}"
            for pair, idx in self.merges.items()
        )
        head = {
            "format": FORMAT,
            "version": VERSION,
            "pattern": self.pattern,
            "ties": self.ties,
            "special_tokens": self.special_tokens,
            "bytes": [self.ranks[bytes([byte])] for byte in range(N_BYTES)],
        }
        start = json.dumps(head, ensure_ascii=False, indent=1)
        start = re.sub(r"\n  (?=\d)|\n (?=\])", "", start)  # the 256 ids on one line
        _write(path, f'{start[:-2]},\n "merges": [\n{lines}\n ]\n}}\n')

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Read a tokenizer that ``save`` wrote.

        Raises:
            ValueError: The file is not of this format. The message names the file and the place.
            OSError: The file cannot be read.
        """
        data = _read_json(path)
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise ValueError(
                f'{path} is not of the course\'s own format (no "format": "{FORMAT}" in it). '
                "bpe.files reads the formats of other libraries, too: read_vocab_and_merges, "
                "read_tiktoken, read_tokenizer_json."
            )
        if data.get("version") != VERSION:
            raise ValueError(
                f"{path} is of version {data.get('version')}, and this package knows {VERSION}: "
                "use a newer package"
            )
        try:
            vocab = {idx: bytes([byte]) for byte, idx in enumerate(data["bytes"])}
            merges: dict[Pair, int] = {}
            for place, (first, second, idx, _) in enumerate(data["merges"]):
                if first not in vocab or second not in vocab or idx in vocab:
                    raise ValueError(
                        f"{path}, merge {place} ([{first}, {second}, {idx}, ...]): it uses an id "
                        "that is not made yet, or makes one that is taken"
                    )
                merges[first, second] = idx
                vocab[idx] = vocab[first] + vocab[second]
            tok = cls(
                {token: idx for idx, token in vocab.items()},
                pattern=data["pattern"],
                special_tokens=data["special_tokens"],
            )
        except (KeyError, TypeError) as error:
            raise ValueError(
                f"{path}: something is missing or of the wrong kind: {error!r}"
            ) from None
        tok.ties = data.get("ties")
        tok.__dict__["merges"] = merges
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
            ValueError: The ranks are no chain of merges, or a token cannot stand in the format.
        """
        import tokenizers

        return tokenizers.Tokenizer.from_str(json.dumps(as_tokenizer_json(self)))


def get_encoding(name: str) -> Tokenizer:
    """Return one of OpenAI's tokenizers (see ``openai.get_encoding``), which can also be saved.

    Raises:
        ValueError: The name is none of ``openai.ENCODINGS``.
        DataError: The ranks are not in the cache and could not be fetched.
    """
    return openai.get_encoding(name, Tokenizer)


# --- vocab.json and merges.txt ------------------------------------------------------------------


def _named_tokens(tok: specials.Tokenizer) -> dict[str, int]:
    """Every token with its id, bytes written as characters, special tokens as they are."""
    named = {to_characters(token): idx for token, idx in tok.ranks.items()}
    for text, idx in tok.special_tokens.items():
        if text in named:
            raise ValueError(
                f"the special token {text!r} cannot be told from a token that was learned: "
                "both are written alike in this format. Rename it, or use Tokenizer.save."
            )
        named[text] = idx
    return dict(sorted(named.items(), key=lambda item: item[1]))


def _merge_lines(tok: specials.Tokenizer) -> list[str]:
    lines = []
    for first, second in tok.merges:
        left, right = to_characters(tok.vocab[first]), to_characters(tok.vocab[second])
        if left.startswith("#version"):
            raise ValueError(
                f"the merge {left!r} {right!r} cannot stand in merges.txt: readers take a line "
                "that begins with #version for a comment. Use Tokenizer.save or write_tiktoken."
            )
        lines.append(f"{left} {right}")
    return lines


def write_vocab_and_merges(tok: specials.Tokenizer, folder: PathLike) -> None:
    """Write ``vocab.json`` and ``merges.txt`` into a folder, as GPT-2 did.

    The pattern is not in them: whoever reads them has to know it.

    Raises:
        ValueError: A token cannot be written in this format; the message names it, and nothing is
            written.
    """
    vocab = json.dumps(_named_tokens(tok), ensure_ascii=False, indent=0)
    merges = "\n".join(["#version: 0.2", *_merge_lines(tok), ""])
    _write(Path(folder) / "vocab.json", vocab + "\n")
    _write(Path(folder) / "merges.txt", merges)


def read_vocab_and_merges(folder: PathLike, *, pattern: str = GPT2_PATTERN) -> Tokenizer:
    """Read ``vocab.json`` and ``merges.txt`` from a folder.

    Args:
        folder: Where the two files are.
        pattern: What a word is; the files do not say.

    Raises:
        ValueError: A file is malformed, or the two disagree. The message names file and line.
    """
    vocab_file, merges_file = Path(folder) / "vocab.json", Path(folder) / "merges.txt"
    named = _read_json(vocab_file)
    lines = _read(merges_file).split("\n")
    start = 1 if lines[0].startswith("#version") else 0
    pairs = []
    for number, line in enumerate(lines[start:], start=start + 1):
        if line.strip() or number < len(lines):
            parts = line.split(" ")
            if len(parts) != 2 or not all(parts):
                raise ValueError(
                    f"{merges_file}, line {number}: {line!r} is not two tokens and a space"
                )
            pairs.append((f"{merges_file}, line {number}", *parts))
    return _build(named, pairs, pattern, vocab_file)


def _build(
    named: Mapping[str, int],
    pairs: Iterable[tuple[str, str, str]],
    pattern: str,
    vocab_file: PathLike,
) -> Tokenizer:
    """A tokenizer from named tokens and pairs in order; what no pair makes is a special token."""
    left = dict(named)
    ranks: dict[bytes, int] = {}
    merges: dict[Pair, int] = {}

    def take(text: str, place: str) -> bytes:
        try:
            token = from_characters(text)
            ranks[token] = left.pop(text)
        except KeyError:
            raise ValueError(f"{place}: {vocab_file} has no token {text!r}") from None
        return token

    for byte in range(N_BYTES):
        take(to_characters(bytes([byte])), f"byte 0x{byte:02x}")
    last = -1
    for place, first, second in pairs:
        try:
            pair = ranks[from_characters(first)], ranks[from_characters(second)]
        except KeyError:
            raise ValueError(f"{place}: {first!r} or {second!r} is not made yet") from None
        idx = ranks[take(first + second, place)]
        if idx <= last:
            raise ValueError(
                f"{place}: {first + second!r} has id {idx}, lower than the merge before it: here "
                "the order of the merges and that of the ids must be one"
            )
        merges[pair] = last = idx
    tok = Tokenizer(ranks, pattern=pattern, special_tokens=left)
    tok.__dict__["merges"] = merges
    return tok


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
    ranks = read_ranks(Path(path).read_bytes(), str(path))
    return Tokenizer(ranks, pattern=pattern, special_tokens=special_tokens)


# --- tokenizer.json -----------------------------------------------------------------------------

# Oniguruma, Hugging Face's engine, reads {1,3}+ as "one to three, once or more": an atomic group
# says what other engines mean by it.
_POSSESSIVE = re.compile(r"(\\[pP]\{\w+\}|\\.|\[(?:\\.|[^\]])*\]|[^\\])(\{\d+(?:,\d*)?\})\+")


def as_tokenizer_json(tok: specials.Tokenizer) -> dict[str, Any]:
    """Return the tokenizer as the object that a Hugging Face ``tokenizer.json`` holds.

    Raises:
        ValueError: The ranks are no chain of merges, or a special token cannot be told apart.
    """
    named = _named_tokens(tok)
    pattern = _POSSESSIVE.sub(r"(?>\1\2)", tok.pattern)
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": idx, "content": text, "single_word": False, "lstrip": False, "rstrip": False,
             "normalized": False, "special": True}
            for text, idx in tok.special_tokens.items()
        ],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated",
                 "invert": False},
                byte_level | {"use_regex": False},
            ],
        },
        "post_processor": None,
        "decoder": byte_level | {"use_regex": False},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": True,  # a word that is a token is that token, as in tiktoken
            "vocab": {text: idx for text, idx in named.items() if text not in tok.special_tokens},
            "merges": [
                [to_characters(tok.vocab[first]), to_characters(tok.vocab[second])]
                for first, second in tok.merges
            ],
        },
    }  # fmt: skip


def write_tokenizer_json(tok: specials.Tokenizer, path: PathLike) -> None:
    """Write a ``tokenizer.json`` for Hugging Face tokenizers.

    Raises:
        ValueError: The format cannot hold the tokenizer; nothing is written.
    """
    _write(path, json.dumps(as_tokenizer_json(tok), ensure_ascii=False, indent=1) + "\n")


def read_tokenizer_json(path: PathLike, *, pattern: str | None = None) -> Tokenizer:
    """Read a ``tokenizer.json`` that holds a byte-level BPE.

    Args:
        path: The file.
        pattern: What a word is; needed only when the file does not say.

    Raises:
        ValueError: The file is malformed, or holds another kind of tokenizer. The message names the
            file and what is in the way.
    """
    data = _read_json(path)
    try:
        model, before = data["model"], data["pre_tokenizer"]
        if model.get("type") != "BPE":
            raise ValueError(f"{path} holds a {model.get('type')} model: only BPE can be read here")
        steps = before["pretokenizers"] if before["type"] == "Sequence" else [before]
        if not any(step["type"] == "ByteLevel" for step in steps) or data.get("normalizer"):
            raise ValueError(f"{path} is not byte-level BPE without a normalizer")
        for step in steps:
            if pattern is None and step["type"] == "Split":
                # back from the atomic group, so that what was written reads as it was
                written = step["pattern"]["Regex"]
                pattern = re.sub(r"\(\?>([^()]*\{\d+(?:,\d*)?\})\)", r"\1+", written)
            elif pattern is None and step["type"] == "ByteLevel" and step.get("use_regex", True):
                pattern = GPT2_PATTERN
        if pattern is None:
            raise ValueError(f"{path} does not say what a word is: pass pattern=...")
        pairs = []
        for place, entry in enumerate(model["merges"]):
            first, second = entry.split(" ") if isinstance(entry, str) else entry
            pairs.append((f"{path}, merge {place}", first, second))
        added = {entry["content"]: entry["id"] for entry in data.get("added_tokens") or []}
        return _build(model["vocab"] | added, pairs, pattern, path)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is no tokenizer.json that can be read here: {error!r}") from None


# --- reading and writing ------------------------------------------------------------------------


def _write(path: PathLike, text: str) -> None:
    write_file(Path(path), text.encode("utf-8"))


def _read(path: PathLike) -> str:
    try:
        return Path(path).read_bytes().decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ValueError(f"{path}, line {line}: not UTF-8 ({error.reason})") from None


def _read_json(path: PathLike) -> Any:
    try:
        return json.loads(_read(path))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}, line {error.lineno}: not JSON ({error.msg})") from None
