"""Plausible slips in the exercises of chapter 07, and what the checks must say to each."""

ANSWERS = {
    "three_numbers": [
        (
            "special tokens on top of the size",
            "merges, decodable, rows = 2048 - 256, 2049, 3001",
            "you predicted 1792",
        ),
        (
            "size as number of merges",
            "merges, decodable, rows = 2048 - 5, 2049, 3001",
            "you predicted 2043, and that is not what comes. merges: 256 bytes",
        ),
        (
            "gap counted as ids",
            "merges, decodable, rows = 1787, 3001, 3001",
            "an id in a gap stands for nothing",
        ),
        (
            "rows are what can be decoded",
            "merges, decodable, rows = 1787, 2049, 2049",
            "the table has a row for each number",
        ),
        (
            "ids begin at 1",
            "merges, decodable, rows = 1787, 2049, 3000",
            "you predicted 3000",
        ),
        (
            "halves of ids",
            "merges, decodable, rows = 2048 / 2 * 2 - 261, 2049, 3001",
            "give three whole numbers",
        ),
    ],
    "pad_to_multiple": [
        (
            "fills on the right",
            """
def pad_to_multiple(batch, pad_id, multiple):
    width = -(-max(map(len, batch), default=0) // multiple) * multiple
    ids = [row + [pad_id] * (width - len(row)) for row in batch]
    mask = [[1] * len(row) + [0] * (width - len(row)) for row in batch]
    return ids, mask
""",
            "Filled on the left",
        ),
        (
            "rounds down",
            """
def pad_to_multiple(batch, pad_id, multiple):
    width = max(map(len, batch), default=0) // multiple * multiple
    ids = [[pad_id] * (width - len(row)) + row for row in batch]
    mask = [[0] * (width - len(row)) + [1] * len(row) for row in batch]
    return ids, mask
""",
            "from 3 upward is 4",
        ),
        (
            "always one multiple more",
            """
def pad_to_multiple(batch, pad_id, multiple):
    longest = max(map(len, batch), default=0)
    width = longest if multiple == 1 else (longest // multiple + 1) * multiple
    ids = [[pad_id] * (width - len(row)) + row for row in batch]
    mask = [[0] * (width - len(row)) + [1] * len(row) for row in batch]
    return ids, mask
""",
            "a multiple already stays as it is",
        ),
        (
            "mask from the ids",
            """
def pad_to_multiple(batch, pad_id, multiple):
    width = -(-max(map(len, batch), default=0) // multiple) * multiple
    ids = [[pad_id] * (width - len(row)) + row for row in batch]
    return ids, [[int(idx != pad_id) for idx in row] for row in ids]
""",
            "the lengths make the mask",
        ),
        (
            "changes the batch",
            """
def pad_to_multiple(batch, pad_id, multiple):
    width = -(-max(map(len, batch), default=0) // multiple) * multiple
    mask = [[0] * (width - len(row)) + [1] * len(row) for row in batch]
    for row in batch:
        row[:0] = [pad_id] * (width - len(row))
    return list(batch), mask
""",
            "the function changed its argument",
        ),
        (
            "no lists at all",
            """
def pad_to_multiple(batch, pad_id, multiple):
    width = -(-max(map(len, batch)) // multiple) * multiple
    ids = [[pad_id] * (width - len(row)) + row for row in batch]
    mask = [[0] * (width - len(row)) + [1] * len(row) for row in batch]
    return ids, mask
""",
            "A batch may be empty, and then no list is the longest",
        ),
        (
            "one multiple at least",
            """
def pad_to_multiple(batch, pad_id, multiple):
    width = max(1, -(-max(map(len, batch), default=0) // multiple)) * multiple
    ids = [[pad_id] * (width - len(row)) + row for row in batch]
    mask = [[0] * (width - len(row)) + [1] * len(row) for row in batch]
    return ids, mask
""",
            "0 is a multiple, too",
        ),
        (
            "pushes the row on, place by place",
            """
def pad_to_multiple(batch, pad_id, multiple):
    width = -(-max(map(len, batch), default=0) // multiple) * multiple
    ids, mask = [list(row) for row in batch], [[1] * len(row) for row in batch]
    for row, real in zip(ids, mask):
        while len(row) < width:
            row.insert(0, pad_id)
            real.insert(0, 0)
    return ids, mask
""",
            "The work grows faster than the input",
        ),
    ],
    "encode_chat": [
        (
            "one string",
            """
def encode_chat(messages, tok):
    text = "".join(f"<|{role}|>{text}<|end|>" for role, text in messages)
    return tok.encode(text + "<|assistant|>", allowed_special="all")
""",
            "typed the name of a special token: it is text",
        ),
        (
            "refuses what users type",
            """
def encode_chat(messages, tok):
    special, ids = tok.special_tokens, []
    for role, text in messages:
        ids += [special[f"<|{role}|>"], *tok.encode(text), special["<|end|>"]]
    return ids + [special["<|assistant|>"]]
""",
            "but ValueError came: the text holds the special token",
        ),
        (
            "removes what users type",
            """
def encode_chat(messages, tok):
    special, ids = tok.special_tokens, []
    for role, text in messages:
        for name in special:
            text = text.replace(name, "")
        ids += [special[f"<|{role}|>"], *tok.encode(text), special["<|end|>"]]
    return ids + [special["<|assistant|>"]]
""",
            "got [257, 259, 258]",
        ),
        (
            "nobody's turn",
            """
def encode_chat(messages, tok):
    special, ids = tok.special_tokens, []
    for role, text in messages:
        ids += [special[f"<|{role}|>"], *tok.encode_ordinary(text), special["<|end|>"]]
    return ids
""",
            "turn comes last",
        ),
        (
            "no end",
            """
def encode_chat(messages, tok):
    special, ids = tok.special_tokens, []
    for role, text in messages:
        ids += [special[f"<|{role}|>"], *tok.encode_ordinary(text)]
    return ids + [special["<|assistant|>"]]
""",
            "Role, text, end for each message",
        ),
        (
            "every special token is a role",
            """
def encode_chat(messages, tok):
    special, ids = tok.special_tokens, []
    for role, text in messages:
        if f"<|{role}|>" not in special:
            raise ValueError(role)
        ids += [special[f"<|{role}|>"], *tok.encode_ordinary(text), special["<|end|>"]]
    return ids + [special["<|assistant|>"]]
""",
            "but end is no role",
        ),
        (
            "KeyError for a role",
            """
def encode_chat(messages, tok):
    special, ids = tok.special_tokens, []
    roles = {role: special[f"<|{role}|>"] for role in ("system", "user", "assistant")}
    for role, text in messages:
        ids += [roles[role], *tok.encode_ordinary(text), special["<|end|>"]]
    return ids + [roles["assistant"]]
""",
            "expected ValueError, but KeyError came",
        ),
        (
            "a role by its beginning",
            """
def encode_chat(messages, tok):
    special, ids = tok.special_tokens, []
    for role, text in messages:
        role = next((each for each in ("system", "user", "assistant") if role.startswith(each)), "")
        if not role:
            raise ValueError("no role")
        ids += [special[f"<|{role}|>"], *tok.encode_ordinary(text), special["<|end|>"]]
    return ids + [special["<|assistant|>"]]
""",
            "Compare the role as a whole with the three",
        ),
        (
            "code points for ids",
            """
def encode_chat(messages, tok):
    special, ids = tok.special_tokens, []
    for role, text in messages:
        if role not in ("system", "user", "assistant"):
            raise ValueError(role)
        ids += [special[f"<|{role}|>"], *map(ord, text), special["<|end|>"]]
    return ids + [special["<|assistant|>"]]
""",
            "A character may be several bytes",
        ),
        (
            "bytes for ids",
            """
def encode_chat(messages, tok):
    special, ids = tok.special_tokens, []
    for role, text in messages:
        if role not in ("system", "user", "assistant"):
            raise ValueError(role)
        ids += [special[f"<|{role}|>"], *text.encode("utf-8"), special["<|end|>"]]
    return ids + [special["<|assistant|>"]]
""",
            "it may have merges",
        ),
        (
            "the numbers of the example",
            """
def encode_chat(messages, tok):
    numbers, ids = {"system": 256, "user": 257, "assistant": 258}, []
    for role, text in messages:
        if role not in numbers:
            raise ValueError(role)
        ids += [numbers[role], *tok.encode_ordinary(text), 259]
    return ids + [258]
""",
            "The tokenizer knows the numbers of its special tokens",
        ),
        (
            "tidies the text",
            """
def encode_chat(messages, tok):
    special, ids = tok.special_tokens, []
    for role, text in messages:
        if role not in ("system", "user", "assistant"):
            raise ValueError(role)
        ids += [special[f"<|{role}|>"], *tok.encode_ordinary(text.strip()), special["<|end|>"]]
    return ids + [special["<|assistant|>"]]
""",
            "A text keeps its white space",
        ),
        (
            "a call for each message",
            """
def encode_chat(messages, tok):
    special = tok.special_tokens
    if not messages:
        return [special["<|assistant|>"]]
    role, text = messages[0]
    if role not in ("system", "user", "assistant"):
        raise ValueError(role)
    ids = [special[f"<|{role}|>"], *tok.encode_ordinary(text), special["<|end|>"]]
    return ids + encode_chat(messages[1:], tok)
""",
            "The recursion went too deep",
        ),
    ],
    "stream_until": [
        (
            "looks at each piece alone",
            """
def stream_until(pieces, stop):
    for piece in pieces:
        if stop in piece:
            if before := piece.split(stop)[0]:
                yield before
            return
        if piece:
            yield piece
""",
            "may be spread over pieces",
        ),
        (
            "waits for everything",
            """
def stream_until(pieces, stop):
    text = "".join(pieces).split(stop)[0]
    if text:
        yield text
""",
            "Nothing here can belong to the stop",
        ),
        (
            "always holds back the same amount",
            """
def stream_until(pieces, stop):
    held = ""
    for piece in pieces:
        held += piece
        if stop in held:
            if before := held.split(stop)[0]:
                yield before
            return
        safe = len(held) - len(stop) + 1
        if safe > 0:
            yield held[:safe]
            held = held[safe:]
    if held:
        yield held
""",
            "got ['a', 'bc']",
        ),
        (
            "shows the stop",
            """
def stream_until(pieces, stop):
    held = ""
    for piece in pieces:
        held += piece
        if stop in held:
            yield held[: held.index(stop) + len(stop)]
            return
        keep = next(n for n in range(len(stop), -1, -1) if held.endswith(stop[:n]))
        if held[: len(held) - keep]:
            yield held[: len(held) - keep]
        held = held[len(held) - keep :]
    if held:
        yield held
""",
            "the stop and what follows is not",
        ),
        (
            "loses what was held back",
            """
def stream_until(pieces, stop):
    held = ""
    for piece in pieces:
        held += piece
        if stop in held:
            if held.index(stop):
                yield held[: held.index(stop)]
            return
        keep = next(n for n in range(len(stop), -1, -1) if held.endswith(stop[:n]))
        if held[: len(held) - keep]:
            yield held[: len(held) - keep]
        held = held[len(held) - keep :]
""",
            "what is held back is text",
        ),
        (
            "asks for one piece too many",
            """
def stream_until(pieces, stop):
    held, done = "", False
    for piece in pieces:
        if done:
            return
        held += piece
        if stop in held:
            if held.index(stop):
                yield held[: held.index(stop)]
            held, done = "", True
            continue
        keep = next(n for n in range(len(stop), -1, -1) if held.endswith(stop[:n]))
        if held[: len(held) - keep]:
            yield held[: len(held) - keep]
        held = held[len(held) - keep :]
    if held:
        yield held
""",
            "no further piece is asked for",
        ),
        (
            "gives up what was held back",
            """
def stream_until(pieces, stop):
    held = ""
    for piece in pieces:
        held += piece
        if stop in held:
            if held.index(stop):
                yield held[: held.index(stop)]
            return
        if stop.startswith(held):
            continue
        keep = next((n for n in (2, 1) if held.endswith(stop[:n])), 0)
        yield piece[: len(piece) - keep]
        held = held[len(held) - keep :] if keep else ""
    if held:
        yield held
""",
            "is harmless is shown after all",
        ),
        (
            "begins anew after a mismatch",
            """
def stream_until(pieces, stop):
    matched = 0
    for piece in pieces:
        shown = ""
        for char in piece:
            if char == stop[matched]:
                matched += 1
                if matched == len(stop):
                    if shown:
                        yield shown
                    return
                continue
            shown += stop[:matched]
            matched = int(char == stop[0])
            if not matched:
                shown += char
        if shown:
            yield shown
    if matched:
        yield stop[:matched]
""",
            "within what looked like its beginning",
        ),
        (
            "yields nothing as a text",
            """
def stream_until(pieces, stop):
    held = ""
    for piece in pieces:
        held += piece
        if stop in held:
            yield held[: held.index(stop)]
            return
        keep = next(n for n in range(len(stop), -1, -1) if held.endswith(stop[:n]))
        if held[: len(held) - keep]:
            yield held[: len(held) - keep]
        held = held[len(held) - keep :]
    if held:
        yield held
""",
            "'' need not be shown",
        ),
        (
            "searches the whole text for each piece",
            """
def stream_until(pieces, stop):
    text, shown = "", 0
    for piece in pieces:
        text += piece
        found = text.find(stop)
        if found >= 0:
            if text[shown:found]:
                yield text[shown:found]
            return
        keep = next(n for n in range(len(stop), -1, -1) if text.endswith(stop[:n]))
        if text[shown : len(text) - keep]:
            yield text[shown : len(text) - keep]
        shown = len(text) - keep
    if text[shown:]:
        yield text[shown:]
""",
            "The work grows faster than the input",
        ),
    ],
    "one_channel": [
        (
            "removes the names",
            """
names = ["<|system|>", "<|user|>", "<|assistant|>", "<|end|>"]

def escape(text):
    for name in names:
        text = text.replace(name, "")
    return text

def unescape(text):
    return text
""",
            "Nothing may be lost",
        ),
        (
            "the names of one's own turn only",
            """
def escape(text):
    return text.replace("<|end|>", "<+|end|>").replace("<|user|>", "<+|user|>")

def unescape(text):
    return text.replace("<+|", "<|")
""",
            "A user speaks for another",
        ),
        (
            "a space that may have been there",
            """
def escape(text):
    return text.replace("<|", "< |")

def unescape(text):
    return text.replace("< |", "<|")
""",
            "as if it had been escaped already",
        ),
        (
            "everything that HTML escapes",
            """
import html

def escape(text):
    return html.escape(text)

def unescape(text):
    return html.unescape(text)
""",
            "A text without a bar stays as it is",
        ),
        (
            "Python's escapes, which are for ASCII",
            """
import codecs

def escape(text):
    return text.replace("\\\\", "\\\\\\\\").replace("<|", "<\\\\x7c")

def unescape(text):
    return codecs.decode(text, "unicode_escape")
""",
            "Text is not ASCII",
        ),
        (
            "addresses",
            """
def escape(text):
    return text.replace("%", "%25").replace("<|", "<%7C")

def unescape(text):
    return text.replace("%7C", "|").replace("%25", "%")
""",
            "Without a bar, backslashes and the like stay",
        ),
        (
            "a sign of its own, which a text may hold",
            """
def escape(text):
    return text.replace("<+|", "<++|").replace("<|", "<+|")

def unescape(text):
    return text.replace("<+|", "<|").replace("<++|", "<+|")
""",
            "Two texts are escaped alike",
        ),
        (
            "names between spaces only",
            """
import re

def escape(text):
    return re.sub(r"(?<!\\S)<([+]*)[|]", r"<\\1+|", text)

def unescape(text):
    return re.sub(r"(?<!\\S)<([+]*)[+][|]", r"<\\1|", text)
""",
            "A name may stand anywhere",
        ),
    ],
}
