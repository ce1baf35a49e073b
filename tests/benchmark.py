"""Speed, as ratios against peers in one run: medians of interleaved rounds.

    make bench

Cold means that no word has been met before, warm that all have. A ratio of 0.5 is half as fast as
the peer. Nothing here is a test: speed depends on the machine, and a loaded one lies.
"""

import statistics
import time
from collections.abc import Callable

from bpe import datasets, get_encoding
from bpe.splitting import GPT4_PATTERN, count_words, train_words

ROUNDS = 5
VOCAB_SIZE = 4096


def corpora() -> dict[str, str]:
    scripts = ("ar", "de", "el", "en", "es", "fr", "he", "hi", "ja", "ko", "ru", "th", "zh_Hans")
    mixed = "\n".join(line for lang in scripts for line in datasets.messages(lang))
    plays = "".join(datasets.play(name) for name in datasets.plays()[:10])
    return {
        "English": plays,
        "code": datasets.python_code(1_000_000),
        "13 scripts": mixed + "\n" + plays[: len(mixed)],
    }


def seconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def row(name: str, text: str, ours: list[float], theirs: list[float]) -> None:
    size = len(text.encode("utf-8")) / 1e6
    mine, other = statistics.median(ours), statistics.median(theirs)
    print(f"{name:<40} {size / mine:8.2f} {size / other:8.2f} {other / mine:8.2f}", flush=True)


def encoding() -> None:
    print(f"{'encode, MB/s':<40} {'bpe':>8} {'tiktoken':>8} {'ratio':>8}")
    for name in ("gpt2", "cl100k_base", "o200k_base"):
        tok, peer = get_encoding(name), datasets.tiktoken_encoding(name)
        for kind, text in corpora().items():
            cold, warm, theirs = [], [], []
            for _ in range(ROUNDS):
                tok._known.clear()
                cold.append(seconds(lambda tok=tok, text=text: tok.encode_ordinary(text)))
                theirs.append(seconds(lambda peer=peer, text=text: peer.encode_ordinary(text)))
                warm.append(seconds(lambda tok=tok, text=text: tok.encode_ordinary(text)))
            row(f"{name}, {kind}, cold", text, cold, theirs)
            row(f"{name}, {kind}, warm", text, warm, theirs)


def training() -> None:
    import tokenizers
    from tokenizers import models, pre_tokenizers, trainers

    pattern = GPT4_PATTERN.replace("{1,3}+", "{1,3}")  # what Oniguruma understands
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)

    def peer(text: str) -> None:
        model = tokenizers.Tokenizer(models.BPE())
        model.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated"), byte_level]
        )
        trainer = trainers.BpeTrainer(
            vocab_size=VOCAB_SIZE,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        model.train_from_iterator([text], trainer)

    def ours(text: str) -> None:
        train_words(count_words(text, GPT4_PATTERN), VOCAB_SIZE - 256)

    print(f"\n{f'train to {VOCAB_SIZE} ids, MB/s':<40} {'bpe':>8} {'HF':>8} {'ratio':>8}")
    for kind, text in corpora().items():
        mine, theirs = [], []
        for _ in range(3):
            mine.append(seconds(lambda text=text: ours(text)))
            theirs.append(seconds(lambda text=text: peer(text)))
        row(kind, text, mine, theirs)


if __name__ == "__main__":
    encoding()
    training()
