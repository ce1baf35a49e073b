r"""Chapter 11: the three published patterns as functions, which walk to the end of a word.

A regular expression engine asks at every byte what the pattern allows. Here each pattern is written
out by hand: it begins at byte ``i`` and goes straight to the end of the word. What a character is
comes from one table with a byte for each code point.

Plain twin: ``bpe.splitting``, where the patterns are. A pattern of another kind is left to it.
"""

from functools import cache

import numpy as np
from numba import uint64

from bpe import splitting
from bpe.categories import ranges
from bpe.fast.compiling import compiled, inlined
from bpe.fast.memory import NOTHING, trailing_zeros, word

GPT2, GPT4, GPT4O = range(3)
KINDS = {splitting.GPT2_PATTERN: GPT2, splitting.GPT4_PATTERN: GPT4, splitting.GPT4O_PATTERN: GPT4O}
"""The patterns that have a scanner, and the number by which kernels know them."""

PADDING = b"\xff" * 32
"""What stands behind every text: bytes that no UTF-8 has. So each run of letters, spaces or signs
ends before them, and no loop needs to ask where the text ends; what reads ahead reads these."""

# --- what a character is ------------------------------------------------------------------------

LETTER, NUMBER, SPACE, NEWLINE, OTHER = 1, 2, 4, 8, 16  # other: no letter, no number, no space
UPPER, LOWER = 32, 64  # may stand in the first half of a word of GPT-4o's, in the second
END = 128  # the padding


@cache
def character_classes() -> np.ndarray:
    """Return what each code point is: an array of 2^21 bytes, each a sum of the names above.

    The padding, read as UTF-8, gives numbers above the last code point: they are ``END``.

    >>> int(character_classes()[ord("a")]) == LETTER + LOWER
    True
    """
    classes = np.zeros(1 << 21, np.uint8)
    for bit, categories in {
        LETTER: ["L"],
        NUMBER: ["N"],
        SPACE: ["space"],
        UPPER: ["Lu", "Lt", "Lm", "Lo", "M"],
        LOWER: ["Ll", "Lm", "Lo", "M"],
    }.items():
        for category in categories:
            for first, last in ranges(category):
                classes[first : last + 1] |= bit
    classes[[10, 13]] |= NEWLINE
    classes[(classes & (LETTER | NUMBER | SPACE)) == 0] |= OTHER
    classes[0x110000:] = END
    return classes


@inlined
def class_at(text, i, classes):
    """The class of the character that begins at byte i, and how many bytes it has."""
    lead = text[i]
    if lead < 0x80:
        return classes[lead], 1
    if lead < 0xE0:
        return classes[(lead & 0x1F) << 6 | text[i + 1] & 0x3F], 2
    if lead < 0xF0:
        return classes[(lead & 0x0F) << 12 | (text[i + 1] & 0x3F) << 6 | text[i + 2] & 0x3F], 3
    high = (lead & 0x07) << 18 | (text[i + 1] & 0x3F) << 12
    return classes[high | (text[i + 2] & 0x3F) << 6 | text[i + 3] & 0x3F], 4


# --- where a run ends ---------------------------------------------------------------------------

EACH = 0x0101010101010101  # times a byte: eight copies of it
HIGH_BITS, LOW_BITS, CASE_BITS = uint64(0x80 * EACH), uint64(0x7F * EACH), uint64(0x20 * EACH)
TO_A, TO_Z = uint64((0x80 - 0x61) * EACH), uint64((0x80 - 0x7B) * EACH)


@inlined
def ascii_letters(text, i, case_bits):
    """The end of the ASCII letters from byte i on, eight at a time.

    With ``case_bits`` capitals count as letters, with 0 only small letters do. Adding ``TO_A`` to
    a byte sets its high bit if it is "a" or more, adding ``TO_Z`` if it is more than "z".
    """
    while True:
        eight = word(text, i)
        low = (eight | case_bits) & LOW_BITS
        wrong = (~((low + TO_A) & ~(low + TO_Z)) | eight) & HIGH_BITS
        if wrong != NOTHING:
            return i + (trailing_zeros(wrong) >> 3)
        i += 8


@inlined
def run(text, i, classes, bit, case_bits):
    """The end of the characters with ``bit`` from byte i on, which include ASCII's letters."""
    while True:
        i = ascii_letters(text, i, case_bits)
        if text[i] < 0x80:
            return i
        while text[i] >= 0x80:
            found, width = class_at(text, i, classes)
            if not found & bit:
                return i
            i += width


@inlined
def letters(text, i, classes):
    return run(text, i, classes, LETTER, CASE_BITS)


@inlined
def numbers(text, i, classes, most):
    r"""The end of up to ``most`` characters of \p{N} from byte i on."""
    while most:
        found, width = class_at(text, i, classes)
        if not found & NUMBER:
            break
        i += width
        most -= 1
    return i


@inlined
def others(text, i, classes):
    r"""The end of [^\s\p{L}\p{N}]* from byte i on."""
    while True:
        found, width = class_at(text, i, classes)
        if not found & OTHER:
            return i
        i += width


@inlined
def contraction(text, i, case_bit):
    """The end of 's 't 're 've 'm 'll 'd at byte i, or i; capitals count if case_bit is 0x20."""
    if text[i] != 0x27:
        return i
    a, b = text[i + 1], text[i + 2]
    if case_bit and a == 0xC5 and b == 0xBF:
        return i + 3  # the long s is an s in old print
    a, b = a | case_bit, b | case_bit
    if a == 0x73 or a == 0x74 or a == 0x6D or a == 0x64:  # s t m d
        return i + 2
    # re ve ll
    if (a == 0x72 and b == 0x65) or (a == 0x76 and b == 0x65) or (a == 0x6C and b == 0x6C):
        return i + 3
    return i


@compiled
def spaces(text, i, classes, kind):
    r"""The end of the word at byte i, which is white space and has no word to lead.

    GPT-2: ``\s+$|\s+(?!\S)|\s``: all of it at the end of the text; else the last space is left to
    the next word. GPT-4 stops after the last newline instead, if there is one; GPT-4o does so at
    the end of the text, too.
    """
    j = last = newline = i
    while True:
        found, width = class_at(text, j, classes)
        if not found & SPACE:
            break
        last = j
        j += width
        if found & NEWLINE:
            newline = j
    if kind != GPT4O and found & END:
        return j
    if kind != GPT2 and newline > i:
        return newline
    return j if found & END or last == i else last


# --- where a word ends --------------------------------------------------------------------------


@inlined
def next_word(text, i, classes, kind):
    """The end of the word that begins at byte i. Letters, after a space or not, are most words."""
    first = text[i]
    j = i + 1 if first == 0x20 else i
    if text[j] < 0x80 and classes[text[j]] & LETTER:
        if kind == GPT4O:
            return cased_word(text, j, classes)
        return letters(text, j + 1, classes)
    if kind == GPT4:
        return next_gpt4(text, i, classes)
    if kind == GPT4O:
        return next_gpt4o(text, i, classes)
    return next_gpt2(text, i, classes)


@compiled
def next_gpt2(text, i, classes):
    r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"""
    j = contraction(text, i, 0)
    if j > i:
        return j
    j = i + 1 if text[i] == 0x20 else i
    found, width = class_at(text, j, classes)
    if found & LETTER:
        return letters(text, j + width, classes)
    if found & NUMBER:
        return numbers(text, j + width, classes, -1)
    if found & OTHER:
        return others(text, j + width, classes)
    return spaces(text, i, classes, GPT2)


@compiled
def next_gpt4(text, i, classes):
    r"""The pattern of GPT-4, with the parts in its order:

    '(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+
    |\s++$|\s*[\r\n]|\s+(?!\S)|\s
    """
    j = contraction(text, i, 0x20)
    if j > i:
        return j
    first, width = class_at(text, i, classes)
    if first & LETTER:
        return letters(text, i + width, classes)
    if first & NUMBER:
        return numbers(text, i + width, classes, 2)
    second, more = class_at(text, i + width, classes)
    if second & LETTER and not first & NEWLINE:
        return letters(text, i + width + more, classes)
    if first & OTHER or (text[i] == 0x20 and second & OTHER):
        j = others(text, i + width, classes)
        while text[j] == 0x0A or text[j] == 0x0D:
            j += 1
        return j
    return spaces(text, i, classes, GPT4)


@compiled
def next_gpt4o(text, i, classes):
    r"""The pattern of GPT-4o, with the parts in its order (its words: see ``halves``):

    WORD|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
    """
    first, width = class_at(text, i, classes)
    if first & LETTER:
        return cased_word(text, i, classes)
    if first & NUMBER:
        return numbers(text, i + width, classes, 2)
    after = i + width
    if not first & NEWLINE:
        j, complete = halves(text, after, classes)
        if first & LOWER and not complete:
            j = after  # a mark, which is a word by itself
        if j > after or first & LOWER:
            return contraction(text, j, 0x20)
    second, _ = class_at(text, after, classes)
    if first & OTHER or (text[i] == 0x20 and second & OTHER):
        j = others(text, after, classes)
        while text[j] == 0x0A or text[j] == 0x0D or text[j] == 0x2F:
            j += 1
        return j
    return spaces(text, i, classes, GPT4O)


@inlined
def cased_word(text, i, classes):
    """The end of a word of GPT-4o's that begins with the letter at byte i."""
    if text[i] >= 0x61 and text[i] < 0x80:
        j = run(text, i, classes, LOWER, NOTHING)
    else:
        j, _ = halves(text, i, classes)
    return contraction(text, j, 0x20) if text[j] == 0x27 else j


@compiled
def halves(text, i, classes):
    r"""The end of a word at byte i, as GPT-4o cuts CamelCase, and whether it is complete.

    A word is ``[UPPER]*[LOWER]+`` or else ``[UPPER]+``. Letters without case and marks may stand in
    both halves: the first half takes them, and when no small letter follows, it has to give back
    what is behind the last of them, and that one is the second half.
    """
    last = start = i
    while True:
        found, width = class_at(text, i, classes)
        if not found & UPPER:
            break
        i += width
        if found & LOWER:
            last = i
    if found & LOWER:
        return run(text, i, classes, LOWER, NOTHING), True
    return (last, True) if last > start else (i, False)
