"""Chapter 05: from text to ids and back, with merges that were learned.

Decoding looks up the bytes of each id. Encoding starts from bytes and always applies the lowest
rank, that is the merge that was learned first, until none applies.

Follows minbpe's ``BasicTokenizer``. Not handled here: splitting (chapter 06), special tokens (07).
"""

from collections.abc import Iterable, Mapping
from heapq import heapify, heappop, heappush
from itertools import pairwise
from operator import index

from bpe.pairs import Pair
from bpe.training import build_vocab, train
from bpe.utf8 import text_to_bytes


def apply_merges(ids: Iterable[int], merges: Mapping[Pair, int]) -> list[int]:
    """Return ``ids`` after every merge that applies, lowest rank first, leftmost first.

    The result is that of the loop in chapter 05 (find the lowest pair, ``merge`` it, look again).
    That loop reads all ids once for each merge; here a heap holds the pairs that can be merged, so
    that n ids take about n log n steps, whatever the text.

    Args:
        ids: The ids to start from, usually bytes.
        merges: A merge's new id is its rank, and stands above the ids it is made of: what training
            returns, and what ``BasicTokenizer`` checks. With other tables the loop and the heap
            may part ways.

    >>> apply_merges(b"aaabdaaabac", {(97, 97): 256, (256, 97): 257, (257, 98): 258})
    [258, 100, 258, 97, 99]
    """
    ids = list(ids)
    # A linked list over the places: `after[i]` and `before[i]` are the neighbours still alive.
    n = len(ids)
    after = list(range(1, n + 1))
    before = list(range(-1, n - 1))
    heap = [(merges[pair], i) for i, pair in enumerate(pairwise(ids)) if pair in merges]
    heapify(heap)
    while heap:
        idx, i = heappop(heap)
        j = after[i]
        # An entry is stale when one of its two ids has been merged away in the meantime.
        if ids[i] < 0 or j == n or merges.get((ids[i], ids[j])) != idx:
            continue
        ids[i], ids[j] = idx, -1
        after[i] = k = after[j]
        if k < n:
            before[k] = i
            if (right := merges.get((idx, ids[k]))) is not None:
                heappush(heap, (right, i))
        h = before[i]
        if h >= 0 and (left := merges.get((ids[h], idx))) is not None:
            heappush(heap, (left, h))
    return [idx for idx in ids if idx >= 0]


class BasicTokenizer:
    """Byte-level BPE without splitting and without special tokens.

    Args:
        merges: ``{(int, int): int}`` in the order of learning, as ``training.train`` returns it.
            New ids rise from 256.

    Raises:
        ValueError: The merges are no chain from the bytes upwards: one uses an id before it is
            made, makes an id that is taken, or has a lower id than the merge before it.

    Attributes:
        merges: The merges, as given.
        vocab: ``{int: bytes}``, what each id stands for.

    Example:
        >>> tok = BasicTokenizer.train("aaabdaaabac", 259)
        >>> tok.encode("aaabdaaabac")
        [258, 100, 258, 97, 99]
        >>> tok.decode([258, 100, 258, 97, 99])
        'aaabdaaabac'
    """

    def __init__(self, merges: Mapping[Pair, int]) -> None:
        self.merges: dict[Pair, int] = dict(merges)
        self.vocab: dict[int, bytes] = build_vocab(self.merges)
        for last, idx in pairwise(self.merges.values()):
            if idx < last:
                raise ValueError(
                    f"merge to {idx} comes after the merge to {last}: new ids must rise, "
                    "since the id of a merge is its rank"
                )

    @classmethod
    def train(
        cls,
        texts: str | Iterable[str],
        vocab_size: int,
        *,
        ties: str = "first",
        progress: bool = False,
    ) -> "BasicTokenizer":
        """Learn merges from ``texts`` and return the tokenizer: arguments as ``training.train``.

        >>> BasicTokenizer.train("abab", 257).vocab[256]
        b'ab'
        """
        return cls(train(texts, vocab_size, ties=ties, progress=progress))

    @property
    def n_vocab(self) -> int:
        """How many ids there are, the 256 bytes included.

        >>> BasicTokenizer({}).n_vocab
        256
        """
        return len(self.vocab)

    def encode(self, text: str) -> list[int]:
        """Return the ids of ``text``: any str is encodable, the empty one gives ``[]``.

        ``decode`` gives the text back, except that surrogates come back repaired
        (see ``utf8.repair_surrogates``).

        Raises:
            ValueError: ``text`` is no str.

        >>> BasicTokenizer({(104, 105): 256}).encode("hi!")
        [256, 33]
        """
        if not isinstance(text, str):
            raise ValueError(
                f"text is a {type(text).__name__}, not a str: decode bytes first "
                "(data.decode('utf-8')), encode the texts of a list one by one"
            )
        return apply_merges(text_to_bytes(text), self.merges)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the bytes that ``ids`` stand for, joined.

        Raises:
            KeyError: An id is not in the vocabulary, or no int. The message names it and its place.

        >>> BasicTokenizer({(104, 105): 256}).decode_bytes([256, 33])
        b'hi!'
        """
        parts = []
        for place, idx in enumerate(ids):
            try:
                parts.append(self.vocab[index(idx)])  # index() lets NumPy's ints in, and no floats
            except (KeyError, TypeError):
                shown = idx if hasattr(idx, "__index__") else repr(idx)  # '3' and 3.0 are no ids
                raise KeyError(
                    f"cannot decode id {shown} at position {place}: it is not among the "
                    f"{self.n_vocab} ids of this tokenizer (ints from 0 to {max(self.vocab)})"
                ) from None
        return b"".join(parts)

    def decode(self, ids: Iterable[int], errors: str = "replace") -> str:
        """Return the text that ``ids`` stand for.

        Not every list of ids is valid UTF-8. With ``errors="replace"`` the bytes that are not
        become U+FFFD; with ``"strict"`` they raise.

        Raises:
            KeyError: An id is not in the vocabulary.
            UnicodeDecodeError: The bytes are not UTF-8 and ``errors`` is ``"strict"`` (a
                ``ValueError`` that names byte and place).

        >>> BasicTokenizer({}).decode([128])
        '\ufffd'
        """
        return self.decode_bytes(ids).decode("utf-8", errors=errors)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.n_vocab} ids>"
