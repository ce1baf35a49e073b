"""What tokenizers are compared on: every character, hostile strings, text in many languages."""

import os
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import tiktoken
from tiktoken_ext import openai_public

from bpe import datasets
from bpe.openai import get_encoding, load_ranks
from bpe.specials import Tokenizer

PEERS = ("gpt2", "cl100k_base", "o200k_base")  # whose files tiktoken can have offline, too


@cache
def ours(name: str) -> Tokenizer:
    return get_encoding(name)


@cache
def theirs(name: str) -> tiktoken.Encoding:
    if name in PEERS:
        return datasets.tiktoken_encoding(name)
    tok = ours(name)
    return tiktoken.Encoding(
        name,
        pat_str=openai_public.r50k_pat_str,
        mergeable_ranks=load_ranks(name),
        special_tokens=tok.special_tokens,
    )


SCALARS = [*range(0xD800), *range(0xE000, 0x110000)]
FORMS = ("{0}", "a{0}", " {0}", "{0}{0}")
IN_EVERY_PLACE = "{0}a{0} {0}{0}"  # a character: first, after a letter, after a space, twice


HOSTILE = [
    *"abcXYZ sStTdDmMlLvVeErR'’\"0123456789.,!?/<|>-_()[]{}@#$%^&*\\",
    *"éſK\u0130ßĳǅʰ中文字한국어กखकбЖשﷺ٣Ⅷ²½๓",
    *"\u0301\u0300\u093f\u094d\u0902\u20dd\u1ab0\u0e33\u3099",  # marks
    *"\u200b\u200c\u200d\u2060\ufeff\ufe0f\u00ad\u061c",  # joiners and other invisible ones
    *" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0",
    *"\u1680\u2000\u2003\u2007\u2028\u2029\u202f\u205f\u3000",
    *"\x00\x01\x7f\x80\x9f\ue000\ufffd\uffff\U0010ffff\U000e0001",
    *"😀👩🏽🇺🇳❤🔥₿Ა𐐀𝒜𠀀\U00011de0\u0558\u088f\ua7ce",
    *"\ud800\udbc0\udc00\udc4d\udfff\ud83d",  # surrogates, alone or by chance in pairs
    *("  ", "   ", "\r\n", "\n\n", "\n \n", "'s", "'S", "'ſ", "'re", "'LL", "'d", "'ve", "''"),
    *("👩‍👩‍👧", "🏳️‍🌈", "🇩🇪", "e\u0301", "क्ष", "0000", "1,000", "://", "/*", "\t\t", " a", "ing"),
    *("<|endoftext|>", "<|fim_prefix|>", "<|endofprompt|>", "<|endoftext", "|>", "<|", "<|end"),
]


def hostile_strings(n: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    return ["".join(rng.choices(HOSTILE, k=rng.randint(1, 14))) for _ in range(n)]


def shuffled_messages(rng: random.Random) -> Iterator[str]:
    """Messages in all languages, in an order that no other round has."""
    for language in datasets.languages():
        messages = list(datasets.messages(language))
        rng.shuffle(messages)
        yield "\n".join(messages)


def library_sources(limit: int) -> Iterator[str]:
    """Python's own library, as far as it is UTF-8."""
    for path in sorted(Path(os.__file__).parent.rglob("*.py")):
        if limit <= 0 or "site-packages" in path.parts:
            continue
        try:
            text = path.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            continue
        limit -= len(text)
        yield text


def twenty_megabytes() -> list[str]:
    rng = random.Random(3)
    texts = [datasets.play(name) for name in datasets.plays()]
    texts += [datasets.python_code(), *library_sources(6_000_000)]
    size = sum(len(text.encode("utf-8")) for text in texts)
    while size < 20_000_000:
        more = list(shuffled_messages(rng))
        texts += more
        size += sum(len(text.encode("utf-8")) for text in more)
    return texts
