"""Chapter 07: special tokens, and with them the finished tokenizer.

A special token is an id that no text can produce by accident: ``<|endoftext|>`` typed by a user is
an attack or an accident, so ``encode`` refuses it unless the caller says what it should mean.

Follows tiktoken's ``Encoding`` (names, rules and defaults), with one difference: where the texts of
special tokens overlap, the one that begins first wins, and of those that begin at one place the
longest, whatever the order in which they were given. tiktoken may take the shorter one.
"""

import codecs
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from operator import index
from typing import Literal, Self

import regex

from bpe.categories import compile_split
from bpe.pairs import Pair
from bpe.ranks import SHORT, merge_word, recover_merges
from bpe.splitting import GPT4_PATTERN, learn
from bpe.training import N_BYTES, build_vocab, count_merges, documents
from bpe.utf8 import repair_surrogates

KNOWN_WORDS = 1 << 18  # words whose ids are remembered


def pad(
    batch: Iterable[Iterable[int]],
    pad_id: int,
    *,
    length: int | None = None,
    side: Literal["right", "left"] = "right",
) -> tuple[list[list[int]], list[list[int]]]:
    """Fill lists of ids up to one length, and say which places are real.

    Args:
        batch: Lists of ids.
        pad_id: The id to fill with.
        length: The common length; without it, that of the longest list.
        side: Where to fill.

    Returns:
        Two rectangles of shape (number of lists, length): the ids, and a mask with 1 for an id of
        the batch and 0 for one that was filled in.

    Raises:
        ValueError: A list is longer than ``length``, ``side`` is neither word, or the batch is not
            made of lists of ids. The message names the list.

    >>> pad([[1, 2, 3], [4]], 0)
    ([[1, 2, 3], [4, 0, 0]], [[1, 1, 1], [1, 0, 0]])
    """
    if side not in ("right", "left"):
        raise ValueError(f"side={side!r} is not known: use 'right' or 'left'")
    rows: list[list[int]] = []
    for row in batch:
        try:
            rows.append(list(map(index, row)))
        except TypeError:
            raise ValueError(f"list {len(rows)} of the batch is no list of ids: {row!r}") from None
    width = max(map(len, rows), default=0) if length is None else length
    ids: list[list[int]] = []
    mask: list[list[int]] = []
    for place, row in enumerate(rows):
        missing = width - len(row)
        if missing < 0:
            raise ValueError(
                f"list {place} has {len(row)} ids, more than length={width}: "
                "cut it first, or ask for a greater length"
            )
        filled, real, empty = [pad_id] * missing, [1] * len(row), [0] * missing
        ids.append(row + filled if side == "right" else filled + row)
        mask.append(real + empty if side == "right" else empty + real)
    return ids, mask


class Tokenizer:
    """Byte-level BPE with a pattern and special tokens: the whole of GPT's tokenizers.

    Args:
        ranks: ``{bytes: int}``, each token's id, which is also its rank: the lower, the earlier it
            is merged. The 256 single bytes must be among them.
        pattern: What a word is; no merge crosses from one to the next.
        special_tokens: ``{str: int}``; or only their texts, which then get the next free ids.

    Raises:
        ValueError: A byte has no rank, two tokens share an id, an id is negative or no int, a
            special token is empty, no str or there twice, or the pattern is no regular expression.
            The message names the token.

    Attributes:
        special_tokens: ``{str: int}``.
        pattern: The pattern, as given.
        vocab: ``{int: bytes}``, what each id stands for, special tokens included.
        ranks: ``{bytes: int}``, as given.
        ties: The tie rule of the training, or None where it is not known.

    Example:
        >>> tok = Tokenizer.train("low lower lowest", 259, special_tokens=["<|end|>"])
        >>> ids = tok.encode("low<|end|>", allowed_special={"<|end|>"})
        >>> ids, tok.decode(ids)
        ([257, 258], 'low<|end|>')
    """

    def __init__(
        self,
        ranks: Mapping[bytes, int],
        *,
        pattern: str,
        special_tokens: Mapping[str, int] | Iterable[str] = (),
    ) -> None:
        self.pattern = pattern
        self.vocab: dict[int, bytes] = {}
        self.ranks: dict[bytes, int] = {}
        for token, idx in ranks.items():
            if not isinstance(token, bytes):
                raise ValueError(f"token {token!r} is a {type(token).__name__}: ranks need bytes")
            self.ranks[token] = self._take_id(idx, token, f"token {token!r}")
        missing = [byte for byte in range(N_BYTES) if bytes([byte]) not in self.ranks]
        if missing:
            raise ValueError(
                f"{len(missing)} bytes have no rank, 0x{missing[0]:02x} among them: every text "
                "must be encodable, so ranks need all 256 single bytes"
            )
        names = _special_texts(special_tokens)
        if not isinstance(special_tokens, Mapping):
            special_tokens = dict(zip(names, range(max(self.vocab) + 1, sys.maxsize)))
        self.special_tokens: dict[str, int] = {
            text: self._take_id(idx, text.encode("utf-8"), f"special token {text!r}")
            for text, idx in special_tokens.items()
        }
        self.ties: str | None = None  # the rule it was trained with, where that is known
        self._split = compile_split(pattern)
        self._known: dict[str, list[int]] = {}

    def _take_id(self, idx: int, token: bytes, name: str) -> int:
        number = index(idx) if hasattr(idx, "__index__") and not isinstance(idx, bool) else -1
        if number < 0:
            raise ValueError(f"{name} has id {idx!r}: ids are whole numbers from 0 upwards")
        if number in self.vocab:
            raise ValueError(f"{name} has id {idx}, which {self.vocab[number]!r} has already")
        self.vocab[number] = token
        return number

    @classmethod
    def train(
        cls,
        texts: str | Iterable[str],
        vocab_size: int,
        *,
        pattern: str = GPT4_PATTERN,
        special_tokens: Mapping[str, int] | Iterable[str] = (),
        ties: str = "smallest",
        progress: bool = False,
    ) -> Self:
        """Learn a tokenizer from ``texts``.

        Args:
            texts: A string, or an iterable of strings (documents). A special token in them is cut
                out: it is never learned from.
            vocab_size: 256 bytes, plus the merges, plus the special tokens.
            pattern: What a word is.
            special_tokens: Their texts, which get the last ids; or ``{str: int}`` for ids that are
                fixed, all of them above those of the merges.
            ties: Which of several pairs with the highest count is merged: see ``train_words``.
            progress: Show a progress bar (needs tqdm).

        Raises:
            ValueError: ``vocab_size`` is below 256 plus the special tokens, a special token is
                none or has an id that merges need, ``ties`` is not a rule, or ``pattern`` is no
                regular expression.

        Warns:
            UserWarning: The words ran out of pairs before ``vocab_size`` was reached.

        >>> Tokenizer.train("low low", 258).merges
        {(108, 111): 256, (256, 119): 257}
        """
        parts, specials = prepare(texts, vocab_size, special_tokens)
        merges = learn(parts, vocab_size, pattern, ties, progress, reserved=len(specials))
        return cls.from_merges(merges, pattern=pattern, special_tokens=specials, ties=ties)

    @classmethod
    def from_merges(
        cls,
        merges: Mapping[Pair, int],
        *,
        pattern: str,
        special_tokens: Mapping[str, int] | Iterable[str] = (),
        ties: str | None = None,
    ) -> Self:
        """Make a tokenizer of merges, in the order in which they were learned.

        Raises:
            ValueError: The merges are no chain from the bytes upwards, or as for ``Tokenizer``.

        >>> Tokenizer.from_merges({(97, 97): 256}, pattern=GPT4_PATTERN).encode("aaa")
        [256, 97]
        """
        ranks = {token: idx for idx, token in build_vocab(merges).items()}
        tok = cls(ranks, pattern=pattern, special_tokens=special_tokens)
        tok.ties = ties
        tok.__dict__["merges"] = dict(merges)  # known already: no need to recover them
        return tok

    @cached_property
    def merges(self) -> dict[Pair, int]:
        """``{(int, int): int}``, recovered from the ranks (see ``recover_merges``)."""
        return recover_merges(self.ranks)

    @property
    def n_vocab(self) -> int:
        """One more than the highest id, as in tiktoken: the rows that an embedding table needs.

        >>> Tokenizer.train("", 257, special_tokens=["<|end|>"]).n_vocab
        257
        """
        return max(self.vocab) + 1

    def encode(
        self,
        text: str,
        *,
        allowed_special: Literal["all"] | Collection[str] = frozenset(),
        disallowed_special: Literal["all"] | Collection[str] = "all",
    ) -> list[int]:
        """Return the ids of ``text``.

        Args:
            text: Any str; lone surrogates become U+FFFD, as in tiktoken.
            allowed_special: The special tokens whose text becomes their id; ``"all"`` for all.
            disallowed_special: The special tokens whose text raises an error; ``"all"`` for all
                that are not allowed. One that is in neither is encoded as plain text, one that is
                in both raises.

        Raises:
            ValueError: The text holds a disallowed special token (the message names it and its
                place, and says how to allow it or to take it as plain text), or is no str.

        >>> tok = Tokenizer.train("", 257, special_tokens=["<|end|>"])
        >>> tok.encode("a<|end|>", allowed_special="all")
        [97, 256]
        >>> tok.encode("<|end|>", disallowed_special=())
        [60, 124, 101, 110, 100, 124, 62]
        """
        ids: list[int] = []
        for part in self._parts(text, allowed_special, disallowed_special):
            if isinstance(part, str):
                ids += self._encode_words(part)
            else:
                ids.append(part)
        return ids

    def _parts(
        self,
        text: str,
        allowed_special: Literal["all"] | Collection[str],
        disallowed_special: Literal["all"] | Collection[str],
    ) -> Iterator[str | int]:
        """Yield the texts between special tokens, and the ids of these; see ``encode``."""
        specials = self.special_tokens
        allowed = _chosen(allowed_special, specials, "allowed_special") & specials.keys()
        if disallowed_special == "all":
            refused = specials.keys() - allowed
        else:
            refused = _chosen(disallowed_special, specials, "disallowed_special")
        text = _repaired(text)
        start = 0
        if allowed | refused:
            for match in _any_of(frozenset(allowed | refused)).finditer(text):
                if match[0] in refused:
                    raise ValueError(
                        f"the text holds the special token {match[0]!r} at position "
                        f"{match.start()}. To turn it into its id, pass "
                        f"allowed_special={{{match[0]!r}}}; to encode it as plain text, pass "
                        "disallowed_special=()."
                    )
                yield text[start : match.start()]
                yield specials[match[0]]
                start = match.end()
        yield text[start:]

    def encode_ordinary(self, text: str) -> list[int]:
        """Return the ids of ``text`` with every special token taken as plain text.

        Raises:
            ValueError: The text is no str.

        >>> Tokenizer.train("aa", 257).encode_ordinary("aaa")
        [256, 97]
        """
        return self._encode_words(_repaired(text))

    def _encode_words(self, text: str) -> list[int]:
        ids: list[int] = []
        known, ranks = self._known, self.ranks
        for word in self._split(text):
            found = known.get(word)
            if found is None:
                found = merge_word(word.encode("utf-8"), ranks)
                if len(known) < KNOWN_WORDS and len(word) <= SHORT:
                    known[word] = found
            ids += found
        return ids

    def encode_batch(
        self,
        texts: Iterable[str],
        *,
        allowed_special: Literal["all"] | Collection[str] = frozenset(),
        disallowed_special: Literal["all"] | Collection[str] = "all",
    ) -> list[list[int]]:
        """Return the ids of each of ``texts``; arguments as in ``encode``.

        >>> Tokenizer.train("aa", 257).encode_batch(["aa", ""])
        [[256], []]
        """
        return [
            self.encode(
                text, allowed_special=allowed_special, disallowed_special=disallowed_special
            )
            for text in texts
        ]

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the bytes that ``ids`` stand for, joined.

        Raises:
            KeyError: An id is not in the vocabulary, or no int. The message names it and its place.

        >>> Tokenizer.train("aa", 257).decode_bytes([256, 98])
        b'aab'
        """
        return b"".join(self._pieces(ids))

    def _pieces(self, ids: Iterable[int]) -> Iterator[bytes]:
        for place, idx in enumerate(ids):
            try:
                yield self.vocab[index(idx)]  # index() lets NumPy's ints in, and no floats
            except (KeyError, TypeError):
                shown = idx if hasattr(idx, "__index__") else repr(idx)  # '3' and 3.0 are no ids
                raise KeyError(
                    f"cannot decode id {shown} at position {place}: it is not among the "
                    f"{len(self.vocab)} ids of this tokenizer (highest: {max(self.vocab)})"
                ) from None

    def decode(self, ids: Iterable[int], errors: str = "replace") -> str:
        """Return the text that ``ids`` stand for; bytes that are not UTF-8 become U+FFFD.

        Raises:
            KeyError: An id is not in the vocabulary.
            UnicodeDecodeError: The bytes are not UTF-8 and ``errors`` is ``"strict"``.

        >>> Tokenizer.train("aa", 257).decode([256, 98])
        'aab'
        """
        return self.decode_bytes(ids).decode("utf-8", errors=errors)

    def decode_with_offsets(self, ids: Iterable[int]) -> tuple[str, list[int]]:
        """Return the text, and for each id the place of the character in which it begins.

        Several ids can begin in one character: they have the same offset.

        Raises:
            KeyError: An id is not in the vocabulary.

        >>> Tokenizer.train("", 256).decode_with_offsets([97, 0xC3, 0xA9, 98])
        ('aéb', [0, 1, 1, 2])
        """
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        offsets: list[int] = []
        parts: list[str] = []
        length = 0  # characters so far
        for piece in self._pieces(ids):
            first = decoder.decode(piece[:1])
            waiting = decoder.getstate()[0]  # bytes of a character that is not complete
            place = length + len(first)
            if first and not waiting:
                place -= 1  # the byte ends the last character, or is one alone
            elif b"\xed\xa0" <= waiting < b"\xee":
                place += 1  # half a surrogate: two wrong bytes, which Python keeps for a moment
            offsets.append(place)
            rest = decoder.decode(piece[1:])
            parts += (first, rest)
            length += len(first) + len(rest)
        parts.append(decoder.decode(b"", final=True))
        return "".join(parts), offsets

    def decode_stream(self, ids: Iterable[int]) -> Iterator[str]:
        """Yield the text of ``ids`` as it comes, never half a character.

        A piece of text is held back until the bytes of its last character are complete. The pieces
        joined are ``decode(ids)``.

        Raises:
            KeyError: An id is not in the vocabulary; what came before it has been yielded.

        >>> list(Tokenizer.train("", 256).decode_stream([97, 0xC3, 0xA9]))
        ['a', 'é']
        """
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        for piece in self._pieces(ids):
            if text := decoder.decode(piece):
                yield text
        if text := decoder.decode(b"", final=True):
            yield text

    def __reduce__(self) -> tuple:
        known = {key: value for key, value in self.__dict__.items() if key in ("merges", "ties")}
        return _rebuild, (type(self), self.ranks, self.pattern, self.special_tokens, known)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self.vocab)} ids>"


def _rebuild(cls: type[Tokenizer], ranks: dict, pattern: str, specials: dict, known: dict):
    tok = cls(ranks, pattern=pattern, special_tokens=specials)
    tok.__dict__.update(known)
    return tok


def prepare(
    texts: str | Iterable[str],
    vocab_size: int,
    special_tokens: Mapping[str, int] | Iterable[str],
) -> tuple[str | Iterable[str], Mapping[str, int] | list[str]]:
    """Check what ``train`` is asked for, and cut the special tokens out of the texts.

    Returns:
        The texts without special tokens; the special tokens, as a mapping or a list.

    Raises:
        ValueError: As for ``Tokenizer.train``.

    >>> parts, specials = prepare("one<|end|>two", 300, ["<|end|>"])
    >>> list(parts), specials
    (['one', 'two'], ['<|end|>'])
    """
    if not isinstance(special_tokens, Mapping):
        special_tokens = _special_texts(special_tokens)
    names = _special_texts(special_tokens)
    first_free = N_BYTES + count_merges(vocab_size, len(names))
    if isinstance(special_tokens, Mapping):
        for text, idx in special_tokens.items():
            if hasattr(idx, "__index__") and index(idx) < first_free:
                raise ValueError(
                    f"special token {text!r} has id {idx}, and bytes and merges take those up "
                    f"to {first_free - 1}: use {first_free} or more"
                )
    if names:
        cut = _any_of(frozenset(names))
        whole = documents(texts)
        texts = (part for text in whole for part in cut.split(repair_surrogates(text)))
    return texts, special_tokens


def _special_texts(special_tokens: Iterable[str]) -> list[str]:
    """The texts of special tokens, looked at one by one."""
    if isinstance(special_tokens, str):
        raise ValueError(f"special_tokens={special_tokens!r} is one str: give a list or a dict")
    texts: dict[str, None] = {}
    for text in special_tokens:
        if not isinstance(text, str):
            raise ValueError(f"special token {text!r} is a {type(text).__name__}, not a str")
        if not text:
            raise ValueError("a special token needs a text: '' stands everywhere")
        if text in texts:
            raise ValueError(f"special token {text!r} is there twice: which id should it have?")
        if repair_surrogates(text) != text:
            raise ValueError(f"special token {text!r} holds a surrogate, which no file can carry")
        texts[text] = None
    return list(texts)


def _repaired(text: str) -> str:
    if not isinstance(text, str):
        raise ValueError(
            f"text is a {type(text).__name__}, not a str: decode bytes first "
            "(data.decode('utf-8')), hand the texts of a list to encode_batch"
        )
    return repair_surrogates(text)


def _chosen(choice: str | Collection[str], specials: Collection[str], name: str) -> set[str]:
    if isinstance(choice, str) and choice != "all":
        raise ValueError(
            f"{name}={choice!r} is one str: use 'all', or a set such as {{{choice!r}}}"
        )
    return set(specials if choice == "all" else choice)


@lru_cache
def _any_of(texts: frozenset[str]) -> regex.Pattern[str]:
    """A pattern for any of these texts, the longest first: of several that fit, the first wins."""
    longest_first = sorted(texts, key=len, reverse=True)
    return regex.compile("|".join(map(regex.escape, longest_first)) or r"(?!)")
