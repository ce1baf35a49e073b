"""Chapter 01: the character tokenizer, its round trip and what bad input hears."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe.characters import CharacterTokenizer

# Any str that Python can hold, surrogates included.
TEXTS = st.text(st.characters(exclude_categories=()))


class TestVocabulary:
    def test_ids_follow_the_code_points(self) -> None:
        tok = CharacterTokenizer("bB a")
        assert tok.stoi == {" ": 0, "B": 1, "a": 2, "b": 3}
        assert tok.itos == {0: " ", 1: "B", 2: "a", 3: "b"}

    def test_small_and_capital_letters_are_two(self) -> None:
        assert CharacterTokenizer("aA").n_vocab == 2

    def test_what_looks_alike_can_be_two_characters(self) -> None:
        composed, decomposed = "\u00e9", "e\u0301"
        tok = CharacterTokenizer(composed + decomposed)
        assert tok.n_vocab == 3
        assert len(tok.encode(composed)) == 1
        assert len(tok.encode(decomposed)) == 2

    def test_carriage_return_is_kept(self) -> None:
        assert CharacterTokenizer("a\r\n").stoi == {"\n": 0, "\r": 1, "a": 2}

    def test_repr_names_the_size(self) -> None:
        assert repr(CharacterTokenizer("hello")) == "<CharacterTokenizer of 4 characters>"

    @given(TEXTS)
    def test_order_and_repetition_of_the_text_do_not_matter(self, text: str) -> None:
        tok = CharacterTokenizer(text)
        assert tok.stoi == CharacterTokenizer(text[::-1] * 2).stoi
        assert list(tok.itos) == list(range(tok.n_vocab))
        assert list(tok.stoi) == sorted(set(text))


class TestRoundTrip:
    @given(TEXTS)
    def test_any_text_over_its_own_characters(self, text: str) -> None:
        tok = CharacterTokenizer(text)
        ids = tok.encode(text)
        assert len(ids) == len(text)
        assert tok.decode(ids) == text

    @given(TEXTS.filter(bool), st.data())
    def test_any_ids(self, text: str, data: st.DataObject) -> None:
        """One id is one character, so the way back holds as well (chapter 05: not for bytes)."""
        tok = CharacterTokenizer(text)
        ids = data.draw(st.lists(st.integers(0, tok.n_vocab - 1)))
        assert tok.encode(tok.decode(ids)) == ids

    @given(TEXTS, TEXTS)
    def test_ids_of_two_texts_joined(self, first: str, second: str) -> None:
        tok = CharacterTokenizer(first + second)
        assert tok.encode(first + second) == tok.encode(first) + tok.encode(second)

    def test_ids_are_plain_ints(self) -> None:
        assert all(type(idx) is int for idx in CharacterTokenizer("héllo").encode("hé"))


class TestUnseenCharacter:
    @pytest.mark.parametrize(
        ("text", "place", "named"),
        [
            ("goose", 1, "'o' (U+006F)"),
            ("Geese", 0, "'G' (U+0047)"),
            ("geese!", 5, "'!' (U+0021)"),
            ("gee\n", 3, r"'\n' (U+000A)"),
            ("eé", 1, "'é' (U+00E9)"),
            ("see 龘", 3, "' ' (U+0020)"),
            ("龘", 0, "'龘' (U+9F98)"),
            ("e👋", 1, "'👋' (U+1F44B)"),
            ("\ud800", 0, r"'\ud800' (U+D800)"),
        ],
    )
    def test_names_the_first_and_its_place(self, text: str, place: int, named: str) -> None:
        with pytest.raises(ValueError, match=re.escape(f"{named} at position {place}:")) as caught:
            CharacterTokenizer("geese").encode(text)
        assert "among the 3 characters" in str(caught.value)
        assert "bpe.utf8" in str(caught.value)

    @given(TEXTS, TEXTS)
    def test_encodes_exactly_the_texts_over_the_vocabulary(self, training: str, text: str) -> None:
        tok = CharacterTokenizer(training)
        unseen = [i for i, char in enumerate(text) if char not in training]
        if not unseen:
            assert tok.decode(tok.encode(text)) == text
        else:
            with pytest.raises(ValueError, match=f"at position {unseen[0]}:"):
                tok.encode(text)

    def test_leaves_the_vocabulary_as_it_was(self) -> None:
        tok = CharacterTokenizer("geese")
        with pytest.raises(ValueError):
            tok.encode("goose")
        assert tok.stoi == {"e": 0, "g": 1, "s": 2}


class TestIds:
    @pytest.mark.parametrize("wrong", [3, -1, 10**30, np.int64(3), np.int8(-1)])
    def test_outside_of_the_vocabulary(self, wrong: int) -> None:
        message = f"cannot decode id {wrong} at position 1: ids are the ints from 0 to 2"
        with pytest.raises(KeyError, match=re.escape(message)):
            CharacterTokenizer("geese").decode([0, wrong])

    @pytest.mark.parametrize("wrong", [1.0, np.float64(1.0), float("nan"), "1", "e", None, [1], {}])
    def test_not_an_int(self, wrong: object) -> None:
        """1.0 equals 1 and would find it in a dict; an id that is no int is a slip all the same."""
        message = f"cannot decode id {wrong!r} at position 1: ids are the ints from 0 to 2"
        with pytest.raises(KeyError, match=re.escape(message)):
            CharacterTokenizer("geese").decode([0, wrong])

    @pytest.mark.parametrize("kind", [np.uint8, np.int16, np.uint16, np.int32, np.int64, np.uint64])
    def test_of_numpy(self, kind: type) -> None:
        tok = CharacterTokenizer("geese")
        assert tok.decode(np.array([1, 0, 0, 2, 0], dtype=kind)) == "geese"

    def test_floats_of_numpy_are_refused(self) -> None:
        with pytest.raises(KeyError, match="at position 0"):
            CharacterTokenizer("geese").decode(np.array([1.0, 0.0]))

    def test_from_an_iterator(self) -> None:
        assert CharacterTokenizer("geese").decode(iter((1, 0, 0))) == "gee"

    def test_a_table_has_rows_only(self) -> None:
        with pytest.raises(KeyError, match="at position 0"):
            CharacterTokenizer("geese").decode(np.array([[1, 0], [0, 2]]))


class TestEmpty:
    def test_text(self) -> None:
        tok = CharacterTokenizer("geese")
        assert tok.encode("") == []
        assert tok.decode([]) == ""

    def test_vocabulary(self) -> None:
        tok = CharacterTokenizer("")
        assert tok.n_vocab == 0
        assert tok.stoi == tok.itos == {}
        assert tok.encode("") == []
        assert tok.decode([]) == ""

    def test_vocabulary_knows_nothing(self) -> None:
        tok = CharacterTokenizer("")
        with pytest.raises(ValueError, match="'a' .* at position 0: .* the 0 characters"):
            tok.encode("a")
        with pytest.raises(KeyError, match="id 0 at position 0: the vocabulary is empty"):
            tok.decode([0])


@pytest.mark.parametrize("wrong", [b"geese", ["gee", "se"], None, 5, ("g",)])
class TestNotAText:
    def test_as_training_text(self, wrong: object) -> None:
        with pytest.raises(ValueError, match=f"text is a {type(wrong).__name__}, not a str"):
            CharacterTokenizer(wrong)

    def test_to_encode(self, wrong: object) -> None:
        with pytest.raises(ValueError, match=f"text is a {type(wrong).__name__}, not a str"):
            CharacterTokenizer("geese").encode(wrong)
