"""Who may see which document of the Neo4j graph store, as one condition that every read puts into its Cypher."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from storage.encoding import to_micros
from storage.identity import is_id
from storage.neo4j_database import fetch
from storage.records import AccessClass, Scope

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

_VISIBLE = """(
  ($owner OR d.class IN $classes) AND all(tag IN $tags WHERE tag IN d.tags)
  AND (d.bounded IS NULL OR $at IS NULL OR (
    (d.valid_from IS NULL OR d.valid_from <= $at) AND (d.valid_to IS NULL OR $at < d.valid_to)
    AND (d.gaps IS NULL OR size([edge IN d.gaps WHERE edge <= $at]) % 2 = 0)))
)"""
"""That the document ``d`` is visible: a current one, or an older version, which is valid at another time.

Of ``gaps``, the edges in order, an odd number lies before a moment that is in one.
"""


def visibly(cypher: str) -> str:
    """``cypher`` with VISIBLE replaced by the condition on ``d``; called at import on constants only."""
    return cypher.replace("VISIBLE", _VISIBLE)


def seen(scope: Scope, **more: Any) -> dict[str, Any]:
    """A scope as parameters."""
    return {
        "owner": scope.classes is None,
        "classes": known(scope.classes or ()),
        "at": to_micros(scope.at),
        "tags": sorted(scope.tags),
        **more,
    }


def known(ids: Iterable[str]) -> list[str]:
    """What can be an id at all, once each and sorted, so that equal sets give equal queries."""
    return sorted({id_ for id_ in ids if is_id(id_)})


def any_bounded(tx: ManagedTransaction) -> bool:
    """Whether any document is valid only for a time."""
    return bool(fetch(tx, "RETURN EXISTS { MATCH (d:Document {bounded: true}) }")[0][0])


def admitted_classes(tx: ManagedTransaction, groups: frozenset[str]) -> frozenset[str]:
    """The interned access classes whose rule these groups satisfy."""
    rows = fetch(tx, "MATCH (a:AccessClass) RETURN a.id, a.rule")
    return frozenset(id_ for id_, rule in rows if AccessClass(rule=json.loads(rule)).admits(groups))


__all__ = ["admitted_classes", "any_bounded", "known", "seen", "visibly"]
