"""How much of everything the embedded graph store holds, as far as a caller may see."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from storage.embedded_rows import id_list
from storage.embedded_scope import Sight, visibly
from storage.ports import Counts, DocumentCounts

_SEEN = visibly("""
WITH shown AS MATERIALIZED (SELECT d.id FROM document AS d WHERE VISIBLE),
proof AS MATERIALIZED (
  SELECT v.relation FROM shown CROSS JOIN evidence AS v CROSS JOIN relation AS r
  WHERE v.document = shown.id AND r.id = v.relation AND r.status = 'active'),
said AS MATERIALIZED (SELECT m.statement FROM shown CROSS JOIN mention AS m WHERE m.document = shown.id),
related AS MATERIALIZED (SELECT DISTINCT relation FROM proof),
stated AS MATERIALIZED (SELECT DISTINCT statement FROM said)
""")
_TOTALS = """SEEN
SELECT (SELECT count(*) FROM shown) AS documents,
  (SELECT count(*) FROM shown CROSS JOIN chunk AS c WHERE c.document = shown.id) AS chunks,
  (SELECT count(*) FROM stated) AS statements,
  (SELECT count(*) FROM said) AS mentions,
  (SELECT count(*) FROM proof) AS evidence,
  (SELECT count(*) FROM same_as AS a WHERE a.first IN (SELECT statement FROM stated)
     AND a.second IN (SELECT statement FROM stated)) AS same_as
""".replace("SEEN", _SEEN)
_BY_TYPE = """SEEN
SELECT r.type, count(*) FROM related CROSS JOIN relation AS r WHERE r.id = related.relation 
GROUP BY r.type ORDER BY r.type
""".replace("SEEN", _SEEN)
_CHAINS = """SEEN
SELECT count(*), total(NOT EXISTS (SELECT 1 FROM chain_document AS m WHERE m.chain = c.id)) FROM chain AS c
WHERE c.status = 'active' AND NOT EXISTS (
  SELECT 1 FROM chain_link AS l WHERE l.chain = c.id AND l.relation NOT IN (SELECT relation FROM related))
""".replace("SEEN", _SEEN)
_OF_DOCUMENTS = visibly("""
SELECT d.id, (SELECT count(*) FROM chunk AS c WHERE c.document = d.id),
  (SELECT count(DISTINCT v.relation) FROM evidence AS v CROSS JOIN relation AS r
   WHERE v.document = d.id AND r.id = v.relation AND r.status = 'active')
FROM json_each(:ids) AS f CROSS JOIN document AS d WHERE d.id = f.value AND VISIBLE
""")


def counts(connection: sqlite3.Connection, seen: Sight) -> Counts:
    """Totals over what is visible; proposals are the owner's to see."""
    documents, chunks, statements, mentions, evidence, same_as = connection.execute(
        _TOTALS, seen.parameters
    ).fetchone()
    by_type = dict(connection.execute(_BY_TYPE, seen.parameters).fetchall())
    chains, derived = connection.execute(_CHAINS, seen.parameters).fetchone()
    waiting = connection.execute(
        "SELECT count(*) FROM proposal WHERE ? AND status = 'quarantined'", (seen.owner,)
    ).fetchone()[0]
    return Counts(
        sources=documents,  # one current document each
        documents=documents,
        chunks=chunks,
        statements=statements,
        mentions=mentions,
        relations=sum(by_type.values()),
        relations_by_type=by_type,
        evidence=evidence,
        same_as=same_as,
        chains=chains,
        derived_chains=int(derived),
        quarantined=waiting,
    )


def document_counts(
    connection: sqlite3.Connection, document_ids: Sequence[str], seen: Sight
) -> dict[str, DocumentCounts]:
    """What each visible document holds."""
    rows = connection.execute(_OF_DOCUMENTS, {**seen.parameters, "ids": id_list(document_ids)})
    return {id_: DocumentCounts(chunks=chunks, relations=relations) for id_, chunks, relations in rows}


__all__ = ["counts", "document_counts"]
