"""Chapter 11: one word's bytes become ids, in three ways with one result.

A short word is looked through for its lowest pair, again and again: n bytes take up to n * n steps,
and the shortest way. A long one takes a walk from left to right, or a heap where that is not
possible, so that no text, however hostile, takes time out of proportion.

Plain twin: ``bpe.ranks.merge_word``. The walk follows van Antwerpen and Neubeck (2024), "So many
tokens, so little time", and their program, the Rust crate ``bpe``.
"""

from typing import NamedTuple

import numpy as np
from numba import int64, uint64

from bpe.fast.compiling import compiled, inlined
from bpe.fast.memory import handle, hash_of, int32s_at, int64s_at, uint64s_at
from bpe.fast.tables import (
    EMPTY,
    N_TOKENS,
    NONE,
    SPREAD,
    Tables,
    find,
    made_of,
    open_tables,
    place_of_two,
)

SHORT = 64  # bytes: up to here the scan is quickest

# --- a short word -------------------------------------------------------------------------------


@compiled
def merge_short(tables, text, i, j, ids, o, lowest, limit):
    """Merge ``text[i:j]`` into ``ids`` from place o on, and return the place behind the last id.

    ``lowest`` is room for what each pair makes; pairs that make ``limit`` or more are left alone.
    """
    n = j - i
    for k in range(n):
        ids[o + k] = tables.singles[text[i + k]]
    for k in range(n - 1):
        lowest[k] = tables.doubles[place_of_two(text, i + k)]
    while n > 1:
        best, at = limit, 0
        for k in range(n - 1):
            if lowest[k] < best:
                best, at = int64(lowest[k]), k
        if best == limit:
            break
        n -= 1
        ids[o + at] = best
        for k in range(at + 1, n):
            ids[o + k] = ids[o + k + 1]
            lowest[k] = lowest[k + 1]  # the last one reads a place too far, and nobody looks at it
        if at < n - 1:
            lowest[at] = made_of(tables, best, ids[o + at + 1])
        if at > 0:
            lowest[at - 1] = made_of(tables, ids[o + at - 1], best)
    return o + n


# --- a long word, with a heap -------------------------------------------------------------------


class HeapRoom(NamedTuple):
    """What ``merge_by_heap`` needs besides the ids: for n bytes n places, in the heap 2 * n."""

    parts: np.ndarray  # the number of the part that begins at a byte; -1 when it has been joined
    before: np.ndarray  # where the part before it begins
    after: np.ndarray  # where the part after it begins
    heap: np.ndarray  # what a pair makes, and where it begins


def heap_room(n: int) -> HeapRoom:
    return HeapRoom(
        np.empty(n, np.int32), np.empty(n, np.int64), np.empty(n, np.int64), np.empty(2 * n, "u8")
    )


@inlined
def open_room(room):
    return HeapRoom(int32s_at(room[0]), int64s_at(room[1]), int64s_at(room[2]), uint64s_at(room[3]))


@inlined
def push(heap, size, number, at):
    """Put a pair into the heap, if it makes a token. Returns the new size."""
    if number == NONE:
        return size
    entry = uint64(number) << uint64(43) | uint64(at)
    k = size
    while k > 0 and heap[(k - 1) >> 1] > entry:
        heap[k] = heap[(k - 1) >> 1]
        k = (k - 1) >> 1
    heap[k] = entry
    return size + 1


@inlined
def pop(heap, size):
    """Take the lowest entry out of a heap of ``size`` entries."""
    lowest, last = heap[0], heap[size - 1]
    size -= 1
    k = 0
    while 2 * k + 1 < size:
        child = 2 * k + 1
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= last:
            break
        heap[k] = heap[child]
        k = child
    heap[k] = last
    return lowest


@compiled
def merge_by_heap(tables, text, i, j, ids, o, room, limit):
    """As ``merge_short``, in n log n steps. An entry that is out of date is passed over."""
    parts, before, after, heap = room.parts, room.before, room.after, room.heap
    n, size = j - i, 0
    for k in range(n):
        parts[k] = tables.singles[text[i + k]]
        before[k], after[k] = k - 1, k + 1
    for k in range(n - 1):
        size = push(heap, size, int64(tables.doubles[place_of_two(text, i + k)]), k)
    while size > 0:
        entry = pop(heap, size)
        size -= 1
        left, number = int64(entry & uint64((1 << 43) - 1)), int64(entry >> uint64(43))
        if number >= limit:
            break
        if parts[left] < 0 or after[left] == n:
            continue
        right = after[left]
        if made_of(tables, parts[left], parts[right]) != number:
            continue
        parts[left], parts[right] = number, -1
        right = after[left] = after[right]
        if right < n:
            before[right] = left
            size = push(heap, size, made_of(tables, number, parts[right]), left)
        if left > 0:
            k = before[left]
            size = push(heap, size, made_of(tables, parts[k], number), k)
    k = 0
    while k < n:
        ids[o] = parts[k]
        o += 1
        k = after[k]
    return o


# --- a long word, from left to right ------------------------------------------------------------
#
# If every token is a chain of merges, ids are the result of merging exactly if each two neighbors
# are: if no merge would have joined a part of one with a part of the other. So a word can be read
# from left to right, without a heap: take the longest token that goes with the one before, a
# shorter one if it does not, and when none does, take the last one back and make that shorter.


class Steps(NamedTuple):
    """What the walk needs to know of a vocabulary: a tree of its tokens, and how each was made.

    A node of the tree is the beginning of a token. One that is a token itself has its number; the
    others have the numbers behind those of the tokens.

    Attributes:
        seconds: For each two bytes the node that they are, or NO_NODE.
        children: A hash table from a node and a byte to the next node: each entry holds the three,
            in 28, 8 and 28 bits.
        shorter: For each token the next shorter token with which it begins, or NONE.
        left, right: The two tokens of which each was made; a byte is made of itself.
        sizes: See the next line.
    """

    seconds: np.ndarray
    children: np.ndarray
    shorter: np.ndarray
    left: np.ndarray
    right: np.ndarray
    sizes: np.ndarray


FIRST_NODE, LAST_CHILD_SLOT, CHILD_SHIFT = range(3)  # what stands where in ``sizes``
NO_NODE = (1 << 28) - 1


@inlined
def open_steps(steps):
    return Steps(
        int32s_at(steps[0]),
        uint64s_at(steps[1]),
        int32s_at(steps[2]),
        int32s_at(steps[3]),
        int32s_at(steps[4]),
        int64s_at(steps[5]),
    )


def build_steps(tables: Tables) -> Steps | None:
    """Return what the walk needs, or None for a vocabulary that is no chain of merges.

    In a chain the bytes come first, and each other token is what two tokens below it make, as
    ``bpe.ranks.recover_merges`` says it.
    """
    n_tokens = len(tables.starts) - 1
    most_nodes = n_tokens + int(tables.starts[-1])
    if tables.singles.max() >= len(tables.singles) or most_nodes >= NO_NODE:
        return None
    longest = int(np.diff(tables.starts).max())
    left, right = np.empty(n_tokens, np.int32), np.empty(n_tokens, np.int32)
    parts, lowest = np.empty(longest + 1, np.int32), np.empty(SHORT, np.int32)
    room, opened = heap_room(longest), handle(tables)
    if not split_tokens(opened, handle(room), handle((parts, lowest)), handle((left, right))):
        return None
    bits = n_tokens.bit_length() + 1
    while True:
        steps = Steps(
            np.full(1 << 16, NO_NODE, np.int32),
            np.full(1 << bits, EMPTY, np.uint64),
            np.full(n_tokens, NONE, np.int32),
            left,
            right,
            np.array([n_tokens, (1 << bits) - 1, 64 - bits], np.int64),
        )
        if grow_tree(opened, handle(steps)):
            return steps
        bits += 1


@compiled
def split_tokens(tables, room, scratch, halves):
    """Find the two parts of each token; False if one is not made of two that come before it."""
    tables, room = open_tables(tables), open_room(room)
    parts, lowest = int32s_at(scratch[0]), int32s_at(scratch[1])
    left, right = int32s_at(halves[0]), int32s_at(halves[1])
    for number in range(tables.sizes[N_TOKENS]):
        start, end = tables.starts[number], tables.starts[number + 1]
        if end - start == 1:
            left[number] = right[number] = number
            continue
        if end - start <= SHORT:
            n = merge_short(tables, tables.bytes, start, end, parts, 0, lowest, number)
        else:
            n = merge_by_heap(tables, tables.bytes, start, end, parts, 0, room, number)
        if n != 2:
            return False
        left[number], right[number] = parts[0], parts[1]
    return True


@inlined
def child_of(steps, node, byte):
    """The node behind ``node`` and ``byte`` or NO_NODE, and the slot where it stands or would."""
    key = uint64(node) << uint64(8) | uint64(byte)
    slot = (key * SPREAD) >> uint64(steps.sizes[CHILD_SHIFT])
    while True:
        entry = steps.children[slot]
        if entry >> uint64(28) == key:
            return int64(entry & uint64(NO_NODE)), slot
        if entry == EMPTY:
            return NO_NODE, slot
        slot = (slot + uint64(1)) & uint64(steps.sizes[LAST_CHILD_SLOT])


@compiled
def grow_tree(tables, steps):
    """Put each token into the tree, byte by byte; False when half of the children are taken."""
    tables, steps = open_tables(tables), open_steps(steps)
    data, n_tokens = tables.bytes, steps.sizes[FIRST_NODE]
    next_node, room = n_tokens, steps.sizes[LAST_CHILD_SLOT] // 2
    for number in range(n_tokens):
        start, end = tables.starts[number], tables.starts[number + 1]
        if end - start < 2:
            continue
        shorter, node = int64(tables.singles[data[start]]), int64(NO_NODE)
        for k in range(start + 1, end):
            slot = uint64(0)
            if k == start + 1:
                child = int64(steps.seconds[place_of_two(data, start)])
            else:
                child, slot = child_of(steps, node, data[k])
            if child == NO_NODE:
                child = find(tables, data, start, k + 1, hash_of(data, start, k + 1))
                if child == NONE:
                    child = next_node
                    next_node += 1
                if k == start + 1:
                    steps.seconds[place_of_two(data, start)] = child
                elif room == 0:
                    return False
                else:
                    room -= 1
                    key = uint64(node) << uint64(8) | uint64(data[k])
                    steps.children[slot] = key << uint64(28) | uint64(child)
            node = child
            if node < n_tokens and k < end - 1:
                shorter = node
        steps.shorter[number] = shorter
    return True


@inlined
def longest_token(tables, steps, text, i, j):
    """The longest token with which ``text[i:j]`` begins, or NONE if that is empty."""
    if i == j:
        return NONE
    found = int64(tables.singles[text[i]])
    if i + 1 == j:
        return found
    node, n_tokens = int64(steps.seconds[place_of_two(text, i)]), steps.sizes[FIRST_NODE]
    i += 2
    while node != NO_NODE:
        if node < n_tokens:
            found = node
        if i == j:
            break
        node, _ = child_of(steps, node, text[i])
        i += 1
    return found


@inlined
def go_together(tables, steps, left, right, answers):
    """Whether merging the bytes of two tokens ends in these two tokens.

    ``answers`` remembers, for 32,768 pairs, what ``would_stay`` said.
    """
    key = uint64(left) << uint64(21) | uint64(right)
    at = (key * SPREAD) >> uint64(64 - ANSWER_BITS)
    answer = answers[at]
    if answer >> uint64(2) != key or answer == uint64(0):
        answer = key << uint64(2) | uint64(2) | uint64(would_stay(tables, steps, left, right))
        answers[at] = answer
    return answer & uint64(1) != uint64(0)


ANSWER_BITS = 15


@compiled
def would_stay(tables, steps, left, right):
    """Whether no merge would join a part of one token with a part of the next.

    Goes back in time: takes apart whichever of the two was made last, and looks whether the parts
    at the border would have been joined before that.
    """
    limit = int64(NONE)
    while True:
        if made_of(tables, left, right) < limit:
            return False
        if left > right:
            limit = left
            left = int64(steps.right[left])
            if left == limit:  # a byte: it was there from the beginning
                limit = right + 1
                right = int64(steps.left[right])
                if right + 1 == limit:
                    return True
        else:
            limit = right + 1
            right = int64(steps.left[right])
            if right + 1 == limit:
                limit = left
                left = int64(steps.right[left])
                if left == limit:
                    return True


@compiled
def merge_by_walk(tables, steps, text, i, j, ids, o, dead, answers):
    """As ``merge_by_heap``, in steps that grow with n alone.

    ``dead`` is zeros, one for each byte of the word and one more; a place is marked from which no
    way leads on, so that it is tried only once. They are zeros again afterwards.
    """
    first, at = o, i
    token = longest_token(tables, steps, text, at, j)
    before = int64(NONE)
    while token != NONE:
        end = at + tables.starts[token + 1] - tables.starts[token]
        if not dead[end - i] and (
            before == NONE or go_together(tables, steps, before, token, answers)
        ):
            ids[o] = before = token
            o += 1
            at = end
            token = longest_token(tables, steps, text, at, j)
        elif steps.shorter[token] != NONE:
            token = int64(steps.shorter[token])
        elif o == first:
            raise AssertionError("a chain of merges has a way for every text")
        else:
            dead[at - i] = 1
            o -= 1
            at -= tables.starts[before + 1] - tables.starts[before]
            token = before
            before = int64(ids[o - 1]) if o > first else int64(NONE)
    for k in range(j - i + 1):
        dead[k] = 0
    return o
