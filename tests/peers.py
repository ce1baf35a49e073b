"""Other people's trainers, called alike: ``(text, size, pattern)``; for tests and benchmark."""

import json
import tempfile
from pathlib import Path

import regex

from bpe.pairs import Pair, get_stats, merge
from bpe.splitting import printable_order


def minbpe(text: str, num_merges: int, pattern: str) -> dict[Pair, int]:
    """The loop of minbpe's RegexTokenizer: over chunks, each as often as it stands in the text."""
    chunks = [list(chunk.encode()) for chunk in regex.findall(pattern, text)]
    merges: dict[Pair, int] = {}
    for idx in range(256, 256 + num_merges):
        stats: dict[Pair, int] = {}
        for ids in chunks:
            get_stats(ids, stats)
        if not stats:
            break
        pair = max(stats, key=stats.get)
        chunks = [merge(ids, pair, idx) for ids in chunks]
        merges[pair] = idx
    return merges


def rustbpe(text: str, size: int, pattern: str) -> object:
    import rustbpe

    trainer = rustbpe.Tokenizer()
    trainer.train_from_iterator(iter([text]), size, pattern=pattern)
    return trainer


def tokens_of_rustbpe(text: str, size: int, pattern: str) -> list[bytes]:
    ranks = rustbpe(text, size, pattern).get_mergeable_ranks()
    return [bytes(token) for token, _ in sorted(ranks, key=lambda item: item[1])]


def bpeasy(text: str, size: int, pattern: str) -> dict[bytes, int]:
    import bpeasy

    return bpeasy.train_bpe(iter([text]), pattern, 1_000_000, size)


def tokens_of_bpeasy(text: str, size: int, pattern: str) -> list[bytes]:
    ranks = bpeasy(text, size, pattern)
    return sorted(ranks, key=ranks.get)


def huggingface(text: str, size: int, pattern: str) -> object:
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    # Its engine takes {1,3}+ for "once or more", not for "give nothing back".
    cut = pre_tokenizers.Split(Regex(pattern.replace("{1,3}+", "{1,3}")), "isolated")
    as_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([cut, as_bytes])
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([text], trainer)
    return tokenizer


def halves_of_huggingface(text: str, size: int, pattern: str) -> list[tuple[bytes, bytes]]:
    """The merges that its trainer writes, its printable characters turned back into bytes."""
    merges = json.loads(huggingface(text, size, pattern).to_str())["model"]["merges"]
    return [tuple(map(_bytes_of_printed, pair)) for pair in merges]


def gigabpe(text: str, size: int, threads: int | None = None) -> tuple[dict, list]:
    """It reads files, and knows GPT-2's pattern only. Its tie rule is that of Hugging Face."""
    import gigabpe

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt"
        path.write_text(text, encoding="utf-8", newline="")
        return gigabpe.train_bpe(
            [str(path)],
            vocab_size=size,
            pretokenizer="bytelevel",
            special_tokens=[],
            threads=threads,
        )


def halves_of_gigabpe(text: str, size: int) -> list[tuple[bytes, bytes]]:
    _, merges = gigabpe(text, size)
    return [tuple(map(_bytes_of_printed, pair)) for pair in merges]


def _bytes_of_printed(text: str) -> bytes:
    return bytes(_BYTE_OF[character] for character in text)


_PRINTED = [byte for byte in printable_order() if byte in range(0x21, 0x100)][:188]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTED]
_BYTE_OF = {chr(byte): byte for byte in _PRINTED}
_BYTE_OF |= {chr(256 + place): byte for place, byte in enumerate(_OTHERS)}
