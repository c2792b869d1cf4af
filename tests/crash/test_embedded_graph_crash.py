"""Killed with no chance to tidy up, the embedded graph store holds each change wholly or not at all."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from storage.embedded_graph import EmbeddedGraphStore
from storage.records import OWNER

ROOT = Path(__file__).resolve().parents[2]

# What the killed process, the readers and the expectation have in common. Change i replaces both sources by version i,
# so a whole state has two documents of one version; both link "a" to "b", a chain was written back over them.
_COMMON = """
import os, signal, sqlite3, sys
from datetime import UTC, datetime
from pathlib import Path
from storage.embedded_graph import EmbeddedGraphStore
from storage.identity import content_digest, make_id
from storage.ports import Change, DocumentGraph, Intent, LedgerDraft
from storage.records import *

NOW = datetime(2026, 1, 15, tzinfo=UTC)
WORDS = {w: Statement(key=StatementKey(language="en", terms=(w,))) for w in "abcdef"}

def document(path, version):
    source = make_id("src", "n", path)
    stored = StoredDocument(
        source_id=source, content_hash=content_digest(version.encode()), title=version, language="en", length=999
    )
    links = [Relation(type="causal", head=WORDS[a].id, tail=WORDS[b].id) for a, b in ("ab", "bc", "cd", "de", "ef")]
    one = Span(start=0, end=1)
    return DocumentGraph(
        source=Source(namespace="n", path=path, document_id=stored.id, raw_hash=version, fingerprint="f",
                      ingested_at=NOW),
        document=stored,
        chunks=tuple(Chunk(document_id=stored.id, start=i, end=i + 1, ordinal=i) for i in range(20)),
        statements=tuple(WORDS.values()),
        mentions=tuple(Mention(statement_id=s.id, document_id=stored.id, span=Span(start=i, end=i + 1), text=w)
                       for i, (w, s) in enumerate(WORDS.items())),
        relations=tuple(links),
        evidence=tuple(Evidence(relation_id=r.id, document_id=stored.id, head=one, tail=one, cue=None, subtype="cause",
                                modality="asserted", explicit=True, confidence=0.5, origin="t") for r in links),
        chains=tuple(Chain(relation_ids=(r.id,)) for r in links),
    )

def change(store, version):
    intent = make_id("int", version)
    adds = tuple(document(path, version) for path in ("one", "two"))
    store.begin(Intent(id=intent, adds=tuple(a.document.id for a in adds), at=NOW))
    store.commit(Change(intent_id=intent, adds=adds, at=NOW))
    store.finish(intent)
"""

_WRITER = (
    _COMMON
    + """
store = EmbeddedGraphStore(Path(sys.argv[1]))
print("open", flush=True)
i = 0
while True:
    change(store, str(i))
    i += 1
"""
)

_DIES_AT_STATEMENT = (
    _COMMON
    + """
left = int(sys.argv[2])
plain = sqlite3.connect

def counting(*args, **kwargs):
    connection = plain(*args, **kwargs)
    def count(statement):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
    connection.set_trace_callback(count)
    return connection

store = EmbeddedGraphStore(Path(sys.argv[1]))
store.close()
sqlite3.connect = counting
store = EmbeddedGraphStore(Path(sys.argv[1]))
change(store, "new")
store.close()
print(-left, flush=True)
"""
)

_READER = (
    _COMMON
    + """
store = EmbeddedGraphStore(Path(sys.argv[1]))
wrong = reads = 0
print("open", flush=True)
while not Path(sys.argv[2]).exists():
    scope = store.scope(OWNER)
    counts = store.counts(scope)
    reads += 1
    wrong += (counts.documents, counts.chunks, counts.evidence, counts.relations) not in {(0, 0, 0, 0), (2, 40, 10, 5)}
    hop = store.edges([WORDS["a"].id], scope, forward=True, types=list(RelationType), min_confidence=0, fan_out=9)
    wrong += [e.confidence for e in hop.edges] not in ([], [0.75])
store.close()
print(reads, wrong, flush=True)
"""
)


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


def version_of(path: Path) -> str | None:
    """The one version that both sources have; fails unless every count fits a whole state."""
    with EmbeddedGraphStore(path) as store:
        scope = store.scope(OWNER)
        sources = store.sources(scope)
        counts = store.counts(scope)
        whole = (counts.documents, counts.chunks, counts.evidence, counts.relations, counts.chains, counts.mentions)
        assert whole in {(0, 0, 0, 0, 0, 0), (2, 40, 10, 5, 5, 12)}
        versions = {s.raw_hash for s in sources}
        assert len(versions) == (1 if sources else 0)
        for intent in store.open_intents():
            assert intent.committed == (set(intent.adds) == {s.document_id for s in sources})
        return versions.pop() if versions else None


def test_a_writer_killed_at_any_moment_leaves_whole_changes(tmp_path):
    chance = random.Random(7)
    seen = set()
    for round_ in range(8):
        path = tmp_path / "graph.db"
        with start(_WRITER, path) as writer:
            assert writer.stdout.readline() == "open\n"
            time.sleep(chance.uniform(0.01, 0.4))
            os.kill(writer.pid, signal.SIGKILL)
            writer.wait()
        seen.add((round_, version_of(path)))
        with EmbeddedGraphStore(path) as store:  # closes what was left open, as a writer that recovers does
            for intent in store.open_intents():
                store.finish(intent.id)
    assert any(version is not None for _, version in seen)


@pytest.mark.parametrize("fraction", [0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.97])
def test_a_change_killed_between_two_statements_is_not_there(tmp_path, fraction):
    path, measured = tmp_path / "graph.db", tmp_path / "measured.db"
    first_version = _COMMON + "\nstore = EmbeddedGraphStore(Path(sys.argv[1]))\nchange(store, 'old')\nstore.close()\n"
    for file in (path, measured):
        with start(first_version, file) as process:
            process.communicate()
        assert version_of(file) == "old"
    with start(_DIES_AT_STATEMENT, measured, 0) as counted:  # never counts down to 0: it lives and says how many ran
        statements = int(counted.stdout.read())
    assert version_of(measured) == "new"
    with start(_DIES_AT_STATEMENT, path, int(fraction * statements)) as dying:
        assert dying.stdout.read() == ""
        assert dying.wait() == -signal.SIGKILL
    with EmbeddedGraphStore(path) as store:
        committed = [intent.committed for intent in store.open_intents()]
    # Without an open intent it died before the intent was begun, or after it was finished.
    assert version_of(path) in {"new" if done else "old" for done in committed or (False, True)}


def test_two_processes_read_whole_changes_while_one_writes(tmp_path):
    path, stop = tmp_path / "graph.db", tmp_path / "stop"
    EmbeddedGraphStore(path).close()
    with start(_WRITER, path) as writer, start(_READER, path, stop) as one, start(_READER, path, stop) as two:
        for process in (writer, one, two):
            assert process.stdout.readline() == "open\n"
        time.sleep(1.5)
        stop.touch()
        results = [reader.communicate()[0].split() for reader in (one, two)]
        os.kill(writer.pid, signal.SIGKILL)
    for reads, wrong in results:
        assert int(reads) > 0
        assert wrong == "0"
