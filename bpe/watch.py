"""Beside the ladder: watch merges happen.

``watch_merges`` shows how byte-pair encoding learns its merges from a short text. The reader steps
forward and back. Everything is computed here, by the same functions as in the chapters, and stored
in the page; the script only steps, and needs neither a kernel nor a network. Where scripts do not
run, a table of all steps stands in its place.
"""

import json
from collections.abc import Mapping, Sequence
from html import escape
from itertools import islice
from typing import Any

from bpe.pairs import Pair, get_stats, merge, top_pair
from bpe.show import printable, script, style
from bpe.training import N_BYTES, Step, build_vocab, training_steps
from bpe.utf8 import text_to_bytes

MAX_BYTES = 400
MAX_MERGES = 200
TOP = 8  # rows of the table of pairs

# Every word that the viewer says, in one place for translators.
LABELS = {
    "title": "Watch merges happen",
    "first": "First step",
    "prev": "Back",
    "next": "Next",
    "last": "Last step",
    "play": "Play",
    "pause": "Pause",
    "slider": "Step",
    "step": "step {step} of {steps}",
    "start": "Nothing is merged yet: each id is a byte",
    "learned": "Learned: {rule}",
    "rule": "({a}, {b}) → {idx}  “{name}”",
    "replaced": "replaced: {used}",
    "ids": "ids: {n} (at the start {start})",
    "vocab": "vocabulary: {n}",
    "text": "text: {text}",
    "sequence": "The text as tokens",
    "upcoming": "Next: {pair} with count {count}.",
    "overlap": "Only {used} can be replaced: the others overlap.",
    "tie": "{n} pairs share this count.",
    "tie_first": "The rule “first” takes the one that comes first in the text.",
    "tie_smallest": "The rule “smallest” takes the one with the lowest ids.",
    "tie_other": "The rule “{ties}” decides.",
    "end_asked": "The end: {steps} merges were asked for.",
    "end_limit": "The end: the viewer shows {steps} merges at most.",
    "end_once": "The end: no pair occurs twice any more.",
    "end_none": "The end: one id is left, so there is no pair.",
    "counts": "Pairs by count",
    "more": "and {n} more",
    "no_pairs": "no pair",
    "merges": "Merges so far",
    "none": "none yet",
    "is_next": "next",
    "is_tie": "tie",
    "is_overlap": "{used} usable",
    "table": "All steps as a table",
    "hint": "Keys: ← → Home End",
    "col_step": "step",
    "col_pair": "pair",
    "col_id": "new id",
    "col_token": "token",
    "col_count": "count",
    "col_used": "replaced",
    "col_length": "ids left",
    "col_tokens": "tokens after the step",
}


class MergeView:
    """What ``watch_merges`` returns: the viewer in a notebook, a table as plain text."""

    def __init__(
        self,
        text: str,
        steps: Sequence[Step],
        *,
        ties: str,
        end: str,
        labels: Mapping[str, str],
    ):
        self.text = text
        self.steps = list(steps)
        self.ties = ties
        self.labels = labels
        self.vocab = build_vocab({step.pair: step.idx for step in self.steps})
        # sequences[k] is the text after k merges.
        self.sequences = [list(text_to_bytes(text))]
        for step in self.steps:
            self.sequences.append(merge(self.sequences[-1], step.pair, step.idx))
        self._end = end

    def data(self) -> dict[str, Any]:
        """Return all that the script needs, as plain lists and dictionaries."""
        used = sorted({idx for ids in self.sequences for idx in ids})
        return {
            "labels": self.labels,
            "ties": self.ties,
            "end": self._end,
            # Letters beyond ASCII are bytes at first: the text itself helps to read them.
            "text": "" if self.text.isascii() else printable(self.text).replace("␣", " "),
            "bytes": N_BYTES,
            "start": self.sequences[0],
            "names": {idx: printable(self.vocab[idx]) for idx in used},
            "steps": [
                {
                    "pair": step.pair,
                    "idx": step.idx,
                    "count": step.count,
                    "rivals": step.rivals,
                    "at": self._places(ids, step.pair),
                }
                for step, ids in zip(self.steps, self.sequences)
            ],
            "tables": [self._table(ids) for ids in self.sequences],
        }

    def _places(self, ids: Sequence[int], pair: Pair) -> list[int]:
        """Where ``merge`` replaces ``pair``, as offsets in bytes: they stay the same all along."""
        places, offset, i = [], 0, 0
        while i < len(ids):
            if tuple(ids[i : i + 2]) == pair:
                places.append(offset)
                offset += len(self.vocab[ids[i]])
                i += 1
            offset += len(self.vocab[ids[i]])
            i += 1
        return places

    def _table(self, ids: Sequence[int]) -> dict[str, Any]:
        """The pairs with the highest counts, and how often each could be replaced."""
        stats = get_stats(ids)
        if not stats:
            return {"rows": [], "pairs": 0}
        best = top_pair(stats, self.ties)
        ranked = sorted(stats, key=lambda pair: (-stats[pair], pair != best))
        rows = [[*pair, stats[pair], len(ids) - len(merge(ids, pair, -1))] for pair in ranked[:TOP]]
        return {"rows": rows, "pairs": len(stats)}

    def _rows(self) -> list[list[str]]:
        """The static table: one row a step, after a row of headings."""
        names = ("step", "pair", "id", "token", "count", "used", "length", "tokens")
        table = [[self.labels[f"col_{name}"] for name in names]]
        for k, step in enumerate(self.steps):
            before, after = self.sequences[k], self.sequences[k + 1]
            tokens = "|".join(printable(self.vocab[idx]) for idx in after)
            row = [k + 1, step.pair, step.idx, printable(self.vocab[step.idx]), step.count]
            row += [len(before) - len(after), step.length, f"|{tokens}|"]
            table.append([str(cell) for cell in row])
        return table

    def __str__(self) -> str:
        rows = self._rows()
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
        lines = []
        for row in rows:
            cells = [cell.ljust(width) for cell, width in zip(row, widths)]
            lines.append("  ".join([*cells, row[-1]]).rstrip())
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<MergeView of {len(self.steps)} merges>"

    def _repr_pretty_(self, printer, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        head, *rows = self._rows()
        # "<" cannot end the script element early when it is written as an escape of JSON.
        data = json.dumps(self.data(), ensure_ascii=False, separators=(",", ":"))
        data = data.replace("<", "\\u003c").replace("\u2028", "\\u2028")
        ths = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
        trs = "".join(
            f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
        )
        return (
            f"{style('colors', 'watch')}"
            f'<div class="bpe-watch bpe-colors mathjax_ignore" dir="ltr" role="group" '
            f'aria-label="{escape(self.labels["title"])}" data-step="0" '
            f'data-steps="{len(self.steps)}" data-lm-suppress-shortcuts="true">'
            f'<div class="bpe-watch-static" tabindex="0" role="group" '
            f'aria-label="{escape(self.labels["table"])}"><table><thead><tr>{ths}</tr></thead>'
            f"<tbody>{trs}</tbody></table></div>"
            f'<script type="application/json" class="bpe-watch-data">{data}</script>'
            f"{script('watch')}</div>"
        )


def watch_merges(
    text: str,
    num_merges: int | None = None,
    ties: str = "first",
    *,
    labels: Mapping[str, str] | None = None,
) -> MergeView:
    """Show step by step how merges are learned from a short text.

    Args:
        text: At most 400 bytes of UTF-8: a text that fits on a page.
        num_merges: How many merges to learn, fewer if no pair is left. By default, as many as
            there are pairs that occur twice.
        ties: Which of several pairs with the highest count is merged: see ``pairs.top_pair``.
        labels: Other words for some of ``LABELS`` (for a translation).

    Raises:
        ValueError: The text is empty or too long, it has nothing to merge, ``num_merges`` is not
            from 1 to 200, or ``ties`` is not a rule.

    >>> print(watch_merges("aaabdaaabac"))
    step  pair       new id  token  count  replaced  ids left  tokens after the step
    1     (97, 97)   256     aa     4      2         9         |aa|a|b|d|aa|a|b|a|c|
    2     (256, 97)  257     aaa    2      2         7         |aaa|b|d|aaa|b|a|c|
    3     (257, 98)  258     aaab   2      2         5         |aaab|d|aaab|a|c|
    """
    length = len(text_to_bytes(text))
    if length > MAX_BYTES:
        raise ValueError(
            f"the text has {length} bytes, and the viewer shows {MAX_BYTES} at most: watch a part "
            "of it, or learn from all of it with bpe.training.train"
        )
    if num_merges is not None and not 1 <= num_merges <= MAX_MERGES:
        raise ValueError(f"num_merges={num_merges}: the viewer shows 1 to {MAX_MERGES} merges")
    if length < 2:
        raise ValueError(
            f"{text!r} has {length} byte{'s' * (length != 1)}, and a pair needs two: "
            "give a longer text"
        )
    limit = num_merges or MAX_MERGES
    min_count = 1 if num_merges else 2
    steps = list(islice(training_steps(text, ties=ties, min_count=min_count), limit))
    if not steps:
        raise ValueError(
            f"no pair occurs twice in {text!r}: give num_merges to merge pairs that occur once, "
            "or a text that repeats itself"
        )
    end = "none" if steps[-1].length == 1 else "once"
    if len(steps) == limit:
        end = "asked" if num_merges else "limit"
    return MergeView(text, steps, ties=ties, end=end, labels={**LABELS, **(labels or {})})
