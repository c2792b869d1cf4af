"""Random histories of small documents, as hypothesis draws them: sources, links, groups, validity, views."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from storage.identity import content_digest, make_id
from storage.ports import Change, DocumentGraph, Intent
from storage.records import (
    OWNER,
    Chain,
    Chunk,
    Evidence,
    Mention,
    Modality,
    Polarity,
    Relation,
    RelationType,
    Source,
    Span,
    Statement,
    StatementKey,
    StoredDocument,
    View,
)

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
DAY = timedelta(days=1)
WORDS = "abcde"
STATEMENTS = {w: Statement(key=StatementKey(language="en", terms=(w,))) for w in WORDS}
TYPES = (RelationType.CAUSAL, RelationType.SUPPORTING)

relations = st.builds(
    lambda type_, ends, polarity: Relation(
        type=type_, head=STATEMENTS[ends[0]].id, tail=STATEMENTS[ends[1]].id, polarity=polarity
    ),
    st.sampled_from(TYPES),
    st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)),
    st.sampled_from([Polarity.AFFIRMED, Polarity.AFFIRMED, Polarity.NEGATED]),
)
# Confidences whose complements are halves and fives, so that products fall exactly between two roundings.
said = st.tuples(
    relations,
    st.sampled_from([0.5, 0.65, 0.75, 0.85, 0.95, 0.3]),
    st.sampled_from(list(Modality)),
    st.sampled_from(["cause", "enable"]),
)
groups = st.sets(st.sampled_from(["public", "red", "blue"]), max_size=2).map(lambda g: tuple(sorted(g)))
moments = st.sampled_from([None, NOW - DAY, NOW, NOW + DAY])
WORD_OF = {s.id: w for w, s in STATEMENTS.items()}


@st.composite
def documents(draw):
    """One version of one of four sources."""
    path = draw(st.sampled_from("wxyz"))
    source_id = make_id("src", "n", path)
    links = draw(st.lists(said, max_size=5))
    document = StoredDocument(
        source_id=source_id, content_hash=content_digest(repr(links).encode()), title=path, language="en", length=99
    )
    mentions, evidence = [], []
    for i, (relation, confidence, modality, subtype) in enumerate(links):
        spans = [Span(start=9 * i, end=9 * i + 1), Span(start=9 * i + 2, end=9 * i + 3)]
        for statement, span in zip((relation.head, relation.tail), spans, strict=True):
            text = f"{WORD_OF[statement]}@{path}{span.start}"
            mentions.append(Mention(statement_id=statement, document_id=document.id, span=span, text=text))
        evidence.append(
            Evidence(
                relation_id=relation.id, document_id=document.id, head=spans[0], tail=spans[1], cue=None,
                subtype=subtype, modality=modality, explicit=True, confidence=confidence, origin="t",
            )
        )  # fmt: skip
    unique = {link[0].id: link[0] for link in links}
    chains = {(r,) for r in unique} | {
        (a.id, b.id) for a in unique.values() for b in unique.values() if a.tail == b.head and a.id != b.id
    }
    bounded = draw(st.booleans()) and draw(st.booleans())
    return DocumentGraph(
        source=Source(
            namespace="n", path=path, groups=draw(groups), metadata=draw(st.sampled_from([{}, {"k": 1}, {"k": 2}])),
            valid_from=draw(moments) if bounded else None, valid_to=draw(moments) if bounded else None,
            document_id=document.id, raw_hash="r", fingerprint="f", ingested_at=NOW,
        ),
        document=document,
        chunks=(Chunk(document_id=document.id, start=0, end=50, ordinal=0),),
        statements=tuple({m.statement_id: STATEMENTS[WORD_OF[m.statement_id]] for m in mentions}.values()),
        mentions=tuple(mentions),
        relations=tuple(unique.values()),
        evidence=tuple(evidence),
        chains=tuple(Chain(relation_ids=c) for c in sorted(chains)),
    )  # fmt: skip


changes = st.tuples(
    st.lists(documents(), max_size=3, unique_by=lambda d: d.source.id),
    st.sets(st.sampled_from("wxyz").map(lambda p: make_id("src", "n", p)), max_size=2),
)
views = st.builds(
    View,
    groups=st.none() | st.frozensets(st.sampled_from(["public", "red", "blue"])),
    as_of=moments,
    where=st.sampled_from([{}, {}, {"k": 1}, {"k": 2}]),
)


def put(store, adds, removes):
    intent = make_id("int", len(list(store.ledger())), len(store.sources(store.scope(OWNER))))
    store.begin(Intent(id=intent, at=NOW))
    receipt = store.commit(Change(intent_id=intent, adds=tuple(adds), removes=tuple(sorted(removes)), at=NOW))
    store.finish(intent)
    return receipt
