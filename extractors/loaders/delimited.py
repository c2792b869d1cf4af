"""Rows of a text whose cells are parted by a comma, semicolon, tab or bar: which of them it is, and the cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice

DELIMITERS = ",;\t|"
ONE_COLUMN = "\0"
"""A delimiter that stands in no stored text: each row is one cell."""

_SAMPLE = 65_536  # characters that tell the delimiter
_SAMPLE_ROWS = 200
_DECLARED = re.compile(r'"?sep=([,;\t|])"?\n', re.IGNORECASE)


def split_declared(text: str) -> tuple[str | None, str]:
    """The delimiter that a first line such as ``sep=;`` names, as spreadsheets write it, and the text after it."""
    found = _DECLARED.match(text)
    return (found.group(1), text[found.end() :]) if found else (None, text)


def delimiter_of(text: str, preferred: str = ",") -> str:
    """What parts the cells of ``text``: with it the most rows have one number of cells, the first row among them.

    ``preferred`` is taken when two make columns equally well; where none does, :data:`ONE_COLUMN`.
    """
    sample = text[:_SAMPLE]
    if len(text) > len(sample) and "\n" in sample:
        sample = sample[: sample.rindex("\n") + 1]
    best = max(DELIMITERS, key=lambda delimiter: (_consistency(sample, delimiter), delimiter == preferred))
    return best if _consistency(sample, best)[0] > 0 else ONE_COLUMN


def _consistency(sample: str, delimiter: str) -> tuple[float, bool, int]:
    """The share of rows that have the usual number of cells, whether the first has it, and that number."""
    rows = [row for row in islice(read_rows(sample, delimiter), _SAMPLE_ROWS) if any(map(str.strip, row))]
    counts = Counter(len(row) for row in rows)
    usual, times = max(counts.items(), key=lambda item: (item[1], item[0]), default=(1, 0))
    if usual == 1 and len(counts) > 1:  # sentences with a comma here and there, or rows under a title of one cell
        several = {cells: times for cells, times in counts.items() if cells > 1}
        wider = max(several.items(), key=lambda item: item[1])
        regular = wider[0] > 2 and wider[1] > 2 and wider[1] >= sum(several.values()) * 0.8
        usual, times = wider if regular or wider[1] * 2 >= len(rows) else (1, 0)
    if usual == 1:
        return 0.0, False, 1
    return round(times / len(rows), 2), len(rows[0]) == usual, usual


def read_rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """The cells of each row of ``text``, in time linear in its length; cells of any size are read.

    A cell that begins with a quotation mark goes on, over line ends too, until a mark that a delimiter or a line end
    follows; a mark that is never closed is a character like any other. An empty line is a row without cells.
    """
    at = 0
    closes = True  # whether a quotation mark may still find its partner
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        if text.find('"', at, end) < 0:
            yield text[at:end].split(delimiter) if end > at else []
            at = end + 1
            continue
        row: list[str] = []
        while True:
            start = at
            while text[start : start + 1] == " ":
                start += 1
            if closes and text[start : start + 1] == '"':
                close = _closing(text, start + 1, delimiter)
                closes = close is not None
                if close is not None:
                    row.append(text[start + 1 : close].replace('""', '"'))
                    at = close + 1
                    while text[at : at + 1] == " ":
                        at += 1
                    if text[at : at + 1] == delimiter:
                        at += 1
                        continue
                    at += 1
                    break
            line_end = text.find("\n", at)
            line_end = len(text) if line_end < 0 else line_end
            cell_end = text.find(delimiter, at, line_end)
            if cell_end < 0:
                row.append(text[at:line_end])
                at = line_end + 1
                break
            row.append(text[at:cell_end])
            at = cell_end + 1
        yield row


def _closing(text: str, at: int, delimiter: str) -> int | None:
    """Where the quotation mark stands that closes the one before ``at``; None when there is none."""
    ends = (delimiter, "\n", "")
    while (at := text.find('"', at)) >= 0:
        if text[at + 1 : at + 2] == '"':
            at += 2
            continue
        after = at + 1
        while text[after : after + 1] == " ":
            after += 1
        if text[after : after + 1] in ends:
            return at
        at += 1
    return None


__all__ = ["DELIMITERS", "ONE_COLUMN", "delimiter_of", "read_rows", "split_declared"]
