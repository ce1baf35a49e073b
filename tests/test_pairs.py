"""Chapter 03: counting pairs, choosing one, merging it, and the way back."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe.pairs import TIES, get_stats, merge, top_pair, unmerge

# Three symbols, so that pairs repeat and overlap.
symbols = st.integers(1, 3)
sequences = st.lists(symbols, max_size=40)
pair_of_symbols = st.tuples(symbols, symbols)
NEW = 256
STATS = {(5, 9): 2, (7, 7): 1, (1, 4): 2, (1, 3): 1}


def replacements(ids, pair):
    """How often ``pair`` can be replaced: runs of one symbol give half their length."""
    if pair[0] != pair[1]:
        return get_stats(ids).get(pair, 0)
    text = "".join("x" if each == pair[0] else "-" for each in ids)
    return sum(len(run) // 2 for run in text.split("-"))


class TestGetStats:
    @pytest.mark.parametrize(
        ("ids", "stats"),
        [
            ([], {}),
            ([7], {}),
            ([7, 7], {(7, 7): 1}),
            ([1, 2, 3, 1, 2], {(1, 2): 2, (2, 3): 1, (3, 1): 1}),
            (
                b"aaabdaaabac",
                {(97, 97): 4, (97, 98): 2, (98, 100): 1, (100, 97): 1, (98, 97): 1, (97, 99): 1},
            ),
            ((0, -1, 0, -1), {(0, -1): 2, (-1, 0): 1}),
            ("abab", {("a", "b"): 2, ("b", "a"): 1}),
        ],
    )
    def test_known_counts(self, ids, stats):
        assert get_stats(ids) == stats

    def test_overlapping_pairs_are_all_counted(self):
        # A public report: with overlaps (1,1) ties with (1,2); without, it would have 2.
        ids = [1, 1, 1, 1, 2, 1, 2, 1, 2]
        assert get_stats(ids) == {(1, 1): 3, (1, 2): 3, (2, 1): 2}
        assert replacements(ids, (1, 1)) == 2

    @pytest.mark.parametrize("length", range(8))
    def test_run_of_one_symbol(self, length):
        ids = [5] * length
        assert get_stats(ids).get((5, 5), 0) == max(length - 1, 0)
        assert len(merge(ids, (5, 5), NEW)) == (length + 1) // 2

    @given(sequences)
    def test_equals_a_counter(self, ids):
        assert get_stats(ids) == Counter(pairwise(ids))

    @given(sequences)
    def test_counts_sum_to_one_less_than_the_length(self, ids):
        assert sum(get_stats(ids).values()) == max(len(ids) - 1, 0)

    @given(sequences)
    def test_keys_stand_in_the_order_of_first_occurrence(self, ids):
        assert list(get_stats(ids)) == list(dict.fromkeys(pairwise(ids)))

    @given(st.lists(sequences))
    def test_adds_up_documents_without_pairs_across_borders(self, documents):
        counts = {}
        for ids in documents:
            assert get_stats(ids, counts) is counts
        assert counts == sum((Counter(pairwise(ids)) for ids in documents), Counter())

    def test_counts_given_as_an_empty_dictionary_are_filled(self):
        counts = {}
        get_stats([1, 2], counts)
        assert counts == {(1, 2): 1}

    def test_two_calls_share_nothing(self):
        get_stats([1, 2])
        assert get_stats([3, 4]) == {(3, 4): 1}

    def test_numpy_ids(self):
        assert get_stats(np.array([1, 2, 1, 2])) == {(1, 2): 2, (2, 1): 1}

    @given(sequences)
    def test_argument_is_left_as_it_was(self, ids):
        before = list(ids)
        get_stats(ids)
        assert ids == before


class TestTopPair:
    @pytest.mark.parametrize(("ties", "pair"), [("first", (5, 9)), ("smallest", (1, 4))])
    def test_rules(self, ties, pair):
        assert top_pair(STATS, ties) == pair

    def test_first_is_what_is_done_when_nothing_is_said(self):
        assert top_pair(STATS) == top_pair(STATS, "first")

    @pytest.mark.parametrize("ties", TIES)
    def test_a_clear_winner_wins_under_every_rule(self, ties):
        assert top_pair({(9, 9): 1, (8, 8): 3, (1, 1): 2}, ties) == (8, 8)

    @pytest.mark.parametrize(
        ("text", "first", "smallest"),
        [
            # Public reports: four merges of each, and the rule must be a stated one.
            ("bbbaaaddddcccc", ["dd", "cc", "bb", "aa"], ["cc", "dd", "aa", "bb"]),
            ("aaabbbccccdddd", ["cc", "dd", "aa", "bb"], ["cc", "dd", "aa", "bb"]),
            ("aaabdaaabac", ["aa", "aaa", "aaab"], ["aa", "ab", "aaab"]),
        ],
    )
    def test_stated_rules_on_text(self, text, first, smallest):
        for ties, expected in (("first", first), ("smallest", smallest)):
            ids, names = list(text.encode()), {byte: chr(byte) for byte in text.encode()}
            for idx in range(NEW, NEW + len(expected)):
                pair = top_pair(get_stats(ids), ties)
                ids = merge(ids, pair, idx)
                names[idx] = names[pair[0]] + names[pair[1]]
            assert [names[idx] for idx in names if idx >= NEW] == expected

    def test_smallest_compares_numbers_not_their_digits(self):
        assert top_pair({(10, 1): 1, (9, 1): 1, (9, 0): 1}, "smallest") == (9, 0)

    @given(sequences.filter(lambda ids: len(ids) > 1))
    def test_both_rules_choose_among_the_most_frequent(self, ids):
        stats = get_stats(ids)
        tied = [pair for pair in stats if stats[pair] == max(stats.values())]
        assert top_pair(stats, "first") == tied[0]
        assert top_pair(stats, "smallest") == min(tied)

    @given(sequences.filter(lambda ids: len(ids) > 1), st.randoms())
    def test_smallest_does_not_depend_on_the_order_of_counting(self, ids, random):
        stats = get_stats(ids)
        items = list(stats.items())
        random.shuffle(items)
        assert top_pair(dict(items), "smallest") == top_pair(stats, "smallest")

    @pytest.mark.parametrize("ties", TIES)
    def test_nothing_to_choose_from(self, ties):
        with pytest.raises(ValueError, match="no pair to choose from.*fewer than two ids"):
            top_pair({}, ties)

    @pytest.mark.parametrize("ties", ["largest", "", None, 0])
    def test_unknown_rule(self, ties):
        with pytest.raises(ValueError, match="is not a rule: use one of 'first', 'smallest'"):
            top_pair(STATS, ties)

    @given(sequences.filter(lambda ids: len(ids) > 1))
    def test_argument_is_left_as_it_was(self, ids):
        stats = get_stats(ids)
        before = list(stats.items())
        for ties in TIES:
            top_pair(stats, ties)
        assert list(stats.items()) == before


class TestMerge:
    @pytest.mark.parametrize(
        ("ids", "pair", "merged"),
        [
            ([5, 6, 6, 7, 9, 1], (6, 7), [5, 6, 99, 9, 1]),
            ([6, 7], (6, 7), [99]),
            ([6, 7, 6, 7], (6, 7), [99, 99]),
            ([1, 6, 7], (6, 7), [1, 99]),
            ([1, 6], (6, 7), [1, 6]),
            ([7, 6], (6, 7), [7, 6]),
            ([], (6, 7), []),
            ([6], (6, 7), [6]),
            ([1, 1, 1], (1, 1), [99, 1]),
            ([1, 1, 1, 1], (1, 1), [99, 99]),
            ([1, 1, 1, 1, 2, 1, 2, 1, 2], (1, 1), [99, 99, 2, 1, 2, 1, 2]),
            ([1, 1, 1, 1, 2, 1, 2, 1, 2], (1, 2), [1, 1, 1, 99, 99, 99]),
            ([2, 1, 1, 1, 2], (1, 1), [2, 99, 1, 2]),
            ([1, 11, 2], (1, 1), [1, 11, 2]),
        ],
    )
    def test_known_merges(self, ids, pair, merged):
        assert merge(ids, pair, 99) == merged

    def test_three_steps_to_the_encyclopedia_example(self):
        ids = b"aaabdaaabac"
        for pair, idx in (((97, 97), 256), ((256, 97), 257), ((257, 98), 258)):
            ids = merge(ids, pair, idx)
        assert ids == [258, 100, 258, 97, 99]

    def test_a_new_id_is_not_merged_again_in_the_same_pass(self):
        assert merge([1, 1, 1, 1], (1, 1), 1) == [1, 1]

    @given(sequences, pair_of_symbols)
    def test_shortens_by_exactly_the_number_of_replacements(self, ids, pair):
        merged = merge(ids, pair, NEW)
        assert len(ids) - len(merged) == merged.count(NEW) == replacements(ids, pair)

    @given(sequences, pair_of_symbols)
    def test_leaves_none_of_the_pair(self, ids, pair):
        assert pair not in get_stats(merge(ids, pair, NEW))

    @given(sequences, pair_of_symbols)
    def test_never_replaces_more_often_than_counted(self, ids, pair):
        counted = get_stats(ids).get(pair, 0)
        replaced = merge(ids, pair, NEW).count(NEW)
        assert replaced == counted if pair[0] != pair[1] else replaced <= counted <= 2 * replaced

    @given(sequences, pair_of_symbols)
    def test_result_is_a_new_list_and_the_argument_is_left_as_it_was(self, ids, pair):
        before = list(ids)
        merged = merge(ids, pair, NEW)
        assert merged is not ids
        assert ids == before

    @pytest.mark.parametrize("kind", [bytes, tuple, np.array])
    def test_other_sequences_give_a_list(self, kind):
        merged = merge(kind([5, 6, 6, 7, 9, 1]), (6, 7), 99)
        assert type(merged) is list
        assert merged == [5, 6, 99, 9, 1]

    def test_long_input(self):
        assert merge([1] * 100_001, (1, 1), 2) == [2] * 50_000 + [1]


class TestUnmerge:
    @pytest.mark.parametrize(
        ("ids", "expanded"),
        [
            ([5, 6, 99, 9, 1], [5, 6, 6, 7, 9, 1]),
            ([99], [6, 7]),
            ([99, 99, 6], [6, 7, 6, 7, 6]),
            ([6, 7], [6, 7]),
            ([], []),
        ],
    )
    def test_known(self, ids, expanded):
        assert unmerge(ids, (6, 7), 99) == expanded

    @given(sequences, pair_of_symbols)
    def test_undoes_merge_when_the_id_is_new(self, ids, pair):
        assert unmerge(merge(ids, pair, NEW), pair, NEW) == ids

    def test_cannot_tell_an_id_that_was_there_before(self):
        ids = [6, 7, 99]
        assert unmerge(merge(ids, (6, 7), 99), (6, 7), 99) == [6, 7, 6, 7] != ids

    @given(sequences, st.lists(pair_of_symbols, max_size=6))
    def test_a_chain_of_merges_is_undone_newest_first(self, ids, pairs):
        merged = list(ids)
        # Let a rule use the id of the one before it, so that the order matters.
        rules = []
        for idx, pair in enumerate(pairs, NEW):
            pair = (idx - 1, pair[1]) if idx - 1 in merged else pair
            merged = merge(merged, pair, idx)
            rules.append((pair, idx))
        for pair, idx in reversed(rules):
            merged = unmerge(merged, pair, idx)
        assert merged == ids

    def test_argument_is_left_as_it_was(self):
        ids = [1, 99]
        assert unmerge(ids, (6, 7), 99) == [1, 6, 7]
        assert ids == [1, 99]
