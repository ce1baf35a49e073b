"""Plausible wrong answers to the exercises of chapter 00, each with what its message must say."""

ANSWERS = {
    "predict_pieces": [
        (
            "a space that is not counted",
            """
prediction = {"hello ": 1, "12345678": 3, "안": 2, " strawberry strawberry": 2}
""",
            "Here there is none.",
        ),
        (
            "a token for each digit",
            """
prediction = {"hello ": 2, "12345678": 8, "안": 2, " strawberry strawberry": 2}
""",
            "three at a time",
        ),
        (
            "a character is a token",
            """
prediction = {"hello ": 2, "12345678": 3, "안": 1, " strawberry strawberry": 2}
""",
            "less than a character",
        ),
        (
            "three tokens for each strawberry",
            """
prediction = {"hello ": 2, "12345678": 3, "안": 2, " strawberry strawberry": 6}
""",
            "this word is in the vocabulary",
        ),
        (
            "the dots are still there",
            """
prediction = {"hello ": ..., "12345678": ..., "안": ..., " strawberry strawberry": ...}
""",
            "no prediction yet",
        ),
    ],
    "count_letter": [
        (
            "counts pieces",
            """
def count_letter(pieces, letter):
    return sum(letter.encode() in piece for piece in pieces)
""",
            "not the pieces that hold one",
        ),
        (
            "turns bytes into text with str",
            """
def count_letter(pieces, letter):
    return sum(str(piece).count(letter) for piece in pieces)
""",
            "str() writes a b and quotes around bytes",
        ),
        (
            "makes capitals small",
            """
def count_letter(pieces, letter):
    return b"".join(pieces).decode().lower().count(letter.lower())
""",
            "S is another letter than s",
        ),
        (
            "decodes each piece",
            """
def count_letter(pieces, letter):
    return sum(piece.decode().count(letter) for piece in pieces)
""",
            "UnicodeDecodeError",
        ),
        (
            "decodes each piece and looks away",
            """
def count_letter(pieces, letter):
    return sum(piece.decode(errors="ignore").count(letter) for piece in pieces)
""",
            "expected 1, got 0. The character was cut in two",
        ),
        (
            "looks into the first piece to know what to do",
            """
def count_letter(pieces, letter):
    text = pieces[0]
    for piece in pieces[1:]:
        text += piece
    return text.decode().count(letter)
""",
            "No pieces, no letters.",
        ),
    ],
    "reverse_by_tokens": [
        (
            "reverses the letters",
            """
def reverse_by_tokens(pieces):
    return b"".join(pieces).decode(errors="replace")[::-1]
""",
            "the letters inside a piece stay.",
        ),
        (
            "joins with spaces",
            """
def reverse_by_tokens(pieces):
    words = b"".join(pieces).decode(errors="replace").split()
    if len(words) < 2:
        return b"".join(reversed(pieces)).decode(errors="replace")
    return " ".join(reversed(words))
""",
            "moves with it",
        ),
        (
            "takes every text for UTF-8",
            """
def reverse_by_tokens(pieces):
    return b"".join(reversed(pieces)).decode()
""",
            "decode with errors='replace'",
        ),
        (
            "reverses the caller's list",
            """
def reverse_by_tokens(pieces):
    pieces.reverse()
    return b"".join(pieces).decode(errors="replace")
""",
            "changed its argument",
        ),
        (
            "decodes each piece",
            """
def reverse_by_tokens(pieces):
    return "".join(piece.decode(errors="replace") for piece in reversed(pieces))
""",
            "Decode once, at the end",
        ),
    ],
    "group_digits": [
        (
            "computes with the number",
            """
def group_digits(number):
    return [str(int(number[i : i + 3])) for i in range(0, len(number), 3)]
""",
            "zeros in front included",
        ),
        (
            "full groups only",
            """
def group_digits(number):
    return [number[i : i + 3] for i in range(0, len(number) - 2, 3)]
""",
            "no digit is lost",
        ),
        (
            "groups from the right",
            """
def group_digits(number):
    first = len(number) % 3
    groups = [number[:first]] if first else []
    return groups + [number[i : i + 3] for i in range(first, len(number), 3)]
""",
            "GPT-4 starts at the left",
        ),
        (
            "one group at least",
            """
def group_digits(number):
    groups = [number[:3]]
    while number := number[3:]:
        groups.append(number[:3])
    return groups
""",
            "No digits, no groups.",
        ),
        (
            "a call for each group",
            """
def group_digits(number):
    return [number[:3]] + group_digits(number[3:]) if number else []
""",
            "The recursion went too deep",
        ),
        (
            "takes the digits off the front",
            """
def group_digits(number):
    digits, groups = list(number), []
    while digits:
        group = ""
        while digits and len(group) < 3:
            group += digits.pop(0)
        groups.append(group)
    return groups
""",
            "The work grows faster than the input",
        ),
        (
            "digits of ASCII only",
            """
import re

def group_digits(number):
    return re.findall("[0-9]{1,3}", number)
""",
            "Other scripts have digits, too",
        ),
        (
            "cuts off one group",
            """
def group_digits(number):
    return [group for group in (number[:3], number[3:]) if group]
""",
            "Every third digit ends a group",
        ),
    ],
    "one_character_more": [
        (
            "two short words",
            """
short = "strawberry"
longer = " strawberry"
""",
            "expected True, got False. A text of at least 40 characters",
        ),
        (
            "the digits backwards",
            """
short = "3141592653589793238462643383279502884197"
longer = "0" + short[::-1]
""",
            "Take one character out of longer",
        ),
        (
            "a sentence with a space in front",
            """
short = "Don't count your chickens before they hatch."
longer = " " + short
""",
            "b' your'",
        ),
        (
            "the new character at the end",
            """
short = "3141592653589793238462643383279502884197"
longer = short + "0"
""",
            "b'264'",
        ),
        (
            "one group of digits, again and again",
            """
short = "123" * 14
longer = "0" + short
""",
            "Ten different tokens are asked for",
        ),
        (
            "the dots are still there",
            """
short = ...
longer = ...
""",
            "but TypeError came",
        ),
    ],
}
