r"""Beside the ladder: how Hugging Face's files name tokens, list merges and describe the rest.

``files`` reads and writes; here is what stands in ``vocab.json``, ``merges.txt`` and
``tokenizer.json``, and what has to hold for it. Two things need care. In these files a merge
belongs to its pair of tokens, in ``ranks`` to the bytes that it makes: the two ways give the same
ids only when every merge is the one that the earlier ones lead to. And the pattern is run by
another engine, Oniguruma, which reads some signs in another way.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from bpe.openai import from_characters, to_characters
from bpe.pairs import Pair
from bpe.ranks import merge_word
from bpe.specials import Tokenizer
from bpe.splitting import GPT2_PATTERN
from bpe.training import N_BYTES

Step = tuple[str, bytes, bytes, int]  # where it stands, the two parts, the new id


def follow(ranks: dict[bytes, int], steps: Iterable[Step]) -> dict[Pair, int]:
    """Add to ``ranks`` what each merge makes, and return the merges as pairs of ids.

    Args:
        ranks: The ranks of the 256 bytes.
        steps: For each merge where it stands (for messages), its two parts and its id.

    Raises:
        ValueError: A part is not made yet, a token is made twice, the ids do not rise, or the
            merges before lead to other parts. The message begins with where the merge stands.

    >>> ranks = {b"a": 0, b"b": 1}
    >>> follow(ranks, [("line 2", b"a", b"b", 2), ("line 3", b"ab", b"a", 3)]), ranks[b"aba"]
    ({(0, 1): 2, (2, 0): 3}, 3)
    """
    merges: dict[Pair, int] = {}
    last = -1
    for place, first, second, idx in steps:
        token = first + second
        for part in (first, second):
            if part not in ranks:
                raise ValueError(f"{place}: {part!r} is not made yet")
        if token in ranks:
            raise ValueError(f"{place}: {token!r} is made once more, it has id {ranks[token]}")
        if isinstance(idx, bool) or not isinstance(idx, int):
            raise ValueError(f"{place}: {token!r} has id {idx!r}, which is no whole number")
        if idx <= last:
            raise ValueError(
                f"{place}: {token!r} has id {idx}, and the merge before it {last}: the order of "
                "the merges and that of the ids must be the same"
            )
        pair = ranks[first], ranks[second]
        if merge_word(token, ranks) != [*pair]:
            raise ValueError(
                f"{place}: {token!r} can't come from {first!r} and {second!r}, since merges before "
                "this one cut it elsewhere"
            )
        merges[pair] = ranks[token] = last = idx
    return merges


def named_tokens(tok: Tokenizer) -> dict[str, int]:
    """Return every token with its id, as vocab.json has them: bytes are written as characters.

    Raises:
        ValueError: A special token is written like one that was learned.

    >>> tok = Tokenizer.train("to to", 257, special_tokens=())
    >>> list(named_tokens(tok).items())[-1]
    ('to', 256)
    """
    named = {to_characters(token): idx for token, idx in tok.ranks.items()}
    for text, idx in tok.special_tokens.items():
        if text in named:
            raise ValueError(
                f"the special token {text!r} (id {idx}) cannot be told from a token that was "
                f"learned (id {named[text]}): this format writes both alike. Rename it, or use "
                "Tokenizer.save."
            )
        named[text] = idx
    return dict(sorted(named.items(), key=lambda item: item[1]))


def named_merges(tok: Tokenizer) -> Iterator[tuple[str, str]]:
    """Yield the merges in order, each as its two tokens.

    Raises:
        ValueError: The ranks are no chain of merges.

    >>> list(named_merges(Tokenizer.train(" to to", 258)))
    [('Ġ', 't'), ('Ġt', 'o')]
    """
    for first, second in tok.merges:
        yield to_characters(tok.vocab[first]), to_characters(tok.vocab[second])


def unnamed_ranks(
    named: Mapping[str, int], pairs: Iterable[tuple[str, str, str]], origin: object
) -> tuple[dict[bytes, int], dict[Pair, int], dict[str, int]]:
    """Return ranks, merges, and the tokens that no merge makes.

    Args:
        named: Every token with its id.
        pairs: For each merge where it stands, and its two tokens.
        origin: The file of ``named``, for messages.

    Raises:
        ValueError: The two do not fit; the message says where.
    """
    left = dict(named)

    def take(token: bytes, place: str) -> int:
        text = to_characters(token)
        if text not in left:
            raise ValueError(f"{place}: {origin} has no token {text!r}")
        return left.pop(text)

    def steps() -> Iterator[Step]:
        for place, *texts in pairs:
            try:
                first, second = map(from_characters, texts)
            except ValueError as error:
                raise ValueError(f"{place}: {error}") from None
            made = first + second in ranks  # follow() has more to say about it
            yield place, first, second, 0 if made else take(first + second, place)

    each_byte = (bytes([byte]) for byte in range(N_BYTES))
    ranks = {byte: take(byte, f"byte 0x{byte.hex()}") for byte in each_byte}
    merges = follow(ranks, steps())
    return ranks, merges, left


def special_among(
    left: dict[str, int], ranks: Mapping[bytes, int], names: Iterable[str] | None, origin: object
) -> dict[str, int]:
    """Return which of the tokens that no merge makes are special.

    Args:
        left: The tokens that no merge makes.
        ranks: The others.
        names: The texts of the special tokens, or None: all that could not be a merge of two.
        origin: The file, for messages.

    Raises:
        ValueError: A token is neither special nor made by a merge, or a name is not among them.
    """
    if names is None:
        orphans = [text for text in left if _could_be_a_merge(text, ranks)]
    else:
        wanted = dict.fromkeys(names)
        orphans = [text for text in left if text not in wanted]
        for text in wanted:
            if text not in left:
                raise ValueError(f"{origin} has no token {text!r} that could be special")
    if orphans:
        text = min(orphans, key=left.__getitem__)
        raise ValueError(
            f"{origin} has the token {text!r} (id {left[text]}), and no merge makes it. Is a merge "
            "missing? If the token is special, name it in special_tokens=[...]."
        )
    return left


def _could_be_a_merge(text: str, ranks: Mapping[bytes, int]) -> bool:
    try:
        return len(merge_word(from_characters(text), ranks)) == 2
    except ValueError:
        return False


# --- the pattern --------------------------------------------------------------------------------

# Escapes, categories, classes in brackets, groups, counts, any other character: as much of the
# grammar as is needed to see what a count belongs to.
_SIGN = re.compile(
    r"\\[pPxN]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?<?\w*[>:=!]|\{\d*,?\d*\}\+?|.", re.S
)
_COUNT = re.compile(r"\{(?:\d+(?:,\d*)?|,\d+)\}(\+?)")
_COUNTED = re.compile(r"(?<!\\[xN])" + _COUNT.pattern[:-5] + r"\Z")


def to_oniguruma(pattern: str) -> str:
    r"""Return ``pattern`` in the way Oniguruma has to read it to mean the same.

    There ``{1,3}+`` is not possessive but "one to three, once or more", so an atomic group says it;
    ``^`` and ``$`` match at every line, so ``\A`` and ``\Z`` say it; and what is ``(?s:...)`` here
    is ``(?m:...)`` there. (Not handled: signs that GPT's patterns do not use and that differ, too,
    such as ``\h``.)

    >>> to_oniguruma(r"\p{N}{1,3}+|\s++$")
    '(?>\\p{N}{1,3})|\\s++\\Z'
    """

    def close(group: list[str]) -> str:
        lines = {r"(?m:\A": "^", r"(?m:\Z": "$"}  # what from_oniguruma makes of them
        return lines.get("".join(group)) or "".join(group) + ")"

    table = {"^": r"\A", "$": r"\Z", r"\Z": r"\z", "(?s:": "(?m:"}
    return _rewrite(pattern, table, close, lambda atom, count: f"(?>{atom}{count})")


def from_oniguruma(pattern: str) -> str:
    r"""Return the pattern of a ``tokenizer.json`` in the way Python has to read it.

    Undoes ``to_oniguruma``; signs that somebody else wrote keep what Oniguruma means by them.

    >>> from_oniguruma(r"(?>\p{N}{1,3})|\s++\Z"), from_oniguruma(r"\d{1,3}+")
    ('\\p{N}{1,3}+|\\s++$', '(?:\\d{1,3})+')
    """

    def close(group: list[str]) -> str:
        if group[0] == "(?>" and len(group) == 2 and _COUNTED.search(group[1]):
            return f"{group[1]}+"  # an atomic group around one atom and its count
        return "".join(group) + ")"

    table = {"^": "(?m:^)", "$": "(?m:$)", r"\Z": "$", r"\z": r"\Z", "(?m:": "(?s:"}
    return _rewrite(pattern, table, close, lambda atom, count: f"(?:{atom}{count})+")


def _rewrite(
    pattern: str,
    table: Mapping[str, str],
    close: Callable[[list[str]], str],
    possessive: Callable[[str, str], str],
) -> str:
    """Replace signs by ``table``, whole groups by ``close``, ``X{n,m}+`` by ``possessive``."""
    parts: list[str] = []  # the last one is what a count belongs to
    opened: list[int] = []
    for sign in _SIGN.findall(pattern):
        count = _COUNT.fullmatch(sign)
        if count and parts:
            atom = parts.pop()
            parts.append(possessive(atom, sign[:-1]) if count[1] else atom + sign)
        elif sign in ("*", "+", "?") and parts:
            parts[-1] += sign
        elif sign == ")" and opened:
            start = opened.pop()
            parts[start:] = [close(parts[start:])]
        else:
            if sign.startswith("("):
                opened.append(len(parts))
            parts.append(table.get(sign, sign))
    return "".join(parts)


# --- tokenizer.json -----------------------------------------------------------------------------


def as_tokenizer_json(tok: Tokenizer) -> dict[str, Any]:
    """Return the tokenizer as the object that a Hugging Face ``tokenizer.json`` holds.

    Raises:
        ValueError: The ranks are no chain of merges, or a special token cannot be told apart.
    """
    byte_level = {
        "type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False
    }  # fmt: skip
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": idx, "content": text, "single_word": False, "lstrip": False, "rstrip": False,
             "normalized": False, "special": True}
            for text, idx in sorted(tok.special_tokens.items(), key=lambda item: item[1])
        ],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "Split", "pattern": {"Regex": to_oniguruma(tok.pattern)},
                 "behavior": "Isolated", "invert": False},
                byte_level,
            ],
        },
        "post_processor": None,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            # True would look up each word in the vocabulary first. It would find what merging it
            # gives, or a special token that has no business there.
            "ignore_merges": False,
            # Special tokens, too: those that are not here get the next free ids, not their own.
            "vocab": named_tokens(tok),
            "merges": [[first, second] for first, second in named_merges(tok)],
        },
    }  # fmt: skip


def from_tokenizer_json(
    data: Mapping[str, Any], origin: object, pattern: str | None
) -> tuple[dict[bytes, int], dict[Pair, int], dict[str, int], str]:
    """Return ranks, merges, special tokens and pattern out of what a ``tokenizer.json`` holds.

    Raises:
        ValueError: It holds something else than byte-level BPE, or a setting that would change the
            ids. The message names ``origin`` and what is in the way.
    """
    if reason := _unreadable(data):
        raise ValueError(f"{origin}: {reason}")
    model = data["model"]
    if pattern is None:
        pattern = _pattern_of(data)
    if pattern is None:
        raise ValueError(f"{origin} does not say what a word is: pass pattern=...")
    pairs = []
    for number, entry in enumerate(model["merges"]):
        parts = entry.split(" ") if isinstance(entry, str) else entry
        if len(parts) != 2:
            raise ValueError(f"{origin}, merge {number}: {entry!r} is not two tokens")
        pairs.append((f"{origin}, merge {number}", *parts))
    added = {entry["content"]: entry["id"] for entry in data.get("added_tokens") or []}
    for text, idx in added.items():
        if model["vocab"].get(text, idx) != idx:
            raise ValueError(f"{origin} gives {text!r} two ids, {idx} and {model['vocab'][text]}")
    ranks, merges, left = unnamed_ranks(model["vocab"] | added, pairs, origin)
    return ranks, merges, special_among(left, ranks, added, origin), pattern


def _steps(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    before = data["pre_tokenizer"] or {"type": "none"}
    return before["pretokenizers"] if before["type"] == "Sequence" else [before]


def _unreadable(data: Mapping[str, Any]) -> str | None:
    """Say why ids would differ from Hugging Face's, or return None."""
    model, steps = data["model"], _steps(data)
    cuts = [step for step in steps if step["type"] == "Split" or step.get("use_regex", True)]
    if model.get("type") != "BPE":
        return f"the model is {model.get('type')}, and only BPE can be read here"
    if "ByteLevel" not in {step["type"] for step in steps}:
        return "the BPE is not on bytes (no ByteLevel step in pre_tokenizer)"
    if strange := {step["type"] for step in steps} - {"ByteLevel", "Split"}:
        return f"the step {min(strange)} of pre_tokenizer is not known here"
    if len(cuts) > 1:
        return f"pre_tokenizer cuts the text {len(cuts)} times, and a Tokenizer has one pattern"
    if any(step.get("behavior", "Isolated") != "Isolated" or step.get("invert") for step in steps):
        return "Split does something else than to keep what its pattern matches"
    if any("Regex" not in step["pattern"] for step in steps if step["type"] == "Split"):
        return "Split has no regular expression for a pattern"
    if any(step.get("add_prefix_space") for step in steps):
        return "add_prefix_space puts a space before the text: put it there yourself"
    if data.get("normalizer"):
        return f"the normalizer {data['normalizer'].get('type')} would change the text"
    for setting in ("dropout", "continuing_subword_prefix", "end_of_word_suffix"):
        if model.get(setting):
            return f"the model's {setting} {model[setting]!r} is not known here"
    for entry in data.get("added_tokens") or []:
        for setting in ("single_word", "lstrip", "rstrip"):
            if entry.get(setting):
                return f"the added token {entry['content']!r} is {setting}: not known here"
    return None


def _pattern_of(data: Mapping[str, Any]) -> str | None:
    for step in _steps(data):
        if step["type"] == "Split":
            return from_oniguruma(step["pattern"]["Regex"])
        if step.get("use_regex", True):
            return GPT2_PATTERN
    return None
