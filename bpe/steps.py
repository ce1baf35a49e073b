"""Count the work of a call in steps, so that "too slow" is the same on every machine.

Not part of the ladder. A step is one instruction of Python's own machine, or one item that a method
of a list or a string walks over (``pop(0)``, ``count``, a slice): a clock would give another answer
on a busy machine, a count does not. It stops a call that would never end, too.
"""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

# Methods in C that walk over the whole of what they belong to: one instruction, many steps.
_WALKS = {"pop", "insert", "remove", "index", "count", "copy", "find", "rfind", "replace", "split"}


class TooManySteps(Exception):
    """A call took more steps than it was allowed."""


class _Meter:
    def __init__(self, limit: int) -> None:
        self.left = limit

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise TooManySteps


class _List(list):
    """A list whose slices and copies are paid for; its slices are such lists again."""

    meter: _Meter

    def __getitem__(self, key: Any) -> Any:
        got = super().__getitem__(key)
        if isinstance(key, slice):
            self.meter.spend(len(got))
            return _metered(got, self.meter)
        return got

    def __contains__(self, item: object) -> bool:
        self.meter.spend(len(self))
        return super().__contains__(item)

    def __delitem__(self, key: Any) -> None:
        self.meter.spend(len(self))
        super().__delitem__(key)


def _metered(value: Any, meter: _Meter) -> Any:
    if type(value) is list:
        value = _List(value)
        value.meter = meter
    return value


def counted(function: Callable[..., Any], limit: int, *args: Any, **kwargs: Any) -> Any:
    """Call the function, and stop it when it has taken more than ``limit`` steps.

    Args:
        function: The function to call. An iterator that it returns is read to its end, too.
        limit: Steps allowed. A pass over n items with a few lines each takes about 50 n.

    Raises:
        TooManySteps: More steps were needed.

    >>> counted(sum, 100, [1, 2, 3])
    6
    >>> counted(lambda n: [i * j for i in range(n) for j in range(n)], 10_000, 1_000)
    Traceback (most recent call last):
        ...
    bpe.steps.TooManySteps
    """
    meter = _Meter(limit)

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        if event == "call":
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
        elif event == "opcode":
            meter.spend(1)
        return trace

    def profile(frame: FrameType, event: str, arg: Any) -> None:
        if event == "c_call" and getattr(arg, "__name__", "") in _WALKS:
            owner = getattr(arg, "__self__", None)
            if arg.__name__ == "pop" and not frame.f_code.co_code[frame.f_lasti + 1]:
                return  # called without an argument: the last item, and no walk
            if isinstance(owner, list | str | bytes | bytearray | tuple):
                meter.spend(len(owner))

    before = sys.gettrace(), sys.getprofile()
    metered = [_metered(arg, meter) for arg in args]
    sys.settrace(trace)
    sys.setprofile(profile)
    try:
        got = function(*metered, **kwargs)
        if hasattr(got, "__next__"):
            got = list(got)
    finally:
        sys.setprofile(before[1])
        sys.settrace(before[0])
    return list(got) if isinstance(got, _List) else got
