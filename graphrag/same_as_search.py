"""Which statements a new one is compared with: by shared words, by one signature, and by vectors where it has none.

Every stored statement is looked at. What is left out is left out by a rule on the pair: a pair with concepts must name
the same ones, a pair without any must share words or be near by the vectors of its mentions. In a store with
``isolation = strict`` the latter is left out, so that a link follows from the two keys alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from extractors.concepts import signature
from graphrag.same_as import languages, linked
from graphrag.stores import Stores
from storage.ports import Vector
from storage.records import SameAs, Statement, StatementKey
from storage.similarity import SAME_AS_THRESHOLD, blocking_terms

_NOMINATED = {("en", "en"): 0.92, ("zh", "zh"): 0.94, ("en", "zh"): 0.83}
"""Smallest cosine of two mentions without any concept at which their keys are compared at all."""


def same_as_links(
    stores: Stores, statements: Sequence[Statement], vectors: Mapping[str, Sequence[Vector]]
) -> list[SameAs]:
    """Links of new statements to each other and to all stored ones.

    Args:
        stores: the parts of the knowledge base; the rows of the new statements are in its index already.
        statements: what one batch says.
        vectors: by statement id, the vectors of its rows in this batch.
    """
    new = {s.id: s.key for s in statements}
    pairs = _sharing_words(stores, new) | _sharing_concepts(stores, new, vectors)
    ends = sorted({end for pair in pairs for end in pair} - set(new))
    keys = {**stores.graph.statement_keys(ends), **new}
    return linked(
        [(keys[a], keys[b]) for a, b in sorted(pairs) if a in keys and b in keys], stores.embedder, stores.table_vectors
    )


def _sharing_words(stores: Stores, new: Mapping[str, StatementKey]) -> set[tuple[str, str]]:
    """Pairs of one language whose words overlap enough."""
    keys = dict(new)
    wanted: dict[str, set[str]] = defaultdict(set)
    for key in new.values():
        wanted[key.language].update(blocking_terms(key))
    for language, terms in wanted.items():
        keys.update((Statement(key=k).id, k) for k in stores.graph.statements_sharing(language, sorted(terms)))
    blocked: dict[tuple[object, ...], list[str]] = defaultdict(list)  # by term, among keys that may say the same at all
    for id_, key in keys.items():
        for term in wanted[key.language].intersection(blocking_terms(key)):
            blocked[key.language, key.direction, key.negated, term].append(id_)
    terms_of = {id_: frozenset(key.terms) for id_, key in keys.items()}
    pairs: set[tuple[str, str]] = set()
    for candidates in blocked.values():
        for id_ in candidates:
            if id_ not in new:
                continue
            mine = terms_of[id_]
            for other in candidates:
                common = len(mine & terms_of[other])  # the overlap is cheap, the order of the terms is not
                if id_ != other and common >= SAME_AS_THRESHOLD * (len(mine) + len(terms_of[other]) - common):
                    pairs.add((id_, other) if id_ < other else (other, id_))
    return pairs


def _sharing_concepts(
    stores: Stores, new: Mapping[str, StatementKey], vectors: Mapping[str, Sequence[Vector]]
) -> set[tuple[str, str]]:
    """Pairs with one signature: every stored row is looked at, and compared by vector where no concept is named."""
    known = stores.signatures
    known.update((id_, signature(key)) for id_, key in new.items())
    wanted: dict[object, list[str]] = defaultdict(list)
    for id_ in new:
        if (mine := known[id_]) is not None:
            wanted[mine.block].append(id_)
    pairs: set[tuple[str, str]] = set()
    if not wanted:
        return pairs
    # Else a document that few may see could, by its wording, link two statements that many see.
    by_mentions = stores.manifest is None or stores.manifest.isolation != "strict"
    for owners, matrix in stores.index.vectors("statements"):
        missing = sorted({owner for owner in owners if owner not in known})
        known.update((id_, signature(key)) for id_, key in stores.graph.statement_keys(missing).items())
        rows: dict[tuple[str, tuple[str, bool]], list[int]] = defaultdict(list)
        for i, owner in enumerate(owners):
            theirs = known.get(owner)
            if theirs is None or theirs.block not in wanted:
                continue
            if theirs.concepts:
                pairs.update(_pair(mine, owner) for mine in wanted[theirs.block] if mine != owner)
            elif by_mentions:
                rows[theirs.language, theirs.frame].append(i)
        for (language, frame), places in rows.items():
            pairs |= _nearest(
                [(id_, v) for id_ in wanted[frame, frozenset()] for v in vectors.get(id_, ())],
                new, [owners[i] for i in places], matrix[places], language,
            )  # fmt: skip
    return pairs


def _nearest(
    mine: Sequence[tuple[str, Vector]],
    new: Mapping[str, StatementKey],
    owners: Sequence[str],
    matrix: Vector,
    language: str,
) -> set[tuple[str, str]]:
    if not mine:
        return set()
    least = np.array([_NOMINATED[languages(new[id_].language, language)] for id_, _ in mine], dtype=np.float32)
    cosines = np.stack([vector for _, vector in mine]) @ matrix.T
    found = zip(*np.nonzero(cosines >= least[:, None]), strict=True)
    return {_pair(mine[i][0], owners[j]) for i, j in found if mine[i][0] != owners[j]}


def _pair(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a < b else (b, a)


__all__ = ["same_as_links"]
