"""Chapter 10: training, compiled.

The plain trainer (``bpe.splitting.train_words``) looks for a merge's pair in every word that may
hold it. Here the words lie in memory one behind the other, a cell for each byte, and each pair has
the list of its places, so a merge goes from place to place and changes four cells at each.

Two facts make this quick. A pair comes into being in the merge that makes its newer half, with all
the places it will ever have: its list is written once, in one piece, and only gets shorter. And
since counts only fall, a heap whose entries are out of date errs on one side: what comes out on top
is looked up, and put back if it has shrunk. No step looks at more than it changes, so training
takes time in proportion to n log n for n bytes of different words, whatever the words are.

Plain twins: ``bpe.splitting.train_words`` and the slower ones in ``bpe.rungs``.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from operator import index

import numpy as np

from bpe.fast.compiling import borrowing, compiled, inlined
from bpe.fast.scanning import WordCounts, count_words
from bpe.pairs import Pair
from bpe.specials import Tokenizer, prepare
from bpe.splitting import GPT4_PATTERN, check_rule, printable_order
from bpe.training import N_BYTES, warn_of_early_stop
from bpe.utf8 import text_to_bytes

# --- what the kernels work on -------------------------------------------------------------------

CELL = np.dtype(
    [
        ("token", np.int32),  # at a token's first byte: its id. BORDER between words
        ("start", np.int32),  # at a token's last byte: the place of its first. BORDER between words
        ("pair", np.int32),  # at a token's first byte: the pair of it and the next, or NONE
        ("word", np.int32),  # which word this is: its count is the weight of all its pairs
    ]
)
PAIR = np.dtype(
    [
        ("count", np.int64),
        ("left", np.int32),
        ("right", np.int32),
        ("begin", np.int64),  # its places are places[begin:end], in the order of the text;
        ("end", np.int64),  # those whose cell has another pair by now are out of date
    ]
)
ENTRY = np.dtype([("count", np.int64), ("key", np.int64), ("pair", np.int64)])  # of the heap

BORDER = NONE = -1
SMALLEST, FIRST, GREATEST = range(3)  # tie rules; "printable" is "smallest" with other byte ids
MOST_CELLS = 1 << 29  # so that the numbers of places and pairs fit into 32 bits


@compiled
def lay_out(words, starts, byte_ids):
    """Put each word of two bytes or more into cells, with a border before and behind it.

    Returns the cells, and the bytes at the same places.
    """
    size = 1
    for word in range(len(starts) - 1):
        length = starts[word + 1] - starts[word]
        if length > 1:
            size += length + 1
    cells = np.empty(size, CELL)
    text = np.zeros(size, np.uint8)
    p = 0
    for word in range(len(starts) - 1):
        if starts[word + 1] - starts[word] > 1:
            border(cells, p)
            p += 1
            for i in range(starts[word], starts[word + 1]):
                text[p] = words[i]
                cells[p].token = byte_ids[words[i]]
                cells[p].start = p
                cells[p].pair = NONE
                cells[p].word = word
                p += 1
    border(cells, p)
    return cells, text


@inlined
def border(cells, p):
    cells[p].token = cells[p].start = BORDER
    cells[p].pair = NONE
    cells[p].word = 0


@compiled
def first_pairs(cells, counts):
    """Count the pairs of bytes: the pairs, how many they are, and the lists of their places."""
    pairs = np.zeros(N_BYTES * N_BYTES, PAIR)
    number = np.full(N_BYTES * N_BYTES, NONE, np.int32)
    n_pairs = 0
    for p in range(len(cells) - 1):
        left, right = cells[p].token, cells[p + 1].token
        if left == BORDER or right == BORDER:
            continue
        q = number[left * N_BYTES + right]
        if q == NONE:
            q = number[left * N_BYTES + right] = n_pairs
            pairs[q].left, pairs[q].right = left, right
            n_pairs += 1
        cells[p].pair = q
        pairs[q].count += counts[cells[p].word]
        pairs[q].end += 1  # how many places it has, until reserve makes room for them
    filled = reserve(pairs, 0, n_pairs, 0)
    places = np.empty(filled, np.int32)
    for p in range(len(cells)):
        if cells[p].pair != NONE:
            add_place(places, pairs, cells[p].pair, p)
    return pairs, n_pairs, places


@inlined
def reserve(pairs, first, last, filled):
    """Give each of these pairs room for its list behind what is filled; return what then is."""
    for q in range(first, last):
        size = pairs[q].end
        pairs[q].begin = pairs[q].end = filled
        filled += size
    return filled


@inlined
def add_place(places, pairs, q, p):
    places[pairs[q].end] = p
    pairs[q].end += 1


@compiled
def grown(array, size):
    """The array, or a copy with room for ``size`` items: at least twice as long, so rarely made."""
    if size <= len(array):
        return array
    longer = np.empty(max(size, 2 * len(array)), array.dtype)
    longer[: len(array)] = array
    return longer


# --- the heap: the pair to merge next is on top -------------------------------------------------


@borrowing
def spelled_greater(one, other, pairs, spelling):
    """Whether pair ``one`` is greater than ``other`` as a pair of byte strings, or made earlier."""
    text, places, lengths = spelling
    for half in range(2):
        a = pairs[one].left if half == 0 else pairs[one].right
        b = pairs[other].left if half == 0 else pairs[other].right
        shorter = min(lengths[a], lengths[b])
        # A token that has grown is often compared with what it was: they begin at one place.
        i = shorter if places[a] == places[b] else 0
        while i < shorter and text[places[a] + i] == text[places[b] + i]:
            i += 1
        if i < shorter:
            return text[places[a] + i] > text[places[b] + i]
        if lengths[a] != lengths[b]:
            return lengths[a] > lengths[b]
    if pairs[one].left != pairs[other].left:
        return pairs[one].left < pairs[other].left
    return pairs[one].right < pairs[other].right


@inlined
def before(one, other, pairs, spelling):
    """Whether entry ``one`` is merged before ``other``. Keys are equal only where all are 0."""
    if one.count != other.count:
        return one.count > other.count
    if one.key != other.key:
        return one.key < other.key
    return one.pair != other.pair and spelled_greater(one.pair, other.pair, pairs, spelling)


@inlined
def swap(heap, i, j):
    a, b = heap[i], heap[j]
    a.count, b.count = b.count, a.count
    a.key, b.key = b.key, a.key
    a.pair, b.pair = b.pair, a.pair


@borrowing
def rise(heap, i, pairs, spelling):
    while i > 0 and before(heap[i], heap[(i - 1) // 2], pairs, spelling):
        swap(heap, i, (i - 1) // 2)
        i = (i - 1) // 2


@borrowing
def sink(heap, size, i, pairs, spelling):
    while 2 * i + 1 < size:
        child = 2 * i + 1
        if child + 1 < size and before(heap[child + 1], heap[child], pairs, spelling):
            child += 1
        if not before(heap[child], heap[i], pairs, spelling):
            break
        swap(heap, i, child)
        i = child


@inlined
def set_entry(entry, q, key, pairs):
    entry.count = pairs[q].count
    entry.key = key
    entry.pair = q


@inlined
def key_of(q, rule, cells, pairs, places):
    """What decides between pairs of equal count: the lowest key is merged."""
    if rule == SMALLEST:
        return np.int64(pairs[q].left) << 32 | pairs[q].right
    if rule == GREATEST:
        return np.int64(0)  # the strings decide
    while cells[places[pairs[q].begin]].pair != q:
        pairs[q].begin += 1
    return np.int64(places[pairs[q].begin])


# --- training -----------------------------------------------------------------------------------


@compiled
def learn(cells, text, counts, n_merges, rule, told):
    """Merge the top pair again and again; return the merges, an array of (left, right).

    ``told[0]`` says all the while how many merges have been learned.
    """
    pairs, n_pairs, places = first_pairs(cells, counts)
    filled = len(places)
    lengths = np.ones(N_BYTES + n_merges, np.int32)  # of each token, in bytes,
    spelled_at = np.zeros(N_BYTES + n_merges, np.int32)  # and a place where it stands
    for p in range(len(cells)):
        if cells[p].token != BORDER:
            spelled_at[cells[p].token] = p
    spelling = text, spelled_at, lengths
    left_of = np.full(N_BYTES + n_merges, NONE, np.int32)  # the new pair with this token on its
    right_of = np.full(N_BYTES + n_merges, NONE, np.int32)  # left, or right, of the new one
    merges = np.empty((n_merges, 2), np.int32)

    heap = np.empty(n_pairs, ENTRY)
    size = 0
    for q in range(n_pairs):
        if pairs[q].count > 0:
            set_entry(heap[size], q, key_of(q, rule, cells, pairs, places), pairs)
            size += 1
    for i in range(size // 2 - 1, -1, -1):
        sink(heap, size, i, pairs, spelling)

    done = 0
    while done < n_merges and size > 0:
        # Look at the top; if its pair has shrunk in the meantime, mend the entry and look again.
        q = heap[0].pair
        current = pairs[q].count > 0
        if current:
            key = key_of(q, rule, cells, pairs, places)
            current = heap[0].count == pairs[q].count and heap[0].key == key
            set_entry(heap[0], q, key, pairs)
        if current or pairs[q].count == 0:
            size -= 1
            swap(heap, 0, size)
        sink(heap, size, 0, pairs, spelling)
        if not current:
            continue

        # Merge it at each of its places. Its two tokens become one, and so their pairs with the
        # tokens before and behind give way to new pairs, which are counted on the way.
        new = N_BYTES + done
        left, right = pairs[q].left, pairs[q].right
        merges[done, 0], merges[done, 1] = left, right
        lengths[new] = lengths[left] + lengths[right]
        first_new = n_pairs
        most = pairs[q].end - pairs[q].begin
        pairs = grown(pairs, n_pairs + 2 * min(most, new + 1))
        for i in range(pairs[q].begin, pairs[q].end):
            p = places[i]
            if cells[p].pair != q:
                continue
            middle = p + lengths[left]
            after = p + lengths[new]
            weight = counts[cells[p].word]
            previous = cells[p - 1].start
            if previous != BORDER:
                token = cells[previous].token
                if left_of[token] == NONE:
                    left_of[token] = n_pairs
                    begin_pair(pairs, n_pairs, token, new)
                    n_pairs += 1
                replace_pair(cells, pairs, previous, previous, left_of[token], weight)
            token = cells[after].token
            if token != BORDER:
                if right_of[token] == NONE:
                    right_of[token] = n_pairs
                    begin_pair(pairs, n_pairs, new, token)
                    n_pairs += 1
                replace_pair(cells, pairs, middle, p, right_of[token], weight)
            else:
                cells[p].pair = NONE
            cells[middle].pair = NONE
            cells[p].token = new
            cells[after - 1].start = p
            spelled_at[new] = p
        pairs[q].count = 0

        # The new pairs are complete: write down where they stand, and put them on the heap.
        places_needed = reserve(pairs, first_new, n_pairs, filled)
        places = grown(places, places_needed)
        filled = places_needed
        for i in range(pairs[q].begin, pairs[q].end):
            p = places[i]
            if cells[p].token == new:
                previous = cells[p - 1].start
                if previous != BORDER and cells[previous].token != new:
                    add_place(places, pairs, cells[previous].pair, previous)
                if cells[p].pair != NONE:
                    add_place(places, pairs, cells[p].pair, p)
        heap = grown(heap, size + n_pairs - first_new)
        for q in range(first_new, n_pairs):
            left_of[pairs[q].left] = right_of[pairs[q].right] = NONE
            if pairs[q].count > 0:
                set_entry(heap[size], q, key_of(q, rule, cells, pairs, places), pairs)
                rise(heap, size, pairs, spelling)
                size += 1
        done += 1
        told[0] = done
    return merges[:done]


@inlined
def begin_pair(pairs, q, left, right):
    pairs[q].left, pairs[q].right = left, right
    pairs[q].count = pairs[q].begin = pairs[q].end = 0


@inlined
def replace_pair(cells, pairs, old_place, place, q, weight):
    """The pair at ``old_place`` loses this occurrence, and pair ``q`` gains it at ``place``."""
    pairs[cells[old_place].pair].count -= weight
    pairs[q].count += weight
    pairs[q].end += 1  # how many places it has, until reserve makes room for them
    cells[place].pair = q


# --- from Python ----------------------------------------------------------------------------------


def train(
    texts: str | Iterable[str],
    vocab_size: int,
    *,
    pattern: str = GPT4_PATTERN,
    special_tokens: Mapping[str, int] | Iterable[str] = (),
    ties: str = "smallest",
    progress: bool = False,
    threads: int | None = None,
) -> Tokenizer:
    """Learn a tokenizer from ``texts``: the very one that ``bpe.Tokenizer.train`` learns.

    Args:
        texts: A string, or an iterable of strings (documents), which is read once: it may be a
            generator of more text than fits into memory.
        vocab_size: 256 bytes, plus the merges, plus the special tokens.
        pattern: What a word is. Other patterns than the three of OpenAI's are split by the plain
            splitter, which takes most of the time then.
        special_tokens: As in ``bpe.Tokenizer.train``: never learned from, last of the ids.
        ties: Which of several pairs with the highest count is merged: see ``train_words``.
        progress: Show progress bars (needs tqdm).
        threads: How many threads count words; without it, one for each processor. The result
            does not depend on it.

    Raises:
        ValueError: As ``bpe.Tokenizer.train``; or the different words are longer than half a
            gigabyte together.

    Warns:
        UserWarning: The words ran out of pairs before ``vocab_size`` was reached.

    >>> train("low low lower", 259).merges
    {(108, 111): 256, (256, 119): 257, (32, 257): 258}
    """
    parts, specials = prepare(texts, vocab_size, special_tokens)
    check_rule(ties)  # before the counting, which may take long
    threads = (os.cpu_count() or 1) if threads is None else threads
    words = count_words(parts, pattern, threads=threads, progress=progress)
    return _train(words, vocab_size, pattern, specials, ties, progress)


def train_on_counts(
    counts: Mapping[bytes | str, int] | WordCounts,
    vocab_size: int,
    *,
    pattern: str = GPT4_PATTERN,
    special_tokens: Mapping[str, int] | Iterable[str] = (),
    ties: str = "smallest",
    progress: bool = False,
) -> Tokenizer:
    """Learn a tokenizer from words that have been counted already, here or on many machines.

    Args:
        counts: How often each word occurs. Their order matters to ``ties="first"`` only.
        pattern: What the words were cut with; it is not applied again.
        special_tokens: As in ``train``. Whoever counts cuts them out.

    Raises:
        ValueError: As ``train``; or a word is neither bytes nor str, or a count no whole number
            from 0 upwards. The message names the word.

    >>> counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> train_on_counts(counts, 258).merges
    {(117, 103): 256, (117, 110): 257}
    """
    _, specials = prepare("", vocab_size, special_tokens)
    check_rule(ties)
    words = counts if isinstance(counts, WordCounts) else _from_mapping(counts)
    return _train(words, vocab_size, pattern, specials, ties, progress)


def _train(
    words: WordCounts,
    vocab_size: int,
    pattern: str,
    specials: Mapping[str, int] | list[str],
    ties: str,
    progress: bool,
) -> Tokenizer:
    wanted = vocab_size - N_BYTES - len(specials)
    merges = learn_merges(words, wanted, ties=ties, progress=progress)
    if len(merges) < wanted:
        warn_of_early_stop(len(merges), wanted, len(specials), stacklevel=4)
    return Tokenizer.from_merges(merges, pattern=pattern, special_tokens=specials, ties=ties)


def learn_merges(
    words: WordCounts, num_merges: int, *, ties: str = "smallest", progress: bool = False
) -> dict[Pair, int]:
    """Return what ``bpe.splitting.train_words`` returns for the same words.

    Raises:
        ValueError: ``ties`` is not a rule, the arrays do not fit together, a count is negative, or
            words or counts are too many.

    >>> learn_merges(WordCounts.of({b"hug": 10, b"pun": 12}), 1)
    {(112, 117): 256}
    """
    check_rule(ties)
    text, starts, counts = _checked(words)
    # "printable" is "smallest" when the bytes go by their places in GPT-2's order.
    byte_of_id = np.array(printable_order() if ties == "printable" else range(N_BYTES), np.int32)
    cells, text = lay_out(text, starts, np.argsort(byte_of_id).astype(np.int32))
    rule = {"first": FIRST, "greatest": GREATEST}.get(ties, SMALLEST)
    most = min(num_merges, len(cells))  # no more merges than places: arrays no longer than that
    told = np.zeros(1, np.int64)

    def run() -> np.ndarray:
        return learn(cells, text, counts, most, rule, told)

    merges = _watch(run, told, num_merges) if progress else run()
    of_bytes = merges < N_BYTES
    merges[of_bytes] = byte_of_id[merges[of_bytes]]
    pairs = zip(merges[:, 0].tolist(), merges[:, 1].tolist())
    return dict(zip(pairs, range(N_BYTES, N_BYTES + len(merges))))


def _checked(words: WordCounts) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The arrays as the kernels take them. A kernel trusts them, so nothing wrong may get there."""
    text = np.ascontiguousarray(words.bytes, np.uint8)
    starts = np.ascontiguousarray(words.starts, np.int64)
    counts = np.ascontiguousarray(words.counts, np.int64)
    lengths = np.diff(starts)
    if (
        len(starts) != len(counts) + 1
        or starts[0] < 0
        or starts[-1] > len(text)
        or (lengths < 0).any()
    ):
        raise ValueError(
            f"these are no words: {len(starts)} starts for {len(counts)} counts and {len(text)} "
            "bytes. Starts rise from 0 to the number of bytes, and are one more than the counts"
        )
    if (counts < 0).any():
        place = int(np.argmax(counts < 0))
        word = text[starts[place] : starts[place + 1]].tobytes()
        raise ValueError(f"word {word!r} has the count {counts[place]}: counts start at 0")
    # Floats are exact enough here: the limit is not a matter of a few.
    if float(np.dot(counts.astype(float), np.maximum(lengths, 0))) >= 2.0**62:
        raise ValueError("the counts of all pairs do not fit into 64 bits: divide them first")
    longer = lengths > 1
    needed = int(lengths[longer].sum()) + int(longer.sum()) + 1
    if needed > MOST_CELLS:
        raise ValueError(
            f"the different words need {needed:,} cells, and {MOST_CELLS:,} fit: leave out the "
            "rare ones, or choose a pattern that cuts long words"
        )
    return text, starts, counts


def _from_mapping(counts: Mapping[bytes | str, int]) -> WordCounts:
    if not isinstance(counts, Mapping):
        raise ValueError(
            f"counts is a {type(counts).__name__}: give how often each word occurs, {{word: count}}"
        )
    words: list[bytes] = []
    numbers: list[int] = []
    for word, count in counts.items():
        if not isinstance(word, bytes | str):
            raise ValueError(f"word {word!r} is a {type(word).__name__}: words are bytes or str")
        try:
            number = index(count)
        except TypeError:
            raise ValueError(f"word {word!r} has the count {count!r}: no whole number") from None
        if not 0 <= number < 1 << 62:
            raise ValueError(
                f"word {word!r} has the count {number}: counts go from 0 to {(1 << 62) - 1}"
            )
        words.append(text_to_bytes(word) if isinstance(word, str) else word)
        numbers.append(number)
    starts = np.zeros(len(words) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, words), np.int64, len(words)), out=starts[1:])
    return WordCounts(np.frombuffer(b"".join(words), np.uint8), starts, np.array(numbers, np.int64))


def _watch(run: Callable[[], np.ndarray], told: np.ndarray, total: int) -> np.ndarray:
    """Run a kernel beside a progress bar: it holds no lock, and says how far it is."""
    from tqdm.auto import tqdm  # only whoever asks for the bar needs the library

    with ThreadPoolExecutor(1) as pool, tqdm(total=total, desc="merges") as bar:
        running = pool.submit(run)
        while wait([running], timeout=0.1).not_done:
            bar.update(int(told[0]) - bar.n)
        bar.update(int(told[0]) - bar.n)  # it may have been done before anybody looked
        return running.result()
