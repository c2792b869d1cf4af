"""The command line: every verb, its exit codes, one JSON document on stdout, and messages, never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lancedb
import pytest
from pydantic import BaseModel
from stand_ins import FLOOD, SentenceExtractor, WordEmbedder, WriteFiles
from typer.testing import CliRunner

import extractors
import graphrag.extractor_choice
import graphrag.opening
from graphrag import KnowledgeBase, console
from storage.records import Proposal

QUESTION = "Why did the late shipment happen?"
ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Run:
    """What one call of the command line gave."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


Clew = Callable[..., Run]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the commands of a test keep their store; they work with the stand-ins."""
    monkeypatch.setattr(graphrag.opening, "open_embedder", lambda *_, **__: WordEmbedder())
    monkeypatch.setattr(graphrag.extractor_choice, "default_extractor", SentenceExtractor)
    monkeypatch.setenv("CLEW_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("CLEW_CACHE", str(tmp_path / "cache"))
    return tmp_path / "store"


@pytest.fixture
def clew(store: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Clew:
    """Runs the whole program, as the installed command does, and never lets a traceback pass."""

    def run(*arguments: str | Path) -> Run:
        capfd.readouterr()
        monkeypatch.setattr(sys, "argv", ["clew", *map(str, arguments)])
        try:
            console.main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        sys.stdout.flush()
        out, err = capfd.readouterr()
        assert "Traceback" not in out + err
        return Run(code, out, err)

    return run


@pytest.fixture
def filled(clew: Clew, files: WriteFiles) -> Path:
    """The notes that were ingested."""
    folder = files()
    assert clew("ingest", folder).code == 0
    return folder


def id_of(proposal: dict[str, Any]) -> str:
    return Proposal.model_validate(proposal).id


def dumped(result: BaseModel, *without: str) -> dict[str, Any]:
    return {name: value for name, value in result.model_dump(mode="json").items() if name not in without}


# the loop


def test_init_makes_a_store_with_commented_settings(clew: Clew, store: Path) -> None:
    run = clew("init")
    assert (run.code, run.err) == (0, "")
    assert str(store) in run.out
    assert "# answer_threshold = 0.5" in (store / "clew.toml").read_text()
    (store / "clew.toml").write_text("max_hops = 2\n")
    assert clew("init").code == 0
    assert (store / "clew.toml").read_text() == "max_hops = 2\n"


def test_ingest_reports_and_prints_one_json_document(clew: Clew, files: WriteFiles) -> None:
    folder = files()
    said = clew("ingest", folder, "--dry-run", "--store", folder.parent / "other")
    assert said.code == 0
    assert "4 added" in said.out
    assert not (folder.parent / "other").exists()
    run = clew("ingest", folder, "--json")
    assert run.code == 0
    assert run.data["added"] == ["port.md", "rain.md", "release.md", "雨.txt"]
    assert run.data["relations"] == {"causal": 6}
    assert clew("ingest", folder).out.startswith("0 added, 0 replaced, 0 updated, 4 unchanged")
    again = clew("ingest", folder, "--dry-run", "--json", "--group", "hr", "--group", "board")
    assert again.data["updated"] == ["port.md", "rain.md", "release.md", "雨.txt"]
    assert again.data["dry_run"] is True


def test_ingest_fails_only_when_nothing_could_be_taken_in(clew: Clew, files: WriteFiles) -> None:
    folder = files({"empty.txt": "", "good.md": "The storm causes heavy rain.\n"})
    assert clew("ingest", folder / "empty.txt").code == 1
    run = clew("ingest", folder)
    assert run.code == 0
    assert "failed: empty.txt: " in run.out
    assert "nowhere" in clew("ingest", folder / "nowhere").out


def test_every_reading_verb_prints_text_and_the_same_result_as_json(clew: Clew, store: Path, filled: Path) -> None:
    with KnowledgeBase.open(store) as kb:
        chain = kb.chains(start="the storm").chains[0].id
        expected: dict[tuple[str, ...], BaseModel] = {
            ("ask", QUESTION): kb.ask(QUESTION),
            ("ask", "列车为什么晚点？", "--groups", "public"): kb.ask("列车为什么晚点？", groups=["public"]),
            ("search", "flooded road", "-k", "2"): kb.search("flooded road", limit=2),
            ("chains", "--from", "the storm"): kb.chains(start="the storm"),
            ("chains", "--from", "the storm", "--to", "the closed port", "--type", "causal", "--hops", "3"): kb.chains(
                start="the storm", end="the closed port", types=["causal"], max_hops=3
            ),
            ("chains", "--to", "列车晚点", "--limit", "1"): kb.chains(end="列车晚点", limit=1),
            ("explain", chain): kb.explain(chain),
            ("documents",): kb.documents(),
            ("documents", "--failed"): kb.documents(failed=True),
            ("documents", "--stale", "--groups", "hr"): kb.documents(stale=True, groups=["hr"]),
        }  # fmt: skip
        state = kb.status()
    for arguments, result in expected.items():
        run = clew(*arguments, "--json")
        assert (run.code, run.err) == (0, ""), arguments
        assert run.data == result.model_dump(mode="json"), arguments
        text = clew(*arguments)
        assert (text.code, text.err) == (0, "")
        assert text.out == f"{result}\n"
    shown = clew("status", "--json").data
    assert shown.pop("bytes_on_disk") > 0
    assert shown == dumped(state, "bytes_on_disk")
    assert state.state_hash in clew("status").out


def test_a_question_that_the_documents_do_not_answer_is_exit_code_3(clew: Clew, filled: Path) -> None:
    run = clew("ask", "Why did the comet vanish?")
    assert run.code == 3
    assert run.out.startswith("The documents do not answer this question.")
    run = clew("ask", "彗星为什么消失？", "--json")
    assert run.code == 3
    assert run.data["abstained"] is True
    assert clew("search", "Why did the comet vanish?").code == 0


def test_trace_and_proposals_go_to_stderr(clew: Clew, filled: Path) -> None:
    run = clew("ask", QUESTION, "--trace", "--propose", "--json")
    assert run.code == 0
    [proposal] = run.data["proposals"]
    assert "walked why" in run.err
    assert f"clew review accept {id_of(proposal)} --reason WHY" in run.err
    again = clew("ask", QUESTION, "--propose")
    assert again.code == 0
    assert again.err.startswith("not proposed: ") or id_of(proposal) in again.err


def test_a_document_is_removed_and_what_is_not_there_is_said(clew: Clew, filled: Path) -> None:
    run = clew("remove", "port.md", "--json")
    assert run.code == 0
    assert run.data["paths"] == ["port.md"]
    run = clew("remove", "port.md")
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith("clew: Nothing that was ingested is called 'port.md'.")
    (filled / "rain.md").unlink()
    assert clew("ingest", filled, "--prune", "--json").data["removed"] == ["rain.md"]


def test_extract_reads_a_file_or_standard_input(clew: Clew, files: WriteFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    from io import StringIO

    monkeypatch.setattr(graphrag.extractor_choice, "default_extractor", extractors.default_extractor)
    text = "The port closed because the access road was flooded.\n"
    folder = files({"a.txt": text})
    run = clew("extract", folder / "a.txt", "--json")
    assert run.code == 0
    [relation] = run.data["relations"]
    assert text[relation["tail"]["start"] : relation["tail"]["end"]] == relation["tail"]["text"] == "The port closed"
    monkeypatch.setattr(sys, "stdin", StringIO("由于进港道路被淹，港口停工。"))
    assert clew("extract", "-", "--json").data["relations"]
    assert clew("extract", folder / "a.txt").out.strip()
    for bad in (folder / "nowhere.txt", folder):
        run = clew("extract", bad)
        assert (run.code, run.out) == (1, "")
        assert str(bad) in run.err


def test_extract_reads_by_rules_of_the_user_and_explains(clew: Clew, files: WriteFiles) -> None:
    rule = '[[rules]]\ncue = "gave way to"\nlanguage = "en"\ntype = "sequential"\ndirection = "forward"\n'
    folder = files({"a.txt": "The old pump gave way to a new gate.\n", "rules.toml": rule})
    run = clew("extract", folder / "a.txt", "--rules", folder / "rules.toml", "--explain", "--json")
    assert run.code == 0
    [one] = run.data["relations"]
    assert one["relation"]["rule"] == "user:gave way to"
    assert one["kind"] == "a rule of your own"
    said = clew("extract", folder / "a.txt", "--rules", folder / "rules.toml", "--explain").out
    assert "The old pump ─then→ a new gate" in said
    (folder / "rules.toml").write_text(rule.replace('"en"', '"fr"'))
    run = clew("extract", folder / "a.txt", "--rules", folder / "rules.toml")
    assert (run.code, run.out) == (2, "")
    assert f"{folder / 'rules.toml'}: rule 1 (cue 'gave way to'): language" in run.err


def test_documents_read_by_other_rules_show_as_stale(
    clew: Clew, files: WriteFiles, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(graphrag.extractor_choice, "default_extractor", extractors.default_extractor)
    folder = files({"a.txt": "The old pump gave way to a new gate.\n"})
    rules = tmp_path / "rules.toml"
    rules.write_text('[[rules]]\ncue = "gave way to"\nlanguage = "en"\ntype = "sequential"\ndirection = "forward"\n')
    assert clew("ingest", folder, "--json").data["relations"] == {}
    monkeypatch.setenv("CLEW_RULES", str(rules))
    assert clew("ingest", folder, "--json").data["stale"] == ["a.txt"]
    assert clew("ingest", folder, "--reprocess", "--json").data["relations"] == {"sequential": 1}
    assert clew("ingest", folder, "--json").data["stale"] == []


# write-back


def test_a_chain_is_proposed_reviewed_accepted_and_rolled_back(clew: Clew, store: Path, filled: Path) -> None:
    before = clew("status", "--json").data["state_hash"]
    assert clew("review", "list").out == "no proposals\n"
    asked = clew("ask", QUESTION, "--propose", "--json").data["proposals"]
    assert clew("review", "list", "--json").data == asked
    proposal = id_of(asked[0])
    assert proposal in clew("review", "list").out
    with KnowledgeBase.open(store) as kb:
        assert clew("review", "show", proposal[:16], "--json").data == dumped(kb.review(proposal))
    assert "The storm" in clew("review", "show", proposal).out
    assert clew("review", "accept", proposal).code == 2  # a reason is needed
    decision = clew("review", "accept", proposal[:20], "--reason", "it holds", "--actor", "ada", "--json")
    assert decision.code == 0
    assert (decision.data["action"], decision.data["entry"]["actor"]) == ("accept", "ada")
    again = clew("review", "accept", proposal, "--reason", "again")
    assert (again.code, again.out) == (1, "")
    assert "already accepted" in again.err
    assert "written back" in clew("ask", QUESTION).out
    assert clew("review", "list", "--json").data == []
    assert [p["status"] for p in clew("review", "list", "--all", "--json").data] == ["accepted"]
    verified = clew("ledger", "verify", "--json")
    assert verified.data["intact"] is True
    assert clew("ledger", "verify").code == 0
    assert clew("ledger", "verify", "--noted", "f" * 64).code == 1
    run = clew("rollback", decision.data["batch"], "--reason", "a mistake", "--json")
    assert (run.code, run.data["action"]) == (0, "rollback")
    assert clew("rollback", decision.data["batch"]).code == 1
    assert clew("rollback", "bat_1").code == 2
    assert clew("status", "--json").data["state_hash"] == before


def test_a_chain_is_rejected(clew: Clew, filled: Path) -> None:
    proposal = id_of(clew("ask", QUESTION, "--propose", "--json").data["proposals"][0])
    run = clew("review", "reject", proposal, "--reason", "no")
    assert run.code == 0
    assert run.out.strip()
    assert clew("review", "reject", proposal, "--reason", "no").code == 1
    assert clew("review", "show", "prp_ffff").code == 2


# everywhere


def test_doctor_looks_at_everything_and_writes_nothing(clew: Clew, store: Path) -> None:
    run = clew("doctor", "--json")
    assert run.code in (0, 1)
    assert {"clew", "settings", "embedder", "extraction", "store"} <= {f["name"] for f in run.data["findings"]}
    assert not store.exists()


def test_a_store_is_checked_repaired_and_optimized(clew: Clew, filled: Path, store: Path) -> None:
    run = clew("doctor", "--deep")
    assert (run.code, "The stores agree." in run.out) == (0, True)
    lancedb.connect(str(store / "lance")).drop_table("chunks")
    run = clew("doctor", "--deep")
    assert run.code == 1
    assert "FAIL table chunks" in run.out
    assert clew("doctor", "--deep", "--json").data["found"] == {"table": 1}
    run = clew("doctor", "--repair")
    assert run.code == 0
    assert "tables made anew: 1 (chunks)" in run.out
    assert clew("doctor", "--deep", "--json").data["healthy"]
    assert "rows outside the search indexes" in clew("doctor", "--optimize").out
    assert clew("doctor", "--deep", "--repair").code == 2


def test_a_store_is_backed_up_and_restored(clew: Clew, filled: Path, store: Path, tmp_path: Path) -> None:
    file, copy = tmp_path / "a.zip", tmp_path / "copy"
    assert "keep it apart" in clew("backup", file).out
    assert clew("backup", file).code == 2
    assert clew("backup", file, "--overwrite", "--json").code == 0
    assert clew("restore", file).code == 2  # the store is there
    assert clew("restore", file, "--store", copy).code == 0
    assert clew("status", "--store", copy, "--json").data["state_hash"] == clew("status", "--json").data["state_hash"]
    file.write_bytes(file.read_bytes()[:-9])
    run = clew("restore", file, "--store", tmp_path / "other")
    assert run.code == 1
    assert "cut off or altered" in run.err
    assert not (tmp_path / "other").exists()


def test_a_store_is_reindexed_into_tables_of_its_own_per_access_class(clew: Clew, filled: Path, store: Path) -> None:
    state = clew("status", "--json").data["state_hash"]
    run = clew("reindex", "--isolation", "strict", "--json")
    assert (run.code, run.data["isolation"], run.data["state_hash"]) == (0, "strict", state)
    assert clew("doctor", "--deep").code == 0
    assert clew("reindex", "--isolation", "strict").code == 2
    run = clew("reindex", "--isolation", "shared")
    assert (run.code, "4 documents are now in shared tables" in run.out) == (0, True)
    assert clew("reindex", "--embedder", "e5", "--store", store / "none").code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["--nonsense"],
        ["nonsense"],
        ["ask"],
        ["ask", "one", "two"],
        ["ask", ""],
        ["ask", "  "],
        ["search", "x", "-k", "0"],
        ["chains"],
        ["chains", "--from", " "],
        ["chains", "--from", "a", "--hops", "9"],
        ["chains", "--from", "a", "--type", "magic"],
        ["explain"],
        ["explain", ""],
        ["explain", "no-such-chain"],
        ["explain", "chn_ffff"],
        ["remove", ""],
        ["review", "accept", "prp_ffff", "--reason", "x"],
        ["review", "reject", "", "--reason", "x"],
        ["rollback", "nonsense"],
        ["ingest"],
        ["documents", "--limit", "3"],
        ["ask", "x", "--as-of", "yesterday"],
        ["ask", "x", "--where", "year"],
        ["ask", "x", "--where", "=2024"],
        ["review"],
        ["ledger"],
    ],
    ids=" ".join,
)
def test_wrong_arguments_are_exit_code_2_with_a_message_on_stderr(
    clew: Clew, filled: Path, arguments: list[str]
) -> None:
    run = clew(*arguments)
    assert run.code == 2
    assert run.err.strip() or arguments in (["review"], ["ledger"])
    assert run.out == "" or arguments in (["review"], ["ledger"])


def test_without_a_store_every_verb_says_how_to_make_one(clew: Clew, store: Path) -> None:
    for arguments in (
        ["ask", "why"], ["search", "why"], ["chains", "--from", "a"], ["explain", "chn_1"], ["documents"], ["status"],
        ["remove", "a"], ["review", "list"], ["ledger", "verify"], ["rollback", "bat_1"],
    ):  # fmt: skip
        run = clew(*arguments)
        assert (run.code, run.out) == (2, ""), arguments
        assert f"There is no Clew store in {store}. Make one with: clew ingest" in run.err
    assert not store.exists()


def test_the_option_comes_before_the_environment_and_that_before_the_default(
    clew: Clew, files: WriteFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = files({"a.md": "The storm causes heavy rain.\n"})
    clew("ingest", folder, "--store", tmp_path / "option")
    assert (tmp_path / "option" / "manifest.json").exists()
    clew("ingest", folder)
    assert (tmp_path / "store" / "manifest.json").exists()
    monkeypatch.delenv("CLEW_STORE")
    monkeypatch.chdir(tmp_path)
    clew("ingest", folder)
    assert (tmp_path / ".clew" / "manifest.json").exists()


def test_a_setting_that_is_wrong_is_named_with_its_place(
    clew: Clew, filled: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_MAX_HOPS", "many")
    run = clew("status")
    assert (run.code, run.out) == (2, "")
    assert "CLEW_MAX_HOPS" in run.err
    monkeypatch.delenv("CLEW_MAX_HOPS")
    for content in ("max_hop = 3\n", "max_hops = \n", 'max_hops = "many"\n', "max_hops = 99\n"):
        (store / "clew.toml").write_text(content)
        run = clew("status")
        assert (run.code, run.out) == (2, "")
        assert "clew.toml" in run.err
    assert clew("doctor").code == 1


def test_a_damaged_store_is_said_and_not_a_traceback(clew: Clew, filled: Path, store: Path) -> None:
    whole = (store / "graph.db").read_bytes()
    (store / "graph.db").write_bytes(b"nonsense" * 1000)
    run = clew("status")
    assert (run.code, run.out) == (1, "")
    assert "graph.db" in run.err
    (store / "graph.db").write_bytes(whole)
    (store / "manifest.json").write_text("{}")
    run = clew("ask", QUESTION)
    assert (run.code, run.out) == (1, "")
    assert "manifest.json" in run.err


def test_help_names_every_verb() -> None:
    console_app = CliRunner().invoke(console.app, ["--help"])
    assert console_app.exit_code == 0
    for verb in ("init", "ingest", "remove", "documents", "status", "ask", "search", "chains", "explain", "extract",
                 "review", "rollback", "ledger", "doctor"):  # fmt: skip
        assert f"  {verb} " in console_app.output
        assert CliRunner().invoke(console.app, [verb, "-h"]).exit_code == 0
    assert CliRunner().invoke(console.app, []).exit_code == 2


# the real program


def program(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "graphrag.console", *arguments], capture_output=True, text=True, cwd=ROOT, **options
    )


def test_help_comes_without_loading_what_is_slow() -> None:
    code = (
        "import sys\nfrom graphrag.console import main\n"
        "sys.argv = ['clew', '--help']\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
        "slow = {'lancedb', 'spacy', 'numpy', 'pyarrow', 'jieba', 'onnxruntime', 'simplemma'} & set(sys.modules)\n"
        "print(sorted(slow), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert "ingest" in done.stdout
    assert done.stderr.strip() == "[]"


def test_the_program_runs_as_a_module_and_leaves_a_closed_pipe_quietly(kb: KnowledgeBase, tmp_path: Path) -> None:
    kb.ingest([])  # makes the store
    environment = {**os.environ, "CLEW_STORE": str(tmp_path / "store")}
    done = program("ask", "", env=environment)
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
    shell = f"{sys.executable} -m graphrag.console --help | head -c 0; exit ${{PIPESTATUS[0]}}"
    piped = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, cwd=ROOT, env=environment)
    assert piped.returncode in (0, 1)
    assert "Traceback" not in piped.stderr
    assert "Exception ignored" not in piped.stderr


def test_documents_into_a_closed_pipe(tmp_path: Path, kb: KnowledgeBase) -> None:
    from graphrag import Document

    kb.ingest([Document(id=f"document-{i}", text=FLOOD["rain.md"]) for i in range(30)])
    code = (
        "import sys\nfrom graphrag import console, extractor_choice, opening\n"
        "from stand_ins import SentenceExtractor, WordEmbedder\n"
        "opening.open_embedder = lambda *_, **__: WordEmbedder()\n"
        "extractor_choice.default_extractor = SentenceExtractor\n"
        f"sys.argv = ['clew', 'documents', '--store', {str(tmp_path / 'store')!r}]\nconsole.main()\n"
    )
    (tmp_path / "program.py").write_text(code)
    shell = f"{sys.executable} {tmp_path / 'program.py'} | head -n 0; exit ${{PIPESTATUS[0]}}"
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, env=environment)
    assert done.returncode in (0, 1), done.stderr
    assert done.stderr == ""


def test_explain_chunks_prints_the_cuts_and_makes_no_store(clew: Clew, store: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("# One\n\nThe port closed.\n\n# Two\n\n" + "It rained. " * 200, encoding="utf-8")
    run = clew("ingest", "--explain-chunks", file)
    assert run.code == 0
    assert "ends with its section" in run.out
    cuts = clew("ingest", "--explain-chunks", file, "--json").data["documents"][0]["cuts"]
    assert [cut["number"] for cut in cuts] == list(range(1, len(cuts) + 1))
    assert cuts[0]["section"] == ["One"]
    assert not store.exists()


def test_explain_chunks_of_a_folder_says_what_to_name(clew: Clew, tmp_path: Path) -> None:
    run = clew("ingest", "--explain-chunks", tmp_path)
    assert (run.code, run.out) == (2, "")
    assert "one file" in run.err
