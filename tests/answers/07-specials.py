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
            "but ValueError came",
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
    ],
}
