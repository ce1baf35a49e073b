"""Work is counted alike on every machine, and what walks over a list is paid for."""

import builtins
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from bpe.exercises import WrongAnswer, check
from bpe.steps import TooManySteps, counted

N = 2_000
LINEAR, QUADRATIC = 100 * N, N * N // 4


def pop_front(ids: list[int]) -> int:
    total = 0
    while ids:
        total += ids.pop(0)
    return total


def slice_off(ids: list[int]) -> int:
    total = 0
    while ids:
        total, ids = total + ids[0], ids[1:]
    return total


def search(ids: list[int]) -> int:
    return sum(1 for idx in range(len(ids)) if idx in ids)


def delete_front(ids: list[int]) -> int:
    total = 0
    while ids:
        total += ids[0]
        del ids[0]
    return total


def recount(ids: list[int]) -> int:
    return sum(ids.count(idx) for idx in ids)


def insert_front(ids: list[int]) -> int:
    out: list[int] = []
    for idx in ids:
        out.insert(0, idx)
    return len(out)


def nested(ids: list[int]) -> int:
    return sum(1 for a in ids for b in ids if a == b)


def loop(ids: list[int]) -> int:
    total = 0
    for idx in ids:
        total += idx
    return total


def pop_end(ids: list[int]) -> int:
    total = 0
    while ids:
        total += ids.pop()
    return total


def look_up(ids: list[int]) -> int:
    seen = set(ids)
    return sum(idx in seen for idx in ids)


def append(ids: list[int]) -> int:
    out = []
    for idx in ids:
        out.append(idx)
    return len(out)


def pop_last(ids: list[int]) -> int:
    out = list(ids)
    while ids and out:
        ids.pop(-1), out.pop(-1)
        del ids[-1:], out[-1:]
    return len(out)


def swap(ids: list[int]) -> list[int]:
    for k in range(len(ids) - 1):
        ids[k : k + 2] = [ids[k + 1], ids[k]]
    return ids


def front(ids: list[int]) -> int:
    return sum(1 for _ in range(len(ids)) if 0 in ids and ids.index(0) == 0)


def add_text(ids: list[int]) -> int:
    text, out = "", []
    for _ in ids:
        text += "a"
        out += [1]
    return len(text) + len(out)


def find_on(ids: list[int]) -> int:
    text, at, count = "ab" * len(ids), -1, 0
    data = text.encode()
    while (at := text.find("b", at + 1)) >= 0:
        count += data.index(b"b", at) == at
    return count


def ask_views(ids: list[int]) -> int:
    table = dict(zip(ids, ids))
    return sum(1 for idx in ids if idx in table.keys() and (idx, idx) in table.items())


def small_best(ids: list[int]) -> int:
    return sum(max(idx, 1) + min([idx, 2]) + sum((idx,), 1) + len(sorted([idx])) for idx in ids)


@pytest.mark.parametrize(
    "function",
    [
        *(loop, pop_end, pop_last, look_up, append, swap, front, add_text, find_on, ask_views),
        small_best,
    ],
)
def test_a_pass_is_allowed(function: Callable) -> None:
    counted(function, LINEAR, list(range(N)))


def search_local(ids: list[int]) -> int:
    out = list(ids)
    return sum(1 for idx in range(len(ids)) if idx in out)


def search_values(ids: list[int]) -> int:
    table = dict(enumerate(ids))
    return sum(1 for idx in range(len(ids)) if idx in table.values())


def slice_text(ids: list[int]) -> int:
    text, count = "ab" * len(ids), 0
    while text:
        text = text[2:]
        count += 1
    return count


def slice_bytes(ids: list[int]) -> int:
    data, count = bytes(len(ids)), 0
    while data:
        data = data[1:]
        count += 1
    return count


def add_list(ids: list[int]) -> list[int]:
    out = []
    for idx in ids:
        last = [idx]
        out = out + last
    return out


def add_bytes(ids: list[int]) -> bytes:
    out = b""
    for _ in ids:
        out += b"a"
    return out


def unpack(ids: list[int]) -> list[int]:
    out = []
    for idx in ids:
        out = [*out, idx]
    return out


def best(ids: list[int]) -> int:
    table = dict(enumerate(ids))
    return sum(max(table, key=table.get) + min(table.values()) for _ in ids)


def order(ids: list[int]) -> int:
    return sum(sorted(ids)[0] for _ in ids)


def gather(ids: list[int]) -> int:
    return sum(len(set(ids)) for _ in ids)


def decode_all(ids: list[int]) -> int:
    data, parts, count = b"a" * len(ids), ["a"] * len(ids), 0
    for _ in ids:
        count += len(data.decode()) + len("".join(parts))
    return count


def copy_all(ids: list[int]) -> int:
    table = dict.fromkeys(ids, 0)
    return sum(len(table.copy()) + len(list(table)) for _ in ids)


def merge_in_place(ids: list[int]) -> list[int]:
    k = 0
    while k < len(ids) - 1:
        ids[k : k + 2] = [1]
    return ids


@pytest.mark.parametrize(
    "function",
    [
        *(pop_front, slice_off, search, delete_front, recount, insert_front, nested),
        *(search_local, search_values, slice_text, slice_bytes, add_list, add_bytes, unpack),
        *(best, order, gather, decode_all, copy_all, merge_in_place),
    ],
)
def test_a_walk_at_each_item_is_not(function: Callable) -> None:
    with pytest.raises(TooManySteps):
        counted(function, QUADRATIC, list(range(N)))


def test_only_what_is_walked_is_paid() -> None:
    """A short function, counted by hand: 1000 items, and the few instructions beside them."""
    for function in (sum, max, sorted, set, tuple, bytes):
        ids = [1] * 1_000
        counted(function, 1_000, ids)
        with pytest.raises(TooManySteps):
            counted(function, 999, ids)


def test_the_functions_of_python_are_put_back() -> None:
    before = [sum, max, min, sorted]
    for limit in (1_000, 1):
        try:
            counted(small_best, limit, [1, 2, 3])
        except TooManySteps:
            pass
    assert [builtins.sum, builtins.max, builtins.min, builtins.sorted] == before


def test_other_threads_pay_nothing() -> None:
    def wait(others: list[int]) -> int:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(lambda: sum([0] * 10**6)).result()

    assert counted(wait, 10**5, []) == 0


def test_the_same_number_each_time() -> None:
    def least(function: Callable) -> int:
        low, high = 0, LINEAR
        while low < high:
            middle = (low + high) // 2
            try:
                counted(function, middle, list(range(50)))
                high = middle
            except TooManySteps:
                low = middle + 1
        return low

    assert least(loop) == least(loop) > 50
    assert least(pop_end) < least(pop_front)


def test_a_generator_is_read_and_paid_for() -> None:
    def numbers(n: int) -> object:
        yield from range(n)

    assert counted(numbers, LINEAR, 5) == [0, 1, 2, 3, 4]

    def endless() -> object:
        while True:
            yield 1

    with pytest.raises(TooManySteps):
        counted(endless, LINEAR)


def test_a_loop_without_end_is_stopped() -> None:
    def stuck() -> None:
        while True:
            pass

    with pytest.raises(WrongAnswer, match="stopped after 1,000 steps"):
        check(stuck, gives=1, steps=1_000)


def test_arguments_and_result_are_plain_lists() -> None:
    def head(ids: list[int]) -> list[int]:
        return ids[:2]

    ids = [1, 2, 3]
    got = counted(head, 1_000, ids)
    assert type(got) is list and got == [1, 2]
    assert ids == [1, 2, 3]


def test_tracing_is_put_back() -> None:
    before = sys.gettrace(), sys.getprofile()
    for limit in (1_000, 1):
        try:
            counted(loop, limit, [1, 2, 3])
        except TooManySteps:
            pass
    assert (sys.gettrace(), sys.getprofile()) == before


def test_an_error_of_the_function_comes_out() -> None:
    with pytest.raises(ZeroDivisionError):
        counted(lambda: 1 / 0, 1_000)
