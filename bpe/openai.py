"""Chapter 08: OpenAI's tokenizers, rebuilt from the files that OpenAI published.

GPT-2 came as two files: ``encoder.json`` (tokens and ids) and ``vocab.bpe`` (merges in order), both
written in characters that stand for bytes. Later tokenizers are one list of ranks.

Follows ``gpt-2/src/encoder.py`` (Radford et al. 2019) and ``tiktoken_ext/openai_public.py``.
"""

import base64
import binascii
import hashlib
import json
from functools import cache
from typing import TypeVar

from bpe.datasets import ranks_file
from bpe.specials import Tokenizer
from bpe.splitting import GPT2_PATTERN, GPT4_PATTERN, GPT4O_PATTERN, printable_order
from bpe.training import N_BYTES

END = "<|endoftext|>"
ENCODINGS = ("gpt2", "r50k_base", "p50k_base", "cl100k_base", "o200k_base")
PRINTED = 188  # bytes that stand for themselves in GPT-2's files; the others are moved
P50K_SHA256 = "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069"

AnyTokenizer = TypeVar("AnyTokenizer", bound=Tokenizer)


def byte_characters() -> dict[int, str]:
    """Return the character that stands for each byte in GPT-2's files.

    Bytes that can be printed stand for themselves; the others for U+0100 and up, in order, so that
    a file of tokens holds no space, no newline and nothing invisible.

    >>> byte_characters()[ord("A")], byte_characters()[ord(" ")], hex(ord(byte_characters()[0xAD]))
    ('A', 'Ġ', '0x143')
    """
    return dict(_characters())


@cache
def _characters() -> dict[int, str]:
    order = printable_order()
    moved = {byte: chr(N_BYTES + i) for i, byte in enumerate(order[PRINTED:])}
    return {byte: chr(byte) for byte in order[:PRINTED]} | moved


@cache
def _byte_values() -> dict[str, int]:
    return {char: byte for byte, char in _characters().items()}


def to_characters(token: bytes) -> str:
    """Return a token's bytes as GPT-2's files write them.

    >>> to_characters(b" the")
    'Ġthe'
    """
    return "".join(map(_characters().__getitem__, token))


def from_characters(text: str) -> bytes:
    """Return the bytes behind a token of GPT-2's files.

    Raises:
        ValueError: A character stands for no byte. The message names it.

    >>> from_characters("Ġthe")
    b' the'
    """
    try:
        return bytes(map(_byte_values().__getitem__, text))
    except KeyError as error:
        char = error.args[0]
        raise ValueError(
            f"{char!r} (U+{ord(char):04X}) in {text!r} stands for no byte: "
            "GPT-2's files write bytes as 256 fixed characters"
        ) from None


def read_gpt2_files(encoder_json: str, vocab_bpe: str) -> dict[bytes, int]:
    """Return the ranks behind GPT-2's two files.

    The bytes come first, in GPT-2's own order, then one token for each line of ``vocab.bpe``; what
    ``encoder.json`` says must agree.

    Raises:
        ValueError: A line is not two tokens that are made already, a file is malformed, or the two
            files disagree. The message names the line or the token.

    >>> files = json.dumps({char: i for i, char in enumerate(map(
    ...     byte_characters().get, printable_order()))} | {"ab": 256}), "#version: 0.2\\na b\\n"
    >>> read_gpt2_files(*files)[b"ab"]
    256
    """
    ranks = {bytes([byte]): i for i, byte in enumerate(printable_order())}
    for number, line in enumerate(vocab_bpe.replace("\r\n", "\n").split("\n"), start=1):
        if not line or (number == 1 and line.startswith("#version")):
            continue
        parts = line.split(" ")
        if len(parts) != 2 or not all(parts):
            raise ValueError(f"vocab.bpe, line {number}: {line!r} is not two tokens and one space")
        try:
            first, second = map(from_characters, parts)
        except ValueError as error:
            raise ValueError(f"vocab.bpe, line {number}: {error}") from None
        for part, token in zip(parts, (first, second)):
            if token not in ranks:
                raise ValueError(
                    f"vocab.bpe, line {number}: {line!r} uses {part!r}, which no line before it "
                    "has made: is a line missing, or out of order?"
                )
        token = first + second
        if token in ranks:
            raise ValueError(f"vocab.bpe, line {number}: {line!r} makes {token!r} once more")
        ranks[token] = len(ranks)
    listed = _read_encoder_json(encoder_json)
    if (end := listed.pop(END, len(ranks))) != len(ranks):
        raise ValueError(
            f"encoder.json gives {END!r} the id {end}; after the {len(ranks)} tokens of "
            f"vocab.bpe it should be {len(ranks)}"
        )
    found = {}
    for text, idx in listed.items():
        try:
            token = from_characters(text)
        except ValueError as error:
            raise ValueError(f"encoder.json: {error}") from None
        if token not in ranks:
            raise ValueError(f"encoder.json has a token {text!r} ({idx!r}) that vocab.bpe lacks")
        if ranks[token] != idx:
            raise ValueError(
                f"encoder.json gives {text!r} the id {idx!r}, and vocab.bpe {ranks[token]}"
            )
        found[token] = idx
    if missing := ranks.keys() - found.keys():
        first = min(missing, key=ranks.__getitem__)
        raise ValueError(
            f"encoder.json lacks {len(missing)} of the {len(ranks)} tokens of vocab.bpe, "
            f"{to_characters(first)!r} ({ranks[first]}) among them"
        )
    return ranks


def _read_encoder_json(text: str) -> dict[str, int]:
    def no_repeats(items: list[tuple[str, int]]) -> dict[str, int]:
        listed = dict(items)
        if len(listed) < len(items):
            names = [name for name, _ in items]
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"encoder.json lists {twice!r} twice")
        return listed

    try:
        listed = json.loads(text, object_pairs_hook=no_repeats)
    except json.JSONDecodeError as error:
        raise ValueError(f"encoder.json, line {error.lineno}: not JSON ({error.msg})") from None
    if not isinstance(listed, dict):
        raise ValueError("encoder.json is no object of tokens and ids")
    return listed


def read_ranks(data: bytes, name: str = "ranks") -> dict[bytes, int]:
    """Return the ranks in a ``.tiktoken`` file: on each line a token in base64, and its rank.

    Args:
        data: The file's content.
        name: What error messages call it.

    Raises:
        ValueError: A line is not so, or a token or a rank comes twice. The message names the line.

    >>> read_ranks(b"YQ== 0\\nYWI= 1\\n")
    {b'a': 0, b'ab': 1}
    """
    ranks: dict[bytes, int] = {}
    owners: dict[int, bytes] = {}
    for number, line in enumerate(data.splitlines(), start=1):
        if not line:
            continue
        try:
            coded, digits = line.split()
            token, rank = base64.b64decode(coded, validate=True), int(digits)
            if not token or not digits.isdigit():  # int() would take "-1" and "1_0"
                raise ValueError
        except (ValueError, binascii.Error):
            raise ValueError(
                f"{name}, line {number}: {line[:60]!r} is not a token in base64 and a rank"
            ) from None
        if token in ranks:
            raise ValueError(f"{name}, line {number}: the token {token!r} has a rank already")
        if rank in owners:
            raise ValueError(
                f"{name}, line {number}: {token!r} has rank {rank}, which {owners[rank]!r} has "
                "already"
            )
        ranks[token], owners[rank] = rank, token
    return ranks


def write_ranks(ranks: dict[bytes, int]) -> bytes:
    """Return ranks as a ``.tiktoken`` file: the way back from ``read_ranks``.

    >>> write_ranks({b"a": 0, b"ab": 1})
    b'YQ== 0\\nYWI= 1\\n'
    """
    ordered = sorted(ranks.items(), key=lambda item: item[1])
    return b"".join(b"%s %d\n" % (base64.b64encode(token), rank) for token, rank in ordered)


def load_ranks(name: str) -> dict[bytes, int]:
    """Return the ranks of one of OpenAI's tokenizers; files are fetched once and hash-checked.

    Raises:
        ValueError: The name is none of ``ENCODINGS``.
        DataError: The files are not in the cache and could not be fetched.
    """
    _check_name(name)
    return dict(_ranks(name))  # a copy: what the caller does to it stays with the caller


def _check_name(name: str) -> None:
    if name not in ENCODINGS:
        raise ValueError(f"{name!r} is not known: use one of {', '.join(map(repr, ENCODINGS))}")


@cache
def _ranks(name: str) -> dict[bytes, int]:
    if name == "r50k_base":
        return _ranks("gpt2")
    if name == "gpt2":
        files = (ranks_file(file).decode("utf-8") for file in ("encoder.json", "vocab.bpe"))
        return read_gpt2_files(*files)
    if name == "p50k_base":
        # The same tokens, and after <|endoftext|> runs of 2 to 25 spaces, for code. No package
        # carries the file; the hash that tiktoken expects says whether it was made right.
        spaces = {b" " * n: 50255 + n for n in range(2, 26)}
        ranks = _ranks("gpt2") | spaces
        found = hashlib.sha256(write_ranks(ranks)).hexdigest()
        if found != P50K_SHA256:
            raise ValueError(f"the ranks of p50k_base came out with sha256 {found}")
        return ranks
    return read_ranks(ranks_file(f"{name}.tiktoken"), f"{name}.tiktoken")


_PARTS: dict[str, tuple[str, dict[str, int]]] = {
    "gpt2": (GPT2_PATTERN, {END: 50256}),
    "r50k_base": (GPT2_PATTERN, {END: 50256}),
    "p50k_base": (GPT2_PATTERN, {END: 50256}),
    "cl100k_base": (
        GPT4_PATTERN,
        {
            END: 100257,
            "<|fim_prefix|>": 100258,
            "<|fim_middle|>": 100259,
            "<|fim_suffix|>": 100260,
            "<|endofprompt|>": 100276,
        },
    ),
    "o200k_base": (GPT4O_PATTERN, {END: 199999, "<|endofprompt|>": 200018}),
}


def get_encoding(name: str, cls: type[AnyTokenizer] = Tokenizer) -> AnyTokenizer:
    """Return one of OpenAI's tokenizers, with all its special tokens.

    Args:
        name: ``"gpt2"``, ``"r50k_base"`` (the same under its later name), ``"p50k_base"`` (Codex),
            ``"cl100k_base"`` (GPT-4) or ``"o200k_base"`` (GPT-4o).
        cls: The class to build, ``Tokenizer`` or a class derived from it.

    Raises:
        ValueError: The name is none of these.
        DataError: The ranks are not in the cache and could not be fetched.
    """
    _check_name(name)
    pattern, special_tokens = _PARTS[name]
    return cls(_ranks(name), pattern=pattern, special_tokens=special_tokens)
