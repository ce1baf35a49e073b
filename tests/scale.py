"""Count, train and encode on a gigabyte, once: ``python tests/scale.py FOLDER``.

Writes a corpus into the folder (``write_corpus``: the same one every time), goes through chapter 12
with it, prints the figures as JSON, and deletes what it wrote. The figures that the chapter shows
are written with ``--output chapters/gigabyte.json``.
"""

import argparse
import io
import json
import logging
import os
import random
import shutil
import signal
import threading
import time
from importlib.metadata import version
from pathlib import Path

from benchmark import machine
from distributed import Client, LocalCluster

import bpe.fast
from bpe import datasets
from bpe.blocks import Borders
from bpe.counting import count_files, count_stream, train_on_counts
from bpe.fetching import write_file
from bpe.openai import END
from bpe.shards import encode_files
from bpe.splitting import GPT4_PATTERN, count_words

FILE_SIZE = 1 << 27


def write_corpus(
    folder: Path, size: int = 1 << 30, seed: int = 0, file_size: int = FILE_SIZE
) -> list[Path]:
    """Write files: lines of plays, code and messages in 79 languages, shuffled.

    Every twentieth line has two of its words joined, so that new words keep coming as they do in
    real text. Documents of 5 to 40 lines have ``<|endoftext|>`` between them; the last file is one
    document.

    Args:
        folder: Where to write.
        size: Bytes of all files together, about.
        seed: Another one makes another corpus.
        file_size: Bytes of one file, about; 128 MiB if nothing is said.

    Returns:
        The files.
    """
    rng = random.Random(seed)
    texts = [datasets.play(name) for name in datasets.plays()]
    texts += [datasets.python_code(), *map("\n".join, map(datasets.messages, datasets.languages()))]
    lines = [line for text in texts for line in text.split("\n")]
    n_files = max(1, round(size / file_size))
    paths = []
    for number in range(n_files):
        path = folder / f"corpus-{number:02}.txt"
        parts: list[str] = []
        written = 0
        while written < size // n_files:
            document = rng.choices(lines, k=rng.randrange(5, 40))
            for place in range(rng.randrange(20), len(document), 20):
                words = document[place].split(" ")
                if len(words) > 1:
                    first = rng.randrange(len(words) - 1)
                    words[first] += rng.choice(words)
                    document[place] = " ".join(words)
            parts.append("\n".join(document))
            written += len(parts[-1].encode()) + len(END)
        separator = "\n" if number == n_files - 1 else END
        write_file(path, separator.join(parts).encode())
        paths.append(path)
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="must not exist; is deleted in the end")
    parser.add_argument("--bytes", type=int, default=1 << 30)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--vocab-size", type=int, default=32_000)
    parser.add_argument("--output", type=Path, help="a file for the figures")
    options = parser.parse_args()
    options.folder.mkdir(parents=True)
    try:
        text = json.dumps(figures(options), indent=1) + "\n"
        print(text, end="")
        if options.output:
            options.output.write_text(text, "utf-8", newline="\n")
    finally:
        shutil.rmtree(options.folder)


def figures(options: argparse.Namespace) -> dict:
    with (
        LocalCluster(
            n_workers=options.workers,
            threads_per_worker=1,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,  # one of them is killed on purpose
        ) as cluster,
        Client(cluster) as client,
    ):
        return _figures(options, client)


def peak_memory() -> int:
    """The most megabytes that this process had at a time since the last call (Linux)."""
    status = Path("/proc/self/status").read_text()
    Path("/proc/self/clear_refs").write_text("5")  # begin anew
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


def warm_up() -> int:
    """Compile before the clock runs: it is done once on a machine, whatever the text."""
    words = count_stream(io.BytesIO(b"a cat, a hat"), Borders(GPT4_PATTERN, [END]))
    tok = train_on_counts(words, 258, special_tokens=[END])
    return len(bpe.fast.Encoder(tok).encode_batch(["a cat"], threads=1))


def kill_one(client: Client, after: float) -> threading.Timer:
    """Kill one worker when so many seconds have passed."""
    victim = next(iter(client.run(os.getpid).values()))
    timer = threading.Timer(after, os.kill, (victim, signal.SIGKILL))
    timer.start()
    return timer


def _figures(options: argparse.Namespace, client: Client) -> dict:
    libraries = {name: version(name) for name in ("dask", "numba", "numpy")}
    found: dict = {"machine": machine() | {"libraries": libraries}, "workers": options.workers}
    warm_up()
    client.run(warm_up)
    start = time.perf_counter()

    def lap(name: str, n_bytes: int | None = None) -> None:
        nonlocal start
        seconds = time.perf_counter() - start
        found[f"{name}, s"] = round(seconds, 2)
        if n_bytes:
            found[f"{name}, MB/s"] = round(n_bytes / 1e6 / seconds, 1)
        found[f"{name}, peak MB here"] = peak_memory()
        found[f"{name}, peak MB of a worker"] = max(client.run(peak_memory).values())
        print(f"{name}: {seconds:.2f} s", flush=True)
        start = time.perf_counter()

    paths = write_corpus(options.folder, options.bytes)
    n_bytes = found["bytes"] = sum(path.stat().st_size for path in paths)
    lap("writing the corpus", n_bytes)
    how = {"special_tokens": [END], "client": client}
    kept = options.folder / "counts"
    words = count_files(paths, folder=kept, **how)
    lap("counting", n_bytes)
    found["words"], found["distinct words"] = sum(words.values()), len(words)
    found["counts kept, MB"] = sum(file.stat().st_size for file in kept.iterdir()) // 10**6
    assert count_files(paths, folder=kept, **how) == words
    lap("counting again, from what is kept")
    timer = kill_one(client, after=found["counting, s"] / 3)
    again = count_files(paths, folder=options.folder / "killed", **how)
    assert not timer.is_alive() and list(again.items()) == list(words.items())
    lap("counting, with a worker killed", n_bytes)
    assert count_files(paths, special_tokens=[END], workers=0) == words
    lap("counting, without workers", n_bytes)
    del again
    with paths[0].open("rb") as stream:
        count_stream(stream, Borders(GPT4_PATTERN, [END]))
    lap("one file in one process", paths[0].stat().st_size)
    text = paths[0].read_bytes().decode()
    plain = count_words(text.split(END), GPT4_PATTERN)
    lap("one file, the plain splitter", paths[0].stat().st_size)
    ours = count_files(paths[0], folder=kept, **how)
    assert list(ours.items()) == list(plain.items())
    del text, plain, ours
    peak_memory()
    start = time.perf_counter()
    tok = train_on_counts(words, options.vocab_size, special_tokens=[END])
    lap("training")
    shards = encode_files(paths, options.folder / "ids", tok, client=client)
    lap("encoding to disk", n_bytes)
    found["ids"], found["documents"] = len(shards.ids), len(shards)
    found["shards"], found["dtype"] = len(shards.index["shards"]), str(shards.dtype)
    found["bytes for an id"] = round(n_bytes / len(shards.ids), 3)
    rng = random.Random(1)
    start = time.perf_counter()
    for _ in range(100_000):
        place = rng.randrange(len(shards.ids) - 1024)
        shards.ids[place : place + 1024]
    lap("100,000 windows of 1,024 ids at random")
    text = paths[-1].read_bytes()[-100_000:].decode(errors="ignore")
    assert tok.decode(shards[-1][-20_000:-1]).endswith(text[-10_000:])
    return found


if __name__ == "__main__":
    main()
