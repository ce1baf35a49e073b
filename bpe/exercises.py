"""Checks that talk: the exercises of every chapter use them, and a learner can call them anywhere.

Not part of the ladder. A check calls the learner's function on one input and, when the answer is
wrong, says which input it was, what was expected, what came, and which idea is behind it. What was
passed is kept by ``progress``, whose functions are handed on here.
"""

import copy
import inspect
import linecache
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from bpe.progress import assess, passed, progress, run_checks
from bpe.steps import TooManySteps, counted

__all__ = [
    "WrongAnswer",
    "assess",
    "check",
    "check_prediction",
    "hidden",
    "passed",
    "progress",
    "run_checks",
]

_LONGEST = 120  # characters of an input or an answer that a message shows
_DEEP = "Python stops at about a thousand nested calls: use a loop."


class WrongAnswer(AssertionError):
    """An answer is not right yet; the message says why.

    Attributes:
        idea: The same without any value of the check: what a hidden check may tell.
    """

    def __init__(self, message: str, idea: str = "") -> None:
        super().__init__(message)
        self.idea = idea.strip()

    def _render_traceback_(self) -> list[str]:
        """What Jupyter shows: the message, and the learner's own line if that is where it broke."""
        lines = [f"{type(self).__name__}: {self}"]
        if self.__cause__ is not None:
            traceback = self.__cause__.__traceback__
            while traceback is not None:
                code, number = traceback.tb_frame.f_code, traceback.tb_lineno
                line = linecache.getline(code.co_filename, number).strip()
                if code.co_filename != __file__ and line:
                    lines.append(f"  {code.co_name}, line {number}: {line}")
                traceback = traceback.tb_next
        return lines


def check(
    function: Callable[..., Any],
    *args: Any,
    gives: Any = None,
    raises: type[Exception] | None = None,
    because: str = "",
    steps: int | None = None,
    **kwargs: Any,
) -> None:
    """Call ``function(*args, **kwargs)`` and compare what comes with what was expected.

    Args:
        function: The learner's function.
        gives: The value expected. An iterator is compared as a list.
        raises: The exception expected, instead of a value.
        because: The idea behind the check, as a sentence; it closes the message.
        steps: The most work that the call may take, as ``bpe.steps`` counts it: a check of how the
            work grows with the input, and the same on every machine.

    Raises:
        WrongAnswer: The value differs (or its type: ``True`` is not ``1``, a tuple no list), an
            exception came that was not expected, one that was expected did not come, the
            function changed one of its arguments, or it took more steps than it may.

    >>> check(len, "abc", gives=3)
    >>> check(sum, [1, 1, 1], gives=2, because="The middle 1 was used twice.")
    Traceback (most recent call last):
        ...
    bpe.exercises.WrongAnswer: sum([1, 1, 1]): expected 2, got 3. The middle 1 was used twice.
    """
    call = _call(function, args, kwargs)
    before = copy.deepcopy((args, kwargs))
    expected = raises.__name__ if raises else _short(gives)
    hint = f" {because}" if because else ""
    try:
        if steps is None:
            got = function(*args, **kwargs)
            if hasattr(got, "__next__"):
                got = list(got)
        else:
            got = counted(function, steps, *args, **kwargs)
    except TooManySteps:
        idea = (
            "The work grows faster than the input: a loop inside the loop, or a slice, pop(0) or "
            f"search that walks over the rest of the input each time.{hint}"
        )
        raise WrongAnswer(f"{call}: stopped after {steps:,} steps. {idea}", idea) from None
    except NotImplementedError:
        idea = "Nothing is written yet."
        raise WrongAnswer(f"{call}: nothing is written yet, expected {expected}.", idea) from None
    except RecursionError:
        idea = f"The recursion went too deep. {_DEEP}{hint}"
        raise WrongAnswer(
            f"{call}: expected {expected}, but the recursion went too deep. {_DEEP}{hint}", idea
        ) from None
    except Exception as error:
        if raises and isinstance(error, raises):
            return
        name = type(error).__name__
        raise WrongAnswer(
            f"{call}: expected {expected}, but {name} came: {error}.{hint}",
            f"{name} came.{hint}",
        ) from error
    if raises:
        raise WrongAnswer(
            f"{call}: expected {expected}, got {_short(got)}.{hint}", f"No {expected} came.{hint}"
        )
    if (args, kwargs) != before:
        idea = (
            "the function changed its argument. Whoever called it still needs the old value: "
            "build a new one and return that."
        )
        raise WrongAnswer(f"{call}: {idea}", f"T{idea[1:]}")
    if got is None and gives is not None:
        idea = f"Does the function end with return?{hint}"
        raise WrongAnswer(f"{call}: expected {expected}, got None. {idea}", f"None came. {idea}")
    if not _same(got, gives):
        kinds = ""
        if got == gives:
            kinds = f" (a {type(got).__name__}, not a {type(gives).__name__})"
        raise WrongAnswer(f"{call}: expected {expected}, got {_short(got)}{kinds}.{hint}", because)


@contextmanager
def hidden() -> Iterator[None]:
    """Within it, a check that fails tells its idea and no value: the graded edition wraps in it.

    Raises:
        WrongAnswer: A check failed, or an exception came.

    >>> with hidden():
    ...     check(len, [7], gives=2, because="Count twice.")
    Traceback (most recent call last):
        ...
    bpe.exercises.WrongAnswer: a hidden check, on other input: Count twice.
    """
    try:
        yield
    except Exception as error:
        idea = getattr(error, "idea", "") or "The answer is not right there."
        if not isinstance(error, AssertionError):
            idea = f"{type(error).__name__} came."
        raise WrongAnswer(f"a hidden check, on other input: {idea}", idea) from None


def check_prediction(answer: Any, gives: Any, because: str = "") -> None:
    """Compare a prediction that the learner typed with the value that was computed.

    Raises:
        WrongAnswer: The prediction is missing (``None`` or ``...``) or differs. The right value is
            not told, so that the learner can think again.

    >>> check_prediction(5, 5)
    >>> check_prediction(4, 5, because="A space counts, too.")
    Traceback (most recent call last):
        ...
    bpe.exercises.WrongAnswer: you predicted 4, and that is not what comes. A space counts, too.
    """
    if answer is None or answer is ...:
        idea = "no prediction yet: put your answer in the place of the dots."
        raise WrongAnswer(idea, idea)
    if not _same(answer, gives):
        hint = f" {because}" if because else ""
        raise WrongAnswer(
            f"you predicted {_short(answer)}, and that is not what comes.{hint}", because
        )


def _same(got: Any, expected: Any) -> bool:
    """Equal, and of one type where types are easily confused (1 and True, list and tuple)."""
    if isinstance(expected, float):
        return isinstance(got, int | float) and abs(got - expected) <= 1e-9 * max(1, abs(expected))
    confusable = (bool, list, tuple, str, bytes)
    if isinstance(expected, confusable) or isinstance(got, confusable):
        if type(got) is not type(expected):
            return False
    return bool(got == expected)


def _call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    shown = [_short(arg) for arg in args]
    shown += [f"{name}={_short(value)}" for name, value in kwargs.items()]
    return f"{getattr(function, '__name__', 'your function')}({', '.join(shown)})"


def _short(value: Any) -> str:
    # A function is shown by its name: its place in memory tells a learner nothing.
    text = value.__name__ if inspect.isroutine(value) or isinstance(value, type) else repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 20]} … {text[-18:]}"
