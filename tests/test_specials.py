"""The finished tokenizer: special tokens by tiktoken's rules, ids and back, padding, copies."""

import codecs
import copy
import pickle
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest
import tiktoken
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from bpe import datasets
from bpe.ranks import recover_merges
from bpe.specials import Tokenizer, pad
from bpe.splitting import GPT4_PATTERN, RegexTokenizer

BYTES = {bytes([byte]): byte for byte in range(256)}
NAMES = ["<|end|>", "<|user|>", "<fim>"]


def tiny(special_tokens=(), pattern: str = GPT4_PATTERN, **ranks: int) -> Tokenizer:
    """The 256 bytes, and whatever else is said."""
    more = {token.encode(): idx for token, idx in ranks.items()}
    return Tokenizer(BYTES | more, pattern=pattern, special_tokens=special_tokens)


def to_tiktoken(tok: Tokenizer) -> tiktoken.Encoding:
    return tiktoken.Encoding(
        "test",
        pat_str=tok.pattern,
        mergeable_ranks=tok.ranks,
        special_tokens=tok.special_tokens,
    )


@pytest.fixture(scope="module")
def trained() -> Tokenizer:
    return Tokenizer.train([datasets.article(), datasets.paragraph()], 700, special_tokens=NAMES)


@pytest.fixture(scope="module")
def cl100k() -> Tokenizer:
    theirs = datasets.tiktoken_encoding("cl100k_base")
    return Tokenizer(
        theirs._mergeable_ranks, pattern=theirs._pat_str, special_tokens=theirs._special_tokens
    )


def outcome(encode: Callable, text: str, **arguments: object) -> object:
    try:
        return encode(text, **arguments)
    except ValueError:
        return "refused"


class TestTiktokensRules:
    END = "<|endoftext|>"

    def test_refused_by_default(self, cl100k: Tokenizer) -> None:
        with pytest.raises(ValueError) as caught:
            cl100k.encode(f"Hi!{self.END}")
        message = str(caught.value)
        assert f"{self.END!r} at position 3" in message
        assert f"allowed_special={{{self.END!r}}}" in message
        assert "disallowed_special=()" in message

    def test_three_ways(self, cl100k: Tokenizer) -> None:
        assert cl100k.encode(self.END, allowed_special={self.END}) == [100257]
        assert cl100k.encode(self.END, allowed_special="all") == [100257]
        assert len(cl100k.encode(self.END, disallowed_special=())) == 7
        assert cl100k.encode_ordinary(self.END) == cl100k.encode(self.END, disallowed_special=())
        assert cl100k.decode([100257]) == self.END

    def test_every_pair_of_sets(self, trained: Tokenizer) -> None:
        theirs = to_tiktoken(trained)
        subsets = [set(), {NAMES[0]}, set(NAMES[:2]), set(NAMES), {"<|unknown|>"}, "all"]
        texts = ["", "plain", *NAMES, "a<|end|>b<|user|>", "<|unknown|><fim>", "<|end|", "<|user|>"]
        for allowed, refused, text in product(subsets, [*subsets, ()], texts):
            arguments = {"allowed_special": allowed, "disallowed_special": refused}
            ours = outcome(trained.encode, text, **arguments)
            assert ours == outcome(theirs.encode, text, **arguments), (text, arguments)

    def test_random_texts_with_fragments_of_special_tokens(self, trained: Tokenizer) -> None:
        theirs, rng = to_tiktoken(trained), random.Random(7)
        alphabet = [
            *NAMES,
            "<|",
            "|>",
            "end",
            "user",
            "<fim",
            "fim>",
            "<",
            ">",
            "|",
            " ",
            "é",
            "\n",
        ]
        alphabet += ["'s", "12", "한", "\ud83d", "\udc4b", "<|end", "|user|>"]
        seen = set()
        for _ in range(2_000):
            text = "".join(rng.choices(alphabet, k=rng.randrange(9)))
            arguments = {
                "allowed_special": rng.choice([set(), {NAMES[0]}, set(NAMES[1:]), "all"]),
                "disallowed_special": rng.choice([(), "all", {NAMES[0]}, [NAMES[2], "<|x|>"]]),
            }
            ours = outcome(trained.encode, text, **arguments)
            assert ours == outcome(theirs.encode, text, **arguments), (text, arguments)
            seen.add(ours == "refused")
        assert seen == {True, False}

    def test_a_list_is_a_set_of_names(self) -> None:
        tok = tiny(NAMES)
        assert tok.encode("<fim>", allowed_special=NAMES) == [258]
        assert tok.encode("<fim>", allowed_special=(name for name in NAMES)) == [258]

    def test_a_str_is_no_set_of_names(self) -> None:
        tok = tiny(NAMES)
        with pytest.raises(ValueError, match="allowed_special='<fim>' is one str: use 'all', or"):
            tok.encode("x", allowed_special="<fim>")
        with pytest.raises(ValueError, match="disallowed_special='<fim>' is one str"):
            tok.encode("x", disallowed_special="<fim>")

    def test_refused_though_it_is_no_special_token(self) -> None:
        with pytest.raises(ValueError, match="'secret' at position 2"):
            tiny(NAMES).encode("a secret", disallowed_special={"secret"})

    def test_surrogates(self, trained: Tokenizer) -> None:
        theirs = to_tiktoken(trained)
        for text in ("\udbc0", "a\ud83d\udc4d", "\ud83d<|end|>\udc4d", "\udc4d\ud83d"):
            ours = trained.encode(text, allowed_special="all")
            assert ours == theirs.encode(text, allowed_special="all")
            assert trained.decode(ours) == text.encode("utf-16", "surrogatepass").decode(
                "utf-16", "replace"
            )

    def test_surrogates_of_cl100k(self, cl100k: Tokenizer) -> None:
        assert cl100k.encode("\ud83d\udc4d") == [9468, 239, 235]
        assert cl100k.encode("\udbc0") == cl100k.encode("\ufffd")

    @pytest.mark.parametrize("text", [b"abc", None, ["a", "b"], 7])
    def test_only_text_is_encoded(self, text: object) -> None:
        for tok in (tiny(), tiny(NAMES)):
            for encode in (tok.encode, tok.encode_ordinary):
                with pytest.raises(ValueError, match=f"text is a {type(text).__name__}, not a str"):
                    encode(text)


class TestTheLongestWins:
    NUMBERED = ("my_token_1", "my_token_12", "my_token_123")

    @pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (0, 2, 1)])
    def test_whatever_the_order(self, order: tuple[int, ...]) -> None:
        tok = tiny([self.NUMBERED[i] for i in order])
        for name in self.NUMBERED:
            assert tok.encode(name, allowed_special="all") == [tok.special_tokens[name]]
            with pytest.raises(ValueError, match=f"{name!r} at position 1"):
                tok.encode(f" {name}")
        ids = tok.encode("my_token_1234", allowed_special="all")
        assert ids == [tok.special_tokens["my_token_123"], ord("4")]

    def test_among_those_that_are_allowed(self) -> None:
        tok = tiny(self.NUMBERED)
        ids = tok.encode("my_token_12", allowed_special={"my_token_1"}, disallowed_special=())
        assert ids == [256, ord("2")]
        assert tok.encode("my_token_12", allowed_special={"my_token_12"}) == [257]

    @pytest.mark.parametrize("names", [["<|a|>", "<|a|><|b|>"], ["<|a|><|b|>", "<|a|>"]])
    def test_hugging_face_agrees_and_tiktoken_does_not(self, names: list[str]) -> None:
        tok, text = tiny(names), "<|a|><|b|>"
        assert tok.encode(text, allowed_special="all") == [tok.special_tokens[text]]
        hugging_face = tokenizers.Tokenizer(tokenizers.models.BPE())
        hugging_face.add_special_tokens(names)
        assert hugging_face.encode(text).tokens == [text]
        ids = to_tiktoken(tok).encode(text, allowed_special="all")
        assert ids[0] == tok.special_tokens["<|a|>"], "tiktoken has changed: say so in chapter 07"

    def test_the_one_that_begins_first(self) -> None:
        tok = tiny(["abc", "bcdef"])
        assert tok.encode("abcdef", allowed_special="all") == [256, *b"def"]

    def test_names_are_no_patterns(self) -> None:
        names = [".*", "a|b", "[x]", "(", "\\d", "$"]
        tok = tiny(names)
        for name in names:
            assert tok.encode(f"q{name}q", allowed_special="all") == [
                113,
                tok.special_tokens[name],
                113,
            ]
        assert tok.encode("a b xd", allowed_special="all") == list(b"a b xd")


ROUND = tiny({"<|end|>": 256, "<|user|>": 257, "<fim>": 400}, en=300, end=301, nd=299)


class TestRoundTrip:
    @given(st.lists(st.sampled_from([*NAMES, *"<|>end 1é한👋\n'"]) | st.text(max_size=5)))
    def test_every_text(self, parts: list[str]) -> None:
        text = "".join(parts)
        for arguments in ({"allowed_special": "all"}, {"disallowed_special": ()}):
            assert ROUND.decode(ROUND.encode(text, **arguments)) == text

    def test_words_around_a_special_token(self) -> None:
        tok = Tokenizer.train("my abcs and defs " * 9, 262, special_tokens=["abc", "def"])
        text = "my abcs and defs"
        ids = tok.encode(text, allowed_special="all")
        assert tok.decode(ids) == text
        assert ids.count(tok.special_tokens["abc"]) == ids.count(tok.special_tokens["def"]) == 1
        assert tok.decode(tok.encode_ordinary(text)) == text
        assert not set(tok.encode_ordinary(text)) & set(tok.special_tokens.values())

    @pytest.mark.parametrize("text", ["<|end|>", "a <|end|> b", "<|end|><|end|>", "\n<|end|>\n "])
    def test_a_literal_special_token(self, trained: Tokenizer, text: str) -> None:
        for arguments in ({"allowed_special": "all"}, {"disallowed_special": ()}):
            assert trained.decode(trained.encode(text, **arguments)) == text

    def test_special_tokens_of_any_text(self) -> None:
        names = [" ", "\n\n", "né", "👋", "a b", "\u2581", "\ufeff"]
        tok = tiny(names)
        text = "x" + "x".join(names) + "x"
        ids = tok.encode(text, allowed_special="all")
        assert tok.decode(ids) == text
        assert set(tok.special_tokens.values()) - set(ids) == set()

    def test_words_are_remembered_apart_from_the_answer(self) -> None:
        tok = tiny()
        tok.encode("hello").append(0)
        assert tok.encode("hello") == list(b"hello")


class TestIds:
    def test_after_the_merges(self) -> None:
        tok = Tokenizer.train("low lower lowest", 260, special_tokens=["<a>", "<b>"])
        assert tok.special_tokens == {"<a>": 258, "<b>": 259}
        assert tok.n_vocab == len(tok.vocab) == 260
        assert len(tok.merges) == 2

    def test_fixed_and_with_gaps(self) -> None:
        tok = tiny({"<a>": 1000, "<b>": 300})
        assert tok.n_vocab == 1001 and len(tok.vocab) == 258
        assert tok.decode([1000, 97, 300]) == "<a>a<b>"
        with pytest.raises(KeyError, match="cannot decode id 500 at position 1"):
            tok.decode([97, 500])

    def test_n_vocab_counts_gaps_as_tiktoken_does(self, cl100k: Tokenizer) -> None:
        theirs = datasets.tiktoken_encoding("cl100k_base")
        assert cl100k.n_vocab == theirs.n_vocab == 100277
        assert len(cl100k.vocab) == 100261

    @pytest.mark.parametrize("idx", [100256, 100261, 100275])
    def test_gaps_of_cl100k(self, cl100k: Tokenizer, idx: int) -> None:
        with pytest.raises(KeyError, match=f"id {idx} at position 0"):
            cl100k.decode([idx])

    def test_never_those_of_learned_tokens(self) -> None:
        with pytest.raises(ValueError, match="'<a>' has id 256, which b'ab' has already"):
            tiny({"<a>": 256}, ab=256)
        with pytest.raises(ValueError, match="'<b>' has id 300, which b'<a>' has already"):
            tiny({"<a>": 300, "<b>": 300})
        with pytest.raises(ValueError, match="'<a>' has id 65, which b'A' has already"):
            tiny({"<a>": 65})

    @pytest.mark.filterwarnings("ignore:training stopped")
    @pytest.mark.parametrize("corpus", ["", "ab", "low low lower <a> <b> <a>"])
    def test_disjoint_after_every_training(self, corpus: str) -> None:
        tok = Tokenizer.train(corpus, 300, special_tokens=["<a>", "<b>"])
        learned = set(tok.ranks.values())
        assert not learned & set(tok.special_tokens.values())
        assert len(tok.vocab) == len(learned) + 2

    @pytest.mark.parametrize("idx", [-1, 1.5, "300", None, True])
    def test_what_is_no_id(self, idx: object) -> None:
        with pytest.raises(ValueError, match="special token '<a>' has id .*: ids are whole"):
            tiny({"<a>": idx})

    def test_numpy_ints(self) -> None:
        tok = tiny({"<a>": np.int64(300)})
        assert type(tok.special_tokens["<a>"]) is int
        for kind in (np.int64, np.int32, np.uint16):
            assert tok.decode(np.array([300, 97], dtype=kind)) == "<a>a"
            assert tok.decode_bytes([kind(98)]) == b"b"

    @pytest.mark.parametrize(
        ("idx", "shown"),
        [
            (257, "257"),
            (np.int64(257), "257"),
            (10**12, "1000000000000"),
            (-1, "-1"),
            (97.0, "97.0"),
            (np.float64(3), r"np.float64\(3.0\)"),
            ("97", "'97'"),
            (None, "None"),
        ],
    )
    def test_unknown_ids_are_named(self, idx: object, shown: str) -> None:
        tok = tiny(["<a>"])
        for decode in (tok.decode, tok.decode_bytes, tok.decode_with_offsets):
            with pytest.raises(KeyError, match=f"id {shown} at position 1: .* the 257 ids"):
                decode([97, idx])
        with pytest.raises(KeyError, match=f"id {shown} at position 1"):
            list(tok.decode_stream([97, idx]))


class TestSpecialTokensGiven:
    @pytest.mark.parametrize("build", [tiny, lambda s: Tokenizer.train("", 260, special_tokens=s)])
    @pytest.mark.parametrize(
        ("special_tokens", "message"),
        [
            ("<a>", "special_tokens='<a>' is one str: give a list or a dict"),
            ([""], "a special token needs a text"),
            (["<a>", "<b>", "<a>"], "special token '<a>' is there twice"),
            ([b"<a>"], "special token b'<a>' is a bytes, not a str"),
            ([None], "special token None is a NoneType"),
            (["\ud800"], "holds a surrogate"),
            ({"": 300}, "a special token needs a text"),
            ({"<a>": -1}, "has id -1"),
            ({"<a>": 5}, "has id 5, "),
        ],
    )
    def test_refused_by_name(self, build: Callable, special_tokens, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            build(special_tokens)

    def test_list_tuple_iterator_and_dict(self) -> None:
        expected = {"<a>": 256, "<b>": 257}
        for given_as in (["<a>", "<b>"], ("<a>", "<b>"), iter(["<a>", "<b>"]), expected):
            assert tiny(given_as).special_tokens == expected

    def test_none_at_all(self) -> None:
        for nothing in ((), [], {}, set()):
            tok = tiny(nothing)
            assert tok.encode("<|end|>", allowed_special="all") == list(b"<|end|>")
            assert tok.n_vocab == 256

    def test_they_are_copied(self) -> None:
        names = {"<a>": 300}
        tok = tiny(names)
        names["<b>"] = 301
        assert tok.special_tokens == {"<a>": 300}


class TestRanksGiven:
    def test_a_rank_that_is_taken(self) -> None:
        with pytest.raises(ValueError, match="token b'ab' has id 5, which .* has already"):
            tiny(ab=5)

    def test_a_byte_without_rank(self) -> None:
        ranks = {token: idx for token, idx in BYTES.items() if token not in (b"\x07", b"z")}
        with pytest.raises(ValueError, match="2 bytes have no rank, 0x07 among them"):
            Tokenizer(ranks, pattern=GPT4_PATTERN)

    @pytest.mark.parametrize("idx", [-5, 2.0, "7", None])
    def test_what_is_no_rank(self, idx: object) -> None:
        with pytest.raises(ValueError, match="token b'ab' has id .*: ids are whole numbers"):
            tiny(ab=idx)

    def test_tokens_are_bytes(self) -> None:
        with pytest.raises(ValueError, match="token 'ab' is a str: ranks need bytes"):
            Tokenizer(BYTES | {"ab": 256}, pattern=GPT4_PATTERN)

    def test_no_chain_encodes_and_says_so_when_merges_are_asked_for(self) -> None:
        tok = tiny(abc=256)
        assert tok.encode("abc") == [256]
        with pytest.raises(ValueError, match="b'abc' .* the ranks are no chain of merges"):
            _ = tok.merges

    def test_a_pattern_that_is_none(self) -> None:
        with pytest.raises(ValueError, match="is no regular expression"):
            tiny(pattern="(")


class TestTraining:
    def test_special_tokens_are_cut_out(self) -> None:
        parts = ["the cat", " sat on", "the mat. the end"]
        tok = Tokenizer.train("<|end|>".join(parts), 262, special_tokens=["<|end|>"])
        assert tok.merges == Tokenizer.train(parts, 261).merges
        assert not any(set(b"<|>") & set(token) for token in tok.ranks if len(token) > 1)

    def test_the_longest_is_cut_out(self) -> None:
        tok = Tokenizer.train("<a><a>b" * 9, 258, special_tokens=["<a>", "<a><a>b"])
        assert tok.merges == {}

    def test_equal_to_the_tokenizer_of_chapter_06(self) -> None:
        text = datasets.article()
        for ties in ("first", "smallest", "printable", "greatest"):
            tok = Tokenizer.train(text, 320, special_tokens=NAMES, ties=ties)
            regex = RegexTokenizer.train(text, 320 - len(NAMES), ties=ties)
            assert tok.merges == regex.merges
            assert tok.encode(text) == regex.encode(text)
            assert tok.ties == ties

    def test_a_thousand_ids_with_one_special(self) -> None:
        text = "\n".join(datasets.messages("en") + datasets.messages("de"))
        tok = Tokenizer.train(text, 1000, special_tokens=["<|end|>"])
        assert len(tok.merges) == 743
        assert tok.special_tokens == {"<|end|>": 999}

    @pytest.mark.parametrize("size", [258, 257, 0, -1])
    def test_vocabulary_too_small(self, size: int) -> None:
        with pytest.raises(ValueError, match=f"vocab_size={size} is too small.*259 or more"):
            Tokenizer.train("abc", size, special_tokens=NAMES)

    def test_just_large_enough(self) -> None:
        assert Tokenizer.train("abab", 259, special_tokens=NAMES).merges == {}

    @pytest.mark.parametrize("size", [300.0, "300", None])
    def test_size_is_a_whole_number(self, size: object) -> None:
        with pytest.raises(ValueError, match="is not a whole number"):
            Tokenizer.train("abc", size)

    def test_stops_early_and_says_so(self) -> None:
        for corpus in ("", "   ", "ab", []):
            with pytest.warns(UserWarning, match="training stopped"):
                tok = Tokenizer.train(corpus, 300, special_tokens=["<a>"])
            assert tok.decode(tok.encode("   ab<a>", allowed_special="all")) == "   ab<a>"

    def test_fixed_numbers(self) -> None:
        tok = Tokenizer.train("low lower", 259, special_tokens={"<a>": 5000})
        assert tok.special_tokens == {"<a>": 5000} and len(tok.merges) == 2
        with pytest.raises(ValueError, match="'<a>' has id 257, .* take those up to 257: use 258"):
            Tokenizer.train("low lower", 259, special_tokens={"<a>": 257})

    def test_surrogates_in_the_texts(self) -> None:
        assert Tokenizer.train("\ud83d\ud83d", 256, special_tokens=["<a>"][:0]).merges == {}
        tok = Tokenizer.train(["\ud83d\udc4b<a>\ud83d\udc4b"], 258, special_tokens=["<a>"])
        assert len(tok.merges) == 1

    def test_merges_are_those_that_ranks_lead_to(self, trained: Tokenizer) -> None:
        assert recover_merges(trained.ranks) == trained.merges


def spans(data: bytes) -> tuple[str, list[int]]:
    """For each byte the character of ``data.decode(errors="replace")`` that it belongs to."""
    bad: dict[int, int] = {}

    def note(error: UnicodeDecodeError) -> tuple[str, int]:
        bad[error.start] = error.end
        return "\ufffd", error.end

    codecs.register_error("note", note)
    text = data.decode("utf-8", "note")
    owners: list[int] = []
    for place, char in enumerate(text):
        start = len(owners)
        owners += [place] * (bad[start] - start if start in bad else len(char.encode()))
    return text, owners


PIECES = [
    b"a",
    b"\xc3",
    b"\xa9",
    b"\xe2\x82",
    b"\xac",
    b"\xf0\x9f",
    b"\x91\x8b!",
    b"\xff",
    b"x\xe2",
    b"\xf4",
    b"\x90",
    b"\xed\xa0",
]


LONGER = {piece: 256 + i for i, piece in enumerate(p for p in PIECES if len(p) > 1)}
ODD = Tokenizer(BYTES | LONGER, pattern=GPT4_PATTERN, special_tokens=["<é>"])
LIKELY = [*(ODD.ranks[piece] for piece in PIECES), ODD.special_tokens["<é>"]]


class TestDecoding:
    @given(st.lists(st.sampled_from(LIKELY) | st.integers(0, ODD.n_vocab - 1), max_size=12))
    def test_any_ids(self, ids: list[int]) -> None:
        raw = ODD.decode_bytes(ids)
        text, owners = spans(raw)
        assert ODD.decode(ids) == raw.decode("utf-8", "replace") == text
        parts = list(ODD.decode_stream(ids))
        assert "".join(parts) == text and "" not in parts
        starts = np.cumsum([0, *(len(ODD.vocab[idx]) for idx in ids)])[:-1]
        assert ODD.decode_with_offsets(ids) == (text, [owners[start] for start in starts])

    def test_stream_holds_back_half_characters(self) -> None:
        tok = tiny()
        assert list(tok.decode_stream("né👋".encode())) == ["n", "é", "👋"]
        assert list(tok.decode_stream("👋".encode()[:3])) == ["\ufffd"]
        assert list(tok.decode_stream([])) == []

    def test_stream_does_not_wait(self) -> None:
        def ids():
            yield 97
            raise RuntimeError("asked for more than was needed")

        assert next(tiny().decode_stream(ids())) == "a"

    def test_stream_yields_what_came_before_an_unknown_id(self) -> None:
        stream = tiny().decode_stream([97, 98, 999])
        assert [next(stream), next(stream)] == ["a", "b"]
        with pytest.raises(KeyError, match="id 999 at position 2"):
            next(stream)

    def test_offsets_equal_to_tiktoken(self, cl100k: Tokenizer) -> None:
        theirs = datasets.tiktoken_encoding("cl100k_base")
        texts = [datasets.paragraph(), datasets.article()[:3000], "", "é", "안녕하세요 👋!"]
        texts += [text for code in ("ja", "hi", "ar") for text in datasets.messages(code)[:40]]
        for text in texts:
            ids = theirs.encode(text, disallowed_special=())
            assert cl100k.decode_with_offsets(ids) == theirs.decode_with_offsets(ids)

    def test_strict(self) -> None:
        assert tiny().decode([0xC3, 0xA9], errors="strict") == "é"
        with pytest.raises(UnicodeDecodeError):
            tiny().decode([0xC3], errors="strict")

    def test_any_iterable(self) -> None:
        tok = tiny()
        for ids in ([104, 105], (104, 105), iter([104, 105]), b"hi", np.array([104, 105])):
            assert tok.decode(ids) == "hi"


class TestPad:
    def test_right_and_left(self) -> None:
        assert pad([[1, 2], [3]], 9) == ([[1, 2], [3, 9]], [[1, 1], [1, 0]])
        assert pad([[1, 2], [3]], 9, side="left") == ([[1, 2], [9, 3]], [[1, 1], [0, 1]])

    def test_length(self) -> None:
        assert pad([[1]], 0, length=3) == ([[1, 0, 0]], [[1, 0, 0]])
        assert pad([[], [1]], 0, length=1) == ([[0], [1]], [[0], [1]])
        assert pad([[], []], 0) == ([[], []], [[], []])
        assert pad([], 0) == pad([], 0, length=5) == ([], [])

    @given(st.lists(st.lists(st.integers(0, 5))), st.sampled_from(["left", "right"]))
    def test_a_rectangle_from_which_the_batch_can_be_read(self, batch, side: str) -> None:
        ids, mask = pad(batch, 3, side=side)
        assert len({len(row) for row in [*ids, *mask]}) <= 1
        kept = [[i for i, real in zip(*rows) if real] for rows in zip(ids, mask)]
        assert kept == batch
        hidden = [[i for i, real in zip(*rows) if not real] for rows in zip(ids, mask)]
        assert all(idx == 3 for row in hidden for idx in row)

    def test_iterables_and_numpy(self) -> None:
        assert pad(iter([np.array([1, 2]), (3,)]), 0) == pad([[1, 2], [3]], 0)

    def test_the_batch_stays_as_it_was(self) -> None:
        batch = [[1, 2], [3]]
        ids, _ = pad(batch, 0)
        ids[0].append(7)
        assert batch == [[1, 2], [3]]

    def test_too_long(self) -> None:
        with pytest.raises(ValueError, match="list 1 has 3 ids, more than length=2: cut it first"):
            pad([[1], [1, 2, 3]], 0, length=2)

    def test_side(self) -> None:
        with pytest.raises(ValueError, match="side='middle' is not known"):
            pad([[1]], 0, side="middle")

    @pytest.mark.parametrize("batch", [[[1], 2], [[1], "ab"], [[1], [2.0]], [[1], None]])
    def test_what_is_no_list_of_ids(self, batch: list) -> None:
        with pytest.raises(ValueError, match="list 1 of the batch is no list of ids"):
            pad(batch, 0)


class TestCopies:
    @pytest.mark.parametrize(
        "clone", [copy.copy, copy.deepcopy, lambda tok: pickle.loads(pickle.dumps(tok))]
    )
    def test_encode_alike(self, trained: Tokenizer, clone: Callable) -> None:
        other = clone(trained)
        text = datasets.paragraph() + "<|end|>"
        assert other.encode(text, allowed_special="all") == trained.encode(
            text, allowed_special="all"
        )
        for name in ("merges", "vocab", "ranks", "special_tokens", "pattern", "ties", "n_vocab"):
            assert getattr(other, name) == getattr(trained, name)

    def test_of_a_derived_class(self) -> None:
        other = copy.deepcopy(Derived.train("abab", 257))
        assert type(other) is Derived
        assert other.encode("ab") == [256]

    def test_eight_threads(self, trained: Tokenizer) -> None:
        tok = copy.copy(trained)  # one that remembers no words yet
        texts = [t for code in ("en", "ko", "ru", "el") for t in datasets.messages(code)[:150]]
        expected = [trained.encode(text) for text in texts]
        with ThreadPoolExecutor(8) as pool:
            for found in pool.map(lambda _: [tok.encode(text) for text in texts], range(8)):
                assert found == expected

    def test_repr(self, trained: Tokenizer) -> None:
        assert repr(trained) == "<Tokenizer of 700 ids>"


class Derived(Tokenizer):
    """A class of one's own, at the top of a module so that it can be pickled."""


class TestBatch:
    def test_each_text(self, trained: Tokenizer) -> None:
        texts = ["one", "", "two <|end|>"]
        found = trained.encode_batch(iter(texts), allowed_special="all")
        assert found == [trained.encode(text, allowed_special="all") for text in texts]
        with pytest.raises(ValueError, match="'<|end|>' at position 4"):
            trained.encode_batch(texts)
        assert trained.encode_batch([]) == []


class TestLongTexts:
    """No input makes the encoder quadratic: these would take hours if one did."""

    def test_letters(self, cl100k: Tokenizer) -> None:
        assert len(cl100k.encode("a" * 100_000)) == 12_500
        assert len(cl100k.encode("a " * 50_000)) == 50_001

    def test_carets(self, cl100k: Tokenizer) -> None:
        assert len(cl100k.encode("^" * 100_000)) == 25_000

    @pytest.mark.whole
    def test_a_million_carets(self, cl100k: Tokenizer) -> None:
        assert len(cl100k.encode("^" * 1_000_000)) == 250_000

    @pytest.mark.parametrize("size", [100_000, pytest.param(1_000_000, marks=pytest.mark.whole)])
    def test_no_spaces(self, cl100k: Tokenizer, size: int) -> None:
        text = "".join(random.Random(7).choices("abcdefghijklmnopqrstuvwxyz", k=size))
        assert cl100k.decode(cl100k.encode(text)) == text

    def test_special_tokens_one_after_the_other(self, cl100k: Tokenizer) -> None:
        text = "<|endoftext|>" * 20_000
        assert cl100k.encode(text, allowed_special="all") == [100257] * 20_000
        assert len(cl100k.encode("<|endoftext|" * 20_000)) == 20_000 * 6
