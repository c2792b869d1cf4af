"""Row 15 of SECURITY.md: whatever a caller writes, what the stores are asked is one of a fixed set of questions.

Every statement that goes to SQLite or Neo4j and every filter that goes to LanceDB is recorded. Plain questions show
which there are; after that, hostile strings in every place where a caller can put one must give no other.
"""

from __future__ import annotations

import os
import random
import re
import sqlite3
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import neo4j
import pytest
import soak_figures
from access_corpus import corpus
from access_faces import OpenStore

import storage.embedded_connection
from graphrag import Document, KnowledgeBase
from storage.errors import ClewError
from storage.records import OWNER, View

SOAK = bool(os.environ.get("CLEW_SOAK"))
STRINGS = {"embedded": 10_000 if SOAK else 800, "neo4j": 10_000 if SOAK else 200}
SEED = 15

_PIECES = (
    *"'\"`\\;%_*?!()[]{}:=<>,+-$", "--", "/*", "*/", "~2", "^4", "&&", "||", "$1", ":ids", "$ids", "?1", "{0}", "%s",
    *"\x00\x01\t\u202e\u200b\ufeff\ufffe\ud800\udfff\U0010ffff", "\x1b[31m", "\r\n", "𠮷", "ﷺ" * 20, "é", "İ",
    "'' OR ''=''", "' OR 1=1 --", "1 OR true", "'; DROP TABLE document; --", "') UNION SELECT * FROM source --",
    "NULL", "NOT", "AND", "OR", "NEAR(", "title:", '"a b"~3', "terms:*", "x' IN (SELECT value FROM json_each(:ids))",
    "}) DETACH DELETE n //", "' RETURN n UNION MATCH (n) RETURN n //", "MATCH (n) DETACH DELETE n", "CALL db.labels()",
    "LOAD CSV FROM 'file:///etc/passwd'", "access_class IS NOT NULL", "array_has_all(tags, make_array(''))",
    "acl_' OR '1'='1", "doc_", "chn_", "rel_", "src_", "chn_" + "f" * 32, "rel_" + "0" * 32,
    "RELATION", "STATEMENT", "VISIBLE", "EDGE", "NEAR", "FAR", "SHOWN", "HELD",  # what our own templates are made with
    "导致", "为什么", "港口", "，", "；", "。", "“", "港口关闭", "the closed port", "why", "cause", "public", "a", "b",
    "../../etc/passwd", "file.md", "${jndi:ldap://x}", "<script>", "{{7*7}}", "0x41", "1e309", "-1", "NaN",
)  # fmt: skip


def hostile(rng: random.Random) -> str:
    """A string of such pieces, seldom a very long one."""
    text = "".join(rng.choice(_PIECES) + rng.choice(["", "", " "]) for _ in range(rng.randint(1, 8)))
    return text * 400 if rng.random() < 0.01 else text


# --- recording -------------------------------------------------------------------------------------------------------


class Recorded:
    """The shapes of what was sent to the stores."""

    def __init__(self) -> None:
        self.shapes: set[str] = set()

    def note(self, kind: str, text: str) -> None:
        """Remember one statement or filter; ids, digests and moments of a filter are no part of its shape."""
        if kind == "lance":
            for pattern, name in _VALUES.items():
                text = re.sub(f"{pattern}(?:, {pattern})*", name, text)
        self.shapes.add(f"{kind}: {text}")


_VALUES = {
    r"'[a-z]{3}_[0-9a-f]{32}(?:[.:/#-][0-9a-z_]+)?'": "IDS",
    r"'[0-9a-f]{32}'": "TAGS",
    r"-?\b\d{5,}\b": "TIME",
}


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> Recorded:
    """Everything that is sent from here on."""
    from lancedb.query import LanceQueryBuilder
    from lancedb.table import LanceTable

    found = Recorded()

    class Connection(sqlite3.Connection):
        def execute(self, sql: str, *rest: Any) -> sqlite3.Cursor:
            found.note("sqlite", sql)
            return super().execute(sql, *rest)

        def executemany(self, sql: str, *rest: Any) -> sqlite3.Cursor:
            found.note("sqlite", sql)
            return super().executemany(sql, *rest)

    def noting(kind: str, plain: Any) -> Any:
        def call(subject: Any, text: Any = None, *rest: Any, **named: Any) -> Any:
            found.note(kind, str(text))
            return plain(subject, text, *rest, **named)

        return call

    connect = partial(sqlite3.connect, factory=Connection)
    monkeypatch.setattr(storage.embedded_connection.sqlite3, "connect", connect)
    monkeypatch.setattr(neo4j.ManagedTransaction, "run", noting("neo4j", neo4j.ManagedTransaction.run))
    monkeypatch.setattr(LanceQueryBuilder, "where", noting("lance", LanceQueryBuilder.where))
    for name in ("count_rows", "delete"):
        monkeypatch.setattr(LanceTable, name, noting("lance", getattr(LanceTable, name)))
    return found


# --- every place where a caller can put a string ---------------------------------------------------------------------

Place = Callable[[KnowledgeBase, str], object]

READS: dict[str, Place] = {
    "search": lambda kb, s: kb.search(s),
    "search as a group": lambda kb, s: kb.search(s, groups=["a"]),
    "search widened": lambda kb, s: kb.search(s, widen=True, limit=3),
    "ask": lambda kb, s: kb.ask(s),
    "ask as a group": lambda kb, s: kb.ask(s, groups=["a", "b"]),
    "ask why": lambda kb, s: kb.ask(f"Why did {s} happen?"),
    "ask for a way": lambda kb, s: kb.ask(f"How did the closed port lead to {s}?"),
    "chains from": lambda kb, s: kb.chains(start=s),
    "chains to": lambda kb, s: kb.chains(end=s, groups=["b"]),
    "chains between": lambda kb, s: kb.chains(start="the closed port", end=s),
    "types": lambda kb, s: kb.chains(start="the closed port", types=[s]),
    "a name of metadata": lambda kb, s: kb.search("closed port", where={s: "x"}),
    "a value of metadata": lambda kb, s: kb.ask("Why was the port closed?", where={"year": s}),
    "groups": lambda kb, s: kb.search("closed port", groups=[s]),
    "groups and groups": lambda kb, s: kb.documents(groups=["a", s]),
    "an id": lambda kb, s: kb.explain(s),
    "an id of a chain": lambda kb, s: kb.explain(f"chn_{s}", groups=["a"]),
    "an id of a relation": lambda kb, s: kb.explain(f"rel_{s}"),
    "a proposal": lambda kb, s: kb.review(s),
    "a document": lambda kb, s: kb.remove(s),
    "a batch": lambda kb, s: kb.rollback(s, reason=s, actor=s),
    "a proposal to accept": lambda kb, s: kb.accept(s, reason=s, actor=s),
    "counts": lambda kb, s: kb._stores.graph.counts(kb._stores.graph.scope(View(groups=frozenset([s])))),
}
WRITES: dict[str, Place] = {
    "ids, titles and groups that are ingested": lambda kb, s: kb.ingest(
        Document(id=s, text=f"The closed port causes {s}.", title=s, groups=(s,), metadata={s: s})
    ),
    "a namespace": lambda kb, s: kb.ingest(
        Document(id="fixed", text="The rain causes the mud."), namespace=s, groups=[s]
    ),
    "a path": lambda kb, s: kb.ingest([s]),
    "relations that are proposed": lambda kb, s: kb.propose([s, s], proposer=s or "x", question=s),
}
PLAIN = (
    "the closed port", "港口关闭", "Why did the closed port happen?", "x", "causal", "a", "2024", "chn_ab", "fixed",
    "zqa", "为什么港口关闭？", "nowhere.md", "rel_", "What followed?",
)  # fmt: skip


def put(kb: KnowledgeBase, place: Place, text: str) -> str:
    """Do it; what it said if it refused. Any other exception is one of ours to mend."""
    try:
        place(kb, text)
    except ClewError as error:
        return str(error)
    return ""


@pytest.fixture
def kb(graph: Any, recorded: Recorded, open_store: OpenStore) -> Iterator[KnowledgeBase]:
    """A store whose statements are recorded, asked every plain question there is."""
    documents = corpus(documents=3)
    with open_store(**graph[1]) as kb:
        kb.ingest(list(documents.documents))
        for proposal in kb.ask("How did the closed port lead to the zqslate?", propose=True).proposals:
            kb.accept(proposal.id, reason="it holds", actor="owner")
        relations = [r for d in kb.documents().documents[:9] for r in _relations(kb, d.document_id)]
        for groups in (None, ["a"], ["a", "b"]):
            for relation in relations[:5]:
                put(kb, lambda kb, s, groups=groups: kb.explain(s, groups=groups), relation)
        for thing in documents.named["a"][::6]:
            for place in READS.values():
                put(kb, place, thing.words)
        for number, text in enumerate(PLAIN):
            for place in (*list(READS.values())[number % 2 :: 2], *WRITES.values()):
                put(kb, place, text)
        for text in PLAIN:  # under these names documents were ingested: some strings that are drawn name one
            put(kb, READS["a document"], text)
        yield kb


def _relations(kb: KnowledgeBase, document_id: str) -> list[str]:
    return [r.id for held in kb._stores.graph.document_graphs([document_id]) for r in held.relations]


def test_no_string_changes_what_the_stores_are_asked(kb: KnowledgeBase, recorded: Recorded, graph: Any) -> None:
    rng = random.Random(SEED)
    held = kb._stores.graph.counts(kb._stores.graph.scope(OWNER)).documents
    known = set(recorded.shapes)
    # Caches are in SQLite whichever store keeps the graph.
    assert {kind.partition(":")[0] for kind in known} == {"lance", "sqlite", *({"neo4j"} & {graph[0]})}
    reads, writes = list(READS.items()), list(WRITES.items())
    for number in range(STRINGS[graph[0]]):
        name, place = rng.choice(writes if number % 20 == 19 else reads)
        text = hostile(rng)
        put(kb, place, text)
        new = recorded.shapes - known
        assert not new, (number, name, text, new)
    soak_figures.note(f"query shapes changed, {graph[0]}", tries=STRINGS[graph[0]], unit="strings")
    after = kb._stores.graph.counts(kb._stores.graph.scope(OWNER)).documents
    assert held <= after  # nothing was removed by a name that no document has
    assert kb.check().healthy
