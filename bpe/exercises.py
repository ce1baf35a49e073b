"""Checks that talk: the exercises of every chapter use them, and a learner can call them anywhere.

Not part of the ladder. A check calls the learner's function on one input and, when the answer is
wrong, says which input it was, what was expected, what came, and which idea is behind it.
"""

import copy
from collections.abc import Callable
from typing import Any

_LONGEST = 120  # characters of an input or an answer that a message shows


class WrongAnswer(AssertionError):
    """An answer is not right yet; the message says why."""


def check(
    function: Callable[..., Any],
    *args: Any,
    gives: Any = None,
    raises: type[Exception] | None = None,
    because: str = "",
    **kwargs: Any,
) -> None:
    """Call ``function(*args, **kwargs)`` and compare what comes with what was expected.

    Args:
        function: The learner's function.
        gives: The value expected. An iterator is compared as a list.
        raises: The exception expected, instead of a value.
        because: The idea behind the check, as a sentence; it closes the message.

    Raises:
        WrongAnswer: The value differs (or its type: ``True`` is not ``1``, a tuple no list), an
            exception came that was not expected, one that was expected did not come, or the
            function changed one of its arguments.

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
        got = function(*args, **kwargs)
        if hasattr(got, "__next__"):
            got = list(got)
    except NotImplementedError:
        raise WrongAnswer(f"{call}: nothing is written yet, expected {expected}.") from None
    except RecursionError:
        raise WrongAnswer(
            f"{call}: expected {expected}, but the recursion went too deep. "
            f"Python stops at about a thousand nested calls: use a loop.{hint}"
        ) from None
    except Exception as error:
        if raises and isinstance(error, raises):
            return
        raise WrongAnswer(
            f"{call}: expected {expected}, but {type(error).__name__} came: {error}.{hint}"
        ) from error
    if raises:
        raise WrongAnswer(f"{call}: expected {expected}, got {_short(got)}.{hint}")
    if (args, kwargs) != before:
        raise WrongAnswer(
            f"{call}: the function changed its argument. Whoever called it still needs the old "
            "value: build a new one and return that."
        )
    if got is None and gives is not None:
        raise WrongAnswer(
            f"{call}: expected {expected}, got None. Does the function end with return?{hint}"
        )
    if not _same(got, gives):
        kinds = ""
        if got == gives:
            kinds = f" (a {type(got).__name__}, not a {type(gives).__name__})"
        raise WrongAnswer(f"{call}: expected {expected}, got {_short(got)}{kinds}.{hint}")


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
        raise WrongAnswer("no prediction yet: put your answer in the place of the dots.")
    if not _same(answer, gives):
        hint = f" {because}" if because else ""
        raise WrongAnswer(f"you predicted {_short(answer)}, and that is not what comes.{hint}")


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
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 20]} … {text[-18:]}"
