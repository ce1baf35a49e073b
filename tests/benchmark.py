"""Speed, as ratios against peers in one run: medians of interleaved rounds.

    make bench                                everything
    python book/make.py bench train           one part: train, encode
    python book/make.py bench train --rounds 3

A race runs all its entrants in turn, round after round, so that whatever else the machine does hits
each alike. The table shows their medians, and how many times as fast as each the course's own are.
All seconds go to chapters/benchmarks.json, with the machine, and the chapters read them there.
Nothing here is a test: speed depends on the machine, and a loaded one lies.
"""

import argparse
import gc
import importlib.util
import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import bpe
from bpe import datasets, get_encoding
from bpe.fast import Encoder
from bpe.fast import train as fast_train
from bpe.splitting import GPT2_PATTERN, GPT4_PATTERN
from peers import bpeasy, gigabpe, huggingface, minbpe, rustbpe

TARGET = Path(__file__).resolve().parent.parent / "chapters" / "benchmarks.json"
VOCAB_SIZE = 32_768
LIBRARIES = ("numba", "numpy", "regex", "tokenizers", "tiktoken", "rustbpe", "bpeasy", "gigabpe")


@dataclass
class Race:
    """Several programs that do one thing with one text.

    Attributes:
        part: "train" or "encode".
        title: What is done.
        text: What the text is, by name.
        size: How many bytes it has.
        ours: The course's own programs, by name; each is compared with each of the peers.
        peers: Those of others.
        rounds: How often at most (slow ones run once).
        seconds: What was measured, by name.
    """

    part: str
    title: str
    text: str
    size: int
    ours: dict[str, Callable[[], object]]
    peers: dict[str, Callable[[], object]]
    rounds: int = 5
    seconds: dict[str, list[float]] = field(default_factory=dict)

    def leave_out_missing(self) -> None:
        """Race against those that are installed; minbpe is not on any index, and written again."""
        for name in [*self.peers]:
            if name != "minbpe" and importlib.util.find_spec(name) is None:
                print(f"{self.title}: {name} is not installed here (pip install {name}), left out")
                del self.peers[name]

    def run(self, rounds: int) -> None:
        entrants = self.ours | self.peers
        self.seconds = {name: [] for name in entrants}
        for _ in range(min(rounds, self.rounds)):
            for name, call in entrants.items():
                gc.collect()
                started = time.perf_counter()
                result = call()
                self.seconds[name].append(time.perf_counter() - started)
                del result

    def table(self) -> str:
        """Seconds, megabytes a second, and for each of ours how many times as fast it is."""
        medians = {name: statistics.median(times) for name, times in self.seconds.items()}
        heads = "".join(f"{f'{name} is':>20}" for name in self.ours)
        lines = [f"{f'{self.title}: {self.text}':<52}{'s':>9}{'MB/s':>9}{heads}"]
        for name, seconds in medians.items():
            ratios = "".join(f"{_times(seconds / medians[own]):>20}" for own in self.ours)
            rate = self.size / seconds / 1e6
            lines.append(f"  {name:<50}{seconds:>9.3f}{rate:>9.2f}{ratios}")
        return "\n".join(lines)

    def record(self) -> dict[str, object]:
        return {
            "part": self.part,
            "title": self.title,
            "text": self.text,
            "bytes": self.size,
            "ours": list(self.ours),
            "peers": list(self.peers),
            "seconds": {
                name: [round(each, 6) for each in times] for name, times in self.seconds.items()
            },
        }


def _times(ratio: float) -> str:
    return f"{ratio:.2f} x" if ratio < 10 else f"{ratio:,.0f} x"


# --- what is raced ------------------------------------------------------------------------------


def english() -> str:
    return "".join(datasets.play(name) for name in datasets.plays())


def mixed() -> str:
    """Django's catalogs in 99 languages, Shakespeare, and code: 13 MB."""
    return datasets.catalogs() + english() + datasets.python_code()


def training() -> Iterator[Race]:
    for name, text in {"English": english(), "mixed scripts": mixed()}.items():
        size = len(text.encode("utf-8"))
        yield Race(
            "train",
            f"train to {VOCAB_SIZE:,} ids",
            name,
            size,
            {
                "bpe.fast": lambda text=text: fast_train(text, VOCAB_SIZE),
            },
            {
                "rustbpe": lambda text=text: rustbpe(text, VOCAB_SIZE, GPT4_PATTERN),
                "bpeasy": lambda text=text: bpeasy(text, VOCAB_SIZE, GPT4_PATTERN),
                "tokenizers": lambda text=text: huggingface(text, VOCAB_SIZE, GPT4_PATTERN),
            },
        )
        yield Race(
            "train",
            f"train to {VOCAB_SIZE:,} ids, plain Python",
            name,
            size,
            {"bpe": lambda text=text: bpe.Tokenizer.train(text, VOCAB_SIZE)},
            {"tokenizers": lambda text=text: huggingface(text, VOCAB_SIZE, GPT4_PATTERN)},
            rounds=3,
        )
        yield Race(
            "train",
            f"train to {VOCAB_SIZE:,} ids, GPT-2's pattern, lines",
            name,
            size,
            {
                "bpe.fast": lambda text=text: fast_train(
                    text.splitlines(keepends=True), VOCAB_SIZE, pattern=GPT2_PATTERN
                )
            },
            {"gigabpe": lambda text=text: gigabpe(text, VOCAB_SIZE)},
        )
    # minbpe's time is that of a pass over the text times the merges: it gets less of both.
    text, merges = mixed()[:400_000], 300
    yield Race(
        "train",
        f"train {merges} merges",
        "400,000 characters",
        len(text.encode("utf-8")),
        {"bpe.fast": lambda: fast_train(text, 256 + merges, ties="first")},
        {"minbpe": lambda: minbpe(text, merges, GPT4_PATTERN)},
        rounds=1,
    )


def encoding() -> Iterator[Race]:
    """Cold means that no word has been met before, warm that all have."""
    texts = {"English": english(), "mixed scripts": mixed()}
    for name in ("gpt2", "cl100k_base", "o200k_base"):
        tok, peer = get_encoding(name), datasets.tiktoken_encoding(name)
        for kind, text in texts.items():

            def plain_cold(tok=tok, text=text) -> list[int]:
                tok._known.clear()
                return tok.encode_ordinary(text)

            yield Race(
                "encode",
                f"encode, {name}",
                kind,
                len(text.encode("utf-8")),
                {
                    "bpe.fast, cold": lambda tok=tok, text=text: Encoder(tok).encode_ordinary(text),
                    "bpe, cold": plain_cold,
                    "bpe, warm": lambda tok=tok, text=text: tok.encode_ordinary(text),
                },
                {"tiktoken": lambda peer=peer, text=text: peer.encode_ordinary(text)},
                rounds=3,
            )


PARTS = {"train": training, "encode": encoding}


# --- the machine, and what is written -----------------------------------------------------------


def machine() -> dict[str, object]:
    """What this was measured on: no name of a computer or a user."""
    found = {}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "libraries": found,
        "load": [round(each, 2) for each in os.getloadavg()] if hasattr(os, "getloadavg") else [],
    }


def processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def write(races: list[Race], parts: list[str]) -> None:
    """Replace the parts that were measured, and leave the others as they are."""
    old = json.loads(TARGET.read_text("utf-8")) if TARGET.exists() else {}
    machines = old.get("machines", {}) | {part: machine() for part in parts}
    kept = [race for race in old.get("races", []) if race["part"] not in parts]
    result = {"machines": machines, "races": kept + [race.record() for race in races]}
    TARGET.write_text(json.dumps(result, indent=1) + "\n", "utf-8", newline="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("part", nargs="*", help=f"one of {', '.join(PARTS)}; without it, all")
    parser.add_argument("--rounds", type=int, default=5, help="how often each runs (5)")
    arguments = parser.parse_args()
    if unknown := set(arguments.part) - PARTS.keys():
        parser.error(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    parts = arguments.part or list(PARTS)
    fast_train("compile before the clock runs", 257)
    fast_train("compile before the clock runs", 257, ties="first", pattern=GPT2_PATTERN)
    races = []
    for part in parts:
        for race in PARTS[part]():
            race.leave_out_missing()
            if not race.peers:
                continue
            race.run(arguments.rounds)
            print(race.table(), end="\n\n", flush=True)
            races.append(race)
    write(races, parts)


if __name__ == "__main__":
    main()
