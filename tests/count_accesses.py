"""Run kernels as plain Python, and count how often they look at memory: their work, exactly.

    NUMBA_DISABLE_JIT=1 NUMBA_BOUNDSCHECK=1 python tests/count_accesses.py encoding|training BYTES

Prints, for each hostile text and each way of merging, how many accesses a byte takes in a text of
so many bytes and in one four times as long. Seconds depend on the machine, and this does not: the
tests hold the second number against the first. Results are compared with the plain twins on the
way.
"""

import json
import os
import random
import string
import subprocess
import sys
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
from numba.core import config

from bpe.fast import (
    Encoder,
    caching,
    encoding,
    memory,
    merging,
    patterns,
    scanning,
    tables,
    training,
)
from bpe.fast.compiling import CHECKED
from bpe.fast.scanning import WordCounts
from bpe.specials import Tokenizer
from bpe.splitting import GPT2_PATTERN, GPT4_PATTERN, GPT4O_PATTERN, train_words
from bpe.training import N_BYTES


class Counted:
    """An array that counts how often one of its items is read or written."""

    accesses = 0  # of all of them

    def __init__(self, array: np.ndarray) -> None:
        self.array, self.dtype = array, array.dtype
        self._wide = array.dtype == np.uint64  # whose arithmetic wraps around, as a kernel's does

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, i: int) -> Any:
        Counted.accesses += 1
        item = self.array[i]
        return item if self._wide or isinstance(i, slice) else int(item)

    def __setitem__(self, i: int, value: Any) -> None:
        Counted.accesses += 1
        self.array[i] = value.array if isinstance(value, Counted) else value


class CountedRecords:
    """The same for an array of records, which are made when they are looked at."""

    def __init__(self, n: int, dtype: np.dtype) -> None:
        self.n, self.dtype = n, dtype
        self.records: dict[int, SimpleNamespace] = {}

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> SimpleNamespace:
        Counted.accesses += 1
        if i not in self.records:
            self.records[i] = SimpleNamespace(**dict.fromkeys(self.dtype.names, 0))
        return self.records[i]

    def __setitem__(self, i: slice, value: "CountedRecords") -> None:
        """Copy an array to the beginning of this one; it is not used any more."""
        Counted.accesses += len(value)
        self.records = value.records


class CountingNumpy:
    """NumPy for a kernel that makes its own arrays."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    @staticmethod
    def empty(n: Any, dtype: Any) -> Any:
        if getattr(dtype, "names", None):
            return CountedRecords(n, dtype)
        return np.zeros(n, dtype) if isinstance(n, tuple) else Counted(np.zeros(n, dtype))

    zeros = empty


def counted(job: Any) -> Any:
    """A job whose arrays count."""
    return Counted(job) if isinstance(job, np.ndarray) else tuple(map(counted, job))


def accesses_of(call: Callable[[], Any], expected: Any) -> int:
    before = Counted.accesses
    assert call() == expected
    return Counted.accesses - before


# --- what is hostile ----------------------------------------------------------------------------


def texts(size: int) -> Iterator[tuple[str, str]]:
    rng = random.Random(size)

    def mixed(pieces: str | list[str]) -> str:
        return "".join(rng.choices(pieces, k=size))

    text = {
        "one letter": "a" * size,
        "two letters in turn": "ab" * size,
        "two letters": mixed("ab"),
        "letters": mixed(string.ascii_lowercase),
        "capitals": "\u0301" + "A" * size,
        "capitals and marks": "A\u0301" * size,
        "spaces": " " * size,
        "spaces, then a letter": " " * (size - 1) + "a",
        "newlines": "\n" * size,
        "spaces and newlines": mixed(" \n"),
        "apostrophes": "'" * size,
        "letters and apostrophes": "a'" * size,
        "signs": mixed("^-~"),
        "digits": "1" * size,
        "one word of Chinese": mixed("中文字"),
        "random bytes": mixed([*map(chr, range(256))]),
        "words of 64": ("a" * 63 + " ") * size,
        "ordinary words": mixed(["low ", "lower ", "lowest ", "the ", "newest, "]),
    }
    for name, whole in text.items():
        yield name, whole.encode()[:size].decode(errors="ignore")


# --- the kernels --------------------------------------------------------------------------------


def encoders() -> Iterator[tuple[str, Encoder]]:
    """Vocabularies that make long words costly: tokens that begin with tokens, of every length."""
    rng = random.Random(3)
    nested = "a" * 300 + " " + "ab" * 100 + " " + "^" * 90 + "\n" * 90 + " " * 200
    text = nested + "".join(rng.choices(["low ", "lower ", "lowest ", "the ", "newest, "], k=200))
    for name, pattern in {"2": GPT2_PATTERN, "4": GPT4_PATTERN, "4o": GPT4O_PATTERN}.items():
        yield f"GPT-{name}", Encoder(Tokenizer.train(text, 320, pattern=pattern))
    ranks = {bytes([byte]): byte for byte in range(N_BYTES)}
    ranks |= {b"a" * n: N_BYTES + n for n in range(2, 60)}
    ranks |= {b"a" * n + b"b": 2 * N_BYTES + n for n in range(2, 60)}
    yield "every length", Encoder(Tokenizer(ranks, pattern=GPT4_PATTERN))
    shuffled = dict(zip(ranks, rng.sample(range(len(ranks)), len(ranks))))
    yield "in any order", Encoder(Tokenizer(shuffled, pattern=GPT4_PATTERN))


def encoding_work(sizes: tuple[int, int]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    encoding.KEPT = sizes[1]  # longer words than there is room for take the walk
    for vocabulary, encoder in encoders():
        ways = {"walk": 0} if encoder._steps else {"heap": 1 << 40}  # how long heaps are used
        if vocabulary == "every length":
            ways["heap"] = 1 << 40
        for way, patience in ways.items():
            encoding.PREPARING = patience
            for size in sizes:
                for name, text in texts(size):
                    encoder._idle.clear()
                    ids = encoder.tok.encode_ordinary(text)
                    work = accesses_of(lambda: encoder.encode_ordinary(text), ids)  # noqa: B023
                    key = f"{vocabulary}, {way}: {name}"
                    found.setdefault(key, []).append(round(work / len(text.encode()), 1))
    return found


def training_work(sizes: tuple[int, int]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for size in sizes:
        cases = {name: {text.encode(): 1} for name, text in texts(size)}
        rng = random.Random(size)
        cases["words"] = {rng.randbytes(rng.randint(1, 12)): rng.randint(1, 9) for _ in range(size)}
        for name, words in cases.items():
            for ties in ("smallest", "first", "greatest"):
                n_bytes = sum(map(len, words))
                n_merges = n_bytes // 4
                work = accesses_of(
                    lambda: training.learn_merges(WordCounts.of(words), n_merges, ties=ties),  # noqa: B023
                    train_words(words, n_merges, ties=ties),
                )
                found.setdefault(f"{ties}: {name}", []).append(round(work / n_bytes, 1))
    return found


def word(text: Any, i: int) -> np.uint64:
    """As ``bpe.fast.memory.word``: one access, as in compiled code."""
    Counted.accesses += 1
    array = text.array if isinstance(text, Counted) else text
    return np.uint64(int.from_bytes(array[i : i + 8].tobytes(), "little"))


def trailing_zeros(number: np.uint64) -> int:
    return (int(number) & -int(number)).bit_length() - 1


def make_plain() -> None:
    """Put plain Python in the place of what only compiled code can do, or does quickly."""
    plain = {"uint64": np.uint64, "int64": int, "word": word, "trailing_zeros": trailing_zeros}
    for module in (memory, patterns, scanning, tables, merging, caching, encoding):
        for name in plain.keys() & vars(module).keys():
            setattr(module, name, plain[name])
    kernel = encoding.encode_block
    encoding.encode_block = lambda job, size: kernel(counted(job), size)
    training.np = CountingNumpy()
    np.seterr(over="ignore")  # numbers that are to wrap around do


def main() -> None:
    assert config.DISABLE_JIT and CHECKED, "see the first lines of this file"
    part, size = sys.argv[1], int(sys.argv[2])
    make_plain()
    work = {"encoding": encoding_work, "training": training_work}[part]
    print(json.dumps(work((size, 4 * size)), indent=1))


def run(part: str, size: int) -> dict[str, list[float]]:
    """What ``main`` prints, from a process of its own: numba reads its settings once."""
    done = subprocess.run(
        [sys.executable, __file__, part, str(size)],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "NUMBA_BOUNDSCHECK": "1"},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


if __name__ == "__main__":
    main()
