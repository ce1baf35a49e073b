"""Chapter 05: encoding by lowest rank, decoding, and the two round trips."""

import copy
import pickle
import random
import warnings
from collections.abc import Iterator
from itertools import product
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe import datasets
from bpe.coding import BasicTokenizer, apply_merges
from bpe.pairs import get_stats, merge
from bpe.training import build_vocab, train
from bpe.utf8 import repair_surrogates, text_to_bytes

Merges = dict[tuple[int, int], int]

TOY: Merges = {(97, 97): 256, (256, 97): 257, (257, 98): 258}  # aa, aaa, aaab
ONE: Merges = {(97, 98): 256, (256, 99): 257, (99, 100): 258}  # ab, abc, cd
TWO: Merges = {(97, 98): 256, (99, 100): 257, (256, 99): 258}  # ab, cd, abc

# Any str that Python can hold, surrogates included.
any_texts = st.text(st.characters(exclude_categories=()))
# Few letters, so that pairs repeat; a character of two bytes and one of four among them.
texts = st.text(alphabet="ab é👋", max_size=60)
corpora = st.lists(texts, min_size=1, max_size=4)


def train_quietly(corpus: str | list[str], vocab_size: int) -> Merges:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return train(corpus, vocab_size)


@st.composite
def tables(draw: st.DrawFn) -> Merges:
    """Merges that no text has to have produced: each is made of ids that came before it."""
    merges: Merges = {}
    for _ in range(draw(st.integers(0, 12))):
        known = st.sampled_from([97, 98, 99, *merges.values()])
        merges.setdefault(draw(st.tuples(known, known)), 256 + len(merges))
    return merges


def plain_loop(ids: list[int], merges: Merges) -> list[int]:
    """The loop of the chapter, without a heap."""
    while len(ids) >= 2:
        pair = min(get_stats(ids), key=lambda pair: merges.get(pair, inf))
        if pair not in merges:
            break
        ids = merge(ids, pair, merges[pair])
    return ids


def replay(ids: list[int], merges: Merges) -> list[int]:
    """Every merge of the table once, from the first to the last."""
    for pair, idx in merges.items():
        ids = merge(ids, pair, idx)
    return ids


@pytest.fixture(scope="module")
def hamlet_merges() -> Merges:
    return train(datasets.hamlet()[:20_000], 456)


class TestKnownIds:
    def test_encyclopedia_example(self) -> None:
        """minbpe's own test; its issue 93 asks for the merges aa, aaa, aaab."""
        tok = BasicTokenizer.train("aaabdaaabac", 259)
        assert tok.merges == TOY
        assert tok.encode("aaabdaaabac") == [258, 100, 258, 97, 99]
        assert tok.decode([258, 100, 258, 97, 99]) == "aaabdaaabac"

    def test_order_is_priority(self) -> None:
        def pieces(merges: Merges) -> list[bytes]:
            tok = BasicTokenizer(merges)
            return [tok.vocab[idx] for idx in tok.encode("abcd")]

        assert pieces(ONE) == [b"abc", b"d"]
        assert pieces(TWO) == [b"ab", b"cd"]

    @pytest.mark.parametrize(
        ("text", "ids"),
        [
            ("a", [97]),
            ("aa", [256]),
            ("aaa", [257]),
            ("aaaa", [256, 256]),  # not [257, 97]: the lower rank replaces all it can find first
            ("aaaaa", [256, 257]),
            ("aaaaaaa", [256, 256, 257]),
            ("aaaab", [256, 256, 98]),
            ("aaaaab", [256, 258]),
        ],
    )
    def test_runs_are_merged_from_the_left(self, text: str, ids: list[int]) -> None:
        assert BasicTokenizer(TOY).encode(text) == ids == plain_loop(list(text.encode()), TOY)

    def test_no_merges_leave_bytes(self) -> None:
        tok = BasicTokenizer({})
        assert tok.n_vocab == 256
        assert tok.encode("é!") == [195, 169, 33]

    def test_unseen_character_falls_back_to_bytes(self, hamlet_merges: Merges) -> None:
        tok = BasicTokenizer(hamlet_merges)
        assert tok.encode("龘") == [0xE9, 0xBE, 0x98]
        assert tok.decode(tok.encode("龘")) == "龘"

    def test_special_text_is_text(self, hamlet_merges: Merges) -> None:
        tok = BasicTokenizer(hamlet_merges)
        ids = tok.encode("<|endoftext|>")
        assert len(ids) > 1
        assert tok.decode(ids) == "<|endoftext|>"


class TestShortTexts:
    @pytest.mark.parametrize("merges", [{}, TOY])
    def test_nothing(self, merges: Merges) -> None:
        tok = BasicTokenizer(merges)
        assert tok.encode("") == []
        assert tok.decode([]) == ""
        assert tok.decode_bytes([]) == b""

    @pytest.mark.parametrize("byte", range(128))
    def test_one_byte(self, byte: int) -> None:
        assert BasicTokenizer(TOY).encode(chr(byte)) == [byte]

    def test_whole_text_becomes_one_id(self) -> None:
        assert BasicTokenizer(TOY).encode("aaab") == [258]


class TestThreeWaysToEncode:
    """The heap, the plain loop and the replay give the same ids."""

    def test_on_3000_random_strings(self, hamlet_merges: Merges) -> None:
        """minbpe's issues 87 and 100 ask whether they can differ for a trained table."""
        rng = random.Random(0)
        letters = datasets.hamlet()[:20_000] + "é한👋\n\0" * 200
        for _ in range(3_000):
            text = "".join(rng.choices(letters, k=rng.randrange(16)))
            ids = list(text.encode())
            heap = apply_merges(ids, hamlet_merges)
            assert heap == plain_loop(ids, hamlet_merges) == replay(ids, hamlet_merges), text

    def test_on_the_training_text_itself(self, hamlet_merges: Merges) -> None:
        ids = list(datasets.hamlet()[:20_000].encode())
        assert apply_merges(ids, hamlet_merges) == replay(ids, hamlet_merges)

    def test_on_every_small_table_and_text(self) -> None:
        """Trained or not: it is enough that each merge is made of ids that came before."""

        def grow(merges: Merges, n: int) -> Iterator[Merges]:
            if n == 0:
                yield merges
                return
            for pair in product([97, 98, *merges.values()], repeat=2):
                if pair not in merges:
                    yield from grow(merges | {pair: 256 + len(merges)}, n - 1)

        words = [list(map(ord, word)) for n in range(7) for word in product("ab", repeat=n)]
        for merges in grow({}, 3):
            for ids in words:
                heap = apply_merges(ids, merges)
                assert heap == plain_loop(ids, merges) == replay(ids, merges), (merges, ids)

    @given(tables(), st.lists(st.sampled_from([97, 98, 99]), max_size=40))
    def test_on_any_table_in_order(self, merges: Merges, ids: list[int]) -> None:
        heap = apply_merges(ids, merges)
        assert heap == plain_loop(ids, merges) == replay(ids, merges)

    @given(corpora, texts)
    def test_on_any_training(self, corpus: list[str], text: str) -> None:
        merges = train_quietly(corpus, 270)
        ids = list(text.encode())
        assert apply_merges(ids, merges) == plain_loop(ids, merges) == replay(ids, merges)

    def test_replay_differs_when_the_table_is_out_of_order(self) -> None:
        broken = {(257, 99): 256, (97, 98): 257}  # ab c before a b
        ids = list(b"abc")
        assert plain_loop(ids, broken) == [256]
        assert replay(ids, broken) == [257, 99]
        with pytest.raises(ValueError, match="in the order in which they were learned"):
            BasicTokenizer(broken)

    def test_argument_is_left_alone(self) -> None:
        ids = [97, 97, 97]
        assert apply_merges(ids, TOY) == [257]
        assert ids == [97, 97, 97]
        assert apply_merges(iter(ids), TOY) == [257]
        assert apply_merges(b"aaa", TOY) == [257]


class TestLongTexts:
    """No text makes the encoder quadratic: counted in look-ups, not in seconds."""

    class Counting(dict[tuple[int, int], int]):
        look_ups = 0

        def __contains__(self, pair: object) -> bool:
            self.look_ups += 1
            return super().__contains__(pair)

        def get(self, pair, default=None):
            self.look_ups += 1
            return super().get(pair, default)

    RUNS: Merges = {(97, 97): 256} | {(idx, idx): idx + 1 for idx in range(256, 270)}

    @pytest.mark.parametrize("unit", ["a", "ab", "aab", "a " * 7 + "b", "abcd" * 3 + "ab"])
    @pytest.mark.parametrize("merges", [RUNS, TOY, ONE, TWO])
    def test_twice_the_text_twice_the_work(self, merges: Merges, unit: str) -> None:
        work = []
        for n in (2_000, 4_000):
            counting = self.Counting(merges)
            apply_merges((unit * n)[: 4 * n].encode(), counting)
            work.append(counting.look_ups)
        assert work[1] < 2.1 * work[0]
        assert work[1] < 6 * 16_000

    @pytest.mark.parametrize(
        ("text", "n"), [("a" * 200_000, 200_000 // 2**15 + 4), ("ab" * 100_000, 200_000)]
    )
    def test_without_spaces(self, text: str, n: int) -> None:
        tok = BasicTokenizer(self.RUNS)
        ids = tok.encode(text)
        assert len(ids) == n
        assert tok.decode(ids) == text

    def test_a_chain_as_long_as_the_text(self) -> None:
        """Each merge is made of the one before: ab, abb, abbb, ..."""
        chain = {(97, 98): 256} | {(idx, 98): idx + 1 for idx in range(256, 1_255)}
        tok = BasicTokenizer(chain)
        assert tok.encode("a" + "b" * 1_000) == [1_255]
        assert tok.encode("a" + "b" * 1_002) == [1_255, 98, 98]


class TestTextAndBack:
    @given(corpora, any_texts)
    def test_any_text(self, corpus: list[str], text: str) -> None:
        tok = BasicTokenizer(train_quietly(corpus, 270))
        assert tok.decode(tok.encode(text), errors="strict") == repair_surrogates(text)
        assert tok.decode_bytes(tok.encode(text)) == text_to_bytes(text)

    @pytest.mark.parametrize(
        "text",
        [
            "The rest is silence.",
            "안녕하세요",
            "नमस्ते दुनिया",
            "مرحبا بالعالم",
            "深度学习",
            "👩‍👩‍👧‍👦 👋🏽 🇺🇳",
            "e\u0301 \u200b\ufeff\u2028",
            "".join(map(chr, range(32))) + "\x7f\x80\x9f",
            "\U0010ffff\ufffe\ufffd",
            "\r\n\t  \n",
            "<|endoftext|>",
            "abc\u2581d d",
        ],
    )
    def test_scripts_and_oddities(self, text: str, hamlet_merges: Merges) -> None:
        tok = BasicTokenizer(hamlet_merges)
        assert tok.decode(tok.encode(text), errors="strict") == text

    @pytest.mark.parametrize(
        ("text", "repaired"),
        [("\udbc0", "\ufffd"), ("\ud83d\udc4d", "👍"), ("a\udc4d\ud83d", "a\ufffd\ufffd")],
    )
    def test_surrogates_come_back_repaired(self, text: str, repaired: str) -> None:
        tok = BasicTokenizer(TOY)
        assert tok.encode(text) == tok.encode(repaired)
        assert tok.decode(tok.encode(text)) == repaired

    @given(corpora, texts, st.data())
    def test_part_of_an_encoding_is_an_encoding(
        self, corpus: list[str], text: str, data: st.DataObject
    ) -> None:
        """What stands beside a run of ids does not change how its own bytes are merged."""
        merges = train_quietly(corpus, 270)
        vocab = build_vocab(merges)
        ids = apply_merges(text.encode(), merges)
        start = data.draw(st.integers(0, len(ids)))
        part = ids[start : data.draw(st.integers(start, len(ids)))]
        assert apply_merges(b"".join(vocab[idx] for idx in part), merges) == part


class TestIdsAndBack:
    @given(tables(), st.data())
    def test_any_ids_decode(self, merges: Merges, data: st.DataObject) -> None:
        tok = BasicTokenizer(merges)
        ids = data.draw(st.lists(st.integers(0, tok.n_vocab - 1)))
        text = tok.decode(ids)
        assert text == tok.decode_bytes(ids).decode("utf-8", "replace")
        assert tok.encode(text) == tok.encode(tok.decode(tok.encode(text)))

    @pytest.mark.parametrize(
        ("ids", "back"),
        [([97, 97], [256]), ([257, 97], [256, 256]), ([97, 256, 98], [258])],
    )
    def test_one_text_has_many_lists(self, ids: list[int], back: list[int]) -> None:
        tok = BasicTokenizer(TOY)
        assert tok.encode(tok.decode(ids)) == back

    def test_what_is_no_text_does_not_come_back(self) -> None:
        tok = BasicTokenizer(TOY)
        assert tok.encode(tok.decode([128])) == [239, 191, 189]

    def test_every_half_character_is_replaced_or_raises(self) -> None:
        tok = BasicTokenizer({})
        for byte in range(128, 256):
            assert tok.decode([byte]) == "\ufffd"
            with pytest.raises(UnicodeDecodeError):
                tok.decode([byte], errors="strict")

    def test_strict_names_byte_and_place(self) -> None:
        with pytest.raises(UnicodeDecodeError, match="0x80 in position 2: invalid start byte"):
            BasicTokenizer(TOY).decode([256, 128], errors="strict")

    def test_a_character_may_be_spread_over_tokens(self) -> None:
        tok = BasicTokenizer({(195, 169): 256, (237, 149): 257})
        assert tok.decode([257, 156, 256]) == "한é"
        assert tok.decode([257, 156, 256], errors="strict") == "한é"


class TestWhatIsAnId:
    @pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint16])
    def test_numpy_ints(self, kind: type) -> None:
        tok = BasicTokenizer(TOY)
        assert tok.decode([kind(258), kind(100)]) == "aaabd"
        assert tok.decode(np.array([258, 100], dtype=kind)) == "aaabd"

    def test_any_iterable(self) -> None:
        tok = BasicTokenizer(TOY)
        assert tok.decode(iter((258, 100))) == tok.decode((258, 100)) == "aaabd"

    @pytest.mark.parametrize(
        ("idx", "shown"),
        [
            (259, "259"),
            (10**12, "1000000000000"),
            (-1, "-1"),
            (-259, "-259"),
            (np.int64(259), "259"),
            (97.0, "97.0"),
            ("97", "'97'"),
            (None, "None"),
        ],
    )
    def test_what_is_none_is_named_with_its_place(self, idx: object, shown: str) -> None:
        tok = BasicTokenizer(TOY)
        place = f"cannot decode id {shown} at position 2: it is not among the 259 ids"
        for decode in (tok.decode, tok.decode_bytes):
            with pytest.raises(KeyError, match=place):
                decode([97, 98, idx])
        with pytest.raises(KeyError, match="from 0 to 258"):
            tok.decode([idx], errors="replace")

    @pytest.mark.parametrize("text", [b"abc", None, ["a", "b"], 7])
    def test_only_text_is_encoded(self, text: object) -> None:
        with pytest.raises(ValueError, match=f"text is a {type(text).__name__}, not a str"):
            BasicTokenizer(TOY).encode(text)


class TestBrokenMerges:
    @pytest.mark.parametrize(
        ("merges", "message"),
        [
            ({(256, 97): 257, (97, 97): 256}, r"\(256, 97\) -> 257 uses id 256 before it is made"),
            ({(97, 300): 256}, "uses id 300 before it is made"),
            ({(-1, 97): 256}, "uses id -1 before it is made"),
            ({(256, 97): 256}, "uses id 256 before it is made"),
            ({(97, 97): 256, (97, 98): 256}, r"\(97, 98\) -> 256: id 256 is taken"),
            ({(97, 97): 98}, "id 98 is taken or below 256"),
            ({(97, 97): 300, (97, 98): 299}, "to 299 comes after the merge to 300"),
        ],
    )
    def test_refused_with_the_reason(self, merges: Merges, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            BasicTokenizer(merges)

    def test_merges_are_copied(self) -> None:
        merges = dict(TOY)
        tok = BasicTokenizer(merges)
        merges.clear()
        assert tok.merges == TOY
        assert tok.encode("aaab") == [258]

    def test_ids_may_have_gaps(self) -> None:
        tok = BasicTokenizer({(97, 97): 300, (300, 97): 400})
        assert tok.encode("aaa") == [400]
        with pytest.raises(KeyError, match="cannot decode id 350 at position 0"):
            tok.decode([350])


class TestTokenizer:
    def test_train_takes_several_documents(self) -> None:
        tok = BasicTokenizer.train(["ab", "ab", "cd"], 257)
        assert tok.vocab[256] == b"ab"

    def test_train_passes_the_tie_rule_on(self) -> None:
        assert BasicTokenizer.train("baab", 257, ties="first").vocab[256] == b"ba"
        assert BasicTokenizer.train("baab", 257, ties="smallest").vocab[256] == b"aa"

    @pytest.mark.filterwarnings("ignore:training stopped")
    def test_short_training_texts(self) -> None:
        for corpus in ("", "a", "   ", []):
            tok = BasicTokenizer.train(corpus, 260)
            assert tok.decode(tok.encode("   a")) == "   a"

    def test_size_and_repr(self) -> None:
        tok = BasicTokenizer(TOY)
        assert tok.n_vocab == 259
        assert repr(tok) == "<BasicTokenizer of 259 ids>"

    @pytest.mark.parametrize(
        "clone", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))]
    )
    def test_copies_encode_alike(self, clone) -> None:
        tok = BasicTokenizer(TOY)
        other = clone(tok)
        assert other.encode("aaabdaaabac") == [258, 100, 258, 97, 99]
        assert other.decode([258]) == "aaab"
        assert other.merges == tok.merges and other.vocab == tok.vocab
