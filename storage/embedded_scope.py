"""Who may see which document of the embedded graph store, as one condition that every read puts into its SQL."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from typing import Any

from storage.embedded_rows import id_list
from storage.encoding import to_micros
from storage.records import AccessClass, Scope

_VISIBLE = """(
  (:owner OR d.class IN (SELECT value FROM json_each(:classes)))
  AND (d.bounded = 0 OR :at IS NULL OR (
    (d.valid_from IS NULL OR d.valid_from <= :at) AND (d.valid_to IS NULL OR :at < d.valid_to)
    AND NOT EXISTS (SELECT 1 FROM document_gap AS g WHERE g.document = d.id AND g.start <= :at AND :at < g.end)))
  AND (:tag_count = 0 OR :tag_count = (SELECT count(*) FROM document_tag t
       WHERE t.document = d.id AND t.tag IN (SELECT value FROM json_each(:tags))))
)"""
"""That the document ``d`` is visible.

``document`` holds current documents and kept older versions of them, which are valid at other times, and what an open
intent adds is not in it before its commit. So ``hidden``, which keeps a search from half-written rows, has nothing to
hide here: a document that is being processed anew stays as it was.
"""


def visibly(sql: str) -> str:
    """``sql`` with VISIBLE replaced by the condition on ``d``; called at import on constants only."""
    return sql.replace("VISIBLE", _VISIBLE)


@dataclass(frozen=True, slots=True)
class Sight:
    """A scope as SQL parameters."""

    parameters: dict[str, Any]
    owner: bool
    narrowed: bool  # some document of an admitted class may be invisible, so ``edge`` says too much


def sight(connection: sqlite3.Connection, scope: Scope) -> Sight:
    """Look a scope up in the current snapshot."""
    classes = [] if scope.classes is None else _class_keys(connection, scope.classes)
    bounded = any_bounded(connection)
    parameters = {
        "owner": scope.classes is None,
        "classes": id_list(classes),
        "at": to_micros(scope.at),
        "tags": id_list(scope.tags),
        "tag_count": len(scope.tags),
    }
    return Sight(parameters=parameters, owner=scope.classes is None, narrowed=bool(scope.tags or bounded))


def any_bounded(connection: sqlite3.Connection) -> bool:
    """Whether any document is valid only for a time."""
    return bool(connection.execute("SELECT EXISTS (SELECT 1 FROM document WHERE bounded = 1)").fetchone()[0])


def admitted_classes(connection: sqlite3.Connection, groups: frozenset[str]) -> frozenset[str]:
    """The interned access classes whose rule these groups satisfy."""
    rows = connection.execute("SELECT id, rule FROM access_class")
    return frozenset(id_ for id_, rule in rows if AccessClass(rule=json.loads(rule)).admits(groups))


def _class_keys(connection: sqlite3.Connection, ids: frozenset[str]) -> list[int]:
    rows = connection.execute(
        "SELECT c.key FROM json_each(?) AS f CROSS JOIN access_class AS c WHERE c.id = f.value", (id_list(ids),)
    )
    return [key for (key,) in rows]


__all__ = ["Sight", "admitted_classes", "any_bounded", "sight", "visibly"]
