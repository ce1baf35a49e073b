"""Feed the kernels hostile input and compare them with their plain twins, as long as one likes.

    NUMBA_BOUNDSCHECK=1 python tests/fuzz_kernels.py [ROUNDS [SEED]]

With NUMBA_BOUNDSCHECK=1 every index is checked and a wrong one raises IndexError; without it the
kernels are the ones that everybody uses. The tests run both.
"""

import random
import string
import sys
import warnings
from collections.abc import Callable

import numpy as np

import bpe
from bpe import splitting
from bpe.fast import Encoder, encoding
from bpe.fast.compiling import CHECKED, compiled
from bpe.fast.memory import bytes_at, handle, int64s_at, word
from bpe.fast.scanning import KINDS, count_words
from bpe.specials import Tokenizer

PIECES = [
    *"abcXYZ sStTdDmMlLvVeErR'’\"0123456789.,!?/<|>-_()[]{}@#$%^&*\\",
    *"éſK\u0130ßĳǅʰ中文字한국어กखকбЖשﷺ٣Ⅷ²½๓",
    *"\u0301\u0300\u093f\u094d\u0902\u20dd\u200b\u200d\u2060\ufeff\ufe0f\u00ad",
    *" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2003\u2028\u2029\u202f\u3000",
    *"\x00\x7f\x80\ue000\ufffd\uffff\U0010ffff😀👩🇺𐐀𠀀\ud800\udc00\udfff",
    *("  ", "   ", "\r\n", "\n\n", "'s", "'ſ", "'re", "'LL", "''", "//", "0000", "<|end|>", "<|"),
]
PATTERNS = [*KINDS, splitting.SIMPLE_PATTERN, r"\p{L}+|\d", "(?:a|bc)+", r"[\s\S]+"]


def short_text(rng: random.Random) -> str:
    return "".join(rng.choices(PIECES, k=rng.randint(0, 20)))


def long_text(rng: random.Random) -> str:
    """Words of every length up to some thousand bytes, of few letters or of many."""
    letters = rng.choice(["a", "ab", "abc", string.ascii_letters, "中文字", "\u0301a", "^-", " \n"])
    between = rng.choice(["", " ", "\n", ".", " x"])
    lengths = [rng.choice([1, 15, 16, 31, 32, 33, 63, 64, 65, 100, 3000]) for _ in range(4)]
    return between.join("".join(rng.choices(letters, k=n)) for n in lengths)


def trained(rng: random.Random) -> Tokenizer:
    texts = [long_text(rng) for _ in range(3)] + [short_text(rng) for _ in range(20)]
    size = 258 + rng.choice([0, 1, 30, 300])
    with warnings.catch_warnings():  # some patterns leave less to merge than is asked for
        warnings.filterwarnings("ignore", "training stopped", UserWarning)
        return Tokenizer.train(
            texts, size, pattern=rng.choice(PATTERNS), special_tokens=["<|end|>", "<|"]
        )


def no_chain(rng: random.Random) -> Tokenizer:
    """Ranks that no training made: in any order, with gaps, some tokens out of reach."""
    tokens = {bytes([byte]) for byte in range(256)}
    tokens |= {"".join(rng.choices("ab c", k=rng.randint(2, 70))).encode() for _ in range(60)}
    tokens |= {"".join(rng.choices("ab ", k=rng.randint(2, 4))).encode() for _ in range(30)}
    shuffled = sorted(tokens, key=lambda _: rng.random())
    ids = rng.sample(range(10 * len(shuffled)), len(shuffled))
    return Tokenizer(
        dict(zip(shuffled, ids)), pattern=rng.choice(PATTERNS), special_tokens=["<|end|>"]
    )


def check_words(rng: random.Random) -> None:
    for pattern in KINDS:
        texts = [short_text(rng) for _ in range(50)] + [long_text(rng)]
        ours = count_words(texts, pattern, threads=rng.choice([1, 2])).as_dict()
        theirs = splitting.count_words(texts, pattern)
        assert list(ours.items()) == list(theirs.items()), (pattern, texts)


def check_ids(rng: random.Random, tok: Tokenizer) -> None:
    encoder = Encoder(tok)
    texts = [short_text(rng) for _ in range(30)] + [long_text(rng) for _ in range(3)]
    expected = [tok.encode(text, allowed_special="all") for text in texts]
    for text, ids in zip(texts, expected):
        ordinary = tok.encode_ordinary(text)
        assert encoder.encode_ordinary(text) == ordinary, (tok.pattern, text)
        assert encoder.encode_ordinary_to_numpy(text).tolist() == ordinary, (tok.pattern, text)
        assert encoder.encode(text, allowed_special="all") == ids, (tok.pattern, text)
        assert encoder.decode_bytes(ids) == tok.decode_bytes(ids), ids
        assert encoder.decode(np.array(ids, np.int64)) == tok.decode(ids), ids
    assert encoder.encode_batch(texts, allowed_special="all", threads=2) == expected


def check_wrong_ids(rng: random.Random, tok: Tokenizer) -> None:
    encoder = Encoder(tok)
    for wrong in (-1, tok.n_vocab, 1 << 40, -(1 << 63), (1 << 63) - 1, rng.randint(-9, 1 << 20)):
        if wrong in tok.vocab:
            continue
        for ids in ([wrong], np.array([97, wrong])):
            try:
                encoder.decode(ids)
            except KeyError:
                continue
            raise AssertionError(f"decoded {ids}")


def check_the_checks() -> None:
    """A kernel that reads or writes a place too far is caught, and one that does not is not."""

    @compiled
    def read(job, i):
        return bytes_at(job[0])[i], word(bytes_at(job[0]), i), int64s_at(job[1])[0]

    arrays = np.zeros(16, np.uint8), np.zeros(1, np.int64)
    read(handle(arrays), 8)
    for i in (9, 16, -17):
        try:
            read(handle(arrays), i)
        except IndexError:
            continue
        raise AssertionError(f"byte {i} was read")


def rounds(n: int, seed: int) -> None:
    if CHECKED:
        check_the_checks()
    kept: dict[str, int] = {"KEPT": encoding.KEPT, "PREPARING": encoding.PREPARING}
    real: list[Callable[[], Tokenizer]] = [
        lambda name=name: bpe.get_encoding(name) for name in ("gpt2", "cl100k_base")
    ]
    for number in range(n):
        rng = random.Random(seed + number)
        # Little room and little patience: everything that stops in the middle does so often.
        encoding.KEPT = rng.choice([1, 70, kept["KEPT"]])
        encoding.PREPARING = rng.choice([1, 500, kept["PREPARING"]])
        check_words(rng)
        for make in (trained, no_chain):
            tok = make(rng)
            check_ids(rng, tok)
            check_wrong_ids(rng, tok)
        if number < len(real):
            check_ids(rng, real[number]())
    encoding.KEPT, encoding.PREPARING = kept.values()


if __name__ == "__main__":
    n_rounds, first_seed = ([int(each) for each in sys.argv[1:]] + [20, 0])[:2]
    if len(sys.argv) == 2:
        first_seed = 0
    rounds(n_rounds, first_seed)
    print(f"{n_rounds} rounds, every index checked: {CHECKED}")
