"""Plausible slips in the exercises of chapter 05, and what the checks must say to each."""

ANSWERS = {
    "table_to_order": [
        (
            "a b before b cd",
            "merges = {(99, 100): 256, (97, 98): 257, (98, 256): 258}",
            "got [b'ab', b'cd']",
        ),
        (
            "b c in the table",
            "merges = {(98, 99): 256, (256, 100): 257, (97, 98): 258}",
            "got [b'a', b'bc']",
        ),
        (
            "part used before it is made",
            "merges = {(98, 257): 256, (99, 100): 257, (97, 98): 258}",
            "uses id 257 before it is made",
        ),
        (
            "ids count from 0",
            "merges = {(99, 100): 0, (98, 0): 1, (97, 98): 2}",
            "id 0 is taken or below 256",
        ),
        (
            "one merge a result",
            "merges = {(99, 100): 256, (98, 256): 257, (97, 98): 258, (97, 257): 259}",
            "Three merges are enough",
        ),
        (
            "replayed: a b first, since abc needs it",
            "merges = {(97, 98): 256, (99, 100): 257, (98, 257): 258}",
            "which one is it here?",
        ),
    ],
    "is_canonical": [
        (
            "compares texts",
            """
from bpe.coding import BasicTokenizer

def is_canonical(ids, merges):
    tok = BasicTokenizer(merges)
    text = tok.decode(ids)
    return tok.decode(tok.encode(text)) == text
""",
            "compare ids, not texts",
        ),
        (
            "looks for pairs that are left",
            """
def is_canonical(ids, merges):
    return not any(pair in merges for pair in zip(ids, ids[1:]))
""",
            "No neighbors are a pair of the table",
        ),
        (
            "compares lengths",
            """
from bpe.coding import BasicTokenizer

def is_canonical(ids, merges):
    tok = BasicTokenizer(merges)
    return len(tok.encode(tok.decode(ids))) == len(ids)
""",
            "but as two others",
        ),
        (
            "strict",
            """
from bpe.coding import BasicTokenizer

def is_canonical(ids, merges):
    tok = BasicTokenizer(merges)
    return tok.encode(tok.decode(ids, errors="strict")) == ids
""",
            "UnicodeDecodeError came",
        ),
        (
            "no text passes for canonical",
            """
from bpe.coding import BasicTokenizer

def is_canonical(ids, merges):
    tok = BasicTokenizer(merges)
    try:
        text = tok.decode(ids, errors="strict")
    except UnicodeDecodeError:
        return True
    return tok.encode(text) == ids
""",
            "no text is encoded like this",
        ),
        (
            "empty list is not",
            """
from bpe.coding import BasicTokenizer

def is_canonical(ids, merges):
    tok = BasicTokenizer(merges)
    return bool(ids) and tok.encode(tok.decode(ids)) == ids
""",
            "The empty text has ids: none",
        ),
        (
            "U+FFFD is always an error",
            """
from bpe.coding import BasicTokenizer

def is_canonical(ids, merges):
    tok = BasicTokenizer(merges)
    text = tok.decode(ids)
    return "\\ufffd" not in text and tok.encode(text) == ids
""",
            "U+FFFD is a character like others",
        ),
        (
            "decodes each id by itself",
            """
from bpe.coding import BasicTokenizer

def is_canonical(ids, merges):
    tok = BasicTokenizer(merges)
    return tok.encode("".join(tok.decode([idx]) for idx in ids)) == ids
""",
            "A character may need two ids",
        ),
    ],
    "decode_stream": [
        (
            "each token on its own",
            """
def decode_stream(ids, vocab):
    for idx in ids:
        yield vocab[idx].decode("utf-8", errors="replace")
""",
            "got ['caf', '�', '�', '!']",
        ),
        (
            "everything at the end",
            """
def decode_stream(ids, vocab):
    yield b"".join(vocab[idx] for idx in ids).decode("utf-8", errors="replace")
""",
            "the model has not said more yet",
        ),
        (
            "empty strings",
            """
import codecs

def decode_stream(ids, vocab):
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    for idx in ids:
        yield decoder.decode(vocab[idx])
    yield decoder.decode(b"", final=True)
""",
            "got ['caf', '', 'é', '!', '']",
        ),
        (
            "the end is lost",
            """
import codecs

def decode_stream(ids, vocab):
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    for idx in ids:
        if text := decoder.decode(vocab[idx]):
            yield text
""",
            "its bytes must not get lost",
        ),
        (
            "waits forever",
            """
def decode_stream(ids, vocab):
    held = b""
    for idx in ids:
        held += vocab[idx]
        try:
            yield held.decode("utf-8")
            held = b""
        except UnicodeDecodeError:
            pass
    if held:
        yield held.decode("utf-8", errors="replace")
""",
            "there is nothing to wait for",
        ),
        (
            "strict",
            """
import codecs

def decode_stream(ids, vocab):
    decoder = codecs.getincrementaldecoder("utf-8")()
    for idx in ids:
        if text := decoder.decode(vocab[idx]):
            yield text
    if text := decoder.decode(b"", final=True):
        yield text
""",
            "UnicodeDecodeError came",
        ),
        (
            "holds the whole token back",
            """
def decode_stream(ids, vocab):
    held = b""
    for idx in ids:
        held += vocab[idx]
        try:
            text = held.decode("utf-8")
        except UnicodeDecodeError as error:
            if error.reason == "unexpected end of data":
                continue
            text = held.decode("utf-8", errors="replace")
        yield text
        held = b""
    if held:
        yield held.decode("utf-8", errors="replace")
""",
            "The a is complete",
        ),
        (
            "takes the stream for a list",
            """
import codecs

def decode_stream(ids, vocab):
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    for i in range(len(ids)):
        if text := decoder.decode(vocab[ids[i]], final=i == len(ids) - 1):
            yield text
""",
            "TypeError came",
        ),
        (
            "decodes all that came so far, every time",
            """
import codecs

def decode_stream(ids, vocab):
    seen, shown = [], ""
    for idx in ids:
        seen.append(idx)
        data = b"".join(vocab[each] for each in seen)
        text = codecs.getincrementaldecoder("utf-8")("replace").decode(data)
        if len(text) > len(shown):
            yield text[len(shown) :]
            shown = text
    text = b"".join(vocab[each] for each in seen).decode("utf-8", errors="replace")
    if len(text) > len(shown):
        yield text[len(shown) :]
""",
            "The work grows faster than the input",
        ),
    ],
    "fewest_ids": [
        (
            "longest match",
            """
def fewest_ids(text, vocab):
    data, tokens, n, i = text.encode("utf-8"), set(vocab.values()), 0, 0
    while i < len(data):
        i = max(end for end in range(i + 1, len(data) + 1) if data[i:end] in tokens)
        n += 1
    return n
""",
            "the longest token at the start",
        ),
        (
            "longest match from the end",
            """
def fewest_ids(text, vocab):
    data, tokens, n = text.encode("utf-8"), set(vocab.values()), 0
    while data:
        start = min(i for i in range(len(data)) if data[i:] in tokens)
        data, n = data[:start], n + 1
    return n
""",
            "the longest token at the end",
        ),
        (
            "last byte forgotten",
            """
def fewest_ids(text, vocab):
    data, tokens = text.encode("utf-8"), set(vocab.values())
    best = [0]
    for end in range(1, len(data)):
        best.append(1 + min(best[i] for i in range(max(0, end - 64), end) if data[i:end] in tokens))
    return best[-1]
""",
            "expected 1, got 2",
        ),
        (
            "longest token left out",
            """
def fewest_ids(text, vocab):
    data, tokens = text.encode("utf-8"), set(vocab.values())
    longest, best = max(map(len, tokens)), [0]
    for end in range(1, len(data) + 1):
        starts = range(max(0, end - longest + 1), end)
        best.append(1 + min(best[i] for i in starts if data[i:end] in tokens))
    return best[-1]
""",
            "expected 1, got 3",
        ),
        (
            "characters",
            """
def fewest_ids(text, vocab):
    tokens, best = {token.decode("utf-8", "replace") for token in vocab.values()}, [0]
    tokens |= set(text)
    for end in range(1, len(text) + 1):
        starts = range(max(0, end - 64), end)
        best.append(1 + min(best[i] for i in starts if text[i:end] in tokens))
    return best[-1]
""",
            "one character and two bytes",
        ),
        (
            "recursion",
            """
def fewest_ids(text, vocab):
    tokens = set(vocab.values())
    longest = max(map(len, tokens))

    def fewest(data):
        if not data:
            return 0
        sizes = range(1, min(longest, len(data)) + 1)
        return 1 + min(fewest(data[n:]) for n in sizes if data[:n] in tokens)

    return fewest(text.encode("utf-8"))
""",
            "use a loop",
        ),
        (
            "tries every start",
            """
def fewest_ids(text, vocab):
    data, tokens = text.encode("utf-8"), set(vocab.values())
    best = [0]
    for end in range(1, len(data) + 1):
        best.append(1 + min(best[i] for i in range(end) if data[i:end] in tokens))
    return best[-1]
""",
            "The work grows faster than the input",
        ),
        (
            "no token is longer than sixteen bytes",
            """
def fewest_ids(text, vocab):
    data, tokens = text.encode("utf-8"), set(vocab.values())
    best = [0]
    for end in range(1, len(data) + 1):
        starts = range(max(0, end - 16), end)
        best.append(1 + min(best[i] for i in starts if data[i:end] in tokens))
    return best[-1]
""",
            "Ask the vocabulary how long its longest token is",
        ),
    ],
    "far_from_fewest": [
        (
            "the other pair first, but two letters only",
            """
documents = ["ba", "ba", "ab", "cc", "dd", "ee", "ff"]
ids = [257] * 20
""",
            "expected 3, got 1",
        ),
        (
            "one letter too few",
            """
documents = ["da", "da", "abcd", "ef", "gh"]
ids = [259] * 20
""",
            "expected 3, got 2",
        ),
        (
            "the pair across the seam is learned last",
            """
documents = ["tables", "tables", "st"]
ids = [260] * 20
""",
            "times_as_many([260, 260",
        ),
        (
            "letters instead of tokens",
            """
documents = ["st", "st", "tables"]
ids = list(b"tables" * 3)
""",
            "expected 3, got 0",
        ),
        (
            "nothing at all",
            """
documents = ["st", "st", "tables"]
ids = []
""",
            "times_as_many([])",
        ),
        (
            "a longer list instead of a worse one",
            """
documents = ["st", "st", "tables"]
ids = [261] * 60
""",
            "At most 20 ids",
        ),
        (
            "bytes that are no text",
            """
documents = ["st", "st", "tables"]
ids = [128] * 20
""",
            "Their bytes are no text",
        ),
        (
            "an id that was never made",
            """
documents = ["st", "st", "tables"]
ids = [262] * 20
""",
            "KeyError came",
        ),
    ],
}
