"""How alike two statement keys are: a pure function of the pair, and the terms through which such pairs are found."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from storage.records import StatementKey

SAME_AS_THRESHOLD = 0.6
"""Smallest overlap at which two keys of one language are linked as saying the same."""

MAX_TERMS = 16
"""Longest key that is linked to others."""

_ORDER_KEPT = 2 / 3
"""Share of the common terms that must stand in the same order: *A buys B* is not *B buys A*."""


def key_overlap(first: StatementKey, second: StatementKey) -> float:
    """Jaccard overlap of the terms of two keys, in [0, 1].

    It is 0 for keys of different language, direction or negation, and where the common terms stand in another order.
    """
    if max(len(first.terms), len(second.terms)) > MAX_TERMS:
        return 0.0
    if (first.language, first.direction, first.negated) != (second.language, second.direction, second.negated):
        return 0.0
    a, b = set(first.terms), set(second.terms)
    common = a & b
    if not common:
        return 0.0
    if not order_kept([t for t in first.terms if t in common], [t for t in second.terms if t in common]):
        return 0.0
    return len(common) / len(a | b)


def blocking_terms(key: StatementKey) -> tuple[str, ...]:
    """The strings under which a key is indexed: two keys that overlap by the threshold or more share at least one.

    Prefix filtering (Chaudhuri, Ganti, Kaushik 2006) on pairs of terms: of n terms two alike keys have at least
    c = ⌈threshold · n⌉ in common, so in any fixed order of all terms their first n − c + 2 hold a common pair. Pairs
    are far rarer than terms, which keeps a frequent word (*price*) from making every statement a candidate. Keys that
    say one term, once or more often, are indexed under it. Longer keys than ``MAX_TERMS`` are sentences: not linked.
    """
    terms = sorted(set(key.terms), key=lambda t: (-len(t), t))
    if len(key.terms) > MAX_TERMS:
        return ()
    if len(terms) == 1:
        return (terms[0],)
    prefix = terms[: len(terms) - math.ceil(SAME_AS_THRESHOLD * len(terms)) + 2]
    return tuple(f"{a} {b}" for a, b in itertools.combinations(prefix, 2))


def order_kept(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether two orders of the same terms agree enough: by two thirds of the terms."""
    return _common_subsequence(first, second) >= _ORDER_KEPT * len(set(first))


def _common_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of the longest common subsequence."""
    row = [0] * (len(second) + 1)
    for a in first:
        diagonal = 0
        for j, b in enumerate(second, 1):
            diagonal, row[j] = row[j], diagonal + 1 if a == b else max(row[j], row[j - 1])
    return row[-1]


__all__ = ["MAX_TERMS", "SAME_AS_THRESHOLD", "blocking_terms", "key_overlap", "order_kept"]
