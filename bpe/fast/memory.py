"""How kernels reach memory: by pointer, or with every index checked.

A kernel that hands arrays from function to function also counts who holds them, and the scanner ran
four to eight times as fast when it stopped. So the arrays of a kernel travel in one
named tuple, whose ``handle`` is made once, in Python; the kernel opens the handle and has the same
named tuple, now of pointers: ``tables.classes[i]`` reads memory, and nothing else happens.

Nothing else means that nobody looks whether ``i`` is inside. With ``NUMBA_BOUNDSCHECK=1`` the
handle is the tuple of arrays itself, each index is checked, and a wrong one raises IndexError:
the same kernels, slower. The tests feed them hostile input in that mode.

Whoever calls a kernel keeps the arrays alive: a pointer does not.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import uint64
from numba.core import types
from numba.extending import intrinsic

from bpe.fast.compiling import CHECKED, inlined

WORD = ir.IntType(64)


def handle(arrays: Sequence[Any]) -> Any:
    """Return what a kernel opens: the addresses of some arrays, or (checked) the arrays.

    An address keeps nothing alive: the caller holds the arrays as long as the handle is used.

    A handle of handles is one, too: ``int64s_at`` opens each.

    Raises:
        ValueError: An array does not lie in one piece.
    """
    if CHECKED:
        return tuple(arrays)
    if not all(array.flags.c_contiguous for array in arrays):
        raise ValueError("a kernel needs arrays that lie in one piece: use .copy()")
    return np.array([array.ctypes.data for array in arrays], np.int64)


def aligned(n: int, dtype: type) -> np.ndarray:
    """Return ``n`` zeros that begin where a line of the processor's cache begins.

    >>> aligned(3, np.uint64).ctypes.data % 64
    0
    """
    room = np.zeros(n * np.dtype(dtype).itemsize + 64, np.uint8)
    start = -room.ctypes.data % 64
    return room[start : start + n * np.dtype(dtype).itemsize].view(dtype)


def _pointer_to(item: types.Type) -> Any:
    """A function for kernels: from an address to a pointer at items of one type."""

    @intrinsic
    def at(context, address):
        def generate(context, builder, signature, arguments):
            target = context.get_value_type(types.CPointer(item))
            return builder.inttoptr(arguments[0], target)

        return types.CPointer(item)(types.int64), generate

    return at


@intrinsic
def _load_word(context, text, i):
    def generate(context, builder, signature, arguments):
        place = builder.gep(arguments[0], [arguments[1]])
        return builder.load(builder.bitcast(place, WORD.as_pointer()), align=1)

    return types.uint64(text, types.int64), generate


@intrinsic
def _store_pair(context, ids, i, pair):
    def generate(context, builder, signature, arguments):
        place = builder.gep(arguments[0], [arguments[1]])
        builder.store(arguments[2], builder.bitcast(place, WORD.as_pointer()), align=4)
        return context.get_dummy_value()

    return types.void(ids, types.int64, types.uint64), generate


@intrinsic
def _store_word(context, data, i, number):
    def generate(context, builder, signature, arguments):
        place = builder.gep(arguments[0], [arguments[1]])
        builder.store(arguments[2], builder.bitcast(place, WORD.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(data, types.int64, types.uint64), generate


if CHECKED:

    @inlined
    def bytes_at(array):
        return array

    int32s_at = int64s_at = uint64s_at = bytes_at

    @inlined
    def word(text, i):
        found = uint64(0)
        for k in range(8):
            found |= uint64(text[i + k]) << uint64(8 * k)
        return found

    @inlined
    def store_word(data, i, number):
        for k in range(8):
            data[i + k] = (number >> uint64(8 * k)) & uint64(0xFF)

    @inlined
    def store_pair(ids, i, pair):
        ids[i] = pair & uint64(0xFFFFFFFF)
        ids[i + 1] = pair >> uint64(32)

else:
    bytes_at = _pointer_to(types.uint8)
    int32s_at = _pointer_to(types.int32)
    int64s_at = _pointer_to(types.int64)
    uint64s_at = _pointer_to(types.uint64)

    @inlined
    def word(text, i):
        """Eight bytes of ``text``, from byte ``i`` on, as one number; byte ``i`` is the lowest."""
        return _load_word(text, i)

    @inlined
    def store_word(data, i, number):
        """Write the eight bytes of ``number`` to ``data``, from byte ``i`` on: see ``word``."""
        _store_word(data, i, number)

    @inlined
    def store_pair(ids, i, pair):
        """Write the two halves of ``pair`` to places ``i`` and ``i + 1``; the low half first."""
        _store_pair(ids, i, pair)


@intrinsic
def trailing_zeros(context, number):
    """How many zero bits stand below the lowest one in a uint64 that is not 0."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


# --- bytes as numbers ---------------------------------------------------------------------------

ALL_BITS = uint64(0xFFFFFFFFFFFFFFFF)
NOTHING = uint64(0)
MIX_1, MIX_2 = uint64(0x9E3779B97F4A7C15), uint64(0xC2B2AE3D27D4EB4F)  # odd, and no pattern in them
MIX_3 = uint64(0xBF58476D1CE4E5B9)


@inlined
def head_of(text, i, size):
    """The first ``size`` bytes (1 to 8) of ``text`` from byte i on, as one number."""
    return word(text, i) & (ALL_BITS >> uint64(64 - 8 * size))


@inlined
def mixed(a, b):
    """Two numbers made one, in which every bit depends on every bit."""
    both = (a * MIX_1) ^ (b * MIX_2)
    return (both ^ (both >> uint64(32))) * MIX_3


@inlined
def hash_of(text, i, j):
    """A number that stands for ``text[i:j]``: other bytes hardly ever have the same."""
    so_far, size = NOTHING, j - i
    while j - i > 8:
        so_far = mixed(so_far, word(text, i))
        i += 8
    return last_mixed(so_far, head_of(text, i, j - i), size)


@inlined
def last_mixed(so_far, head, size):
    hash_value = mixed(so_far ^ uint64(size), head)
    return hash_value ^ (hash_value >> uint64(32))
