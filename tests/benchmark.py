"""Speed, as ratios against peers in one run: medians of interleaved rounds.

    make bench                                everything
    python book/make.py bench train           one part: train, encode, decode, short, hostile ...
    python book/make.py bench train --rounds 3

A race runs all its entrants in turn, round after round, so that whatever else the machine does hits
each alike. The table shows their medians, how many times as fast as each the course's own are, and
whether that is what was aimed at. All seconds go to chapters/benchmarks.json, with the machine, and
the chapters read them there. What is raced stands in ``races.py``.
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
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bpe.fetching import write_file

TARGET = Path(__file__).resolve().parent.parent / "chapters" / "benchmarks.json"
LIBRARIES = ("numba", "numpy", "regex", "tokenizers", "tiktoken", "rustbpe", "bpeasy", "gigabpe")


@dataclass
class Race:
    """Several programs that do one thing with one text.

    Attributes:
        title: What is done.
        text: What the text is, by name.
        size: How many bytes it has.
        ours: The course's own programs, by name; each is compared with each of the peers.
        peers: Those of others.
        aims: How many times as fast as a peer one of ours should be at least: ``aims[own][peer]``.
        before: What has to be done, off the clock, before one of ours runs.
        rounds: How often at most (slow ones run once).
        part: Which part of the benchmark it belongs to.
        seconds: What was measured, by name.
    """

    title: str
    text: str
    size: int
    ours: dict[str, Callable[[], object]]
    peers: dict[str, Callable[[], object]]
    aims: dict[str, dict[str, float]]
    before: dict[str, Callable[[], object]] = field(default_factory=dict)
    rounds: int = 5
    part: str = ""
    seconds: dict[str, list[float]] = field(default_factory=dict)

    def leave_out_missing(self) -> None:
        """Race against those that are installed."""
        for name in self.peers.keys() & set(LIBRARIES):
            if importlib.util.find_spec(name) is None:
                print(f"{self.title}: {name} is not installed here (pip install {name}), left out")
                del self.peers[name]

    def run(self, rounds: int) -> None:
        entrants = self.ours | self.peers
        self.seconds = {name: [] for name in entrants}
        for _ in range(min(rounds, self.rounds)):
            for name, call in entrants.items():
                if name in self.before:
                    self.before[name]()
                gc.collect()
                started = time.perf_counter()
                result = call()
                self.seconds[name].append(time.perf_counter() - started)
                del result

    def table(self) -> str:
        """Seconds, megabytes a second, and for each of ours how many times as fast it is."""
        medians = {name: statistics.median(times) for name, times in self.seconds.items()}
        heads = "".join(f"{f'{name} is':>24}" for name in self.ours)
        lines = [f"{f'{self.title}: {self.text}':<52}{'s':>9}{'MB/s':>9}{heads}"]
        for name, seconds in medians.items():
            ratios = "".join(f"{self._verdict(own, name, medians):>24}" for own in self.ours)
            rate = self.size / seconds / 1e6
            lines.append(f"  {name:<50}{seconds:>9.3f}{rate:>9.2f}{ratios}")
        return "\n".join(lines)

    def _verdict(self, own: str, name: str, medians: dict[str, float]) -> str:
        """How many times as fast as this one, and, with an aim, whether that reaches it."""
        ratio = medians[name] / medians[own]
        aim = self.aims.get(own, {}).get(name)
        if aim is None:
            return _times(ratio)
        return f"{_times(ratio)} ({'reached' if ratio >= aim else 'missed'} {aim:,g})"

    def record(self) -> dict[str, object]:
        return {
            "part": self.part,
            "title": self.title,
            "text": self.text,
            "bytes": self.size,
            "ours": list(self.ours),
            "peers": list(self.peers),
            "aims": self.aims,
            "seconds": {
                name: [round(each, 6) for each in times] for name, times in self.seconds.items()
            },
        }


def _times(ratio: float) -> str:
    return f"{ratio:.2f} x" if ratio < 10 else f"{ratio:,.0f} x"


@dataclass
class Measure:
    """One quantity that has no peer.

    Attributes:
        title: What is measured.
        unit: Of the values and the limit.
        limit: What it should be less than, if there is such a limit.
        call: Measures it once.
        rounds: How often at most.
        part: Which part of the benchmark it belongs to.
        values: What was measured.
    """

    title: str
    unit: str
    limit: float | None
    call: Callable[[], float]
    rounds: int = 5
    part: str = ""
    values: list[float] = field(default_factory=list)

    def run(self, rounds: int) -> None:
        self.values = [self.call() for _ in range(min(rounds, self.rounds))]

    def table(self) -> str:
        median = statistics.median(self.values)
        told = f"{self.title}: {median:.2f} {self.unit}"
        if self.limit is None:
            return told
        verdict = "kept" if median < self.limit else "missed"
        return f"{told} ({verdict} {self.limit:g} {self.unit})"

    def record(self) -> dict[str, object]:
        return {
            "part": self.part,
            "title": self.title,
            "unit": self.unit,
            "limit": self.limit,
            "values": [round(value, 6) for value in self.values],
        }


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


def write(done: list[Race | Measure], parts: list[str]) -> None:
    """Replace the parts that were measured, and leave the others as they are."""
    old = json.loads(TARGET.read_text("utf-8")) if TARGET.exists() else {}
    result: dict[str, object] = {
        "machines": old.get("machines", {}) | {part: machine() for part in parts}
    }
    for key, kind in (("races", Race), ("measures", Measure)):
        kept = [record for record in old.get(key, []) if record["part"] not in parts]
        result[key] = kept + [each.record() for each in done if isinstance(each, kind)]
    write_file(TARGET, (json.dumps(result, indent=1) + "\n").encode())


def main() -> None:
    from races import PARTS, compile_all

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("part", nargs="*", help=f"one of {', '.join(PARTS)}; without it, all")
    parser.add_argument("--rounds", type=int, default=5, help="how often each runs (5)")
    arguments = parser.parse_args()
    if unknown := set(arguments.part) - PARTS.keys():
        parser.error(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    parts = arguments.part or list(PARTS)
    compile_all()
    for part in parts:
        done = []
        for each in PARTS[part]():
            each.part = part
            if isinstance(each, Race):
                each.leave_out_missing()
                if not each.peers:
                    continue
            each.run(arguments.rounds)
            print(each.table(), end="\n\n", flush=True)
            done.append(each)
        write(done, [part])  # at once: what was measured is kept, whatever comes after


if __name__ == "__main__":
    # Under its own name, so that races.py meets the same classes that are asked for here.
    import benchmark

    benchmark.main()
