"""Chapter 12: words counted on many machines, and a tokenizer trained on the counts.

Training needs no text, only how often each word occurs; and the counts of parts add up to those of
the whole, as long as no word is cut in two. So files are cut into blocks at safe places (``blocks``
says which), workers count one block each, in any order, and the counts are added in the order of
the blocks: the result is that of a single pass, down to the order in which words first occur.

Dask hands the blocks out, to processes on this machine or to any cluster that a ``client`` stands
for; when a worker dies, its block goes to another one. The counts of a block are written down as
soon as they are there, so that a run that was stopped goes on from there.

What has to fit in memory are the words that differ, of all files together, and one block for each
worker.
"""

import hashlib
import io
import sys
import tempfile
import warnings
from array import array
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

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
from bpe.categories import compile_split
from bpe.fetching import write_file
from bpe.files import Tokenizer
from bpe.splitting import GPT4_PATTERN, count_words, train_words
from bpe.training import count_merges, warn_of_early_stop
from bpe.workers import FileState, Journal, check_unchanged, hash_of, run

if TYPE_CHECKING:
    from distributed import Client

VERSION = 1  # of the counts that are kept in a folder


def count_files(
    paths: PathLike | Iterable[PathLike],
    *,
    pattern: str = GPT4_PATTERN,
    special_tokens: Iterable[str] = (),
    client: "Client | None" = None,
    workers: int | None = None,
    folder: PathLike | None = None,
    block_size: int = BLOCK_SIZE,
    errors: str = "strict",
    checksum: bool = False,
    progress: bool = False,
) -> dict[bytes, int]:
    """Return how often each word occurs in files of UTF-8, in the order of first occurrence.

    Args:
        paths: The files, which workers must see under the same paths. Each is one document, or
            several with a special token between them.
        pattern: What a word is.
        special_tokens: Their texts. They are cut out: no word reaches across one.
        client: A Dask client; without it, processes are started for the time of the count. (A
            script that starts processes does so under ``if __name__ == "__main__":``.)
        workers: How many processes to start; one for each core without it. With 0 the blocks are
            counted in this process, one after the other, and Dask is not needed.
        folder: Where the counts of the blocks are kept. A second run counts what is not there, and
            what has changed.
        block_size: Bytes to count at a time.
        errors: ``"replace"`` takes bytes that are not UTF-8 for U+FFFD.
        checksum: Whether a file has changed is seen by its size and time; with this, by the hash
            of its text, too, for which it is read again.
        progress: Show a progress bar (needs tqdm).

    Raises:
        ValueError: A file is missing, no UTF-8, or was changed while it was counted; or an
            argument is wrong.
        OSError: A file cannot be read, or the folder not be written.
        RuntimeError: A block made one worker after the other die.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "cats.txt")
    ...     _ = file.write_text("a cat, a hat")
    ...     count_files(file, workers=0)
    {b'a': 1, b' cat': 1, b',': 1, b' a': 1, b' hat': 1}
    """
    files = list_files(paths)
    borders = Borders(pattern, special_tokens)
    compile_split(pattern)  # refuses what is no pattern before the work begins
    check_errors(errors, borders.special_tokens)
    states = {file: FileState.of(file) for file in files}
    blocks = [block for file in files for block in plan_blocks(file, borders, block_size)]
    settings = VERSION, pattern, borders.special_tokens, errors
    with nullcontext(folder) if folder is not None else tempfile.TemporaryDirectory() as chosen:
        kept = _Kept(Path(chosen), settings)
        hashes: dict[int, str] = {}  # of the text of each block that is done
        for number, block in enumerate(blocks):
            known = kept.journal.find(block, states[block.path])
            if known and kept.has(known["hash"]) and not checksum:
                hashes[number] = known["hash"]
        tasks = {
            number: (block, *settings[1:], kept.hashes(block))
            for number, block in enumerate(blocks)
            if number not in hashes
        }
        for number, (found, counts) in run(
            _count_block,
            tasks,
            client=client,
            workers=workers,
            sizes={number: blocks[number].stop - blocks[number].start for number in tasks},
            progress="counting" if progress else None,
        ):
            if counts is not None:
                write_file(kept.file(found), counts)
            kept.journal.add(blocks[number], states[blocks[number].path], hash=found)
            hashes[number] = found
        check_unchanged(states)
        total: dict[bytes, int] = {}
        for number, block in enumerate(blocks):
            try:
                counts = _unpack(kept.file(hashes[number]).read_bytes())
            except (OSError, ValueError):  # damaged, or deleted a moment ago: count it again
                _, packed = _count_block(block, *settings[1:], ())
                write_file(kept.file(hashes[number]), packed)
                counts = _unpack(packed)
            add_counts(total, counts)
    return total


def add_counts(total: dict[bytes, int], counts: Mapping[bytes, int]) -> None:
    """Add counts to ``total``, in place; words that are new there come last.

    >>> total = {b"a": 1}
    >>> add_counts(total, {b"b": 2, b"a": 3}); total
    {b'a': 4, b'b': 2}
    """
    for word, count in counts.items():
        total[word] = total.get(word, 0) + count


def count_stream(
    stream: BinaryIO, borders: Borders, *, errors: str = "strict", name: str = "the text",
    start: int = 0,
) -> dict[bytes, int]:  # fmt: skip
    """Return how often each word occurs in a stream of UTF-8, read piece by piece.

    Args:
        stream: From a safe place on.
        borders: Pattern and special tokens.
        errors: As in ``count_files``.
        name, start: What messages call the text, and its first byte.

    Raises:
        ValueError: The stream is no UTF-8.

    >>> count_stream(io.BytesIO(b"a cat"), Borders(GPT4_PATTERN))
    {b'a': 1, b' cat': 1}
    """

    def parts() -> Iterable[str]:
        place = start
        for piece in pieces(stream, borders):
            yield from borders.cut_out(decode(piece, errors, name, place))
            place += len(piece)

    try:
        import bpe.fast  # noqa: F401
    except ImportError:  # no numba: the same, slower
        return count_words(parts(), borders.pattern)
    from bpe.fast import scanning

    return scanning.count_words(parts(), borders.pattern).as_dict()


def _count_block(
    block: Block, pattern: str, special_tokens: tuple[str, ...], errors: str, known: Iterable[str]
) -> tuple[str, bytes | None]:
    """What a worker does: the hash of a block's text, and its counts if the hash is not known."""
    data = read_block(block)
    found = hashlib.sha256(data).hexdigest()
    if found in known:
        return found, None
    borders = borders_of(pattern, tuple(special_tokens))
    counts = count_stream(
        io.BytesIO(data), borders, errors=errors, name=block.path, start=block.start
    )
    return found, _pack(counts)


def _pack(counts: Mapping[bytes, int]) -> bytes:
    """A hash of the rest, how many words there are, their counts, their lengths, the words."""
    numbers = array("Q", [len(counts), *counts.values()]), array("I", map(len, counts))
    if sys.byteorder == "big":
        for each in numbers:
            each.byteswap()
    content = b"".join([*map(array.tobytes, numbers), *counts])
    return hashlib.sha256(content).digest() + content


def _unpack(packed: bytes) -> dict[bytes, int]:
    digest, content = packed[:32], packed[32:]
    if hashlib.sha256(content).digest() != digest:
        raise ValueError("these are not the bytes that were written")
    n = int.from_bytes(content[:8], "little")
    counts, lengths = array("Q", content[8 : 8 + 8 * n]), array("I", content[8 + 8 * n :][: 4 * n])
    if sys.byteorder == "big":
        counts.byteswap()
        lengths.byteswap()
    ends = list(accumulate(lengths, initial=8 + 12 * n))
    return {content[i:j]: count for (i, j), count in zip(pairwise(ends), counts)}


class _Kept:
    """A folder of counts. Files are named after the text counted: equal blocks share one."""

    def __init__(self, folder: Path, settings: tuple) -> None:
        self.folder, self.settings = folder, settings
        self.journal = Journal(folder / "journal.jsonl", *settings)

    def file(self, text_hash: str) -> Path:
        return self.folder / f"{hash_of(text_hash, *self.settings)[:32]}.counts"

    def has(self, text_hash: str) -> bool:
        return self.file(text_hash).exists()

    def hashes(self, block: Block) -> list[str]:
        """Of the texts that were counted at this place of this file, whenever that was."""
        return [entry["hash"] for entry in self.journal.earlier(block) if self.has(entry["hash"])]


# --- training -----------------------------------------------------------------------------------


def train(
    paths: PathLike | Iterable[PathLike],
    vocab_size: int,
    *,
    pattern: str = GPT4_PATTERN,
    special_tokens: Mapping[str, int] | Iterable[str] = (),
    ties: str = "smallest",
    progress: bool = False,
    **how: Any,
) -> Tokenizer:
    """Learn a tokenizer from files: what ``Tokenizer.train`` learns from their texts.

    Args:
        paths: The files.
        vocab_size, pattern, special_tokens, ties, progress: As in ``Tokenizer.train``.
        how: Whatever else ``count_files`` takes: ``client``, ``workers``, ``folder`` ...

    Raises:
        ValueError: As in ``count_files`` and ``Tokenizer.train``.

    Warns:
        UserWarning: The words ran out of pairs before ``vocab_size`` was reached.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "low.txt")
    ...     _ = file.write_text("low low")
    ...     train(file, 258, workers=0).merges
    {(108, 111): 256, (256, 119): 257}
    """
    if not isinstance(special_tokens, Mapping | str):
        special_tokens = list(special_tokens)
    settings: Any = {"pattern": pattern, "special_tokens": special_tokens, "ties": ties}
    check_arguments(vocab_size, **settings)
    words = count_files(
        paths, pattern=pattern, special_tokens=special_tokens, progress=progress, **how
    )
    return train_on_counts(words, vocab_size, progress=progress, **settings)


def train_on_counts(
    words: Mapping[bytes, int],
    vocab_size: int,
    *,
    pattern: str = GPT4_PATTERN,
    special_tokens: Mapping[str, int] | Iterable[str] = (),
    ties: str = "smallest",
    progress: bool = False,
) -> Tokenizer:
    """Learn a tokenizer from words and their counts; with compiled code where numba is installed.

    Args:
        words: ``{bytes: int}``, cut by ``pattern``.
        vocab_size, pattern, special_tokens, ties, progress: As in ``Tokenizer.train``.

    Raises:
        ValueError: As in ``Tokenizer.train``.

    Warns:
        UserWarning: The words ran out of pairs before ``vocab_size`` was reached.

    >>> train_on_counts({b"low": 2, b"lot": 1}, 257).merges
    {(108, 111): 256}
    """
    if not isinstance(special_tokens, Mapping | str):
        special_tokens = list(special_tokens)
    settings: Any = {"pattern": pattern, "special_tokens": special_tokens}
    try:
        import bpe.fast  # noqa: F401
    except ImportError:  # no numba: the same, slower
        pass
    else:
        from bpe.fast.training import train_on_counts as compiled

        tok = compiled(words, vocab_size, ties=ties, progress=progress, **settings)
        return Tokenizer.from_merges(tok.merges, ties=ties, **settings)
    check_arguments(vocab_size, ties=ties, **settings)
    wanted = count_merges(vocab_size, len(special_tokens))
    if progress:
        from tqdm.auto import tqdm  # only whoever asks for the bar needs the library

        with tqdm(total=wanted, desc="merges") as bar:
            merges = train_words(words, wanted, ties=ties, on_merge=lambda *_: bar.update())
    else:
        merges = train_words(words, wanted, ties=ties)
    if len(merges) < wanted:
        warn_of_early_stop(len(merges), wanted, len(special_tokens))
    return Tokenizer.from_merges(merges, ties=ties, **settings)


def check_arguments(vocab_size: int, **settings: Any) -> None:
    """Refuse before anything is counted what ``Tokenizer.train`` would refuse afterwards.

    Raises:
        ValueError: As in ``Tokenizer.train``.

    >>> check_arguments(300, ties="random")
    Traceback (most recent call last):
    ValueError: ties='random' is not a rule: use one of 'smallest', 'first', 'printable', 'greatest'
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        Tokenizer.train((), vocab_size, **settings | {"progress": False})
