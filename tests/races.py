"""What ``make bench`` measures: the races of chapters 10 and 11, and what each should reach."""

import random
import string
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from benchmark import Measure, Race

import bpe
from bpe import datasets, get_encoding
from bpe.fast import Encoder
from bpe.fast import train as fast_train
from bpe.fast.scanning import parts
from bpe.splitting import GPT2_PATTERN, GPT4_PATTERN
from peers import bpeasy, gigabpe, huggingface, minbpe, rustbpe

VOCAB_SIZE = 32_768
CALLS = 50_000
NAMES = ("gpt2", "cl100k_base", "o200k_base")


@cache
def english() -> str:
    """All of Shakespeare's plays: 5 MB."""
    return "".join(datasets.play(name) for name in datasets.plays())


@cache
def mixed() -> str:
    """Django's catalogs in 99 languages, Shakespeare, and code: 13 MB."""
    return datasets.catalogs() + english() + datasets.python_code()


TEXTS = {"English": english, "mixed scripts": mixed}


def size_of(text: str) -> int:
    return len(text.encode("utf-8"))


def first_bytes(text: str, size: int) -> str:
    return text.encode("utf-8")[:size].decode("utf-8", "ignore")


def compile_all() -> None:
    """Before any clock runs: it is done once on a machine."""
    fast_train("compile", 257)
    fast_train("compile", 257, ties="first", pattern=GPT2_PATTERN)
    for name in NAMES:
        encoder = encoder_of(name)
        encoder.decode(encoder.encode_batch_to_numpy(["compile"], threads=1)[0])
        encoder.decode(encoder.encode("compile"))


# --- training -----------------------------------------------------------------------------------


def training() -> Iterator[Race]:
    for kind, read in TEXTS.items():
        yield from train_on(kind, read())
    # minbpe's time is that of a pass over the text times the merges: it gets less of both.
    text, merges = mixed()[:400_000], 300
    yield Race(
        f"train {merges} merges",
        "400,000 characters",
        size_of(text),
        {"bpe.fast": lambda: fast_train(text, 256 + merges, ties="first")},
        {"minbpe": lambda: minbpe(text, merges, GPT4_PATTERN)},
        {"bpe.fast": {"minbpe": 1000}},
        rounds=1,
    )


def train_on(kind: str, text: str) -> Iterator[Race]:
    size, title = size_of(text), f"train to {VOCAB_SIZE:,} ids"
    lines = text.splitlines(keepends=True)
    yield Race(
        title,
        kind,
        size,
        {"bpe.fast": lambda: fast_train(text, VOCAB_SIZE)},
        {
            "rustbpe": lambda: rustbpe(text, VOCAB_SIZE, GPT4_PATTERN),
            "bpeasy": lambda: bpeasy(text, VOCAB_SIZE, GPT4_PATTERN),
            "tokenizers": lambda: huggingface(text, VOCAB_SIZE, GPT4_PATTERN),
        },
        {"bpe.fast": {"rustbpe": 4, "bpeasy": 8, "tokenizers": 10}},
    )
    yield Race(
        f"{title}, plain Python",
        kind,
        size,
        {"bpe": lambda: bpe.Tokenizer.train(text, VOCAB_SIZE)},
        {"tokenizers": lambda: huggingface(text, VOCAB_SIZE, GPT4_PATTERN)},
        {"bpe": {"tokenizers": 0.33}},
        rounds=3,
    )
    yield Race(
        f"{title}, GPT-2's pattern, lines",
        kind,
        size,
        {"bpe.fast": lambda: fast_train(lines, VOCAB_SIZE, pattern=GPT2_PATTERN)},
        {"gigabpe": lambda: gigabpe(text, VOCAB_SIZE)},
        {"bpe.fast": {"gigabpe": 1}},
    )


# --- encoding and decoding ----------------------------------------------------------------------


def encoding() -> Iterator[Race]:
    """Text that was not seen before: whatever remembers words has forgotten them."""
    for name in NAMES:
        tok, peer, encoder = get_encoding(name), datasets.tiktoken_encoding(name), encoder_of(name)
        for kind, read in TEXTS.items():
            yield encode_with(name, tok, peer, encoder, kind, read())
    for kind, read in TEXTS.items():
        yield encode_batch(kind, read())


@cache
def encoder_of(name: str) -> Encoder:
    return Encoder(get_encoding(name))


def encode_with(
    name: str, tok: bpe.Tokenizer, peer: object, encoder: Encoder, kind: str, text: str
) -> Race:
    return Race(
        f"encode, {name}",
        kind,
        size_of(text),
        {
            "bpe.fast, array": lambda: encoder.encode_ordinary_to_numpy(text),
            "bpe.fast, list": lambda: encoder.encode_ordinary(text),
            "bpe, cold": lambda: tok.encode_ordinary(text),
            "bpe, warm": lambda: tok.encode_ordinary(text),
        },
        {"tiktoken": lambda: peer.encode_ordinary(text)},
        {
            "bpe.fast, array": {"tiktoken": 5},
            "bpe.fast, list": {"tiktoken": 4},
            "bpe, cold": {"tiktoken": 0.2},
            "bpe, warm": {"tiktoken": 0.6},
        },
        before={
            "bpe.fast, array": encoder._idle.clear,
            "bpe.fast, list": encoder._idle.clear,
            "bpe, cold": tok._known.clear,
        },
        rounds=3,
    )


def encode_batch(kind: str, text: str) -> Race:
    encoder, peer = encoder_of("cl100k_base"), datasets.tiktoken_encoding("cl100k_base")
    documents = [*parts(text, 1 << 18)]
    threads: dict = {"threads": 2, "disallowed_special": ()}
    return Race(
        "encode a batch on 2 threads, cl100k_base",
        kind,
        size_of(text),
        {
            "bpe.fast, arrays": lambda: encoder.encode_batch_to_numpy(documents, **threads),
            "bpe.fast, lists": lambda: encoder.encode_batch(documents, **threads),
        },
        {"tiktoken": lambda: peer.encode_ordinary_batch(documents, num_threads=2)},
        {"bpe.fast, arrays": {"tiktoken": 6}},
        before=dict.fromkeys(("bpe.fast, arrays", "bpe.fast, lists"), encoder._idle.clear),
    )


def decoding() -> Iterator[Race]:
    encoder, peer = encoder_of("cl100k_base"), datasets.tiktoken_encoding("cl100k_base")
    for kind, read in TEXTS.items():
        array = encoder.encode_ordinary_to_numpy(read())
        ids = array.tolist()
        yield Race(
            "decode, cl100k_base",
            kind,
            size_of(read()),
            {
                "bpe.fast, list": lambda ids=ids: encoder.decode(ids),
                "bpe.fast, array": lambda array=array: encoder.decode(array),
            },
            {"tiktoken": lambda ids=ids: peer.decode(ids)},
            {"bpe.fast, list": {"tiktoken": 2}, "bpe.fast, array": {"tiktoken": 2}},
        )


def short() -> Iterator[Race]:
    tok, peer = get_encoding("cl100k_base"), datasets.tiktoken_encoding("cl100k_base")
    text = "hello world"

    def times(call: Callable[[str], object]) -> Callable[[], None]:
        def loop() -> None:
            for _ in range(CALLS):
                call(text)

        return loop

    yield Race(
        f"{CALLS:,} calls, cl100k_base",
        f"{len(text)} characters",
        CALLS * len(text),
        {
            "bpe.fast": times(encoder_of("cl100k_base").encode_ordinary),
            "bpe": times(tok.encode_ordinary),
        },
        {"tiktoken": times(peer.encode_ordinary)},
        {"bpe.fast": {"tiktoken": 0.5}, "bpe": {"tiktoken": 0.5}},
    )


def hostile() -> Iterator[Race]:
    """Ten million bytes of what wears encoders down, against as much of ordinary text."""
    size = 10_000_000
    ordinary = first_bytes(mixed(), size)
    rng = random.Random(0)
    texts = {
        "one letter": "a" * size,
        "no spaces": first_bytes("".join(mixed().split()), size),
        "letters at random": "".join(rng.choices(string.ascii_lowercase, k=size)),
        "spaces": " " * size,
        "newlines": "\n" * size,
        "random bytes": first_bytes(rng.randbytes(size).decode("utf-8", "replace"), size),
    }
    encoder = encoder_of("cl100k_base")

    def encode(text: str) -> Callable[[], object]:
        return lambda: encoder.encode_ordinary_to_numpy(text)

    yield Race(
        "encode hostile text, cl100k_base",
        "10 MB",
        size,
        {name: encode(text) for name, text in texts.items()},
        {"ordinary text": encode(ordinary)},
        {name: {"ordinary text": 0.33} for name in texts},
        before=dict.fromkeys([*texts, "ordinary text"], encoder._idle.clear),
        rounds=3,
    )


# --- figures without a peer -----------------------------------------------------------------------

FIRST = """
from time import perf_counter as now
import bpe
tok = bpe.get_encoding("cl100k_base")
started = now()
from bpe.fast import Encoder
Encoder(tok).encode("hello world")
print(now() - started)
"""

NUMBA = """
from time import perf_counter as now
import bpe
tok = bpe.get_encoding("cl100k_base")
started = now()
from numba.core.registry import cpu_target
cpu_target.typing_context.refresh()
cpu_target.target_context.refresh()
print(now() - started)
"""

# Linux hands the peak of the process that starts another one on to it, so it is asked otherwise.
MEMORY = """
import resource, sys
from pathlib import Path
from bpe.fast import train
files = map(Path, sys.argv[1:])
train((file.read_text("utf-8") for file in files), {size})
status = Path("/proc/self/status")
if status.exists():
    peak = int(status.read_text().partition("VmHWM:")[2].split()[0]) * 1024
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(peak / 1e9)
"""


def fresh(script: str, *arguments: str) -> float:
    """What a script prints that has a process for itself."""
    command = [sys.executable, "-c", script, *arguments]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def first_use() -> Iterator[Measure]:
    fresh(FIRST)  # compiles, if nobody has
    yield Measure("first use in a fresh process", "s", 0.6, lambda: fresh(FIRST))
    yield Measure("of that, numba itself", "s", None, lambda: fresh(NUMBA))


def memory() -> Iterator[Measure]:
    """The most that a process takes, its text included, which comes in files of 16 MB."""
    from scale import write_corpus

    def run() -> float:
        with tempfile.TemporaryDirectory() as folder:
            files = write_corpus(Path(folder), 100_000_000, file_size=1 << 24)
            return fresh(MEMORY.format(size=VOCAB_SIZE), *map(str, files))

    yield Measure(f"memory, training {VOCAB_SIZE:,} ids on 100 MB", "GB", 1.5, run, rounds=1)


PARTS: dict[str, Callable[[], Iterator[Race | Measure]]] = {
    "train": training,
    "encode": encoding,
    "decode": decoding,
    "short": short,
    "hostile": hostile,
    "first": first_use,
    "memory": memory,
}
