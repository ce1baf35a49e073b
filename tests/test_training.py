"""Chapter 04: training, step by step and as a whole, and the names that merges get."""

import warnings
from collections import Counter
from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe import datasets
from bpe.pairs import get_stats, merge
from bpe.training import N_BYTES, Step, build_vocab, train, training_steps

# Few letters, so that pairs repeat; a character of two bytes and one of four among them.
texts = st.text(alphabet="ab é👋", max_size=60)
documents = st.lists(texts, max_size=5)
ties = st.sampled_from(["first", "smallest"])


def train_quietly(texts, vocab_size, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return train(texts, vocab_size, **options)


def tokens(merges):
    """What the new ids read as, in the order of learning."""
    vocab = build_vocab(merges)
    return [vocab[idx] for idx in merges.values()]


class TestKnownMerges:
    """Results that others have published for the same input."""

    def test_encyclopedia_example(self):
        assert tokens(train("aaabdaaabac", 259)) == [b"aa", b"aaa", b"aaab"]

    @pytest.mark.parametrize("rule", ["first", "smallest"])
    def test_encyclopedia_example_ends_alike_under_both_rules(self, rule):
        *_, last = islice(training_steps("aaabdaaabac", ties=rule), 3)
        assert last.length == 5

    def test_hugging_face_course(self):
        # Chapter 6 of that course counts words; here each word is as many documents.
        counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
        words = [word for word, count in counts.items() for _ in range(count)]
        steps = list(islice(training_steps(words), 3))
        assert tokens({step.pair: step.idx for step in steps}) == [b"ug", b"un", b"hug"]
        assert [step.count for step in steps] == [20, 16, 15]
        assert [step.rivals for step in steps] == [0, 0, 0]

    def test_overlapping_pairs_are_counted(self):
        # 1,1,1,1,2,1,2,1,2: with overlaps (1,1) occurs three times and shares the top with (1,2).
        step = next(training_steps("\1\1\1\1\2\1\2\1\2"))
        assert step == Step(pair=(1, 1), idx=256, count=3, rivals=1, length=7)
        # Counted without overlap, it would have lost to (1,2) by two to three.
        assert merge([1, 1, 1, 1, 2, 1, 2, 1, 2], (1, 1), 256).count(256) == 2

    @pytest.mark.parametrize(
        ("text", "first", "smallest"),
        [
            ("bbbaaaddddcccc", [b"dd", b"cc", b"bb", b"aa"], [b"cc", b"dd", b"aa", b"bb"]),
            ("aaabbbccccdddd", [b"cc", b"dd", b"aa", b"bb"], [b"cc", b"dd", b"aa", b"bb"]),
        ],
    )
    def test_stated_tie_rule(self, text, first, smallest):
        assert tokens(train(text, 260)) == first
        assert tokens(train(text, 260, ties="smallest")) == smallest

    def test_smallest_does_not_depend_on_the_order_of_documents(self):
        words = "low lower lowest dark darker darkest".split()
        one = train(words, 266, ties="smallest")
        assert one == train(words[::-1], 266, ties="smallest")
        assert train(words, 266) != train(words[::-1], 266)

    def test_grown_words(self):
        words = [f" {word}" for word in "low lower lowest dark darker darkest".split()]
        words += [" high", " higher", " highest"]
        merges = train_quietly(words, 300, min_count=2)
        assert {b" low", b" dark", b" high", b"er", b"est"} <= set(tokens(merges))
        assert len(merges) == 14


class TestEarlyStop:
    @pytest.mark.parametrize(
        ("text", "vocab_size", "reached"),
        [
            ("", 260, 256),
            ("a", 257, 256),
            ("   ", 260, 258),
            ("ab", 258, 257),
            ("é", 260, 257),
            ("aaaaaaaa", 300, 259),
            ([], 257, 256),
            (["", ""], 257, 256),
            (["a", "b", "c"], 257, 256),
        ],
    )
    def test_too_little_text_warns_and_says_where_it_stopped(self, text, vocab_size, reached):
        with pytest.warns(UserWarning, match=f"stopped at {reached} ids, {vocab_size} were asked"):
            merges = train(text, vocab_size)
        assert len(merges) == reached - 256

    def test_warning_points_to_the_caller(self):
        with pytest.warns(UserWarning) as caught:
            train("", 257)
        assert caught[0].filename == __file__

    def test_min_count_stops_and_is_named(self):
        with pytest.warns(UserWarning, match="no pair occurs 3 times or more"):
            assert train("abababcd", 300, min_count=3) == {(97, 98): 256}

    @pytest.mark.parametrize("vocab_size", [256, 257, np.int64(257)])
    def test_exactly_enough_text_does_not_warn(self, vocab_size):
        assert len(train("ab", vocab_size)) == vocab_size - 256

    def test_no_merges_asked_for(self):
        assert train("aaabdaaabac", 256) == train("", 256) == {}


class TestBadInput:
    @pytest.mark.parametrize("vocab_size", [255, 0, -1, True])
    def test_vocabulary_below_the_bytes(self, vocab_size):
        with pytest.raises(ValueError, match=f"vocab_size={vocab_size} is too small.*Use 256"):
            train("abc", vocab_size)

    @pytest.mark.parametrize("vocab_size", [300.0, "300", None])
    def test_vocabulary_that_is_no_whole_number(self, vocab_size):
        with pytest.raises(ValueError, match="is not a whole number"):
            train("abc", vocab_size)

    @pytest.mark.parametrize("text", ["", "a", "abab"])
    @pytest.mark.parametrize("vocab_size", [256, 257])
    def test_unknown_rule_is_refused_even_where_no_tie_comes(self, text, vocab_size):
        with pytest.raises(ValueError, match="ties='last' is not a rule: use one of 'first'"):
            train(text, vocab_size, ties="last")

    def test_unknown_rule_is_refused_before_the_first_step(self):
        with pytest.raises(ValueError, match="is not a rule"):
            training_steps("abab", ties="last")

    @pytest.mark.parametrize(
        ("given_texts", "message"),
        [
            (b"abab", "texts is bytes.*decode it first"),
            (["ab", b"ab"], "document 1 is bytes, not str"),
            (["ab", "ab", None], "document 2 is NoneType"),
            ([97, 98], "document 0 is int"),
        ],
    )
    def test_documents_that_are_no_text(self, given_texts, message):
        with pytest.raises(ValueError, match=message):
            train(given_texts, 257)

    def test_lone_surrogate_is_repaired(self):
        assert train("\ud83d", 257) == train("\ufffd", 257)
        assert train("\ud83d\udc4d" * 2, 258) == train("👍👍", 258)


class TestDocuments:
    def test_no_pair_crosses(self):
        assert train("abab", 257) == {(97, 98): 256}
        with pytest.warns(UserWarning, match="stopped at 256"):
            assert train(["a", "b", "a", "b"], 257) == {}

    def test_counts_of_all_documents_are_added(self):
        # "bc" is the most frequent pair over both, though "xy" leads in the first.
        assert train(["xyxybc", "bcbc"], 257) == {(98, 99): 256}

    def test_generator_is_as_good_as_a_list(self):
        words = ["low", "lower", "lowest"]
        assert train((word for word in words), 259) == train(words, 259)

    def test_one_document_is_the_same_as_its_text(self):
        assert train(["aaabdaaabac"], 259) == train("aaabdaaabac", 259)

    def test_one_very_long_line(self):
        assert len(train("ab " * 2000, 266)) == 10

    def test_length_counts_all_documents(self):
        assert [step.length for step in training_steps(["ab", "ab", "c"])] == [3]


class TestSteps:
    def test_are_lazy(self):
        steps = training_steps("aaabdaaabac")
        assert next(steps) == Step(pair=(97, 97), idx=256, count=4, rivals=0, length=9)
        assert next(steps).rivals == 1  # Za and ab: the tie rule decided

    def test_rivals_without_rivals(self):
        assert next(training_steps("ab")).rivals == 0

    def test_all_equal(self):
        assert next(training_steps("abcd")).rivals == 2

    @given(documents, ties)
    def test_each_step_is_count_choose_replace(self, documents, rule):
        sequences = [list(text.encode()) for text in documents]
        for number, step in enumerate(training_steps(documents, ties=rule)):
            stats = Counter()
            for ids in sequences:
                stats.update(get_stats(ids))
            top = max(stats.values())
            winners = [pair for pair in stats if stats[pair] == top]
            assert step.idx == N_BYTES + number
            assert step.count == top
            assert step.rivals == len(winners) - 1
            assert step.pair == (winners[0] if rule == "first" else min(winners))
            sequences = [merge(ids, step.pair, step.idx) for ids in sequences]
            assert step.length == sum(map(len, sequences))
        # Nothing is left to merge: no document holds two ids.
        assert all(len(ids) < 2 for ids in sequences)

    @given(texts, ties)
    def test_length_falls_and_the_count_never_rises(self, text, rule):
        lengths = [len(text.encode())]
        counts = []
        for step in training_steps(text, ties=rule):
            lengths.append(step.length)
            counts.append(step.count)
        assert all(after < before for before, after in pairwise(lengths))
        assert counts == sorted(counts, reverse=True)

    @given(documents, ties, st.integers(1, 4))
    def test_min_count_cuts_the_steps_short(self, documents, rule, min_count):
        full = list(training_steps(documents, ties=rule))
        cut = list(training_steps(documents, ties=rule, min_count=min_count))
        assert cut == [step for step in full if step.count >= min_count]


class TestTrain:
    @given(documents, st.integers(256, 290), ties)
    def test_a_smaller_vocabulary_is_the_beginning_of_a_larger_one(self, documents, size, rule):
        small = train_quietly(documents, size, ties=rule)
        large = train_quietly(documents, size + 7, ties=rule)
        assert list(small.items()) == list(large.items())[: len(small)]

    @given(documents, st.integers(256, 290), ties)
    def test_ids_rise_by_one_from_256(self, documents, size, rule):
        merges = train_quietly(documents, size, ties=rule)
        assert list(merges.values()) == list(range(256, 256 + len(merges)))
        assert len(merges) <= size - 256

    @given(texts, st.integers(256, 290))
    def test_every_token_stands_in_the_text(self, text, size):
        data = text.encode()
        assert all(token in data for token in tokens(train_quietly(text, size)))

    def test_texts_are_left_as_they_were(self):
        words = ["low", "lower"]
        train(words, 258)
        assert words == ["low", "lower"]

    @pytest.mark.parametrize("vocab_size", [257, 258])
    def test_progress_changes_nothing_and_counts_to_the_end(self, capsys, vocab_size):
        plain = train("aaabdaaabac", vocab_size)
        assert train("aaabdaaabac", vocab_size, progress=True) == plain
        assert f"{vocab_size - 256}/{vocab_size - 256}" in capsys.readouterr().err

    @pytest.mark.parametrize("rule", ["first", "smallest"])
    def test_article(self, rule):
        merges = train(datasets.article(), 276, ties=rule)
        assert len(set(tokens(merges))) == 20

    def test_ties_part_two_trainers_on_real_text(self):
        text = datasets.article()
        first, smallest = (tokens(train(text, 400, ties=rule)) for rule in ("first", "smallest"))
        assert first != smallest
        steps = islice(training_steps(text), 144)
        assert sum(step.rivals > 0 for step in steps) > 20


class TestVocab:
    def test_bytes_come_first(self):
        assert build_vocab({}) == {idx: bytes([idx]) for idx in range(256)}

    @given(documents, ties)
    def test_each_entry_joins_its_two_parts(self, documents, rule):
        merges = train_quietly(documents, 280, ties=rule)
        vocab = build_vocab(merges)
        assert len(vocab) == 256 + len(merges)
        for (first, second), idx in merges.items():
            assert vocab[idx] == vocab[first] + vocab[second]

    def test_order_matters(self):
        merges = {(97, 97): 256, (256, 98): 257}
        backwards = dict(reversed(merges.items()))
        with pytest.raises(ValueError, match=r"merge \(256, 98\) -> 257 uses id 256 before it is"):
            build_vocab(backwards)

    @pytest.mark.parametrize(
        ("merges", "message"),
        [
            ({(97, 300): 256}, r"merge \(97, 300\) -> 256 uses id 300 before it is made"),
            ({(-1, 97): 256}, r"uses id -1 before"),
            ({(256, 97): 256}, r"uses id 256 before"),
            ({(97, 98): 256, (98, 99): 256}, r"merge \(98, 99\) -> 256: id 256 is taken"),
            ({(97, 98): 97}, r"merge \(97, 98\) -> 97: id 97 is taken or below 256"),
            ({(97, 98): -1}, r"id -1 is taken or below 256"),
        ],
    )
    def test_merges_that_are_no_chain(self, merges, message):
        with pytest.raises(ValueError, match=message):
            build_vocab(merges)

    def test_gaps_are_allowed(self):
        # Special tokens may stand between the bytes and the first merge.
        assert build_vocab({(97, 98): 300})[300] == b"ab"

    def test_numpy_ids(self):
        a, b, idx = np.array([97, 98, 256])
        assert build_vocab({(a, b): idx})[256] == b"ab"
