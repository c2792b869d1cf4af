"""The measures of the suite ``loading``: pure functions of a gold row and of what a loader gave.

An item is ``{"file", "text", "headings", "tables", "pages", "error"}``. Every measure of a file is a fraction, or None
where the file has nothing to measure it on; a set's value is the mean over the files that have one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from graphrag.evaluation.loading_tables import score_tables
from graphrag.evaluation.loading_text import apart, common_subsequence, occurrences, plain, solid, tokens
from graphrag.evaluation.measures import Measured

Row = dict[str, Any]
FileScore = dict[str, float | None]

MEASURES = (
    *("f1", "bag", "sent", "sent_pg", "sent_hy", "leak", "head", "head_p"),
    *("cell", "row", "xtab", "note", "pages", "fail"),
)
"""In the order in which they are reported."""
KINDS = ("text", "error", "empty", "any")
"""What may be expected of a wild file."""
MOST_EMPTY = 40
"""Characters that a file without text of its own may give."""
_HEADING_MARK = re.compile(r"^#+\s*")
_SHORT = 2  # tokens: a label that short may be part of a sentence, so only one of it is left out


def score_file(gold: Row, item: Row | None) -> FileScore:
    """Every measure of one file; a missing item counts as a refused file."""
    item = item or {"error": "missing"}
    text: str = item.get("text") or ""
    there = plain(text)
    f1, bag = _overlaps(gold, text)
    tables = score_tables(gold["tables"], item.get("tables") or [])
    head, head_precision = _headings(gold, [_words(h) for h in item.get("headings") or []])
    pages = item.get("pages")
    return {
        "f1": f1,
        "bag": bag,
        "sent": _found(gold["sentences"], there),
        "sent_pg": _found(gold.get("broken_by_page"), there),
        "sent_hy": _found(gold.get("broken_by_hyphen"), there),
        "leak": _leak(gold, there.replace(" ", "")),
        "head": head,
        "head_p": head_precision,
        "cell": tables.cell,
        "row": tables.row,
        "xtab": float(tables.extra),
        "note": _found(gold.get("footnotes"), there),
        "pages": None if pages is None or gold.get("pages") is None else float(pages == gold["pages"]),
        "fail": float(bool(item.get("error")) or not text.strip()),
    }


def as_expected(gold: Row, item: Row | None) -> bool:
    """Whether a loader did with a wild file what it should."""
    if item is None:
        return False
    text: str = item.get("text") or ""
    there = _without_blanks(text)
    lacks = any(_without_blanks(words) not in there for words in gold["contains"])
    leaks = any(_without_blanks(words) in there for words in gold.get("must_not") or ())
    match gold["expect"]:
        case "text":
            return not item.get("error") and bool(text.strip()) and not lacks and not leaks
        case "any":
            return not leaks
        case "error":
            return bool(item.get("error"))
        case _:
            return len(text.strip()) <= MOST_EMPTY


def score_files(gold: Sequence[Row], items: Mapping[str, Row]) -> list[Measured]:
    """Every measure over the files that have something to measure it on."""
    scores = [score_file(row, items.get(row["file"])) for row in gold]
    out = []
    for measure in MEASURES:
        values = [value for score in scores if (value := score[measure]) is not None]
        if values:
            out.append(Measured(measure, sum(values) / len(values), len(values)))
    return out


def score_wild(gold: Sequence[Row], items: Mapping[str, Row]) -> list[Measured]:
    """The share of wild files that gave what is expected of them: of all, and of those of each kind."""
    right = [(row["expect"], as_expected(row, items.get(row["file"]))) for row in gold]
    out = []
    for kind in ("", *KINDS):
        values = [ok for expected, ok in right if kind in ("", expected)]
        if values:
            name = f"as_expected.{kind}" if kind else "as_expected"
            out.append(Measured(name, sum(values) / len(values), len(values)))
    return out


def _overlaps(gold: Row, text: str) -> tuple[float, float]:
    """Token F1 by longest common subsequence and as multisets; what is neutral counts neither way."""
    wanted = tokens(gold["gold_text"])
    given = tokens(text)
    for phrase in sorted([*gold.get("optional", ()), *gold.get("footnotes", ())], key=len, reverse=True):
        given = _without_spare(given, tokens(phrase), wanted)
    spare = sum(_repeated(tokens(phrase), most, given, wanted) for phrase, most in gold.get("repeatable") or ())
    size = len(wanted) + len(given) - spare
    if not size:
        return 1.0, 1.0
    in_order = common_subsequence(wanted, given)
    in_any = (Counter(wanted) & Counter(given)).total()
    return min(1.0, 2 * in_order / size), min(1.0, 2 * in_any / size)


def _without_spare(given: list[str], phrase: list[str], wanted: list[str]) -> list[str]:
    """The tokens without the first occurrences of a neutral phrase, as many as there are more than in the gold text."""
    starts = occurrences(phrase, given)
    spare = len(starts) - len(occurrences(phrase, wanted))
    if len(phrase) <= _SHORT:
        spare = min(spare, 1)
    for start in reversed(apart(starts, len(phrase))[: max(spare, 0)]):
        given = given[:start] + given[start + len(phrase) :]
    return given


def _repeated(phrase: list[str], most: int, given: list[str], wanted: list[str]) -> int:
    """How many tokens come from a merged cell that was given again for the places it covers."""
    times = [len(apart(occurrences(phrase, text), len(phrase))) for text in (given, wanted)]
    return len(phrase) * max(0, min(most, times[0] - times[1]))


def _found(phrases: Sequence[str] | None, there: str) -> float | None:
    return sum(plain(phrase) in there for phrase in phrases) / len(phrases) if phrases else None


def _leak(gold: Row, there: str) -> float | None:
    """The share of forbidden strings that occur, and of those allowed once that occur again."""
    leaks = [solid(words) in there for words in gold.get("must_not") or ()]
    leaks += [there.count(solid(words)) > 1 for words in gold.get("must_not_repeat") or ()]
    return sum(leaks) / len(leaks) if leaks else None


def _headings(gold: Row, given: Sequence[str]) -> tuple[float | None, float | None]:
    """Recall of the headings, and precision of those given."""
    wanted = [plain(heading) for heading in gold["headings"]]
    if not wanted:
        return None, None
    found = [plain(_HEADING_MARK.sub("", heading)) for heading in given]
    right = {*wanted, *(plain(words) for words in gold.get("optional") or ())}
    precision = sum(heading in right for heading in found) / len(found) if found else None
    return (Counter(wanted) & Counter(found)).total() / len(wanted), precision


def _words(heading: Row | str) -> str:
    return heading if isinstance(heading, str) else heading.get("text", "")


def _without_blanks(text: str) -> str:
    return plain(text).replace(" ", "")


__all__ = ["KINDS", "MEASURES", "as_expected", "score_file", "score_files", "score_wild"]
