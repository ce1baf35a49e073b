"""Where work hides in one instruction: what the functions in C of a code walk over.

Not part of the ladder; ``bpe.steps`` pays by it. While a function runs, its instructions and its
names can be seen, and the values that it computes on the way cannot: a walk is seen if what is
walked over has a plain name, or is what the method belongs to.
"""

import dis
from types import CodeType, FrameType
from typing import Any

# Methods in C that walk over the whole of what they belong to: one instruction, many steps.
_WALKS = {"insert", "remove", "count", "copy", "replace", "split", "rsplit", "encode", "decode"}
_WALKS |= {"sort", "reverse"}
_FINDS = {"index", "rindex", "find", "rfind", "count"}  # they may begin somewhere in the middle
_TAKES = {"join", "extend", "update"}  # they walk over what they are given
_COPIES = {"list", "tuple", "set", "frozenset", "dict", "bytes", "bytearray"}
_ORDERED = (list, tuple, str, bytes, bytearray)
_SIZED = (*_ORDERED, set, frozenset, dict)


class Code:
    """A code's instructions, and which of them walk over what a plain name stands for."""

    def __init__(self, code: CodeType) -> None:
        self.code = code  # kept, so that its id stays its own
        quiet = {"CACHE", "PRECALL", "EXTENDED_ARG", "NOP"}
        found = [each for each in dis.get_instructions(code) if each.opname not in quiet]
        self.found, self.place = found, {each.offset: k for k, each in enumerate(found)}
        self.walks: dict[int, tuple[str, tuple[type, ...]]] = {}
        self.stores: dict[int, tuple[str, tuple[type, ...]]] = {}
        for first, second, third in zip([None, *found], found, found[1:]):
            name, kinds = _name(second), [each.opname for each in (first or second, second, third)]
            if third.is_jump_target:
                continue
            if name and kinds[2] == "CONTAINS_OP":
                self.walks[third.offset] = name, _ORDERED
            elif name and (
                kinds[2] in {"LIST_EXTEND", "SET_UPDATE", "DICT_UPDATE"}
                or (kinds[2] == "CALL" and third.arg == 1 and _name(first) in _COPIES)
            ):
                self.walks[third.offset] = name, _SIZED
            elif kinds[2].startswith(("STORE_FAST", "STORE_DEREF")):
                got = third.argval[0] if isinstance(third.argval, tuple) else third.argval
                if kinds[1] == "BINARY_SLICE" or kinds[:2] == ["BUILD_SLICE", "BINARY_SUBSCR"]:
                    self.stores[third.offset] = got, _ORDERED
                elif kinds[1] == "BINARY_OP" and second.argrepr in {"+", "*"}:
                    self.stores[third.offset] = got, (list, tuple, bytes)
                elif kinds[1] == "BINARY_OP" and second.argrepr == "+=":
                    # to a list or a text, Python adds in its place
                    self.stores[third.offset] = got, (tuple, bytes)

    def around(self, offset: int) -> tuple[dis.Instruction, int, dis.Instruction]:
        """Of a call: what loads its last argument, how many it has, and what comes after it."""
        k = self.place.get(offset, 0)
        this = self.found[k]
        count = this.arg or 0 if this.opname in {"CALL", "CALL_KW"} else 0
        return self.found[k - 1], count, self.found[(k + 1) % len(self.found)]


def _name(loads: dis.Instruction | None) -> str:
    """The name that an instruction loads last, if it does no more than that."""
    kinds = ("LOAD_FAST", "LOAD_DEREF", "LOAD_GLOBAL", "LOAD_NAME")
    if loads is None or not loads.opname.startswith(kinds):
        return ""
    return loads.argval[-1] if isinstance(loads.argval, tuple) else loads.argval


def size(frame: FrameType, name: str, kinds: tuple[type, ...]) -> int:
    """How many items a plain name stands for: none, if it pays by itself or is no such thing."""
    value = frame.f_locals.get(name, frame.f_globals.get(name))
    return len(value) if type(value) in kinds else 0


def steps_of_method(code: Code, frame: FrameType, name: str, owner: Any) -> int:
    """The steps of a method in C that is about to be called."""
    if name not in _WALKS and name not in _FINDS | _TAKES | {"pop", "values"}:
        return 0
    before, count, after = code.around(frame.f_lasti)
    if name in _TAKES:
        return size(frame, _name(before), _SIZED) if count == 1 else 0
    if name == "values":  # as in `x in stats.values()`; a loop pays for its own turns
        return len(owner) if isinstance(owner, dict) and after.opname == "CONTAINS_OP" else 0
    if not isinstance(owner, _SIZED if name == "copy" else _ORDERED) or (
        name in _FINDS and count > 1
    ):
        return 0
    if name == "pop" and (not count or before.argval == -1):
        return 0
    return len(owner)
