"""Count the work of a call in steps, so that "too slow" is the same on every machine.

Not part of the ladder. A step is one instruction of Python's own machine, or one item that a
function in C walks over (``pop(0)``, ``count``, ``sum``, a slice, ``in`` with a list): a clock
would give another answer on a busy machine, a count does not. It stops a call that would never
end, too. Where the walk cannot be seen it is not counted: no good answer may be refused.
"""

import builtins
import functools
import itertools
import sys
import threading
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any

from bpe.walks import Code, size, steps_of_method


class TooManySteps(Exception):
    """A call took more steps than it was allowed."""


class _Meter:
    def __init__(self, limit: int) -> None:
        self.left = limit
        self.stored: tuple[str, tuple[type, ...]] | None = None  # the name that a copy has just got
        self.codes: dict[int, Code] = {}

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise TooManySteps

    def pay(self, frame: FrameType, offset: int) -> None:
        """Pay for the instruction that is about to run."""
        code, steps = self.code(frame.f_code), 1
        if self.stored:
            steps += size(frame, *self.stored)
        if offset in code.walks:
            steps += size(frame, *code.walks[offset])
        self.stored = code.stores.get(offset)
        self.spend(steps)

    def code(self, code: CodeType) -> Code:
        return self.codes.get(id(code)) or self.codes.setdefault(id(code), Code(code))


class _List(list):
    """A list in which each item that is walked over is paid for; its slices are such lists, too."""

    meter: _Meter

    def __iter__(self) -> Iterator[Any]:
        items = super().__iter__()

        def parts() -> Iterator[Iterator[Any]]:
            # Each twice as long as the last: few payments, and who stops early pays little.
            size = 1
            while left := items.__length_hint__():
                self.meter.spend(min(size, left))
                yield itertools.islice(items, size)
                size = min(2 * size, 64)

        return itertools.chain.from_iterable(parts())

    def __getitem__(self, key: Any) -> Any:
        got = super().__getitem__(key)
        if isinstance(key, slice):
            self.meter.spend(len(got))
            return _metered(got, self.meter)
        return got

    def __contains__(self, item: object) -> bool:
        try:
            self.index(item)
        except ValueError:
            return False
        return True

    def index(self, item: Any, start: int = 0, stop: int = sys.maxsize) -> int:
        start, stop, _ = slice(start, stop).indices(len(self))
        try:
            found = super().index(item, start, stop)
        except ValueError:
            self.meter.spend(max(0, stop - start))
            raise
        self.meter.spend(found + 1 - start)
        return found

    def __setitem__(self, key: Any, value: Any) -> None:
        size = len(self)
        super().__setitem__(key, value)
        if len(self) != size:  # what stands behind the place has moved
            self.meter.spend(size - key.indices(size)[0])

    def __delitem__(self, key: Any) -> None:
        size = len(self)
        super().__delitem__(key)
        self.meter.spend(size - (key.indices(size)[0] if isinstance(key, slice) else key % size))


def _metered(value: Any, meter: _Meter) -> Any:
    if type(value) is list:
        value = _List(value)
        value.meter = meter
    return value


def _paying(function: Callable[..., Any], meter: _Meter) -> Callable[..., Any]:
    """``max`` and its like, paying for what they walk over, unless that pays by itself."""
    own = threading.get_ident()  # other threads of a notebook's kernel pay nothing

    @functools.wraps(function)
    def paying(*args: Any, **kwargs: Any) -> Any:
        whole = len(args) == 1 or function.__name__ == "sum"  # which may have a start
        if whole and hasattr(args[0], "__len__") and threading.get_ident() == own:
            meter.spend(0 if type(args[0]) is _List else len(args[0]))
        return function(*args, **kwargs)

    return paying


def _before_each_instruction(pay: Callable[[FrameType, int], None]) -> Callable[[], None]:
    """Have ``pay`` called, but for what is done in this file; return what ends it."""
    if sys.version_info >= (3, 12):  # where settrace would miss the first call of each function
        own, watch = threading.get_ident(), sys.monitoring
        kind, tool = watch.events.INSTRUCTION, watch.PROFILER_ID + 1
        while watch.get_tool(tool):
            tool += 1

        def instruction(code: CodeType, offset: int) -> None:
            if code.co_filename != __file__ and threading.get_ident() == own:
                pay(sys._getframe(1), offset)

        def end() -> None:
            watch.set_events(tool, 0)
            watch.register_callback(tool, kind, None)
            watch.free_tool_id(tool)

        watch.use_tool_id(tool, __name__)
        watch.register_callback(tool, kind, instruction)
        watch.set_events(tool, kind)
        return end

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        if event == "call":
            if frame.f_code.co_filename == __file__:
                return None
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
        elif event == "opcode":
            pay(frame, frame.f_lasti)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    return lambda: sys.settrace(before)


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

    def profile(frame: FrameType, event: str, arg: Any) -> None:
        if event == "c_call" and frame.f_code.co_filename != __file__:
            owner, name = getattr(arg, "__self__", None), getattr(arg, "__name__", "")
            meter.spend(steps_of_method(meter.code(frame.f_code), frame, name, owner))

    before, end = sys.getprofile(), None
    whole = {name: getattr(builtins, name) for name in ("sum", "max", "min", "sorted")}
    metered = [_metered(arg, meter) for arg in args]
    try:
        for name, each in whole.items():
            setattr(builtins, name, _paying(each, meter))
        end = _before_each_instruction(meter.pay)
        sys.setprofile(profile)
        got = function(*metered, **kwargs)
        if hasattr(got, "__next__"):
            got = list(got)
    finally:
        sys.setprofile(before)
        if end:
            end()
        for name, each in whole.items():
            setattr(builtins, name, each)
    return list.copy(got) if isinstance(got, _List) else got
