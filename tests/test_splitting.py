"""Chapter 06: three published patterns, training on words with counts, the tokenizer of both."""

import copy
import pickle
import random
import warnings
from collections import Counter
from functools import cache

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from bpe import datasets
from bpe.coding import BasicTokenizer
from bpe.pairs import merge
from bpe.splitting import (
    GPT2_PATTERN,
    GPT4_PATTERN,
    GPT4O_PATTERN,
    SIMPLE_PATTERN,
    TIES,
    RegexTokenizer,
    count_words,
    printable_order,
    train_words,
)
from bpe.training import build_vocab, train
from peers import halves_of_huggingface, minbpe, tokens_of_bpeasy, tokens_of_rustbpe

PUBLISHED = {
    "gpt2": GPT2_PATTERN,
    "cl100k_base": GPT4_PATTERN,
    "o200k_base": GPT4O_PATTERN,
}
PATTERNS = [SIMPLE_PATTERN, *PUBLISHED.values()]
# What was printed in the program that came with GPT-2.
GPT2_AS_PRINTED = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

# Few letters, so that pairs repeat; a character of two bytes, one of four, spaces and marks.
texts = st.text(alphabet="ab é👋.\n'1", max_size=60)
small_words = st.dictionaries(
    st.text(alphabet="abé", max_size=7).map(str.encode), st.integers(0, 4), max_size=6
)
rules = st.sampled_from(TIES)


def quietly(function, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **options)


def halves(merges):
    """The merges, with what each half stands for."""
    vocab = build_vocab(merges)
    return [(vocab[first], vocab[second]) for first, second in merges]


def tokens(merges):
    vocab = build_vocab(merges)
    return [vocab[idx] for idx in merges.values()]


def slow_train(words, num_merges, ties):
    """Count everything again at each step: the definition that train_words must agree with."""
    order = {byte: place for place, byte in enumerate(printable_order())}
    vocab = {byte: bytes([byte]) for byte in range(256)}
    sequences, merges = [list(word) for word in words], {}
    while len(merges) < num_merges:
        stats = {}
        for ids, count in zip(sequences, words.values()):
            for pair in zip(ids, ids[1:]):
                stats[pair] = stats.get(pair, 0) + count
        top = max(stats.values(), default=0)
        if top == 0:
            break
        tied = [pair for pair in stats if stats[pair] == top]
        printable = {pair: [order.get(each, each) for each in pair] for pair in tied}
        strings = {pair: (vocab[pair[0]], vocab[pair[1]]) for pair in tied}
        pair = {
            "first": tied[0],
            "smallest": min(tied),
            "printable": min(tied, key=printable.get),
            "greatest": max(tied, key=strings.get),
        }[ties]
        idx = merges[pair] = 256 + len(merges)
        vocab[idx] = vocab[pair[0]] + vocab[pair[1]]
        sequences = [merge(ids, pair, idx) for ids in sequences]
    return merges


class TestPatterns:
    @pytest.mark.parametrize("name", PUBLISHED)
    def test_are_those_of_tiktoken(self, name):
        assert datasets.tiktoken_encoding(name)._pat_str == PUBLISHED[name]

    def test_gpt2_as_printed_cuts_alike(self):
        parts = [datasets.hamlet(), datasets.paragraph(), datasets.python_code(200_000)]
        parts += [text for lang in datasets.languages() for text in datasets.messages(lang)]
        text = "\n".join(parts)
        assert regex.findall(GPT2_AS_PRINTED, text) == regex.findall(GPT2_PATTERN, text)

    @given(st.text(alphabet="aS'tlé1 \n\t.\u0301", max_size=20))
    def test_gpt2_as_printed_cuts_small_texts_alike(self, text):
        assert regex.findall(GPT2_AS_PRINTED, text) == regex.findall(GPT2_PATTERN, text)

    @pytest.mark.parametrize(
        ("text", "gpt2", "gpt4", "gpt4o"),
        [
            # Public reports: digits, empty lines, marks, a comma, two spaces in front.
            ("1 2 3 4 5", "1| 2| 3| 4| 5", "1| |2| |3| |4| |5", "1| |2| |3| |4| |5"),
            ("a\n\nb\n\nc", "a|\n|\n|b|\n|\n|c", "a|\n\n|b|\n\n|c", "a|\n\n|b|\n\n|c"),
            ("हिन्दी", "ह|ि|न|्|द|ी", "ह|िन|्द|ी", "हिन्दी"),
            ("Hello,", "Hello|,", "Hello|,", "Hello|,"),
            ("  Hello World.", " | Hello| World|.", " | Hello| World|.", " | Hello| World|."),
            ("it'\u017fabc", "it|'|\u017fabc", "it|'\u017f|abc", "it'\u017f|abc"),
            # Their neighbors.
            ("it's", "it|'s", "it|'s", "it's"),
            ("IT'S", "IT|'|S", "IT|'S", "IT'S"),
            ("it\u2019s", "it|\u2019|s", "it|\u2019s", "it|\u2019s"),
            ("'tis", "'t|is", "'t|is", "'tis"),
            ("I'll we've", "I|'ll| we|'ve", "I|'ll| we|'ve", "I'll| we've"),
            ("I'LL", "I|'|LL", "I|'LL", "I'LL"),
            ("12345678", "12345678", "123|456|78", "123|456|78"),
            ("٣٤٥٦", "٣٤٥٦", "٣٤٥|٦", "٣٤٥|٦"),
            ("a   b", "a|  | b", "a|  | b", "a|  | b"),
            ("a \n b", "a| \n| b", "a| \n| b", "a| \n| b"),
            ("a  ", "a|  ", "a|  ", "a|  "),
            ("a\tb", "a|\t|b", "a|\tb", "a|\tb"),
            ("a\r\nb", "a|\r|\n|b", "a|\r\n|b", "a|\r\n|b"),
            ("(a)\n", "(|a|)|\n", "(a|)\n", "(a|)\n"),
            ("x;\n// y", "x|;|\n|//| y", "x|;\n|//| y", "x|;\n//| y"),
            ("camelCase", "camelCase", "camelCase", "camel|Case"),
            ("HTMLParser", "HTMLParser", "HTMLParser", "HTMLParser"),
            ("e\u0301a", "e|\u0301|a", "e|\u0301a", "e\u0301a"),
            ("a\x1cb", "a|\x1c|b", "a|\x1cb", "a|\x1cb"),
            ("a\xa0b", "a|\xa0|b", "a|\xa0b", "a|\xa0b"),
            ("日本語、東京", "日本語|、|東京", "日本語|、東京", "日本語|、東京"),
        ],
    )
    def test_known_cuts(self, text, gpt2, gpt4, gpt4o):
        for pattern, cuts in zip(PUBLISHED.values(), (gpt2, gpt4, gpt4o)):
            assert list(count_words(text, pattern)) == list(
                dict.fromkeys(piece.encode() for piece in cuts.split("|"))
            )
            assert "|".join(regex.findall(pattern, text)) == cuts

    def test_reported_ids(self):
        names = list(PUBLISHED)
        real = [datasets.tiktoken_encoding(name) for name in names]
        counts = {
            "1 2 3 4 5": (5, 9, 9),
            "a\n\nb\n\nc": (7, 5, 5),
        }
        for text, expected in counts.items():
            assert tuple(len(encoding.encode(text)) for encoding in real) == expected
        assert real[0].encode("Hello,") == [15496, 11]
        assert real[0].encode("  Hello World.") == [220, 18435, 2159, 13]
        assert all(e.decode(e.encode("  Hello World.")) == "  Hello World." for e in real)

    def test_simple_pattern_loses_nothing(self):
        text = "Hi,  you! _x1 …"
        pieces = ["Hi", ",", "  ", "you", "!", " ", "_x1", " ", "…"]
        assert regex.findall(SIMPLE_PATTERN, text) == pieces


class TestCountWords:
    def test_in_the_order_in_which_they_first_occur(self):
        counts = count_words("b a b a a", SIMPLE_PATTERN)
        assert list(counts.items()) == [(b"b", 2), (b" ", 4), (b"a", 3)]

    def test_documents_are_counted_together_and_not_joined(self):
        assert count_words(["ab", "ab c", ""], GPT2_PATTERN) == {b"ab": 2, b" c": 1}
        assert count_words(iter(["a", "b"]), GPT2_PATTERN) == {b"a": 1, b"b": 1}
        assert count_words([], GPT2_PATTERN) == count_words("", GPT2_PATTERN) == {}

    @given(texts, st.sampled_from(PATTERNS))
    def test_every_byte_is_in_a_word(self, text, pattern):
        counts = count_words(text, pattern)
        assert sum(len(word) * n for word, n in counts.items()) == len(text.encode())
        assert counts == Counter(piece.encode() for piece in regex.findall(pattern, text))

    def test_what_the_pattern_leaves_out_is_a_word(self):
        assert count_words("a b", r"\w") == {b"a": 1, b" ": 1, b"b": 1}

    def test_surrogates_are_repaired(self):
        assert count_words("\ud83d\udc4d", GPT4_PATTERN) == {"👍".encode(): 1}
        assert count_words("\ud83d", GPT4_PATTERN) == {"\ufffd".encode(): 1}

    @pytest.mark.parametrize(
        ("given_texts", "message"),
        [
            (b"abab", "texts is bytes.*decode it first"),
            (["ab", b"ab"], "document 1 is bytes, not str"),
            ([97], "document 0 is int"),
            (None, "texts is NoneType"),
            (7, "texts is int"),
        ],
    )
    def test_no_text(self, given_texts, message):
        with pytest.raises(ValueError, match=message):
            count_words(given_texts, GPT2_PATTERN)
        with pytest.raises(ValueError, match=message):
            RegexTokenizer.train(given_texts, 260)

    def test_no_pattern(self):
        with pytest.raises(ValueError, match=r"no regular expression: missing \) at position 1"):
            count_words("a", "(")


class TestTrainWords:
    @given(small_words, st.integers(0, 12), rules)
    def test_is_count_choose_replace(self, words, num_merges, ties):
        fast = train_words(words, num_merges, ties=ties)
        slow = slow_train(words, num_merges, ties)
        if ties == "greatest":  # of two pairs that read alike, either may come first
            assert halves(fast) == halves(slow)
        else:
            assert list(fast.items()) == list(slow.items())

    @pytest.mark.parametrize("ties", TIES)
    def test_on_real_text(self, ties):
        words = count_words(datasets.article()[:4000], GPT4_PATTERN)
        assert train_words(words, 120, ties=ties) == slow_train(words, 120, ties)

    @given(small_words, st.integers(1, 8), st.sampled_from(["smallest", "printable", "greatest"]))
    def test_the_order_of_the_words_matters_to_first_only(self, words, num_merges, ties):
        backwards = dict(reversed(words.items()))
        assert halves(train_words(words, num_merges, ties=ties)) == halves(
            train_words(backwards, num_merges, ties=ties)
        )

    def test_the_order_of_the_words_matters_to_first(self):
        assert train_words({b"ab": 1, b"ba": 1}, 1, ties="first") == {(97, 98): 256}
        assert train_words({b"ba": 1, b"ab": 1}, 1, ties="first") == {(98, 97): 256}

    def test_counts_are_weights(self):
        assert train_words({b"ab": 1, b"cd": 2}, 1) == {(99, 100): 256}
        assert train_words({b"ab": 3, b"xcd": 2}, 1) == {(97, 98): 256}

    def test_a_word_that_never_occurs_teaches_nothing(self):
        assert train_words({b"ab": 0}, 5) == {}

    def test_overlapping_pairs_are_all_counted(self):
        # A public report: (1,1) counts 3 with overlaps and ties with (1,2); without, it has 2.
        word = bytes([1, 1, 1, 1, 2, 1, 2, 1, 2])
        for ties in ("first", "smallest"):
            assert train_words({word: 1}, 1, ties=ties) == {(1, 1): 256}
        assert train_words({word: 1}, 1, ties="greatest") == {(1, 2): 256}

    def test_stops_when_the_pairs_run_out(self):
        assert train_words({b"abc": 2}, 9) == {(97, 98): 256, (256, 99): 257}
        assert train_words({}, 9) == train_words({b"a": 5, b"": 1}, 9) == {}

    def test_tells_each_merge_with_its_count(self):
        told = []
        train_words(
            {b"hug": 10, b"pug": 5, b"pun": 12, b"bun": 4, b"hugs": 5},
            3,
            on_merge=lambda pair, count: told.append((pair, count)),
        )
        assert told == [((117, 103), 20), ((117, 110), 16), ((104, 256), 15)]

    def test_words_are_left_as_they_were(self):
        words = {b"abab": 2, b"ba": 1}
        train_words(words, 3)
        assert words == {b"abab": 2, b"ba": 1}

    @pytest.mark.parametrize(
        ("words", "ties", "message"),
        [
            ({b"a": 1}, "last", "ties='last' is not a rule: use one of 'smallest', 'first'"),
            ({"a": 1}, "first", "word 'a' is a str: words are counted as bytes"),
            ({b"a": -1}, "first", "word b'a' has the count -1"),
        ],
    )
    def test_bad_input(self, words, ties, message):
        with pytest.raises(ValueError, match=message):
            train_words(words, 1, ties=ties)

    def test_long_words_take_no_quadratic_time(self):
        assert len(train_words({b"a" * 100_000: 1, b"ab" * 20_000: 1}, 12)) == 12


class TestPublishedMerges:
    """What others have printed for the same input, under the rule that they use."""

    def test_hugging_face_course_words(self):
        words = {b"hug": 10, b"pug": 5, b"pun": 12, b"bun": 4, b"hugs": 5}
        for ties in TIES:
            assert tokens(train_words(words, 3, ties=ties)) == [b"ug", b"un", b"hug"]

    def test_hugging_face_course_corpus(self):
        corpus = [
            "This is the Hugging Face Course.",
            "This chapter is about tokenization.",
            "This section shows several tokenizer algorithms.",
            "Hopefully, you will be able to understand how they are trained and generate tokens.",
        ]
        counts = count_words(corpus, GPT2_PATTERN)
        assert counts[b"This"] == 3 and counts[b" is"] == 2 and counts[b"."] == 4
        assert len(set("".join(corpus))) == 30  # and one special token: 31 entries to begin with
        assert tokens(train_words(counts, 19, ties="first")) == [
            *(b" t", b"is", b"er", b" a", b" to", b"en", b"Th", b"This", b"ou", b"se"),
            *(b" tok", b" token", b"nd", b" is", b" th", b" the", b"in", b" ab", b" tokeni"),
        ]

    def test_stanford_assignment(self):
        words = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}
        merges = train_words(words, 12, ties="greatest")
        told = "s t, e st, o w, l ow, w est, n e, ne west, w i, wi d, wid est, low e, lowe r"
        assert halves(merges) == [tuple(pair.encode().split()) for pair in told.split(", ")]

    def test_greatest_compares_one_by_one(self):
        # The assignment's own example: BA before A is greater than the rest.
        words = {b"AB": 1, b"AC": 1, b"BZZ": 1, b"BAA": 1}
        assert halves(train_words(words, 1, ties="greatest")) == [(b"Z", b"Z")]

    def test_dive_into_deep_learning(self):
        words = {b"fast_": 4, b"faster_": 3, b"tall_": 5, b"taller_": 4}
        merges = train_words(words, 10, ties="first")
        told = "t a, ta l, tal l, f a, fa s, fas t, e r, er _, tall _, fast _"
        assert halves(merges) == [tuple(pair.encode().split()) for pair in told.split(", ")]
        tok = RegexTokenizer(merges, pattern=r"\w+")
        cut = [[tok.vocab[idx].decode() for idx in tok.encode(word.decode())] for word in words]
        assert cut == [["fast_"], ["fast", "er_"], ["tall_"], ["tall", "er_"]]
        unseen = [tok.vocab[idx].decode() for idx in tok.encode("tallest_ fatter_")]
        assert unseen == ["tall", "e", "s", "t", "_", " ", "fa", "t", "t", "er_"]

    @pytest.mark.parametrize(
        ("text", "first", "smallest"),
        [
            ("aaabdaaabac", ["aa", "aaa", "aaab"], ["aa", "ab", "aaab"]),
            ("bbbaaaddddcccc", ["dd", "cc", "bb", "aa"], ["cc", "dd", "aa", "bb"]),
            ("aaabbbccccdddd", ["cc", "dd", "aa", "bb"], ["cc", "dd", "aa", "bb"]),
        ],
    )
    def test_public_reports_on_ties(self, text, first, smallest):
        for ties, expected in (("first", first), ("smallest", smallest)):
            tok = RegexTokenizer.train(text, 256 + len(expected), ties=ties)
            assert [token.decode() for token in tokens(tok.merges)] == expected

    def test_encyclopedia_example_under_every_rule(self):
        for ties in ("first", "smallest"):
            tok = RegexTokenizer.train("aaabdaaabac", 259, ties=ties)
            assert tok.encode("aaabdaaabac") == [258, 100, 258, 97, 99]

    @given(texts, st.integers(0, 12), st.sampled_from(PATTERNS))
    def test_minbpe_on_small_texts(self, text, num_merges, pattern):
        tok = quietly(RegexTokenizer.train, text, 256 + num_merges, pattern=pattern, ties="first")
        assert list(tok.merges.items()) == list(minbpe(text, num_merges, pattern).items())

    def test_minbpe_on_real_text(self):
        text = datasets.article()[:6000] + datasets.paragraph()
        for pattern in PUBLISHED.values():
            assert RegexTokenizer.train(text, 376, pattern=pattern, ties="first").merges == minbpe(
                text, 120, pattern
            )


@cache
def mixed_text():
    """A megabyte: a play, code, and the same messages in every language that there is."""
    parts = [datasets.hamlet(), datasets.python_code(480_000)]
    for language in datasets.languages():
        parts += datasets.messages(language)
    return "\n".join(parts)


class TestSideBySide:
    """The libraries train on the same text at the same time, and learn the same merges."""

    def test_a_megabyte_of_mixed_text(self):
        text, size = mixed_text(), 4096
        assert len(text.encode()) > 1_000_000
        words = count_words(text, GPT4_PATTERN)

        smallest = list(build_vocab(train_words(words, size - 256)).values())
        assert smallest == tokens_of_rustbpe(text, size, GPT4_PATTERN)
        assert smallest == tokens_of_bpeasy(text, size, GPT4_PATTERN)

        printable = halves(train_words(words, size - 256, ties="printable"))
        assert printable == halves_of_huggingface(text, size, GPT4_PATTERN)
        assert tokens(train_words(words, size - 256)) != [a + b for a, b in printable]

    @pytest.mark.parametrize("pattern", [GPT2_PATTERN, GPT4O_PATTERN], ids=["gpt2", "gpt4o"])
    def test_other_patterns(self, pattern):
        text, size = mixed_text()[-120_000:], 700
        words = count_words(text, pattern)
        smallest = list(build_vocab(train_words(words, size - 256)).values())
        assert smallest == tokens_of_rustbpe(text, size, pattern)
        assert smallest == tokens_of_bpeasy(text, size, pattern)
        printable = halves(train_words(words, size - 256, ties="printable"))
        assert printable == halves_of_huggingface(text, size, pattern)

    @pytest.mark.whole
    @pytest.mark.parametrize("pattern", PUBLISHED.values(), ids=PUBLISHED)
    def test_larger_vocabularies(self, pattern):
        text, size = mixed_text(), 12_000
        words = count_words(text, pattern)
        smallest = list(build_vocab(train_words(words, size - 256)).values())
        assert smallest == tokens_of_rustbpe(text, size, pattern)
        assert smallest == tokens_of_bpeasy(text, size, pattern)
        printable = halves(train_words(words, size - 256, ties="printable"))
        assert printable == halves_of_huggingface(text, size, pattern)

    @pytest.mark.whole
    def test_minbpe_on_mixed_text(self):
        text = mixed_text()[-60_000:]
        words = count_words(text, GPT4_PATTERN)
        assert train_words(words, 600, ties="first") == minbpe(text, 600, GPT4_PATTERN)

    def test_random_small_texts(self):
        rng = random.Random(6)
        for _ in range(60):
            text = "".join(rng.choices("aab b é\n", k=rng.randint(1, 80)))
            size = 256 + rng.randint(1, 25)
            words = count_words(text, GPT4_PATTERN)
            smallest = list(build_vocab(train_words(words, size - 256)).values())
            assert smallest == tokens_of_rustbpe(text, size, GPT4_PATTERN), text
            assert smallest == tokens_of_bpeasy(text, size, GPT4_PATTERN), text
            printable = halves(train_words(words, size - 256, ties="printable"))
            assert printable == halves_of_huggingface(text, size, GPT4_PATTERN), text

    def test_rules_drift_apart_on_real_text(self):
        words = count_words(datasets.hamlet(), GPT4_PATTERN)
        first, greatest = (tokens(train_words(words, 1000, ties=t)) for t in ("first", "greatest"))
        assert 900 < len(set(first) & set(greatest)) < 1000
        assert sum(a == b for a, b in zip(first, greatest)) < 500


class TestPrintableOrder:
    def test_holds_every_byte_once(self):
        assert sorted(printable_order()) == list(range(256))

    @pytest.mark.parametrize(("byte", "place"), [(0x21, 0), (0, 188), (32, 220), (0xAD, 255)])
    def test_ids_of_gpt2(self, byte, place):
        assert printable_order()[place] == byte
        assert datasets.tiktoken_encoding("gpt2").encode_single_token(bytes([byte])) == place


class TestRegexTokenizer:
    def test_dogs(self):
        tok = RegexTokenizer.train("dog. dog! dog?", 258)
        assert [tok.vocab[idx] for idx in tok.encode("dog?")] == [b"dog", b"?"]
        assert tok.n_vocab == 258

    @given(texts, st.sampled_from(PATTERNS), rules)
    def test_round_trip(self, text, pattern, ties):
        tok = quietly(RegexTokenizer.train, text, 270, pattern=pattern, ties=ties)
        assert tok.decode(tok.encode(text)) == text

    @given(st.text(max_size=50))
    def test_round_trip_of_every_text(self, text):
        for pattern in PATTERNS:
            tok = trained(pattern)
            assert tok.decode(tok.encode(text)) == text

    @given(texts, st.sampled_from(PATTERNS))
    def test_no_id_reaches_across_a_cut(self, text, pattern):
        tok = trained(pattern)
        words = [piece.encode() for piece in regex.findall(pattern, text)]
        ends = {sum(map(len, words[:n])) for n in range(len(words) + 1)}
        reached = {0}
        for idx in tok.encode(text):
            reached.add(max(reached) + len(tok.vocab[idx]))
        assert ends <= reached

    def test_one_piece_is_no_split(self):
        text = datasets.article()[:3000]
        whole = RegexTokenizer.train(text, 300, pattern=r"(?s).+", ties="first")
        assert whole.merges == train(text, 300)
        assert whole.encode(text) == BasicTokenizer(whole.merges).encode(text)

    def test_the_pattern_is_kept_and_matters(self):
        tok = trained(GPT4_PATTERN)
        assert tok.pattern == GPT4_PATTERN
        assert RegexTokenizer.train("ab", 256).pattern == GPT4_PATTERN
        other = RegexTokenizer(tok.merges, SIMPLE_PATTERN)
        lines = datasets.play("macbeth").splitlines(keepends=True)[:400]
        assert any(tok.encode(line) != other.encode(line) for line in lines)
        assert all(other.decode(other.encode(line)) == line for line in lines)

    @pytest.mark.parametrize(
        ("text", "vocab_size", "reached"),
        [
            ("", 260, 256),
            ("a", 257, 256),
            ("   ", 260, 258),
            ("ab", 258, 257),
            ("a b", 260, 257),
            ([], 257, 256),
            (["", ""], 257, 256),
            (["a", "b"], 257, 256),
            ("a b c d a b c", 4000, 260),
        ],
    )
    def test_too_little_text_warns_and_says_where_it_stopped(self, text, vocab_size, reached):
        with pytest.warns(UserWarning, match=f"stopped at {reached} ids, {vocab_size} were") as got:
            tok = RegexTokenizer.train(text, vocab_size)
        assert tok.n_vocab == reached
        assert got[0].filename == __file__, "the warning points to the caller"

    def test_one_very_long_line(self):
        # A public report: one long line is no empty corpus.
        assert tokens(RegexTokenizer.train("ab " * 2000, 258).merges) == [b"ab", b" ab"]

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"vocab_size": 255}, "vocab_size=255 is too small"),
            ({"vocab_size": 300.0}, "is not a whole number"),
            ({"vocab_size": 257, "ties": "last"}, "ties='last' is not a rule"),
            ({"vocab_size": 257, "pattern": "("}, "is no regular expression"),
            ({"vocab_size": 257, "pattern": None}, "pattern is a NoneType"),
        ],
    )
    def test_bad_arguments_of_train(self, options, message):
        with pytest.raises(ValueError, match=message):
            RegexTokenizer.train("abab", **options)

    @pytest.mark.parametrize("text", [b"ab", None, 5, ["ab"]])
    def test_bad_text(self, text):
        with pytest.raises(ValueError, match="text is a .*, not a str"):
            RegexTokenizer({}).encode(text)

    def test_bad_merges(self):
        with pytest.raises(ValueError, match="uses id 300 before it is made"):
            RegexTokenizer({(97, 300): 256})
        with pytest.raises(ValueError, match="is no regular expression"):
            RegexTokenizer({}, "[")

    def test_decode_names_an_unknown_id(self):
        with pytest.raises(KeyError, match="cannot decode id 999 at position 1"):
            RegexTokenizer({}).decode([97, 999])

    @pytest.mark.parametrize(
        "text", ["\udbc0", "a\ud83d", "\ud83d\udc4d", "x" * 5 + "\udfff" + " y\ud800\ud800"]
    )
    def test_surrogates_are_repaired_before_the_split(self, text):
        tok = trained(GPT4_PATTERN)
        repaired = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        assert tok.encode(text) == tok.encode(repaired)
        assert tok.decode(tok.encode(text)) == repaired

    @pytest.mark.parametrize(
        "copied", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))]
    )
    def test_copies_encode_alike(self, copied):
        tok = trained(GPT2_PATTERN)
        tok.encode("some words it has met")
        other = copied(tok)
        text = datasets.paragraph()
        assert type(other) is RegexTokenizer
        assert other.encode(text) == tok.encode(text)
        assert (other.pattern, other.merges) == (tok.pattern, tok.merges)

    def test_what_is_remembered_cannot_be_spoiled(self):
        tok = trained(GPT2_PATTERN)
        tok.encode("word").append(0)
        assert tok.decode(tok.encode("word")) == "word"

    def test_memory_does_not_grow_without_end(self, monkeypatch):
        monkeypatch.setattr("bpe.splitting.KNOWN_WORDS", 10)
        tok = RegexTokenizer({}, GPT2_PATTERN)
        tok.encode(" ".join(map(str, range(1000))) + "x" * 1000)
        assert len(tok._known) == 10 and "x" * 1000 not in tok._known

    def test_progress_changes_nothing_and_counts_to_the_end(self, capsys):
        plain = RegexTokenizer.train("dog. dog!", 258)
        assert RegexTokenizer.train("dog. dog!", 258, progress=True).merges == plain.merges
        assert "2/2" in capsys.readouterr().err

    def test_replay_and_lowest_rank_agree_inside_words(self):
        tok = trained(GPT4_PATTERN)
        rng = random.Random(7)
        for _ in range(300):
            text = "".join(rng.choices("the rain.\n'é ", k=rng.randint(0, 20)))
            replayed = []
            for piece in regex.findall(GPT4_PATTERN, text):
                ids = list(piece.encode())
                for pair, idx in tok.merges.items():
                    ids = merge(ids, pair, idx)
                replayed += ids
            assert tok.encode(text) == replayed

    @pytest.mark.parametrize(
        "text",
        [
            "a" * 100_000,
            "^" * 200_000,
            "a " * 50_000,
            " " * 100_000 + "a",
            "ab" * 50_000,
            "の" * 50_000,
        ],
    )
    def test_time_in_proportion_to_length(self, text):
        for pattern in PUBLISHED.values():
            tok = trained(pattern)
            assert tok.decode(tok.encode(text)) == text


@cache
def trained(pattern):
    return RegexTokenizer.train(datasets.article() + "aaaaaaaa^^^^^^^^", 500, pattern=pattern)
