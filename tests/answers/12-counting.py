"""Plausible slips in the exercises of chapter 12, and what the checks must say to each."""

ANSWERS = {
    "shard_bytes": [
        (
            "the highest id taken for the size",
            """
largest = 65_535

def shard_bytes(num_ids, num_documents, vocab_size):
    return num_ids * (2 if vocab_size <= 65_536 else 4) + num_documents * 8
""",
            "you predicted 65535, and that is not what comes. How many numbers",
        ),
        (
            "always two bytes",
            """
largest = 65_536

def shard_bytes(num_ids, num_documents, vocab_size):
    return num_ids * 2 + num_documents * 8
""",
            "four bytes each",
        ),
        (
            "the starts forgotten",
            """
largest = 65_536

def shard_bytes(num_ids, num_documents, vocab_size):
    return num_ids * (2 if vocab_size <= 65_536 else 4)
""",
            "one start of eight",
        ),
        (
            "one start for all",
            """
largest = 65_536

def shard_bytes(num_ids, num_documents, vocab_size):
    return num_ids * (2 if vocab_size <= 65_536 else 4) + 8
""",
            "Every document has a start",
        ),
        (
            "the size has to fit",
            """
largest = 65_536

def shard_bytes(num_ids, num_documents, vocab_size):
    return num_ids * (2 if vocab_size <= 65_535 else 4) + num_documents * 8
""",
            "The highest id is 65,535: it fits",
        ),
        (
            "one more than fits",
            """
largest = 65_536

def shard_bytes(num_ids, num_documents, vocab_size):
    return num_ids * (2 if vocab_size - 1 <= 65_536 else 4) + num_documents * 8
""",
            "The highest id does not fit",
        ),
        (
            "no document is impossible",
            """
largest = 65_536

def shard_bytes(num_ids, num_documents, vocab_size):
    return num_ids * (2 if vocab_size <= 65_536 else 4) + max(num_documents, 1) * 8
""",
            "No text, no bytes",
        ),
    ],
    "reduce_in_pairs": [
        (
            "as many rounds as additions",
            """
rounds = 999

def reduce_in_pairs(items, add, empty):
    return empty
""",
            "you predicted 999, and that is not what comes. How often can 1,000 be halved",
        ),
        (
            "one after the other",
            """
rounds = 10

def reduce_in_pairs(items, add, empty):
    from functools import reduce
    return reduce(add, items) if items else empty
""",
            "Neighbors, then pairs",
        ),
        (
            "the last one is lost",
            """
rounds = 10

def reduce_in_pairs(items, add, empty):
    items = list(items)
    while len(items) > 1:
        items = [add(one, other) for one, other in zip(items[::2], items[1::2])]
    return items[0] if items else empty
""",
            "no partner and waits, it is not lost",
        ),
        (
            "the last one is added to nothing",
            """
rounds = 10

def reduce_in_pairs(items, add, empty):
    items = list(items)
    while len(items) > 1:
        if len(items) % 2:
            items.append(empty)
        items = [add(items[i], items[i + 1]) for i in range(0, len(items), 2)]
    return items[0] if items else empty
""",
            "got '(((ab)(cd))((e)))'",
        ),
        (
            "no items forgotten",
            """
rounds = 10

def reduce_in_pairs(items, add, empty):
    items = list(items)
    while len(items) > 1:
        waiting = items[-1:] if len(items) % 2 else []
        items = [add(a, b) for a, b in zip(items[::2], items[1::2])] + waiting
    return items[0]
""",
            "Of no items, empty is the sum",
        ),
        (
            "starts from empty, as a sum does",
            """
rounds = 10

def reduce_in_pairs(items, add, empty):
    items = [empty, *items]
    while len(items) > 1:
        waiting = items[-1:] if len(items) % 2 else []
        items = [add(a, b) for a, b in zip(items[::2], items[1::2])] + waiting
    return items[0]
""",
            "got '(((a)(bc))d)'",
        ),
        (
            "the one without a partner goes first in the next round",
            """
rounds = 10

def reduce_in_pairs(items, add, empty):
    items = list(items)
    while len(items) > 1:
        waiting = items[-1:] if len(items) % 2 else []
        items = waiting + [add(a, b) for a, b in zip(items[::2], items[1::2])]
    return items[0] if items else empty
""",
            "got '((cd)(e(ab)))'",
        ),
        (
            "empty items thrown away",
            """
rounds = 10

def reduce_in_pairs(items, add, empty):
    items = [item for item in items if item]
    while len(items) > 1:
        waiting = items[-1:] if len(items) % 2 else []
        items = [add(a, b) for a, b in zip(items[::2], items[1::2])] + waiting
    return items[0] if items else empty
""",
            "An empty item is an item",
        ),
        (
            "takes from the front",
            """
rounds = 10

def reduce_in_pairs(items, add, empty):
    items = list(items)
    while len(items) > 1:
        following = []
        while len(items) > 1:
            one = items.pop(0)
            following.append(add(one, items.pop(0)))
        items = following + items
    return items[0] if items else empty
""",
            "Walk over the items of a round once",
        ),
        (
            "takes from the list that it was given",
            """
rounds = 10

def reduce_in_pairs(items, add, empty):
    while len(items) > 1:
        for i in range(len(items) // 2):
            items[i : i + 2] = [add(items[i], items[i + 1])]
    return items[0] if items else empty
""",
            "changed its argument",
        ),
    ],
    "cut_blocks": [
        (
            "after the space",
            """
def cut_blocks(data, size):
    blocks, start, place = [], 0, size
    while place < len(data):
        if data[place - 1] == 32:
            blocks.append(data[start:place])
            start, place = place, place + size
        else:
            place += 1
    return blocks + [data[start:]]
""",
            "Cut before a space, which belongs to the word after it",
        ),
        (
            "before any space",
            """
def cut_blocks(data, size):
    blocks, start = [], 0
    while start < len(data):
        place = data.find(b" ", start + size)
        stop = place if place >= 0 else len(data)
        blocks.append(data[start:stop])
        start = stop
    return blocks
""",
            "Between two spaces the byte before is no visible one",
        ),
        (
            "anything that is no space is visible",
            """
def cut_blocks(data, size):
    blocks, start, place = [], 0, size
    while place < len(data):
        if data[place] == 32 and data[place - 1] != 32:
            blocks.append(data[start:place])
            start, place = place, place + size
        else:
            place += 1
    return blocks + [data[start:]]
""",
            "A newline is not visible",
        ),
        (
            "no place, nothing returned",
            """
def cut_blocks(data, size):
    blocks, start, place = [], 0, size
    while place < len(data):
        if data[place] == 32 and 33 <= data[place - 1] <= 126:
            blocks.append(data[start:place])
            start, place = place, place + size
        else:
            place += 1
    if start:
        blocks.append(data[start:])
    return blocks
""",
            "No place, one block",
        ),
        (
            "nothing is a block, too",
            """
def cut_blocks(data, size):
    blocks, start, place = [], 0, size
    while place < len(data):
        if data[place] == 32 and 33 <= data[place - 1] <= 126:
            blocks.append(data[start:place])
            start, place = place, place + size
        else:
            place += 1
    return blocks + [data[start:]]
""",
            "Nothing has no blocks",
        ),
        (
            "a size of nothing",
            """
def cut_blocks(data, size):
    import re
    blocks, start = [], 0
    safe = re.compile(rb"(?<=[!-~])(?= )")
    while match := safe.search(data, start + max(size, 1)):
        blocks.append(data[start : match.start()])
        start = match.start()
    return blocks + [data[start:]] if data else []
""",
            "expected ValueError, got [b'a', b' b']",
        ),
        (
            "bytes of letters are visible",
            """
def cut_blocks(data, size):
    if size < 1:
        raise ValueError("size")
    blocks, start, place = [], 0, size
    while place < len(data):
        if data[place] == 32 and data[place - 1] > 32:
            blocks.append(data[start:place])
            start, place = place, place + size
        else:
            place += 1
    return blocks + [data[start:]] if data else []
""",
            "A byte of a Korean letter is none of ! to ~",
        ),
        (
            "more than size bytes",
            """
def cut_blocks(data, size):
    import re
    if size < 1:
        raise ValueError("size")
    blocks, start = [], 0
    safe = re.compile(rb"[!-~](?= )")
    while match := safe.search(data, start + size):
        blocks.append(data[start : match.end()])
        start = match.end()
    return blocks + [data[start:]] if data else []
""",
            "got [b'the cat', b' sat on']",
        ),
        (
            "begins at the start each time",
            """
def cut_blocks(data, size):
    if size < 1:
        raise ValueError("size")
    blocks, start = [], 0
    while start < len(data):
        stop = len(data)
        for place in range(1, len(data)):
            if place < start + size:
                continue
            if data[place] == 32 and 33 <= data[place - 1] <= 126:
                stop = place
                break
        blocks.append(data[start:stop])
        start = stop
    return blocks
""",
            "Go on from the last cut",
        ),
    ],
    "read_document": [
        (
            "ends at the end of its shard",
            """
def read_document(folder, number):
    import json
    from pathlib import Path
    import numpy as np
    index = json.loads(Path(folder, "index.json").read_text())
    for shard in index["shards"]:
        starts = np.fromfile(f"{folder}/{shard['name']}.starts", "<u8").tolist()
        if 0 <= number < len(starts):
            start, stop = [*starts, shard["tokens"]][number : number + 2]
            ids = np.memmap(f"{folder}/{shard['name']}.ids", index["dtype"], mode="r")
            return ids[start:stop].tolist()
        number -= len(starts)
    raise IndexError(number)
""",
            "It goes on in the next shard",
        ),
        (
            "only the next shard",
            """
def read_document(folder, number):
    import json
    from pathlib import Path
    import numpy as np
    index = json.loads(Path(folder, "index.json").read_text())
    if number < 0:
        raise IndexError(number)
    shards = index["shards"]
    for shard, following in zip(shards, [*shards[1:], None]):
        starts = np.fromfile(f"{folder}/{shard['name']}.starts", "<u8").tolist()
        ids = np.memmap(f"{folder}/{shard['name']}.ids", index["dtype"], mode="r")
        if number < len(starts) - 1:
            return ids[starts[number] : starts[number + 1]].tolist()
        if number == len(starts) - 1:
            rest = ids[starts[number] :].tolist()
            if following:
                name = following["name"]
                more = np.fromfile(f"{folder}/{name}.starts", "<u8").tolist()
                stop = more[0] if more else following["tokens"]
                rest += np.memmap(f"{folder}/{name}.ids", index["dtype"])[:stop].tolist()
            return rest
        number -= len(starts)
    raise IndexError(number)
""",
            "A shard may have no start",
        ),
        (
            "starts not moved by the shards before",
            """
def read_document(folder, number):
    import json
    from pathlib import Path
    import numpy as np
    index = json.loads(Path(folder, "index.json").read_text())
    starts, ids = [], []
    for shard in index["shards"]:
        starts += np.fromfile(f"{folder}/{shard['name']}.starts", "<u8").tolist()
        ids += np.fromfile(f"{folder}/{shard['name']}.ids", index["dtype"]).tolist()
    if not 0 <= number < len(starts):
        raise IndexError(number)
    start, stop = [*starts, len(ids)][number : number + 2]
    return ids[start:stop]
""",
            "expected [7, 8, 9], got []",
        ),
        (
            "the last one has no end",
            """
def read_document(folder, number):
    import json
    from pathlib import Path
    import numpy as np
    index = json.loads(Path(folder, "index.json").read_text())
    starts, ids, base = [], [], 0
    for shard in index["shards"]:
        inside = np.fromfile(f"{folder}/{shard['name']}.starts", "<u8").tolist()
        starts += [base + place for place in inside]
        ids += np.fromfile(f"{folder}/{shard['name']}.ids", index["dtype"]).tolist()
        base += shard["tokens"]
    if not 0 <= number < len(starts):
        raise IndexError(number)
    return ids[starts[number] : starts[number + 1]]
""",
            "The last one ends at the end",
        ),
        (
            "counts from the end",
            """
def read_document(folder, number):
    import json
    from pathlib import Path
    import numpy as np
    index = json.loads(Path(folder, "index.json").read_text())
    starts, ids, base = [], [], 0
    for shard in index["shards"]:
        inside = np.fromfile(f"{folder}/{shard['name']}.starts", "<u8").tolist()
        starts += [base + place for place in inside]
        ids += np.fromfile(f"{folder}/{shard['name']}.ids", index["dtype"]).tolist()
        base += shard["tokens"]
    starts.append(base)
    return ids[starts[number] : starts[number + 1]]
""",
            "Numbers go from 0 to 2",
        ),
        (
            "two bytes for an id, always",
            """
def read_document(folder, number):
    import json
    from pathlib import Path
    import numpy as np
    index = json.loads(Path(folder, "index.json").read_text())
    starts, ids, base = [], [], 0
    for shard in index["shards"]:
        inside = np.fromfile(f"{folder}/{shard['name']}.starts", "<u8").tolist()
        starts += [base + place for place in inside]
        ids += np.fromfile(f"{folder}/{shard['name']}.ids", "<u2").tolist()
        base += shard["tokens"]
    if not 0 <= number < len(starts):
        raise IndexError(number)
    start, stop = [*starts, base][number : number + 2]
    return ids[start:stop]
""",
            "See the dtype",
        ),
        (
            "reads everything",
            """
def read_document(folder, number):
    import json
    from pathlib import Path
    import numpy as np
    index = json.loads(Path(folder, "index.json").read_text())
    starts, ids, base = [], [], 0
    for shard in index["shards"]:
        inside = np.fromfile(f"{folder}/{shard['name']}.starts", "<u8").tolist()
        starts += [base + place for place in inside]
        ids.append(np.fromfile(f"{folder}/{shard['name']}.ids", index["dtype"]))
        base += shard["tokens"]
    if not 0 <= number < len(starts):
        raise IndexError(number)
    start, stop = [*starts, base][number : number + 2]
    return np.concatenate(ids)[start:stop].tolist()
""",
            "Not the rest",
        ),
    ],
    "count_resumable": [
        (
            "nothing is kept",
            """
def count_resumable(texts, folder, count):
    total = {}
    for text in texts:
        for word, n in count(text).items():
            total[word] = total.get(word, 0) + n
    return total
""",
            "expected [2, 0], got [2, 2]. Keep and add, in order",
        ),
        (
            "the last table wins",
            """
def count_resumable(texts, folder, count):
    total = {}
    for text in texts:
        total |= count(text)
    return total
""",
            "got \"the sum is {'a': 1, 'cat': 1, 'hat': 1}\"",
        ),
        (
            "written at the end",
            """
def count_resumable(texts, folder, count):
    import json
    from pathlib import Path
    file = Path(folder, "tables.json")
    tables = json.loads(file.read_text()) if file.exists() else {}
    for text in texts:
        if text not in tables:
            tables[text] = count(text)
    file.write_text(json.dumps(tables))
    total = {}
    for text in texts:
        for word, n in tables[text].items():
            total[word] = total.get(word, 0) + n
    return total
""",
            "Keep each at once",
        ),
        (
            "named after the place",
            """
def count_resumable(texts, folder, count):
    import json
    from pathlib import Path
    total = {}
    for number, text in enumerate(texts):
        file = Path(folder, f"{number}.json")
        if not file.exists():
            file.write_text(json.dumps(count(text)))
        for word, n in json.loads(file.read_text()).items():
            total[word] = total.get(word, 0) + n
    return total
""",
            "No place names a text",
        ),
        (
            "a text counts once",
            """
def count_resumable(texts, folder, count):
    import hashlib, json
    from pathlib import Path
    total = {}
    for text in dict.fromkeys(texts):
        file = Path(folder, hashlib.sha256(text.encode()).hexdigest())
        try:
            table = json.loads(file.read_text())
        except (OSError, ValueError):
            table = count(text)
            file.write_text(json.dumps(table))
        for word, n in table.items():
            total[word] = total.get(word, 0) + n
    return total
""",
            "Each text adds",
        ),
        (
            "whatever is there is whole",
            """
def count_resumable(texts, folder, count):
    import hashlib
    from pathlib import Path
    total = {}
    for text in texts:
        file = Path(folder, hashlib.sha256(text.encode()).hexdigest())
        if not file.exists():
            table = count(text)
            file.write_text("\\n".join(f"{n} {word}" for word, n in table.items()))
        for line in file.read_text().splitlines():
            n, _, word = line.partition(" ")
            total[word] = total.get(word, 0) + int(n)
    return total
""",
            "Half a file is no table",
        ),
    ],
}
