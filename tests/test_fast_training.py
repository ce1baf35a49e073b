"""Chapter 10: the compiled trainer, and each rung below it, learn what the plain trainer learns."""

import os
import random
import subprocess
import sys
import warnings

import count_accesses
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bpe
from bpe import datasets, rungs
from bpe.fast import train
from bpe.fast import training as compiled
from bpe.fast.scanning import WordCounts
from bpe.fast.training import learn_merges, train_on_counts
from bpe.splitting import (
    GPT2_PATTERN,
    GPT4_PATTERN,
    GPT4O_PATTERN,
    TIES,
    count_words,
    train_words,
)
from bpe.training import build_vocab
from peers import (
    halves_of_gigabpe,
    halves_of_huggingface,
    minbpe,
    tokens_of_bpeasy,
    tokens_of_rustbpe,
)

small_words = st.dictionaries(
    st.text(alphabet="abé", max_size=9).map(str.encode), st.integers(0, 4), max_size=8
)
rules = st.sampled_from(TIES)


def quietly(function, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **options)


def assert_equal(words, num_merges, ties):
    """Merge for merge, in the same order, with the same ids."""
    plain = train_words(words, num_merges, ties=ties)
    fast = learn_merges(WordCounts.of(words), num_merges, ties=ties)
    assert list(fast.items()) == list(plain.items())


def assert_same(one, other):
    for name in ("merges", "ranks", "vocab", "special_tokens", "pattern", "ties"):
        assert getattr(one, name) == getattr(other, name), name


def mixed_text(limit=None):
    """A play, code, and the same messages in every language that there is."""
    parts = [datasets.hamlet(), datasets.python_code(480_000)]
    for language in datasets.languages():
        parts += datasets.messages(language)
    return "\n".join(parts)[-limit:] if limit else "\n".join(parts)


class TestFuzz:
    """Also run with every index checked: see ``test_no_index_is_out_of_bounds``."""

    @settings(deadline=None)
    @given(small_words, st.integers(0, 20), rules)
    def test_small_words(self, words, num_merges, ties):
        assert_equal(words, num_merges, ties)

    @settings(deadline=None)
    @given(st.dictionaries(st.binary(max_size=12), st.integers(0, 3)), st.integers(0, 40), rules)
    def test_any_bytes(self, words, num_merges, ties):
        assert_equal(words, num_merges, ties)

    @pytest.mark.parametrize("ties", TIES)
    def test_random_alphabets(self, ties):
        rng = random.Random(10)
        for _ in range(150):
            alphabet = rng.sample(range(256), rng.randint(1, 5))
            words = {
                bytes(rng.choices(alphabet, k=rng.randint(0, 30))): rng.randint(0, 9)
                for _ in range(rng.randint(0, 40))
            }
            assert_equal(words, rng.randint(0, 80), ties)

    @pytest.mark.parametrize("ties", TIES)
    @pytest.mark.parametrize(
        "word",
        [
            b"a" * 3000,
            b"ab" * 1500,
            b"aab" * 1000,
            b"a" * 1499 + b"b" + b"a" * 1500,
            bytes(range(256)) * 4,
            random.Random(1).randbytes(1500),
            bytes(random.Random(2).choices(b"ab", k=1500)),
        ],
        ids=["a", "ab", "aab", "aba", "all", "random", "two letters"],
    )
    def test_long_words(self, word, ties):
        assert_equal({word: 1}, 300, ties)
        assert_equal({word: 2, word[::-1]: 3, word[7:]: 1}, 300, ties)

    def test_lists_that_grow(self):
        # More pairs than bytes can make, and long lists of places.
        rng = random.Random(3)
        words = {rng.randbytes(rng.randint(2, 9)): rng.randint(1, 3) for _ in range(15_000)}
        assert_equal(words, 500, "smallest")

    @pytest.mark.parametrize("ties", TIES)
    def test_real_text(self, ties):
        words = count_words(datasets.article() + datasets.paragraph(), GPT4_PATTERN)
        assert_equal(words, 1500, ties)


def test_long_words_take_hardly_more_accesses_for_a_byte():
    """Four times the bytes: a logarithm grows by less than half, a quadratic trainer by four."""
    for case, (short, long) in count_accesses.run("training", 300).items():
        assert long < 2.2 * short, case


@pytest.mark.whole
def test_longer_words_neither():
    for case, (short, long) in count_accesses.run("training", 1000).items():
        assert long < 1.5 * short, case


def test_no_index_is_out_of_bounds():
    """The kernels read memory unchecked. Here they run in a mode where each index is checked."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    done = subprocess.run(
        [*command, "-k", "TestFuzz or TestMode"],
        env=os.environ | {"NUMBA_BOUNDSCHECK": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


class TestMode:
    def test_checks_are_on_where_they_should_be(self):
        asked = os.environ.get("NUMBA_BOUNDSCHECK") == "1"
        assert compiled.learn.targetoptions["boundscheck"] == asked


class TestRungs:
    @given(small_words, st.integers(0, 12))
    def test_on_counts(self, words, num_merges):
        plain = train_words(words, num_merges)
        for rung in (rungs.count_words_once, rungs.keep_counts):
            assert list(rung(words, num_merges).items()) == list(plain.items())

    @given(small_words, st.integers(0, 12))
    def test_on_the_text_itself(self, words, num_merges):
        chunks = [word for word, count in words.items() for _ in range(count)]
        random.Random(0).shuffle(chunks)
        assert rungs.recount_all(chunks, num_merges) == train_words(words, num_merges)

    def test_on_real_text(self):
        words = count_words(datasets.article()[:8000], GPT4_PATTERN)
        plain = train_words(words, 200)
        assert rungs.count_words_once(words, 200) == plain == rungs.keep_counts(words, 200)


class TestTrain:
    """``bpe.fast.train`` and ``bpe.Tokenizer.train`` return the same tokenizer."""

    @pytest.mark.parametrize("ties", TIES)
    @pytest.mark.parametrize("pattern", [GPT2_PATTERN, GPT4_PATTERN, GPT4O_PATTERN, r"\w+|\W"])
    def test_rules_and_patterns(self, ties, pattern):
        options = {"pattern": pattern, "ties": ties, "special_tokens": ["<|end|>"]}
        text = mixed_text(60_000)
        assert_same(train(text, 900, **options), bpe.Tokenizer.train(text, 900, **options))

    @settings(deadline=None)
    @given(st.lists(st.text(alphabet="ab é👋.\n'1<|\ud83d\udc4b", max_size=40)), rules)
    def test_small_texts(self, texts, ties):
        options = {"ties": ties, "special_tokens": ["<|", "a<"]}
        fast = quietly(train, texts, 270, **options)
        assert_same(fast, quietly(bpe.Tokenizer.train, texts, 270, **options))

    @pytest.mark.parametrize("threads", [1, 3])
    def test_documents_as_a_generator(self, threads):
        documents = datasets.messages("ru") + datasets.messages("th")
        fast = train((text for text in documents), 700, threads=threads)
        assert_same(fast, bpe.Tokenizer.train(documents, 700))

    def test_special_tokens_in_every_form(self):
        text = datasets.article()
        for specials in (["<a>", "<b>"], {"<a>": 1000, "<b>": 900}, (), iter(["<a>"])):
            fast = train(text, 400, special_tokens=specials)
            again = fast.special_tokens
            assert_same(fast, bpe.Tokenizer.train(text, 400, special_tokens=again))
        assert fast.special_tokens == {"<a>": 399}

    def test_texts_of_nothing(self):
        for text in ("", [], [""], "a", ["a", "b"], "   "):
            assert_same(quietly(train, text, 300), quietly(bpe.Tokenizer.train, text, 300))

    def test_many_more_merges_than_there_can_be(self):
        with pytest.warns(UserWarning, match="stopped at 258 ids, 1000000000000 were asked for"):
            assert len(train("abc", 10**12).merges) == 2

    def test_warning_points_to_the_caller(self):
        with pytest.warns(UserWarning, match="stopped at 257 ids, 258 were asked") as caught:
            train("ab", 258)
        assert caught[0].filename == __file__
        with pytest.warns(UserWarning, match="stopped at 258 ids, 300 were asked") as caught:
            train_on_counts({"ab": 1}, 300, special_tokens=["<a>"])
        assert caught[0].filename == __file__

    def test_progress_changes_nothing_and_counts_to_the_end(self, capsys):
        text = datasets.article()
        assert_same(train(text, 400, progress=True), train(text, 400))
        assert "144/144" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("text", "size", "options"),
        [
            ("abc", 255, {}),
            ("abc", 256, {"special_tokens": ["<a>"]}),
            ("abc", 300.0, {}),
            ("abc", "300", {}),
            ("abc", 300, {"ties": "last"}),
            ("abc", 300, {"pattern": "("}),
            ("abc", 300, {"pattern": None}),
            ("abc", 300, {"special_tokens": "<a>"}),
            ("abc", 300, {"special_tokens": [""]}),
            ("abc", 300, {"special_tokens": ["<a>", "<a>"]}),
            ("abc", 300, {"special_tokens": {"<a>": 280}}),
            (b"abc", 300, {}),
            (["abc", b"abc"], 300, {}),
            (["abc", b"abc"], 300, {"special_tokens": ["<a>"]}),
            (None, 300, {}),
            (7, 300, {"special_tokens": ["<a>"]}),
        ],
    )
    def test_bad_input_is_answered_alike(self, text, size, options):
        with pytest.raises(ValueError) as plain:
            bpe.Tokenizer.train(text, size, **options)
        with pytest.raises(ValueError) as fast:
            train(text, size, **options)
        assert str(fast.value) == str(plain.value)


class TestCounts:
    def test_hugging_face_course(self):
        counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
        tok = train_on_counts(counts, 259)
        assert [tok.vocab[idx] for idx in (256, 257, 258)] == [b"ug", b"un", b"hug"]
        assert_same(tok, train_on_counts({w.encode(): n for w, n in counts.items()}, 259))

    def test_counts_of_a_text_are_as_good_as_the_text(self):
        text, size = mixed_text(100_000), 1000
        counts = count_words(text, GPT4_PATTERN)
        tok = train_on_counts(counts, size, special_tokens=["<|end|>"])
        assert_same(tok, train(text, size, special_tokens=["<|end|>"]))
        assert_same(tok, train_on_counts(WordCounts.of(counts), size, special_tokens=["<|end|>"]))

    def test_large_counts(self):
        words = {b"abc": 1 << 40, b"bcd": (1 << 40) + 1, b"xyz": 5}
        assert list(train_on_counts(words, 260).merges) == [
            (98, 99),
            (256, 100),
            (97, 256),
            (120, 121),
        ]

    @pytest.mark.parametrize("counts", [{}, {b"": 3}, {b"a": 3}, {b"ab": 0}])
    def test_nothing_to_learn(self, counts):
        with pytest.warns(UserWarning, match="stopped at 256 ids"):
            assert train_on_counts(counts, 300).merges == {}

    @pytest.mark.parametrize(
        ("counts", "message"),
        [
            ({7: 1}, "word 7 is a int: words are bytes or str"),
            ({"ab": "1"}, "word 'ab' has the count '1': no whole number"),
            ({"ab": 1.0}, "word 'ab' has the count 1.0"),
            ({"ab": -1}, "word 'ab' has the count -1: counts go from 0"),
            ({"ab": 1 << 63}, "word 'ab' has the count 9223372036854775808"),
            ({"ab": 1 << 61, "bc": 1 << 61}, "do not fit into 64 bits"),
            (["ab", "cd"], "counts is a list"),
        ],
    )
    def test_bad_counts(self, counts, message):
        with pytest.raises(ValueError, match=message):
            train_on_counts(counts, 300)

    @pytest.mark.parametrize(
        ("text", "starts", "counts", "message"),
        [
            (b"abab", [0, 2, 4], [1], "3 starts for 1 counts and 4 bytes"),
            (b"abab", [0, 2, 5], [1, 1], "these are no words"),
            (b"abab", [0, 3, 2], [1, 1], "these are no words"),
            (b"abab", [-1, 2, 4], [1, 1], "these are no words"),
            (b"abab", [], [], "these are no words"),
            (b"abab", [0, 2, 4], [1, -3], "word b'ab' has the count -3: counts start at 0"),
        ],
    )
    def test_arrays_that_do_not_fit(self, text, starts, counts, message):
        words = WordCounts(
            np.frombuffer(text, np.uint8), np.array(starts, np.int64), np.array(counts, np.int64)
        )
        with pytest.raises(ValueError, match=message):
            train_on_counts(words, 300)

    def test_more_different_words_than_fit(self, monkeypatch):
        monkeypatch.setattr(compiled, "MOST_CELLS", 7)
        train_on_counts({"abc": 1, "x": 1}, 257)
        with pytest.raises(ValueError, match="the different words need 8 cells, and 7 fit"):
            train_on_counts({"abc": 1, "xy": 1}, 257)

    def test_words_are_left_as_they_were(self):
        words = WordCounts.of({b"abab": 2, b"ba": 1})
        before = [array.copy() for array in words]
        train_on_counts(words, 258)
        assert all((old == new).all() for old, new in zip(before, words))


class TestSideBySide:
    """The libraries train on the same text at the same time, and learn the same merges."""

    @staticmethod
    def halves(tok):
        vocab = build_vocab(tok.merges)
        return [(vocab[left], vocab[right]) for left, right in tok.merges]

    @pytest.mark.parametrize(
        ("pattern", "size"), [(GPT4_PATTERN, 16_000), (GPT2_PATTERN, 4000), (GPT4O_PATTERN, 4000)]
    )
    def test_mixed_text(self, pattern, size):
        text = mixed_text()
        smallest = list(train(text, size, pattern=pattern).vocab.values())
        assert smallest == tokens_of_rustbpe(text, size, pattern)
        assert smallest == tokens_of_bpeasy(text, size, pattern)
        printable = train(text, size, pattern=pattern, ties="printable")
        assert self.halves(printable) == halves_of_huggingface(text, size, pattern)

    def test_gigabpe(self):
        pytest.importorskip("gigabpe")
        text, size = mixed_text(), 8000
        lines = (f"{line}\n" for line in text.split("\n"))  # it reads files line by line
        tok = train(lines, size, pattern=GPT2_PATTERN, ties="printable")
        ours, theirs = self.halves(tok), halves_of_gigabpe(text, size)
        assert theirs[: len(ours)] == ours  # it leaves out bytes that the text has not

    def test_minbpe(self):
        text = mixed_text(30_000)
        assert train(text, 406, ties="first").merges == minbpe(text, 150, GPT4_PATTERN)

    @pytest.mark.parametrize("ties", ["smallest", "printable", "greatest"])
    def test_the_plain_trainer_up_to_a_large_vocabulary(self, ties):
        words = count_words(mixed_text(), GPT4_PATTERN)
        assert_equal(words, 12_000, ties)
