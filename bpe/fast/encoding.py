"""Chapter 11: text becomes ids, and ids text, faster than in the compiled libraries.

``Encoder`` gives what ``bpe.Tokenizer`` gives, which is its plain twin, and which also says what is
wrong with a wrong argument. What happens to the bytes is in the other modules: ``patterns`` finds
the words, ``caching`` remembers them, ``merging`` and ``tables`` work out those that are new.
"""

import os
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import chain, pairwise
from threading import Lock
from typing import Any, Literal, NamedTuple

import numpy as np

from bpe.fast.caching import (
    CAN_WALK,
    LINE_BITS,
    MOST_BYTES,
    N_DOCUMENTS,
    N_IDS,
    PATIENCE,
    ROW_BITS,
    WHOLE,
    Known,
    encode_block,
)
from bpe.fast.compiling import compiled, inlined
from bpe.fast.memory import aligned, bytes_at, handle, int64s_at, store_word, word
from bpe.fast.merging import ANSWER_BITS, SHORT, Steps, build_steps, heap_room
from bpe.fast.patterns import KINDS, PADDING
from bpe.fast.scanning import Block, parts
from bpe.fast.tables import Tables, build_tables
from bpe.specials import Tokenizer, _any_of
from bpe.utf8 import repair_surrogates, text_to_bytes

LAST_ID = (1 << 32) - 1  # of an array of uint32

# --- ids to text --------------------------------------------------------------------------------


SIZE_BITS = 24
MOST_BYTES_OF_AN_ID = (1 << SIZE_BITS) - 1


class Pieces(NamedTuple):
    """What each id stands for: where its bytes begin, times 2^24, and how many; -1 without any.

    It is one number so that one look into memory finds both. ``bytes`` has room for eight more at
    its end: they are copied eight at a time.
    """

    bytes: np.ndarray
    places: np.ndarray

    @classmethod
    def of(cls, vocab: Mapping[int, bytes]) -> "Pieces":
        ids = np.fromiter(vocab, np.int64, len(vocab))
        lengths = np.fromiter(map(len, vocab.values()), np.int64, len(vocab))
        places = np.full(ids.max() + 1, -1, np.int64)
        places[ids] = (np.cumsum(lengths) - lengths) << SIZE_BITS | lengths
        return cls(np.frombuffer(b"".join([*vocab.values(), PADDING]), np.uint8), places)


@inlined
def open_pieces(pieces):
    return Pieces(bytes_at(pieces[0]), int64s_at(pieces[1]))


@compiled
def count_bytes(pieces, ids, n_ids):
    """How many bytes the ids stand for; -1 if there is one that the vocabulary does not have."""
    pieces, total = open_pieces(pieces), 0
    for idx in ids:
        if idx >= n_ids or pieces.places[idx] < 0:
            return -1
        total += pieces.places[idx] & MOST_BYTES_OF_AN_ID
    return total


@compiled
def join_bytes(pieces, ids, output):
    """Copy what the ids stand for to an output that has room for eight bytes more."""
    pieces, data, o = open_pieces(pieces), bytes_at(output[0]), 0
    for idx in ids:
        start, size = pieces.places[idx] >> SIZE_BITS, pieces.places[idx] & MOST_BYTES_OF_AN_ID
        for k in range(0, size, 8):
            store_word(data, o + k, word(pieces.bytes, start + k))
        o += size


# --- what a thread has --------------------------------------------------------------------------

SHORT_TEXT = 4096  # bytes: up to here there is room for a text already
KEPT = 1 << 12  # bytes: a thread has room for words of this length, for longer ones if need be
# A heap needs no preparation, and the walk a tree of all tokens: as long as a heap takes for so
# many bytes. So heaps are used for these: whatever comes, half of the time at most was lost.
PREPARING = 1 << 20
NO_END = 1 << 62
NO_STEPS = Steps(*(np.zeros(1, kind) for kind in (np.int32, np.uint64, *3 * [np.int32], np.int64)))


class _Worker:
    """The memory of a thread, and a job that is ready for short texts: making one takes longer."""

    def __init__(self, tables: Tables, kind: int) -> None:
        self._tables = tables, handle(tables)
        self.known = Known(
            aligned(8 << LINE_BITS, np.uint64),
            aligned(16 << ROW_BITS, np.uint64),
            np.zeros(SHORT, np.int32),
            np.zeros(1, np.uint8),
            aligned(1 << ANSWER_BITS, np.uint64),
            np.array([kind, 1, 0, 0, 0, 0], np.int64),
        )
        self.text = np.zeros(SHORT_TEXT, np.uint8)
        self.text_view = memoryview(self.text)
        self.ids = np.zeros(SHORT_TEXT + 4, np.int32)
        self._block = Block.of([""])._replace(text=self.text)
        self._id_ends = np.zeros(1, np.int64)
        self.give_room(KEPT, None, PREPARING)

    def give_room(self, most_bytes: int, steps: Steps | None, patience: int) -> None:
        """Make room for words of so many bytes: little for a walk, much for a heap."""
        walks = steps is not None
        self.most_bytes = most_bytes
        settings = self.known.settings
        settings[[CAN_WALK, MOST_BYTES, PATIENCE]] = walks, most_bytes, patience
        self.known = self.known._replace(dead=np.zeros(most_bytes * walks + 1, np.uint8))
        room = heap_room(most_bytes * (not walks))
        self._parts = (steps or NO_STEPS, room, self.known)
        self._handles = [self._tables[1], *map(handle, self._parts)]
        self.short_job, self._kept = self.job(self._block, (self.ids, self._id_ends))

    def job(self, block: Block, output: tuple[np.ndarray, np.ndarray]) -> tuple[Any, Any]:
        """Return a job for a kernel, and what has to be kept as long as it is used."""
        handles = [*self._handles, handle(block), handle(output)]
        return handle(handles), handles

    def encode(self, block: Block, output: tuple[np.ndarray, np.ndarray]) -> int:
        """Encode a block; the number of ids, or less than 0: see ``encode_block``."""
        job, _kept = self.job(block, output)
        return encode_block(job, -1)


# --- the encoder --------------------------------------------------------------------------------

GROUP = 1 << 18  # characters: what a thread of ``encode_batch`` takes at a time
WORDS = 1 << 16  # how many words of a pattern without a scanner are encoded at a time
MANY_IDS = 1 << 15  # so long a list is made of ints that exist: to make them takes twice as long

Choice = Literal["all"] | Collection[str]


class Encoder:
    """A tokenizer in compiled code: the same ids as ``tok``, and the same errors.

    Threads can share it. Each thread that encodes at the same time has a memory of its own for the
    words that it has met, of 5 MB, whatever the texts.

    Args:
        tok: Any tokenizer of this package. For the three published patterns the cutting is compiled
            as well; with another pattern ``tok`` cuts, which takes most of the time.

    Raises:
        ValueError: The vocabulary has more than 2,097,151 tokens, or an id above 2^32 - 1.

    Example:
        >>> import bpe
        >>> tok = bpe.Tokenizer.train("low lower lowest", 259, special_tokens=["<|end|>"])
        >>> encoder = Encoder(tok)
        >>> encoder.encode("lower<|end|>", allowed_special="all")
        [257, 101, 114, 258]
        >>> encoder.encode_batch(["low", "lowest"])
        [[257], [257, 101, 115, 116]]
    """

    def __init__(self, tok: Tokenizer) -> None:
        if not isinstance(tok, Tokenizer):
            raise ValueError(
                f"tok is a {type(tok).__name__}: an Encoder is made of a bpe.Tokenizer"
            )
        highest = max(tok.vocab)
        if highest > LAST_ID:
            raise ValueError(
                f"id {highest} is too high: an Encoder has ids below 2^32, as NumPy's uint32; "
                "encode with the Tokenizer itself"
            )
        self.tok = tok
        self._kind = KINDS.get(tok.pattern, WHOLE)
        self._tables, ids = build_tables(tok.ranks)
        # Where ids are not 0, 1, 2 and so on, the numbers of the tables are turned into ids.
        self._ids = None if ids[-1] == len(ids) - 1 else ids.astype(np.uint32)
        self._quick = self._ids is None and self._kind != WHOLE
        self._dense = highest < 8 * len(tok.vocab)  # not too far apart for tables of all ids
        specials = frozenset(tok.special_tokens)
        # For a quick look; a text with surrogates is repaired first if it could change the answer.
        self._any_special = _any_of(specials) if all(map(str.isascii, specials)) else None
        self._idle: list[_Worker] = []
        self._lock = Lock()

    def __reduce__(self) -> tuple:
        return Encoder, (self.tok,)

    def __repr__(self) -> str:
        return f"<Encoder of {self.tok!r}>"

    @cached_property
    def _steps(self) -> Steps | None:
        return build_steps(self._tables)

    @cached_property
    def _pieces(self) -> Pieces | None:
        """What decoding needs; None if ids lie too far apart, or one is a very long text."""
        vocab = self.tok.vocab
        short = max(map(len, vocab.values())) <= MOST_BYTES_OF_AN_ID
        return Pieces.of(vocab) if self._dense and short else None

    @cached_property
    def _ints(self) -> np.ndarray | None:
        """Each id as a Python int; None if ids lie too far apart."""
        return np.array(range(max(self.tok.vocab) + 1), object) if self._dense else None

    # --- text to ids ---

    def encode_ordinary(self, text: str) -> list[int]:
        """Return the ids of ``text`` with every special token taken as plain text.

        Raises:
            ValueError: The text is no str.
        """
        if self._quick and isinstance(text, str) and len(text) < SHORT_TEXT // 4:
            data = text_to_bytes(text)
            size = len(data)
            if size <= SHORT_TEXT - len(PADDING):
                worker = self._take()
                worker.text_view[: size + len(PADDING)] = data + PADDING
                n_ids = encode_block(worker.short_job, size)
                if n_ids >= 0:
                    ids = worker.ids[:n_ids].tolist()
                    self._idle.append(worker)
                    return ids
                self._make_room(worker, -n_ids)
                self._idle.append(worker)
        return self._listed(self.encode_ordinary_to_numpy(text))

    def encode_ordinary_to_numpy(self, text: str) -> np.ndarray:
        """Return the ids as an array of uint32; otherwise as ``encode_ordinary``.

        >>> import bpe
        >>> Encoder(bpe.Tokenizer.train("aa", 257)).encode_ordinary_to_numpy("aaa")
        array([256,  97], dtype=uint32)
        """
        if not isinstance(text, str):
            self.tok.encode_ordinary(text)  # says what is wrong
        return self._encode_documents([text])[0]

    def encode(
        self,
        text: str,
        *,
        allowed_special: Choice = frozenset(),
        disallowed_special: Choice = "all",
    ) -> list[int]:
        """Return the ids of ``text``; arguments and errors as in ``bpe.Tokenizer.encode``."""
        ids: list[int] = []
        for part in self._parts(text, allowed_special, disallowed_special):
            found = self.encode_ordinary(part) if isinstance(part, str) else [part]
            if ids:
                ids += found
            else:
                ids = found
        return ids

    def encode_to_numpy(
        self,
        text: str,
        *,
        allowed_special: Choice = frozenset(),
        disallowed_special: Choice = "all",
    ) -> np.ndarray:
        """Return the ids as an array of uint32; otherwise as ``encode``.

        >>> import bpe
        >>> tok = bpe.Tokenizer.train("aa", 258, special_tokens=["<|end|>"])
        >>> Encoder(tok).encode_to_numpy("aa<|end|>", allowed_special="all")
        array([256, 257], dtype=uint32)
        """
        found = [
            self.encode_ordinary_to_numpy(part)
            if isinstance(part, str)
            else np.array([part], np.uint32)
            for part in self._parts(text, allowed_special, disallowed_special)
        ]
        return found[0] if len(found) == 1 else np.concatenate(found)

    def _parts(self, text: str, allowed: Choice, disallowed: Choice) -> Iterable[str | int]:
        """The texts between special tokens, and the ids of these."""
        if isinstance(text, str) and not allowed:
            if disallowed == () or (
                disallowed == "all"
                and self._any_special is not None
                and self._any_special.search(text) is None
            ):
                return [text]
        return self.tok._parts(text, allowed, disallowed)

    def encode_batch(
        self,
        texts: Iterable[str],
        *,
        allowed_special: Choice = frozenset(),
        disallowed_special: Choice = "all",
        threads: int | None = None,
    ) -> list[list[int]]:
        """Return the ids of each of ``texts``; arguments and errors as in ``encode``.

        Args:
            threads: How many threads encode; without it, one for each processor. A long text is cut
                where a word begins, and its parts are encoded at the same time.
        """
        found = self._encode_batch(texts, allowed_special, disallowed_special, threads, True)
        return [each[0] if len(each) == 1 else [*chain.from_iterable(each)] for each in found]

    def encode_batch_to_numpy(
        self,
        texts: Iterable[str],
        *,
        allowed_special: Choice = frozenset(),
        disallowed_special: Choice = "all",
        threads: int | None = None,
    ) -> list[np.ndarray]:
        """Return the ids of each text as an array of uint32; otherwise as ``encode_batch``.

        This is the quickest way: threads wait for each other where they make Python's lists.

        >>> import bpe
        >>> Encoder(bpe.Tokenizer.train("aa", 257)).encode_batch_to_numpy(["aaa", ""])
        [array([256,  97], dtype=uint32), array([], dtype=uint32)]
        """
        found = self._encode_batch(texts, allowed_special, disallowed_special, threads, False)
        none = np.empty(0, np.uint32)
        return [each[0] if len(each) == 1 else np.concatenate([none, *each]) for each in found]

    def _encode_batch(
        self,
        texts: Iterable[str],
        allowed: Choice,
        disallowed: Choice,
        threads: int | None,
        lists: bool,
    ) -> list[list]:
        """For each text the ids of its parts, in lists or in arrays."""
        threads = (os.cpu_count() or 1) if threads is None else threads
        if threads < 1:
            raise ValueError(f"threads={threads}: at least one has to encode")
        found: list[list] = []
        items: list[tuple[int, str | int]] = []  # which text, and a part of it
        for number, text in enumerate(texts):
            found.append([])
            for part in self._parts(text, allowed, disallowed):
                if isinstance(part, str) and self._kind != WHOLE:
                    items += [(number, piece) for piece in parts(part, GROUP)]
                else:
                    items.append((number, part))

        def encode_group(group: list[str]) -> list:
            array, ends = self._encode_documents(group)
            ids = self._listed(array) if lists else array
            return [ids[start:end] for start, end in pairwise([0, *ends])]

        groups = _groups([part for _, part in items if isinstance(part, str)])
        with ThreadPoolExecutor(threads) as pool:
            encoded = chain.from_iterable(pool.map(encode_group, groups))
            for number, part in items:
                if isinstance(part, str):
                    found[number].append(next(encoded))
                else:
                    found[number].append([part] if lists else np.array([part], np.uint32))
        return found

    def _encode_documents(self, texts: list[str]) -> tuple[np.ndarray, list[int]]:
        """The ids of some texts, and where each one's end."""
        if self._kind == WHOLE:
            return self._encode_words(texts)
        return self._encode_block(Block.of(texts))

    def _encode_words(self, texts: list[str]) -> tuple[np.ndarray, list[int]]:
        """The same for a pattern without a scanner: each of its words is a document."""
        arrays, ends = [np.empty(0, np.uint32)], []
        for text in texts:
            words = self.tok._split(repair_surrogates(text))
            for start in range(0, len(words), WORDS):
                block = Block.of(words[start : start + WORDS], between=b"")
                arrays.append(self._encode_block(block)[0])
            ends.append(sum(map(len, arrays)))
        return np.concatenate(arrays), ends

    def _encode_block(self, block: Block) -> tuple[np.ndarray, list[int]]:
        ids = np.empty(block.text.size + 4, np.int32)
        id_ends = np.empty(len(block.starts), np.int64)
        worker = self._take()
        worker.known.settings[[N_DOCUMENTS, N_IDS]] = len(block.starts), 0
        while (n_ids := worker.encode(block, (ids, id_ends))) < 0:
            self._make_room(worker, -n_ids)
        self._give_back(worker)
        ids.resize(n_ids, refcheck=False)  # gives memory back; nobody else has seen it
        found = ids.view(np.uint32) if self._ids is None else self._ids[ids]
        return found, id_ends.tolist()

    def _listed(self, ids: np.ndarray) -> list[int]:
        """The ids as a list; in a long one, those that occur again are the same int."""
        if len(ids) < MANY_IDS or self._ints is None:
            return ids.tolist()
        return self._ints[ids].tolist()

    # --- threads ---

    def _take(self) -> _Worker:
        try:
            return self._idle.pop()
        except IndexError:
            return _Worker(self._tables, self._kind)

    def _give_back(self, worker: _Worker) -> None:
        if worker.most_bytes > KEPT:
            self._make_room(worker, KEPT)
        self._idle.append(worker)

    def _make_room(self, worker: _Worker, size: int) -> None:
        with self._lock:  # so that the steps are built once
            steps = self._steps
        worker.give_room(max(size, KEPT), steps, NO_END)

    # --- ids to text ---

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the bytes that ``ids`` stand for, joined; errors as in ``bpe.Tokenizer``.

        Args:
            ids: Ids in a list, in an array, or one by one.

        >>> import bpe
        >>> Encoder(bpe.Tokenizer.train("aa", 257)).decode_bytes([256, 98])
        b'aab'
        """
        return bytes(self._joined(ids))

    def decode(self, ids: Iterable[int], errors: str = "replace") -> str:
        """Return the text that ``ids`` stand for; errors as in ``bpe.Tokenizer.decode``.

        >>> import bpe
        >>> Encoder(bpe.Tokenizer.train("aa", 257)).decode([256, 98])
        'aab'
        """
        return str(self._joined(ids), "utf-8", errors)

    def _joined(self, ids: Iterable[int]) -> bytes | memoryview:
        if not isinstance(ids, np.ndarray | list | tuple):
            ids = list(ids)
        array = _as_array(ids)
        if array is None or self._pieces is None:
            return self.tok.decode_bytes(ids)
        pieces = handle(self._pieces)
        size = count_bytes(pieces, array, len(self._pieces.places))
        if size < 0:
            return self.tok.decode_bytes(ids)  # says which id is wrong
        data = np.empty(size + 8, np.uint8)
        join_bytes(pieces, array, handle([data]))
        return memoryview(data)[:size]


def _groups(texts: list[str]) -> Iterator[list[str]]:
    """Texts in groups of about ``GROUP`` characters."""
    group: list[str] = []
    size = 0
    for text in texts:
        group.append(text)
        size += len(text)
        if size >= GROUP:
            yield group
            group, size = [], 0
    if group:
        yield group


def _as_array(ids: np.ndarray | list[int] | tuple[int, ...]) -> np.ndarray | None:
    """Ids as an array of uint32, or None if there is something else among them."""
    if isinstance(ids, np.ndarray):
        if ids.ndim != 1 or ids.dtype.kind not in "iu":
            return None
        if len(ids) and (ids.dtype.itemsize > 4 or ids.dtype.kind == "i"):
            if ids.min() < 0 or ids.max() > LAST_ID:
                return None
        return np.ascontiguousarray(ids, np.uint32)
    try:
        return np.frombuffer(array("I", ids), np.uint32)  # refuses what is no id
    except (TypeError, OverflowError):
        return None
