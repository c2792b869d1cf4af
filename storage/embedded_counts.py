"""How much of everything the embedded graph store holds, as far as a caller may see."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from storage.embedded_rows import id_list
from storage.embedded_scope import Sight, visibly
from storage.ports import Counts, DocumentCounts
from storage.records import RelationType

# Each total scans its table in key order and looks its proof up beside it, which touches every page once; going from
# documents to what they hold would jump through the whole file. The unary plus keeps the planner from trying every
# visible document as a key.
_SHOWN = visibly("""WITH shown AS MATERIALIZED (SELECT d.id, d.source FROM document AS d WHERE VISIBLE),
related AS MATERIALIZED (
  SELECT r.id, r.type FROM relation AS r WHERE r.status = 'active' AND EXISTS (
    SELECT 1 FROM evidence AS v WHERE v.relation = r.id AND +v.document IN (SELECT id FROM shown))),
stated AS MATERIALIZED (
  SELECT s.id FROM statement AS s WHERE s.terms IS NOT NULL AND EXISTS (
    SELECT 1 FROM mention AS m WHERE m.statement = s.id AND +m.document IN (SELECT id FROM shown)))
""")
_VISIBLE_ONLY = """SHOWN
SELECT 'documents', count(*) FROM shown
UNION ALL SELECT 'sources', count(DISTINCT source) FROM shown
UNION ALL SELECT 'chunks', count(*) FROM chunk WHERE +document IN (SELECT id FROM shown)
UNION ALL SELECT 'statements', count(*) FROM stated
UNION ALL SELECT 'mentions', count(*) FROM mention WHERE +document IN (SELECT id FROM shown)
UNION ALL SELECT 'evidence', count(*) FROM evidence WHERE +document IN (SELECT id FROM shown) AND relation NOT IN (HELD)
UNION ALL SELECT 'same_as', count(*) FROM same_as
  WHERE status = 'active' AND first IN (SELECT id FROM stated) AND second IN (SELECT id FROM stated)
UNION ALL SELECT type, count(*) FROM related GROUP BY type
UNION ALL SELECT CASE WHEN c.held THEN 'found' ELSE 'derived' END, count(*)
  FROM (SELECT c.id, c.accepted, EXISTS (SELECT 1 FROM chain_document AS m WHERE m.chain = c.id
    AND +m.document IN (SELECT id FROM shown)) AS held FROM chain AS c WHERE c.status = 'active') AS c
  WHERE (c.held OR c.accepted) AND NOT EXISTS (
    SELECT 1 FROM chain_link AS l WHERE l.chain = c.id AND l.relation NOT IN (SELECT id FROM related)) GROUP BY 1
"""
# What the owner sees of a store without validity bounds needs no proof: it is all that is active.
_EVERYTHING = """
SELECT 'documents', count(*) FROM document
UNION ALL SELECT 'sources', count(*) FROM source
UNION ALL SELECT 'chunks', count(*) FROM chunk
UNION ALL SELECT 'statements', count(*) FROM statement WHERE terms IS NOT NULL
UNION ALL SELECT 'mentions', count(*) FROM mention
UNION ALL SELECT 'evidence', count(*) FROM evidence WHERE relation NOT IN (HELD)
UNION ALL SELECT 'same_as', count(*) FROM same_as AS a CROSS JOIN statement AS f CROSS JOIN statement AS s
  WHERE a.status = 'active' AND f.id = a.first AND s.id = a.second AND f.terms IS NOT NULL AND s.terms IS NOT NULL
UNION ALL SELECT type, count(*) FROM relation WHERE status = 'active' GROUP BY type
UNION ALL SELECT CASE WHEN EXISTS (SELECT 1 FROM chain_document AS m WHERE m.chain = c.id)
  THEN 'found' ELSE 'derived' END, count(*) FROM chain AS c WHERE c.status = 'active' GROUP BY 1
"""
_HELD = "SELECT id FROM relation WHERE status NOT IN ('active', 'retired')"
_VISIBLE_ONLY = _VISIBLE_ONLY.replace("SHOWN", _SHOWN).replace("HELD", _HELD)
_EVERYTHING = _EVERYTHING.replace("HELD", _HELD)
_OF_DOCUMENTS = visibly("""
SELECT d.id, (SELECT count(*) FROM chunk AS c WHERE c.document = d.id),
  (SELECT count(DISTINCT v.relation) FROM evidence AS v CROSS JOIN relation AS r
   WHERE v.document = d.id AND r.id = v.relation AND r.status = 'active')
FROM json_each(:ids) AS f CROSS JOIN document AS d WHERE d.id = f.value AND VISIBLE
""")


def counts(connection: sqlite3.Connection, seen: Sight) -> Counts:
    """Totals over what is visible; proposals are the owner's to see."""
    everything = seen.owner and not seen.narrowed
    rows = connection.execute(_EVERYTHING) if everything else connection.execute(_VISIBLE_ONLY, seen.parameters)
    total: dict[str, int] = dict(rows.fetchall())
    by_type = {type_.value: total[type_] for type_ in RelationType if type_ in total}
    waiting = connection.execute(
        "SELECT count(*) FROM proposal WHERE ? AND status = 'quarantined'", (seen.owner,)
    ).fetchone()[0]
    return Counts(
        sources=total["sources"],
        documents=total["documents"],
        chunks=total["chunks"],
        statements=total["statements"],
        mentions=total["mentions"],
        relations=sum(by_type.values()),
        relations_by_type=by_type,
        evidence=total["evidence"],
        same_as=total["same_as"],
        chains=total.get("found", 0) + total.get("derived", 0),
        derived_chains=total.get("derived", 0),
        quarantined=waiting,
    )


def document_counts(
    connection: sqlite3.Connection, document_ids: Sequence[str], seen: Sight
) -> dict[str, DocumentCounts]:
    """What each visible document holds."""
    rows = connection.execute(_OF_DOCUMENTS, {**seen.parameters, "ids": id_list(document_ids)})
    return {id_: DocumentCounts(chunks=chunks, relations=relations) for id_, chunks, relations in rows}


__all__ = ["counts", "document_counts"]
