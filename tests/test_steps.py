"""Work is counted alike on every machine, and what walks over a list is paid for."""

import sys
from collections.abc import Callable

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


@pytest.mark.parametrize("function", [loop, pop_end, look_up, append])
def test_a_pass_is_allowed(function: Callable) -> None:
    counted(function, LINEAR, list(range(N)))


@pytest.mark.parametrize(
    "function", [pop_front, slice_off, search, delete_front, recount, insert_front, nested]
)
def test_a_walk_at_each_item_is_not(function: Callable) -> None:
    with pytest.raises(TooManySteps):
        counted(function, QUADRATIC, list(range(N)))


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
