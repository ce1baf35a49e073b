"""Beside the ladder: a data set as ids on disk, written on many machines, read by memory map.

A folder of shards holds, for each block of text (see ``blocks``), two files without a header, all
numbers little-endian, as most training programs read them::

    shard-00000.ids       uint16 or uint32: the ids, one after the other
    shard-00000.starts    uint64: where in this shard a document begins
    index.json            what the shards are, in order; written last
    journal.jsonl         what is done, for a run that goes on where another one was stopped

A document that is longer than a block goes on in the next shard; whoever reads does not see it.
"""

import hashlib
import io
import json
import os
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bpe import specials
from bpe.blocks import (
    BLOCK_SIZE,
    Block,
    Borders,
    PathLike,
    borders_of,
    check_errors,
    decode,
    list_files,
    pieces,
    plan_blocks,
    read_block,
)
from bpe.fetching import write_file
from bpe.openai import END
from bpe.workers import FileState, Journal, check_unchanged, hash_of, run

if TYPE_CHECKING:
    from distributed import Client

FORMAT, VERSION = "from-text-to-tokens shards", 1
DTYPES = {"uint16": np.dtype("<u2"), "uint32": np.dtype("<u4")}
STARTS = np.dtype("<u8")
N_OPEN = 256  # shards that are mapped at a time: each takes a file handle


def encode_files(
    paths: PathLike | Iterable[PathLike],
    folder: PathLike,
    tok: specials.Tokenizer,
    *,
    separator: str | None = END,
    allowed_special: Collection[str] = (),
    dtype: str | None = None,
    client: "Client | None" = None,
    workers: int | None = None,
    block_size: int = BLOCK_SIZE,
    errors: str = "strict",
    checksum: bool = False,
    progress: bool = False,
) -> "TokenShards":
    """Encode files of UTF-8 into a folder of shards, one for each block of text.

    A run that was stopped goes on when it is called again. Shards of an earlier call with other
    files or another tokenizer are replaced.

    Args:
        paths: The files, in the order in which their ids are to come.
        folder: Where to write. On a cluster, workers must see files and folder by the same paths.
        tok: The tokenizer.
        separator: The special token that stands between the documents of a file. Its id ends every
            document, the last one of a file, too, whose text may lack it. With None each file is
            one document, and nothing ends it.
        allowed_special: Other special tokens whose text becomes their id. Those that are in neither
            are plain text.
        dtype: ``"uint16"`` or ``"uint32"``; without it, the smallest that holds all ids.
        client, workers, block_size, errors, checksum, progress: As in ``counting.count_files``.

    Returns:
        The shards, to be read.

    Raises:
        ValueError: ``separator`` is no special token of ``tok``, ids do not fit ``dtype``, or as in
            ``counting.count_files``.
        OSError: A file cannot be read, or the folder not be written.
        RuntimeError: A block made one worker after the other die.

    >>> import tempfile
    >>> from bpe import Tokenizer
    >>> tok = Tokenizer.train("aa", 258, special_tokens=["<|endoftext|>"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "text.txt")
    ...     _ = file.write_text("aaa<|endoftext|>b")
    ...     shards = encode_files(file, Path(folder, "ids"), tok, workers=0)
    ...     [document.tolist() for document in shards]
    [[256, 97, 257], [98, 257]]
    """
    cut = _special_texts(tok, separator, allowed_special)
    dtype = _fitting(dtype, max(tok.vocab))
    check_errors(errors, cut)
    borders = Borders(tok.pattern, cut)
    files = list_files(paths)
    states = {file: FileState.of(file) for file in files}
    blocks = [block for file in files for block in plan_blocks(file, borders, block_size)]
    target = Path(os.path.abspath(folder))
    target.mkdir(parents=True, exist_ok=True)
    how = (separator, sorted(allowed_special), dtype, errors)
    journal = Journal(target / "journal.jsonl", VERSION, fingerprint(tok), *how)

    done: dict[int, dict[str, Any]] = {}
    tasks: dict[int, tuple] = {}
    for number, block in enumerate(blocks):
        name = f"shard-{number:05}"
        entry = journal.find(block, states[block.path])
        if entry and not checksum and entry["name"] == name and not _problem(target, entry, dtype):
            done[number] = entry
            continue
        known = [
            entry
            for entry in journal.earlier(block)
            if entry["name"] == name and not _problem(target, entry, dtype)
        ]
        last = block.stop == states[block.path].size
        tasks[number] = block, last, str(target), name, *how, known
    if tasks:
        (target / "index.json").unlink(missing_ok=True)  # it would tell of what is being replaced
    for number, entry in run(
        _encode_block,
        tasks,
        client=client,
        workers=workers,
        shared=tok,
        sizes={number: blocks[number].stop - blocks[number].start for number in tasks},
        progress="encoding" if progress else None,
    ):
        journal.add(blocks[number], states[blocks[number].path], **entry)
        done[number] = entry
    check_unchanged(states)
    index = {
        "format": FORMAT,
        "version": VERSION,
        "dtype": dtype,
        "separator": separator,
        "tokenizer": fingerprint(tok),
        "tokens": sum(entry["tokens"] for entry in done.values()),
        "documents": sum(entry["documents"] for entry in done.values()),
        "shards": [
            {key: done[number][key] for key in ("name", "tokens", "documents")}
            for number in range(len(blocks))
        ],
    }
    write_file(target / "index.json", json.dumps(index, ensure_ascii=False, indent=1).encode())
    _sweep(target, {entry["name"] for entry in done.values()})
    return TokenShards(target)


def fingerprint(tok: specials.Tokenizer) -> str:
    """Return a hash of all that decides which ids a text has.

    >>> from bpe import Tokenizer
    >>> one, other = Tokenizer.train("aa", 257), Tokenizer.train("ab", 257)
    >>> fingerprint(one) == fingerprint(one), fingerprint(one) == fingerprint(other)
    (True, False)
    """
    ranks = sorted((idx, token.hex()) for token, idx in tok.ranks.items())
    return hash_of(tok.pattern, sorted(tok.special_tokens.items()), ranks)


def _special_texts(
    tok: specials.Tokenizer, separator: str | None, allowed: Collection[str]
) -> list[str]:
    if isinstance(allowed, str):
        raise ValueError(f"allowed_special={allowed!r} is one str: give a list")
    texts = [*allowed] if separator is None else [separator, *allowed]
    for text in texts:
        if text not in tok.special_tokens:
            known = ", ".join(map(repr, tok.special_tokens)) or "none"
            raise ValueError(
                f"{text!r} is no special token of the tokenizer, which has {known}. Use "
                "separator=... for the one between documents, or separator=None."
            )
    return texts


def _fitting(dtype: str | None, highest: int) -> str:
    if dtype is not None and dtype not in DTYPES:
        raise ValueError(f"dtype={dtype!r} is not known: use {' or '.join(map(repr, DTYPES))}")
    fitting = [name for name in DTYPES if highest <= np.iinfo(name).max]
    if dtype is None and fitting:
        return fitting[0]
    if dtype not in fitting:
        wider = f"use dtype={fitting[0]!r}" if fitting else "ids this high are not stored"
        raise ValueError(f"ids go up to {highest}, too high for {dtype or 'uint32'}: {wider}")
    return dtype


def _encode_block(
    tok: specials.Tokenizer,
    block: Block,
    last: bool,
    folder: str,
    name: str,
    separator: str | None,
    allowed_special: Collection[str],
    dtype: str,
    errors: str,
    known: Iterable[dict[str, Any]],
) -> dict[str, Any]:
    """What a worker does: write the shard of a block, and return what the journal should say."""
    data = read_block(block)
    found = hashlib.sha256(data).hexdigest()
    for entry in known:
        if entry["hash"] == found:
            return entry
    allowed = {*allowed_special} if separator is None else {*allowed_special, separator}
    parts, place = [], block.start
    for piece in pieces(io.BytesIO(data), borders_of(tok.pattern, tuple(allowed))):
        text = decode(piece, errors, block.path, place)
        parts.append(_to_array(tok, text, allowed, dtype))
        place += len(piece)
    end = None if separator is None else tok.special_tokens[separator]
    if last and end is not None and parts[-1][-1] != end:
        parts.append(np.array([end], DTYPES[dtype]))
    ids = np.concatenate(parts)
    begins = block.start == 0 or (separator is not None and block.after == separator)
    ends = np.flatnonzero(ids == end) + 1 if end is not None else np.zeros(0, int)
    starts = np.concatenate([np.zeros(int(begins), int), ends[ends < len(ids)]])
    write_file(Path(folder, f"{name}.ids"), ids.tobytes())
    write_file(Path(folder, f"{name}.starts"), starts.astype(STARTS).tobytes())
    return {"name": name, "hash": found, "tokens": len(ids), "documents": len(starts)}


def _to_array(tok: specials.Tokenizer, text: str, allowed: set[str], dtype: str) -> np.ndarray:
    encoder = _encoder(tok)
    if encoder is None:
        ids = tok.encode(text, allowed_special=allowed, disallowed_special=())
    else:  # as a batch: short documents are encoded many at a time
        [ids] = encoder.encode_batch_to_numpy(
            [text], allowed_special=allowed, disallowed_special=(), threads=1
        )
    return np.asarray(ids, DTYPES[dtype])


@lru_cache(maxsize=2)
def _encoder(tok: specials.Tokenizer) -> Any:
    """The compiled encoder, made once in a process; None where there is no numba."""
    try:
        import bpe.fast
    except ImportError:
        return None
    return bpe.fast.Encoder(tok)


def _problem(folder: Path, entry: dict[str, Any], dtype: str) -> str | None:
    """Say what is wrong with the files of a shard."""
    for ending, n, kind in (
        ("ids", entry["tokens"], DTYPES[dtype]),
        ("starts", entry["documents"], STARTS),
    ):
        file = folder / f"{entry['name']}.{ending}"
        try:
            size = file.stat().st_size
        except FileNotFoundError:
            return f"{file} is missing"
        if size != n * kind.itemsize:
            return f"{file} has {size} bytes, and {n * kind.itemsize} were written"
    return None


def _sweep(folder: Path, names: set[str]) -> None:
    """Delete what an earlier run with more shards left, or one that was killed while it wrote."""
    for file in folder.glob("shard-*"):
        name, _, ending = file.name.partition(".")
        if name not in names or ending not in ("ids", "starts"):
            file.unlink(missing_ok=True)


# --- reading ------------------------------------------------------------------------------------


class TokenShards:
    """A folder of shards, read from where it lies: nothing but the starts is loaded.

    ``len()`` is the number of documents, an index gives a document's ids, and a loop goes through
    the documents. ``ids`` is all of them in a row.

    Args:
        folder: What ``encode_files`` wrote.

    Raises:
        ValueError: There is no index, or a shard is missing or has another size than it should.

    Attributes:
        ids: Like an array of all ids: ``len()``, an index, a slice.
        starts: Where in ``ids`` each document begins, and where the last one ends (int64, one more
            than there are documents).
        dtype: That of the ids.
        index: What ``index.json`` says.
    """

    def __init__(self, folder: PathLike) -> None:
        self.folder = Path(folder)
        self.index = _read_index(self.folder)
        self.dtype = DTYPES[self.index["dtype"]]
        shards = self.index["shards"]
        for entry in shards:
            if problem := _problem(self.folder, entry, self.index["dtype"]):
                raise ValueError(
                    f"{problem}: call encode_files again, which makes what is not there"
                )
        sizes = [entry["tokens"] for entry in shards]
        self._bases = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)
        self.starts = np.empty(self.index["documents"] + 1, np.int64)
        filled = 0
        for entry, base in zip(shards, self._bases):
            starts = np.fromfile(self.folder / f"{entry['name']}.starts", STARTS)
            self.starts[filled : filled + len(starts)] = starts.astype(np.int64) + base
            filled += len(starts)
        self.starts[filled:] = self._bases[-1]
        self.ids = _Ids(self)
        self._map = lru_cache(N_OPEN)(self._open)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, number: int) -> np.ndarray:
        """Return the ids of one document; a negative number counts from the end."""
        place = int(number) + len(self) * (number < 0)
        if not 0 <= place < len(self):
            raise IndexError(f"document {number}: there are {len(self)}")
        return self.between(int(self.starts[place]), int(self.starts[place + 1]))

    def __iter__(self) -> Iterator[np.ndarray]:
        return (self[number] for number in range(len(self)))

    def between(self, start: int, stop: int) -> np.ndarray:
        """Return ``ids[start:stop]``: a view where they lie in one shard, a copy otherwise."""
        parts = []
        shard = int(np.searchsorted(self._bases, start, side="right")) - 1
        while start < stop:
            base, end = int(self._bases[shard]), int(self._bases[shard + 1])
            parts.append(self._map(shard)[start - base : min(stop, end) - base])
            start, shard = end, shard + 1
        if len(parts) == 1:
            return parts[0]
        return np.concatenate(parts) if parts else np.empty(0, self.dtype)

    def made_by(self, tok: specials.Tokenizer) -> bool:
        """Whether this tokenizer made the ids, and so can decode them."""
        return self.index["tokenizer"] == fingerprint(tok)

    def _open(self, shard: int) -> np.ndarray:
        file = self.folder / f"{self.index['shards'][shard]['name']}.ids"
        return np.memmap(file, self.dtype, mode="r").view(np.ndarray)

    def __reduce__(self) -> tuple:
        return TokenShards, (self.folder,)  # another process maps the files itself

    def __repr__(self) -> str:
        return f"<TokenShards: {len(self)} documents, {len(self.ids)} ids, {self.dtype}>"


class _Ids:
    """All ids of the shards, as if they were one array."""

    def __init__(self, shards: TokenShards) -> None:
        self._shards = shards
        self.dtype = shards.dtype

    def __len__(self) -> int:
        return int(self._shards._bases[-1])

    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            chosen = range(len(self))[place]
            if not chosen:
                return np.empty(0, self.dtype)
            first, last = min(chosen[0], chosen[-1]), max(chosen[0], chosen[-1])
            return self._shards.between(first, last + 1)[:: chosen.step]
        number = int(place) + len(self) * (place < 0)
        if not 0 <= number < len(self):
            raise IndexError(f"id {place}: there are {len(self)}")
        return self._shards.between(number, number + 1)[0]


def _read_index(folder: Path) -> dict[str, Any]:
    file = folder / "index.json"
    try:
        index = json.loads(file.read_bytes())
    except FileNotFoundError:
        raise ValueError(
            f"there is no {file}: the folder is none of shards, or encode_files was stopped and "
            "has to be called again"
        ) from None
    except ValueError as error:
        raise ValueError(f"{file} is no JSON: {error}") from None
    if not isinstance(index, dict) or index.get("format") != FORMAT:
        raise ValueError(f'{file} is no index of shards (no "format": "{FORMAT}" in it)')
    if index.get("version") != VERSION:
        raise ValueError(
            f"{file} is of version {index.get('version')!r}, and this package knows {VERSION}: "
            "use a newer package"
        )
    if index.get("dtype") not in DTYPES:
        raise ValueError(f'{file}: "dtype" is {index.get("dtype")!r}, none of {[*DTYPES]}')
    return index
