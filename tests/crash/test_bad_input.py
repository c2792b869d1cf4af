"""Bad input: each kind has a clear message or is taken as it is, stops nothing else, and leaves nothing half-done."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from stand_ins import FLOOD, OpenKb, WriteFiles

from graphrag import Document, KnowledgeBase
from graphrag.writing import EMBED_SLICE
from storage.errors import StoreError, StoreVersionError
from storage.manifest import FORMAT_VERSION

ROOT = Path(__file__).parents[2]
MEGABYTES = 50 if os.environ.get("CLEW_SOAK") == "1" else 5
"""Of the large text: a tenth but in a soak, as for all sizes."""
GOOD = {"good.md": "The storm causes heavy rain.\n"}
PDF = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 R]"


def check_whole(kb: KnowledgeBase) -> None:
    """Both stores hold the same documents, and no write is open."""
    assert not kb._stores.graph.open_intents()
    assert kb._stores.index.document_ids() == {d.document_id for d in kb.documents().documents}


# what cannot be read is reported, and the rest goes in


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("zero.txt", b"", "empty"),
        ("zero.pdf", b"", "empty"),
        ("blank.md", b" \n\t\n ", "empty"),
        ("binary.txt", bytes(range(256)) * 40, ""),
        ("machine.txt", b"\x7fELF\x02\x01\x01" + b"\0" * 200 + bytes(range(255, 0, -1)) * 20, ""),
        ("picture.md", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20, ""),
        ("truncated.pdf", PDF, ""),
        ("truncated.docx", b"PK\x03\x04" + b"\x14\0" * 30, ""),
        ("nul.txt", b"\0\0\0\0", ""),
        ("matter.md", b"---\ngroups: {a: b\n---\nText.\n", "front matter"),
    ],
)
def test_a_file_that_cannot_be_read_is_reported_and_the_rest_goes_in(
    kb: KnowledgeBase, files: WriteFiles, name: str, data: bytes, said: str
) -> None:
    folder = files({**GOOD, name: data, "last.md": "The dog causes the noise.\n"})
    report = kb.ingest([folder])
    assert report.added == ("good.md", "last.md")
    [problem] = report.failed
    assert problem.path == name
    assert said in problem.reason
    assert len(problem.reason) > 20
    assert [p.path for p in kb.documents(failed=True).failed] == [f"notes/{name}"]
    check_whole(kb)


def test_what_is_not_there_is_reported(kb: KnowledgeBase, files: WriteFiles, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    report = kb.ingest([tmp_path / "empty"])
    assert (report.added, report.failed, report.skipped) == ((), (), ())
    report = kb.ingest([tmp_path / "nowhere", files(GOOD), tmp_path / "nowhere.md"])
    assert report.added == ("good.md",)
    assert ["no such file" in p.reason for p in report.failed] == [True, True]
    check_whole(kb)


_UNPRIVILEGED = """
import json, os, sys
sys.path[:0] = [{root!r}, {tests!r}]
from pathlib import Path
from graphrag import KnowledgeBase, Settings
from stand_ins import SentenceExtractor, WordEmbedder
# What is imported only when it is needed may lie where the unprivileged user cannot read it.
for path in ("good.md", "again.md"):
    Path({work!r}, path).write_text("---\\ntitle: a\\n---\\n# The storm\\n\\nThe storm causes the flood.")
with KnowledgeBase.open({work!r} + "/warm", embedder=WordEmbedder(), extractor=SentenceExtractor(),
                        settings=Settings(cache=Path({work!r}) / "warm-cache", loader_process=False)) as kb:
    kb.ingest([{work!r} + "/good.md", {work!r} + "/again.md"], prune=True)
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
os.environ["HOME"] = os.environ["TMPDIR"] = {work!r}
with KnowledgeBase.open({work!r} + "/store", embedder=WordEmbedder(), extractor=SentenceExtractor(),
                        settings=Settings(cache=Path({work!r}) / "cache", loader_process=False)) as kb:
    report = kb.ingest([{notes!r}], prune=True)
    print(json.dumps(report.model_dump(mode="json")))
try:
    KnowledgeBase.open({locked!r} + "/store", embedder=WordEmbedder(), extractor=SentenceExtractor(),
                       settings=Settings(cache=Path({work!r}) / "cache"))
except Exception as error:
    print(json.dumps([type(error).__name__, str(error)]))
"""


def test_what_may_not_be_read_is_reported(files: WriteFiles, request: pytest.FixtureRequest) -> None:
    made = files({**GOOD, "secret.md": "No.\n", "closed/inner.md": "No.\n", "open/inner.md": FLOOD["rain.md"]})
    # Another run of pytest takes the rights on its common folder away, in the middle of this one.
    place = Path(tempfile.mkdtemp())
    request.addfinalizer(lambda: shutil.rmtree(place))
    place.chmod(0o755)
    notes = Path(shutil.move(made, place / "notes"))
    work, locked = place / "work", place / "locked"
    work.mkdir(mode=0o777)
    locked.mkdir(mode=0o755)
    work.chmod(0o777)
    (notes / "secret.md").chmod(0)
    (notes / "closed").chmod(0)
    if os.geteuid() != 0:
        locked.chmod(0o555)
    code = _UNPRIVILEGED.format(
        root=str(ROOT), tests=str(ROOT / "tests"), work=str(work), notes=str(notes), locked=str(locked)
    )
    try:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=place)
    finally:
        (notes / "closed").chmod(0o755)
        locked.chmod(0o755)
    assert done.returncode == 0, done.stderr
    ingested, refused = (json.loads(line) for line in done.stdout.splitlines())
    assert ingested["added"] == ["good.md", "open/inner.md"]
    reasons = {p["path"]: p["reason"] for p in ingested["failed"]}
    assert reasons.keys() == {"closed", "secret.md"}
    assert all("permission denied" in reason for reason in reasons.values())
    assert refused[0] == "StoreError"
    assert "ermission" in refused[1]


def test_links_that_go_in_circles_are_followed_once(kb: KnowledgeBase, files: WriteFiles) -> None:
    folder = files({**GOOD, "sub/inner.md": "The dog causes the noise.\n"})
    (folder / "sub" / "up").symlink_to(folder)
    (folder / "self").symlink_to(folder / "self")
    (folder / "dangling.md").symlink_to(folder / "nothing.md")
    (folder / "self.md").symlink_to(folder / "self.md")
    (folder / "linked.md").symlink_to(folder / "good.md")
    os.mkfifo(folder / "pipe.md")
    report = kb.ingest([folder])
    assert report.added == ("good.md", "linked.md", "sub/inner.md")
    assert [(p.path, p.reason) for p in report.skipped if p.path == "sub/up"] == [
        ("sub/up", "a link that leads back to a folder above it")
    ]
    assert {p.path for p in report.failed} >= {"dangling.md", "pipe.md", "self.md"}
    check_whole(kb)


# what is odd is taken as it is


ODD = {
    "surrogates": "The storm causes \ud800heavy\udfff rain.",
    "nul": "The storm\0 causes heavy\0 rain.",
    "controls": "The storm causes heavy rain.\x01\x02\x1b[31m\x7f\u0085\u2028\ufeff\x0b\x0c",
    "right-to-left": "\u202eThe storm causes heavy rain.\u202c השיטפון סגר את הנמל. العاصفة أغلقت الميناء.",
    "emoji": "The storm causes heavy rain. 🌧️👩‍👩‍👧‍👦🏳️‍🌈🇳🇴",
    "mixed": "The storm causes heavy rain. 暴雨导致道路积水。The flood causes the outage. 停电导致停产。",
    "combining": "The storm causes heavy rain. e" + "\u0301" * 2000,
    "wide": "Ｔｈｅ ｓｔｏｒｍ. The storm causes heavy rain.",
    "one-word": "a" * 100_000 + " The storm causes heavy rain.",
    "newlines": "The storm causes heavy rain.\r\n\r\rThe dog causes the noise.\n" + "\n" * 5000,
}


@pytest.mark.parametrize("kind", ODD)
def test_odd_characters_are_stored_and_cited_where_they_stand(kb: KnowledgeBase, kind: str) -> None:
    report = kb.ingest([Document(id=kind, text=ODD[kind], title=ODD[kind][:40])])
    assert report.added == (kind,)
    assert kb.ingest([Document(id=kind, text=ODD[kind], title=ODD[kind][:40])]).unchanged == 1
    answer = kb.ask("What did the storm lead to?")
    assert not answer.abstained
    assert len(answer.citations) == (2 if kind == "mixed" else 1)  # heavy rain is 暴雨, and the chain goes on there
    for citation in answer.citations:
        text = kb._stores.index.rows("documents", [citation.document_id])[citation.document_id].text
        assert text[citation.start : citation.end] == citation.quote
    assert "\0" not in text
    explained = kb.explain(answer.chains[0].id)
    for result in (answer, kb.search(ODD[kind][:200]), kb.documents(), kb.status(), report, explained):
        json.loads(result.model_dump_json())
        assert str(result).encode("utf-8")
    assert kb.remove(kind).documents == (citation.document_id,)
    check_whole(kb)


@pytest.mark.parametrize("kind", ODD)
def test_files_of_odd_characters_are_taken_in(kb: KnowledgeBase, files: WriteFiles, kind: str) -> None:
    folder = files({f"{kind}.txt": ODD[kind].encode("utf-8", "surrogatepass")})
    report = kb.ingest([folder])
    assert len(report.added) + len(report.failed) == 1
    if report.added:
        assert not kb.ask("What did the storm lead to?").abstained
    check_whole(kb)


def test_file_names_that_are_no_text_are_kept_apart(kb: KnowledgeBase, files: WriteFiles) -> None:
    folder = files({"雨 🌧.md": "The storm causes heavy rain.\n", "a\nb.md": "The dog causes the noise.\n"})
    with open(os.fsencode(folder) + b"/caf\xe9.md", "wb") as file:
        file.write(b"The cat causes the mess.\n")
    report = kb.ingest([folder])
    assert len(report.added) == 3
    assert str(report).encode("utf-8")
    for document in kb.documents().documents:
        assert kb.remove(document.path).paths == (document.path,)
    check_whole(kb)


def test_a_line_of_a_megabyte_is_cut_into_chunks(kb: KnowledgeBase, files: WriteFiles) -> None:
    line = "The storm causes heavy rain. " + "word " * 200_000 + "The dog causes the noise."
    report = kb.ingest([files({"line.txt": line, "字.txt": "暴雨导致道路积水。" + "字" * 300_000})])
    assert (report.added, report.failed) == (("line.txt", "字.txt"), ())
    assert report.chunks > 500
    assert not kb.ask("What did the storm lead to?").abstained
    assert not kb.ask("暴雨导致了什么？").abstained
    assert max(len(h.text) for h in kb.search("word").hits) < 10_000
    check_whole(kb)


def test_two_files_of_equal_content_are_two_documents(kb: KnowledgeBase, files: WriteFiles) -> None:
    folder = files({"a.md": FLOOD["port.md"], "b.md": FLOOD["port.md"], "c/a.md": FLOOD["port.md"]})
    assert kb.ingest([folder]).added == ("a.md", "b.md", "c/a.md")
    [chain] = kb.chains(start="the flooded road").chains
    assert chain.links[0].documents == 3
    assert kb.remove("notes/a.md").relations == ()
    assert kb.remove("b.md").relations == ()
    assert len(kb.remove("c/a.md").relations) == 1
    check_whole(kb)


# questions


@pytest.mark.parametrize(
    "question",
    [
        "Why " + "very " * 2000 + "late?",
        "为什么" + "雨" * 10_000,
        "?" * 10_000,
        "Why did the late shipment happen?\0\ud800" + "\x1b[2J",
        "' OR 1=1 -- \" ; DROP TABLE chunk; */ { } [ ] ( ) * ? ~ ^ : \\ / AND NOT",
        "\u202e🏳️‍🌈\u200b",
        "a",
        "NOT",
        '"',
        '+-&&||!(){}[]^"~*?:\\/',
        "\n".join(["why?"] * 500),
    ],
    ids=lambda q: f"{q[:12]!a}-{len(q)}",
)
def test_any_question_is_answered_or_abstained_from(kb: KnowledgeBase, files: WriteFiles, question: str) -> None:
    kb.ingest([files()])
    begun = time.monotonic()
    for result in (kb.ask(question), kb.search(question), kb.ask(question, propose=True)):
        json.loads(result.model_dump_json())
        assert str(result).encode("utf-8", "backslashreplace")
    assert kb.chains(start=question[:500]).as_text()
    assert time.monotonic() - begun < 20
    check_whole(kb)


# stores


def test_a_store_of_another_version_is_refused_and_left_as_it_is(
    open_kb: OpenKb, files: WriteFiles, tmp_path: Path
) -> None:
    with open_kb() as kb:
        kb.ingest([files()])
        before = kb.status().state_hash
    manifest = tmp_path / "store" / "manifest.json"
    text = manifest.read_text()
    newer = json.loads(text) | {"format_version": FORMAT_VERSION + 1, "unknown": True}
    manifest.write_text(json.dumps(newer))
    with pytest.raises(StoreVersionError, match=f"format {FORMAT_VERSION + 1}"):
        open_kb()
    for broken in ("", "{}", "[]", "nonsense", "\0"):
        manifest.write_text(broken)
        with pytest.raises(StoreError, match=r"manifest\.json"):
            open_kb()
    manifest.write_text(text)
    with open_kb() as kb:
        assert kb.status().state_hash == before


# size


_LARGE = """
import resource, sys, time
sys.path[:0] = [{root!r}, {tests!r}]
from pathlib import Path
import graphrag.ingest
from extractors.embedders.cache import CachedEmbedder
from graphrag import KnowledgeBase, Settings
from stand_ins import HashEmbedder, SentenceExtractor

class Logged(HashEmbedder):
    def embed(self, texts, side):
        vectors = super().embed(texts, side)
        with open({work!r} + "/embedded", "a") as file:
            file.writelines(f"{{side}}:{{hash(t)}}\\n" for t in texts)
        return vectors

def show(p):
    print(p.stage, p.done, p.total, flush=True)

with KnowledgeBase.open({work!r} + "/store", embedder=CachedEmbedder(Logged(), Path({work!r}) / "cache.sqlite"),
                        extractor=SentenceExtractor(), settings=Settings(cache=Path({work!r}) / "cache")) as kb:
    report = kb.ingest([{text!r}], progress=show)
    print("chunks", report.chunks, "failed", len(report.failed), flush=True)
    print("hits", len(kb.search("The event 7 causes").hits), flush=True)
status = Path("/proc/self/status")
if status.exists():  # getrusage also counts what the process held that started this one
    peak = int(status.read_text().partition("VmHWM:")[2].split()[0]) // 1024
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print("peak", peak, flush=True)
"""


def test_a_text_of_fifty_megabytes_is_taken_in_with_progress_and_can_be_interrupted(tmp_path: Path) -> None:
    text = tmp_path / "large.txt"
    with open(text, "w", encoding="utf-8") as file:
        i = 0
        while file.tell() < MEGABYTES * 1_000_000 - 2_000:  # one file holds at most fifty million characters
            words = " ".join(f"w{(i * 37 + j) % 5000}" for j in range(180))
            file.write(f"The event {i % 1000} causes the event {i % 1000 + 1}.\n\nParagraph {i}: {words}.\n\n")
            i += 1
    code = _LARGE.format(root=str(ROOT), tests=str(ROOT / "tests"), work=str(tmp_path), text=str(text))
    log = tmp_path / "embedded"

    def start() -> subprocess.Popen[str]:
        environment = {**os.environ, "PYTHONHASHSEED": "0"}  # equal texts have equal hashes in both
        return subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )

    def embedded() -> int:
        return len(log.read_text().split()) if log.exists() else 0

    first = start()
    while embedded() < 40 * MEGABYTES and first.poll() is None:
        time.sleep(0.05)
    os.kill(first.pid, signal.SIGKILL)
    first.communicate()
    done = embedded()
    assert done >= 40 * MEGABYTES
    second = start()
    out, err = second.communicate()
    assert second.returncode == 0, err
    lines = [line.split() for line in out.splitlines()]
    progress = [(float(line[1]), int(line[2])) for line in lines if line[0] in ("embed", "stored")]
    assert len(progress) > MEGABYTES
    assert progress == sorted(progress)
    assert progress[-1][0] == progress[-1][1] == text.stat().st_size
    told = {line[0]: line[1:] for line in lines}
    chunks = int(told["chunks"][0])
    assert told["chunks"][2] == "0"
    assert chunks > 400 * MEGABYTES
    assert told["hits"] == ["10"]
    # Nothing is embedded twice, but for the slice in which the first process may have died.
    assert embedded() - len(set(log.read_text().split())) <= EMBED_SLICE
    assert int(told["peak"][0]) < 1_200 + 26 * MEGABYTES, "megabytes"
