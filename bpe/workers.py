"""Beside the ladder: one function for many blocks, on many machines, and a journal of what is done.

``run`` hands the calls to Dask. Dask knows where each result is made: when a worker dies before its
result has arrived, the call is made again elsewhere. ``Journal`` remembers results from run to run.
"""

import hashlib
import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bpe.blocks import Block

if TYPE_CHECKING:
    from distributed import Client

WAITING = 4  # calls for each worker that Dask knows of, so that none is ever without


def run(
    function: Callable[..., Any],
    tasks: Mapping[int, tuple],
    *,
    client: "Client | None" = None,
    workers: int | None = None,
    shared: Any = None,
    sizes: Mapping[int, int] | None = None,
    progress: str | None = None,
) -> Iterator[tuple[int, Any]]:
    """Call a function for each task, and yield number and result as they come.

    Args:
        function: One that workers can import. Called twice for one task it must do no harm.
        tasks: The arguments of each call, by number.
        client: A Dask client; without it, processes are started for the time of the run.
        workers: How many processes to start; one for each core without it. With 0, or for a single
            task, the calls are made here.
        shared: A large object that every call gets as its first argument, sent once to a worker.
        sizes: The bytes of each task, for the progress bar.
        progress: What the bar says; no bar without it.

    Raises:
        ValueError: ``workers`` is negative.
        RuntimeError: A task made one worker after the other die.
        ImportError: Dask is needed and not there.
        Exception: What the function raises.

    >>> dict(run(divmod, {0: (5,), 1: (7,)}, workers=0, shared=20))
    {0: (4, 0), 1: (2, 6)}
    """
    if workers is not None and workers < 0:
        raise ValueError(f"workers={workers}: use 0 for none, or how many processes to start")
    first = () if shared is None else (shared,)
    if client is None and (workers == 0 or len(tasks) <= 1):
        results = ((number, function(*first, *task)) for number, task in tasks.items())
    else:
        results = _on_cluster(function, tasks, shared, client, workers)
    if not progress:
        yield from results
        return
    from tqdm.auto import tqdm  # only whoever asks for the bar needs the library

    sizes = sizes or dict.fromkeys(tasks, 1)
    total = sum(sizes[number] for number in tasks)
    with tqdm(total=total, desc=progress, unit="B", unit_scale=True) as bar:
        for number, result in results:
            yield number, result
            bar.update(sizes[number])


def _on_cluster(
    function: Callable[..., Any],
    tasks: Mapping[int, tuple],
    shared: Any,
    client: "Client | None",
    workers: int | None,
) -> Iterator[tuple[int, Any]]:
    try:
        from distributed import KilledWorker, as_completed
    except ImportError as error:
        raise ImportError(
            f"several workers need Dask ({error}): install it with  "
            'pip install "from-text-to-tokens[scale]", or use workers=0'
        ) from error

    with _connected(client, workers) as client:
        # Kept as the result of a task, and not scattered: what is scattered dies with its worker.
        first = () if shared is None else (client.submit(_same, shared, pure=False),)
        numbers: dict[Any, int] = {}
        waiting = iter(tasks.items())
        running = as_completed()

        def submit_more() -> None:
            threads = sum(client.nthreads().values())  # asked anew: a cluster may grow
            while len(numbers) < WAITING * max(1, threads):
                if (task := next(waiting, None)) is None:
                    return
                future = client.submit(function, *first, *task[1], pure=False)
                numbers[future] = task[0]
                running.add(future)

        try:
            submit_more()
            for future in running:
                result = future.result()
                number = numbers.pop(future)
                submit_more()
                yield number, result
        except KilledWorker as error:
            raise RuntimeError(
                f"workers died one after the other over one block ({error}). If they ran out of "
                "memory, use a smaller block_size or fewer workers for each machine."
            ) from None
        finally:
            client.cancel(list(numbers))


def _same(value: Any) -> Any:
    return value


@contextmanager
def _connected(client: "Client | None", workers: int | None) -> Iterator["Client"]:
    if client is not None:
        yield client
        return
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=workers or os.cpu_count(),
            threads_per_worker=1,  # plain Python does not run in two threads at once
            dashboard_address=":0",
            silence_logs=logging.ERROR,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


# --- what is done -------------------------------------------------------------------------------


class FileState(NamedTuple):
    """Size and time of a file, by which a change shows."""

    size: int
    mtime_ns: int

    @classmethod
    def of(cls, path: str) -> "FileState":
        stat = os.stat(path)
        return cls(stat.st_size, stat.st_mtime_ns)


def check_unchanged(seen: Mapping[str, FileState]) -> None:
    """Compare files with what they were.

    Raises:
        ValueError: One has another size or time.
    """
    for path, state in seen.items():
        if FileState.of(path) != state:
            raise ValueError(f"{path} was changed while it was read: begin again")


def hash_of(*parts: Any) -> str:
    """Return a hash of values that JSON can write.

    >>> hash_of("a", 1)[:8], hash_of("a", 2)[:8]
    ('2657442b', '0383dfec')
    """
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class Journal:
    """What is known of blocks: one line of JSON for each, in a file that only grows.

    A line that was cut off by a crash is passed over. A later line counts more than an earlier one.

    Args:
        path: The file; it need not be there.
        settings: What the results depend on besides the text: lines under other settings are not
            seen.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     journal, block = Journal(Path(folder, "j"), "gpt2"), Block("a.txt", 0, 9)
        ...     journal.add(block, FileState(9, 0), hash="ab12", tokens=3)
        ...     journal = Journal(Path(folder, "j"), "gpt2")
        ...     journal.find(block, FileState(9, 0)), journal.find(block, FileState(9, 1))
        ({'hash': 'ab12', 'tokens': 3}, None)
    """

    def __init__(self, path: Path, *settings: Any) -> None:
        self.path = path
        self._settings = hash_of(*settings)
        self._known: dict[tuple, dict[str, Any]] = {}
        self._at: dict[tuple, list[dict[str, Any]]] = {}
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            content = b""
        self._torn = not content.endswith(b"\n") and content != b""
        for line in content.splitlines():
            try:
                settings_then, key, entry = json.loads(line)
                if settings_then == self._settings:
                    self._remember(tuple(key), dict(entry))
            except (ValueError, TypeError):
                continue

    def find(self, block: Block, state: FileState) -> dict[str, Any] | None:
        """Return what was added for this block of this file, when its size and time were these."""
        return self._known.get((*block, *state))

    def earlier(self, block: Block) -> list[dict[str, Any]]:
        """Return all that was added for this place of this file, whatever was there then."""
        return self._at.get(block[:2], [])

    def add(self, block: Block, state: FileState, **entry: Any) -> None:
        """Write a line, and have it on disk before going on."""
        key = [*block, *state]
        line = json.dumps([self._settings, key, entry]) + "\n"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write("\n" * self._torn + line)
            file.flush()
            os.fsync(file.fileno())
        self._torn = False
        self._remember(tuple(key), entry)

    def _remember(self, key: tuple, entry: dict[str, Any]) -> None:
        self._known[key] = entry
        self._at.setdefault(key[:2], []).append(entry)
