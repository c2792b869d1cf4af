"""What only the Neo4j graph store promises: its schema, its names for people, its errors, many writers."""

from __future__ import annotations

import logging
import threading
from datetime import UTC, datetime

import neo4j
import pytest
from neo4j import exceptions as theirs

from storage.errors import ConfigurationError, StoreError, StoreVersionError, UnreachableError
from storage.identity import make_id
from storage.neo4j_database import _COUNT_UP, _LOCK_WRITER, Neo4jAddress, Neo4jDatabase
from storage.neo4j_errors import VanishedError
from storage.neo4j_graph import Neo4jGraphStore
from storage.neo4j_schema import SCHEMA_VERSION
from storage.ports import Change, Intent
from storage.records import OWNER, RelationType

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)


@pytest.fixture
def store(neo4j_address, samples):
    with Neo4jGraphStore(neo4j_address, clock=lambda: samples.now) as opened:
        yield opened


@pytest.fixture
def cypher(neo4j_address):
    """Runs a query as an analyst would; gives its rows."""
    with neo4j.GraphDatabase.driver(
        neo4j_address.uri, auth=(neo4j_address.username, neo4j_address.password), notifications_min_severity="OFF"
    ) as driver:
        yield lambda query, **values: [
            list(r.values()) for r in driver.execute_query(query, values, database_=neo4j_address.database).records
        ]


# --- schema ----------------------------------------------------------------------------------------------------------


def test_a_newer_schema_is_refused_and_left_alone(neo4j_address, store, cypher):
    try:
        cypher("MATCH (s:ClewStore {id: 'store'}) SET s.schema = $v", v=SCHEMA_VERSION + 1)
        with pytest.raises(StoreVersionError, match="Upgrade Clew"):
            Neo4jGraphStore(neo4j_address)
        assert cypher("MATCH (s:ClewStore {id: 'store'}) RETURN s.schema") == [[SCHEMA_VERSION + 1]]
    finally:
        cypher("MATCH (s:ClewStore {id: 'store'}) SET s.schema = $v", v=SCHEMA_VERSION)


def test_other_peoples_data_is_refused_and_left_alone(neo4j_address, cypher):
    cypher("MATCH (s:ClewStore) DELETE s")
    cypher("CREATE (:Theirs {name: 'keep'})")
    with pytest.raises(StoreError, match="holds other data"):
        Neo4jGraphStore(neo4j_address)
    assert cypher("MATCH (n) RETURN labels(n), n.name") == [[["Theirs"], "keep"]]


def test_threads_that_create_one_store_at_once_agree(neo4j_address, cypher):
    for name, kind in cypher("SHOW CONSTRAINTS YIELD name RETURN name, 'CONSTRAINT' AS kind"):
        cypher(f"DROP {kind} {name}")
    cypher("MATCH (n) DETACH DELETE n")
    errors = in_threads(8, lambda _: Neo4jGraphStore(neo4j_address).close())
    assert errors == []
    assert len(cypher("SHOW CONSTRAINTS YIELD name")) == 14
    assert cypher("MATCH (s:ClewStore {id: 'store'}) RETURN s.schema") == [[SCHEMA_VERSION]]


# --- what an analyst sees --------------------------------------------------------------------------------------------


def test_nodes_are_named_in_words_and_statements_are_joined_by_what_they_do(store, samples, cypher):
    links = [
        ("rain", "flood", 0.8),
        ("rain", "mud", 0.5, {"type": "sequential"}),
        ("a", "b", 0.9, {"type": "supporting"}),
    ]
    links += [("flood", "panic", 0.9, {"type": "progressive"}), ("rain", "sun", 0.9, {"polarity": "negated"})]
    samples.put(store, samples.document("a.md", links, chains=[samples.chain("rain", "flood")]))
    drawn = cypher("MATCH (a:Statement)-[e]->(b:Statement) RETURN a.name, type(e), b.name ORDER BY type(e)")
    assert drawn == [
        ["rain in a.md", "CAUSES", "flood in a.md"],
        ["rain in a.md", "PRECEDES", "mud in a.md"],
        ["flood in a.md", "PROGRESSES_TO", "panic in a.md"],
        ["a in a.md", "SUPPORTS", "b in a.md"],
    ]
    labels = {row[0] for row in cypher("MATCH (n) WHERE n.name IS NOT NULL RETURN DISTINCT labels(n)[0]")}
    assert labels >= {"Source", "Document", "Chunk", "Statement", "Relation", "Chain"}
    (row,) = cypher(
        "MATCH (h)<-[:HEAD]-(r:Relation {polarity: 'negated'})-[:TAIL]->(t) "
        "MATCH (r)-[v:EVIDENCED_BY]->(c:Chunk)-[:PART_OF]->(d:Document)<-[:CURRENT]-(s:Source) "
        "RETURN h.name, r.name, t.name, v.confidence, c.name, s.name"
    )
    assert row == ["rain in a.md", "does not cause", "sun in a.md", 0.9, "Part / 0", "a.md"]


def test_a_name_is_always_that_of_the_first_mention(store, samples, cypher):
    documents = [samples.document(path, [("rain", "flood", 0.8)]) for path in ("one", "two", "three")]
    first, second, third = sorted(documents, key=lambda d: d.document.id)

    def name():
        return cypher("MATCH (s:Statement {id: $id}) RETURN s.name", id=samples.statement("rain").id)[0][0]

    samples.put(store, third)
    samples.put(store, first, second)
    assert name() == f"rain in {first.source.path}"
    samples.put(store, removes=[first])
    assert name() == f"rain in {second.source.path}"
    samples.put(store, removes=[second, third])
    assert name() is None


def test_what_is_retired_keeps_no_words(store, samples, cypher):
    put = samples.document("d", [("secret thing", "b", 0.5)], chains=[samples.chain("secret thing", "b")])
    samples.put(store, put)
    samples.put(store, removes=[put])
    dump = str(cypher("MATCH (n) OPTIONAL MATCH (n)-[r]->() RETURN properties(n), properties(r)"))
    assert put.relations[0].id in dump
    assert "secret" not in dump
    assert "Title" not in dump
    assert cypher("MATCH (n) WHERE n:Term OR n:Chunk OR n:Document OR n:Source RETURN n") == []


def test_what_a_person_rejected_stays_rejected_through_removal_and_return(store, samples, cypher):
    chain = samples.chain("a", "b", "c")
    put = samples.document("d", [("a", "b", 0.5), ("b", "c", 0.5)], chains=[chain, samples.chain("b", "c")])
    first, second = samples.relation("a", "b").id, samples.relation("b", "c").id
    samples.put(store, put)
    for id_ in (first, samples.chain("b", "c").id):
        cypher("MATCH (n {id: $id}) SET n.status = 'rejected'", id=id_)
    for _ in range(2):
        samples.put(store, put)
        scope = store.scope(OWNER)
        assert set(store.relations([first, second], scope)) == {second}
        assert store.chains([c.id for c in put.chains], scope) == {}
        ends = [samples.statement(w).id for w in "ab"]
        hop = store.edges(ends, scope, forward=True, types=tuple(RelationType), min_confidence=0, fan_out=9)
        assert [e.relation_id for e in hop.edges] == [second]
        samples.put(store, removes=[put])


# --- many writers ----------------------------------------------------------------------------------------------------


def in_threads(count, work):
    """Run ``work(number)`` in as many threads; what any of them raised."""
    errors = []

    def run(number):
        try:
            work(number)
        except BaseException as error:  # noqa: BLE001 - reported
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def test_eight_writers_of_overlapping_documents_double_nothing(neo4j_address, samples, cypher):
    documents = [
        samples.document(f"d{i}", [(f"w{(i + j) % 9}", f"w{(i * j + 1) % 9}x", 0.5) for j in range(12)], text=f"{i}")
        for i in range(6)
    ]

    def write(number):
        with Neo4jGraphStore(neo4j_address, clock=lambda: samples.now) as store:
            for turn in range(5):
                chosen = [documents[(number + turn + k) % 6] for k in range(3)]
                intent = Intent(id=make_id("int", number, turn), adds=(), at=samples.now)
                store.begin(intent)
                store.commit(Change(intent_id=intent.id, adds=tuple(chosen), at=samples.now))
                store.finish(intent.id)

    assert in_threads(8, write) == []
    with Neo4jGraphStore(neo4j_address, clock=lambda: samples.now) as store:
        together = store.state_hash()
        assert store.open_intents() == []
        evidence = store.counts(store.scope(OWNER)).evidence
        assert evidence == sum(len({e.id for e in d.evidence}) for d in documents)
        assert cypher("MATCH ()-[v:EVIDENCED_BY]->() WITH v.id AS id, count(*) AS n WHERE n > 1 RETURN id") == []
        twice = "WITH e.relation AS r, e.class AS c, count(*) AS n WHERE n > 1 RETURN r"
        assert cypher(f"MATCH ()-[e]->() WHERE e.relation IS NOT NULL {twice}") == []
        samples.put(store, removes=documents)
        samples.put(store, *documents)
        assert store.state_hash() == together


def test_a_writer_waits_for_another_one_and_a_version_for_a_commit_being_made(neo4j_address, store):
    waiting = threading.Thread(target=store.begin, args=(Intent(id=make_id("int", "w"), at=NOW),))
    auth = (neo4j_address.username, neo4j_address.password)
    with neo4j.GraphDatabase.driver(neo4j_address.uri, auth=auth) as driver, driver.session() as session:
        with session.begin_transaction() as other:
            other.run(_LOCK_WRITER).consume()
            before = store.version()  # nobody commits: it does not wait
            waiting.start()
            waiting.join(0.5)
            assert waiting.is_alive()
            assert store.open_intents() == []
        waiting.join(30)
        assert len(store.open_intents()) == 1
        seen = []
        asking = threading.Thread(target=lambda: seen.append(store.version()))
        with session.begin_transaction() as other:
            other.run(_COUNT_UP).consume()
            asking.start()
            asking.join(0.5)
            assert asking.is_alive()
            assert len(store.open_intents()) == 1  # plain reads never wait
            other.commit()
        asking.join(30)
    assert seen == [str(int(before) + 2)]


@pytest.mark.parametrize("raised", [TypeError("None"), KeyError("document"), VanishedError("removed")])
@pytest.mark.parametrize("way", ["reading", "consistent", "asking"])
def test_what_met_a_half_removed_row_is_asked_again(neo4j_address, store, raised, way):
    database, tries = Neo4jDatabase(neo4j_address), []

    def work(_):
        tries.append(1)
        if len(tries) == 1:
            store.record_failures([], cleared=[])  # a commit that fell in between
            raise raised
        return "whole"

    assert getattr(database, way)(work) == "whole"
    assert len(tries) == 2
    database.close()


def test_what_is_wrong_in_an_unchanged_store_is_raised(neo4j_address, store):
    database, tries = Neo4jDatabase(neo4j_address), []

    def work(_):
        tries.append(1)
        raise TypeError("wrong")

    with pytest.raises(TypeError, match="wrong"):
        database.reading(work)
    assert len(tries) == 2
    database.close()


# --- errors ----------------------------------------------------------------------------------------------------------


def test_a_wrong_password_is_a_wrong_setting_and_stays_secret(neo4j_address, caplog):
    caplog.set_level(logging.DEBUG)
    wrong = Neo4jAddress(neo4j_address.uri, neo4j_address.username, "not-the-pass-word")
    with pytest.raises(ConfigurationError, match="NEO4J_PASSWORD") as caught:
        Neo4jGraphStore(wrong)
    assert "not-the-pass-word" not in f"{caught.value!r} {caught.value}"
    assert "not-the-pass-word" not in caplog.text


def test_a_wrong_database_is_a_wrong_setting(neo4j_address):
    with pytest.raises(ConfigurationError, match=r"no database 'elsewhere'"):
        Neo4jGraphStore(Neo4jAddress(neo4j_address.uri, neo4j_address.username, neo4j_address.password, "elsewhere"))


def from_server(code):
    return theirs.Neo4jError._hydrate_neo4j(code=code, message="no")


@pytest.mark.parametrize(
    "error",
    [
        theirs.SessionExpired("the connection was lost"),
        theirs.ServiceUnavailable("the connection was lost"),
        from_server("Neo.ClientError.Cluster.NotALeader"),
        from_server("Neo.TransientError.Transaction.DeadlockDetected"),
    ],
)
def test_what_failed_before_its_commit_is_done_again_whole(neo4j_address, store, cypher, error):
    database, tries = Neo4jDatabase(neo4j_address), []

    def work(tx):
        tx.run("CREATE (:Failure {source: 'x'})").consume()
        tries.append(1)
        if len(tries) == 1:
            raise error
        return "done"

    assert database.writing(work) == "done"
    assert len(tries) == 2
    assert cypher("MATCH (f:Failure) RETURN count(f)") == [[1]]
    database.close()


@pytest.mark.parametrize("error", [theirs.IncompleteCommit("lost during the commit"), theirs.ClientError("no")])
def test_what_may_have_been_committed_or_is_wrong_is_not_done_again(neo4j_address, store, error):
    database, tries = Neo4jDatabase(neo4j_address), []

    def work(_):
        tries.append(1)
        raise error

    with pytest.raises((UnreachableError, StoreError)):
        database.writing(work)
    assert len(tries) == 1
    database.close()


def test_a_read_only_replica_and_a_lost_leader_are_reported_when_they_last(neo4j_address, store, monkeypatch):
    monkeypatch.setattr("storage.neo4j_database._RETRY_SECONDS", 0.5)
    for code in ("Neo.ClientError.General.ForbiddenOnReadOnlyDatabase", "Neo.ClientError.Cluster.NotALeader"):
        database = Neo4jDatabase(neo4j_address)

        def refused(_, code=code):
            raise from_server(code)

        with pytest.raises(UnreachableError, match="takes no writes now") as caught:
            database.writing(refused)
        assert caught.value.exit_code == 4
        assert database.rows("RETURN 1") == [[1]]
        database.close()


# --- upkeep ----------------------------------------------------------------------------------------------------------

HARM = {
    "MATCH (r:Relation) SET r.status = 'retired'": "status",
    "MATCH (c:Chain) SET c.status = 'retired'": "status",
    "MATCH ()-[e:CAUSES]->() DELETE e": "edge",
    "MATCH ()-[e:CAUSES]->() SET e.confidence = 0.01": "edge",
    "MATCH (d:Document) SET d.class = 'acl_of_somebody'": "access",
    "MATCH (d:Document) SET d.tags = []": "access",
    "CREATE (:Document {id: 'doc_of_nobody'})": "orphan",
    "CREATE (:Chunk {id: 'chk_of_nobody'})": "orphan",
    "MATCH (r:Relation)-[v:EVIDENCED_BY]->(c) WITH r, v, c LIMIT 1 "
    "CREATE (r)-[w:EVIDENCED_BY]->(c) SET w = properties(v), w.document = 'doc_of_nobody'": "orphan",
}


@pytest.mark.parametrize("harm", HARM)
def test_what_contradicts_itself_is_found_and_mended(harm, store, cypher, samples):
    chain = samples.chain("rain", "flood", "delay")
    links = [("rain", "flood", 0.8), ("flood", "delay", 0.7)]
    samples.put(store, samples.document("a", links, chains=[chain], metadata={"year": 2026}))
    before = store.state_hash()
    assert store.faults() == []
    cypher(harm)
    found = store.faults()
    assert HARM[harm] in {fault.kind for fault in found}
    assert store.mend()
    assert store.faults() == []
    assert store.state_hash() == before


def test_evidence_and_statements_that_are_not_what_their_ids_say_are_found(store, cypher, samples):
    samples.put(store, samples.document("a", [("rain", "flood", 0.8)]))
    cypher("MATCH ()-[v:EVIDENCED_BY]->() SET v.head_end = v.head_end + 1")
    assert [(f.kind, f.mendable) for f in store.faults()] == [("identity", False)]
    cypher("MATCH (s:Statement {id: $id}) SET s.terms = ['calm']", id=samples.statement("rain").id)
    assert {(f.kind, f.mendable) for f in store.faults()} == {("identity", False), ("identity", True)}
    store.mend()
    assert [(f.kind, f.mendable) for f in store.faults()] == [("identity", False)]
    assert samples.statement("rain").id not in store.statement_keys([samples.statement("rain").id])


HARM_TO_VERSIONS = {
    "MATCH (d:Document {id: $old}) SET d.valid_to = null, d.bounded = null": "access",
    "MATCH (d:Document {id: $old}) SET d.gaps = [1, 2]": "access",
    "MATCH (d:Document {id: $new}) SET d.version = 'nobody'": "orphan",
    "MATCH (s:Source), (d:Document {id: $new}) CREATE (s)-[:VERSION]->(d)": "orphan",
}


def test_what_contradicts_itself_about_an_older_version_is_found_and_mended(store, cypher, samples):
    old = samples.document("a", [("rain", "flood", 0.8)], chains=[samples.chain("rain", "flood")])
    new = samples.document("a", [("rain", "frost", 0.7)], text="2", valid_from=samples.now)
    kept = old.source.model_copy(update={"valid_to": samples.now})
    samples.put(store, old)
    intent = Intent(id=make_id("int", "keep"), at=samples.now)
    store.begin(intent)
    store.commit(Change(intent_id=intent.id, adds=(new,), keeps=(kept,), at=samples.now))
    store.finish(intent.id)
    before = store.state_hash()
    assert store.faults() == []
    for harm, kind in HARM_TO_VERSIONS.items():
        cypher(harm, old=old.document.id, new=new.document.id)
        assert kind in {fault.kind for fault in store.faults()}, harm
        assert store.mend(), harm
        assert store.faults() == [], harm
        assert store.state_hash() == before, harm
        assert (store.kept_versions(), store.every_source()) == ([kept], [new.source]), harm
