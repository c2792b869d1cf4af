"""The benchmark sets in a folder: which there are, and what they hold.

A folder holds ``multihop/SET/questions.jsonl`` and ``chain/SET/questions.jsonl``, with ``corpus.jsonl`` (and
``distractors.jsonl``) beside the questions or in ``corpus/SET/``, and ``extraction/SET/{sentences,docs}.jsonl``: one
JSON object per line. For the suite ``loading`` it holds ``files.jsonl`` and ``wild/wild.jsonl`` with the files that
they name.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from storage.errors import LoadError

Suite = Literal["retrieval", "chain", "extraction", "loading"]
Row = dict[str, Any]

RETRIEVAL_SETS = (
    "musique",
    "musique/untitled",
    "2wiki",
    "2wiki/untitled",
    "hotpotqa",
    "hotpotqa/untitled",
    # Of this corpus only the gold evidence has titles, so it is never given any: they would give the answer away.
    "multihoprag+distractors/untitled",
    "rgb_zh",
)
CHAIN_SETS = ("ece_chain_zh", "relqa_en_far")
LOADING_FORMATS = ("chat", "csv", "docx", "eml", "epub", "html", "jsonl", "md", "pdf", "pptx", "txt", "xlsx")
WILD = "wild"
"""The set of files that nobody made for the benchmark."""


@dataclass(frozen=True, slots=True)
class Passage:
    """One text that is ranked. Passages of one ``document`` are its rows in order."""

    id: str
    text: str
    title: str = ""
    document: str = ""  # "" where the passage is a document of its own

    @property
    def whole(self) -> str:
        """Title and text as one text, for a system that knows no titles."""
        return f"{self.title}\n{self.text}" if self.title else self.text


@dataclass(frozen=True, slots=True)
class RankingSet:
    """Questions over a corpus; ``questions`` keep every field of the data, gold included."""

    name: str
    chinese: bool
    passages: tuple[Passage, ...]
    questions: tuple[Row, ...]
    corpus_sha256: str
    data_sha256: str


@dataclass(frozen=True, slots=True)
class ExtractionSet:
    """Texts with gold relations, by the stem of their file: ``sentences`` or ``docs``."""

    name: str
    levels: dict[str, tuple[Row, ...]]
    data_sha256: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """A set, or a part of one, that was not scored."""

    set: str
    reason: str


def known_sets(suite: Suite, folder: Path) -> tuple[str, ...]:
    """The names of the sets of a suite, whether they are in the folder or not."""
    if suite == "retrieval":
        return RETRIEVAL_SETS
    if suite == "chain":
        return CHAIN_SETS
    if suite == "loading":
        return (*_loading_formats(folder), WILD)
    here = folder / "extraction"
    return tuple(sorted(p.name for p in here.iterdir() if p.is_dir())) if here.is_dir() else ()


def find_sets(suite: Suite, folder: Path, wanted: Sequence[str] | None) -> tuple[list[str], list[Skipped]]:
    """The sets of ``wanted`` (default: every known one) that are in the folder, and why the others are not used."""
    known = known_sets(suite, folder)
    found: list[str] = []
    skipped: list[Skipped] = []
    for name in dict.fromkeys(wanted or known):
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            skipped.append(Skipped(name, f"there is no set of this name for {suite!r}.{hint}"))
            continue
        missing = [path for path in _needed(suite, folder, name) if not path.is_file()]
        if missing:
            skipped.append(Skipped(name, f"missing: {', '.join(p.relative_to(folder).as_posix() for p in missing)}"))
        else:
            found.append(name)
    if not known:
        skipped.append(Skipped(suite, f"no set was found under {folder}"))
    return found, skipped


def read_ranking_set(suite: Suite, folder: Path, name: str) -> RankingSet:
    """Read one set of the suites ``retrieval`` and ``chain``.

    Raises LoadError naming file and line where the data is not as it should be.
    """
    questions_path, *corpus_paths = _needed(suite, folder, name)
    titled = not name.endswith("/untitled")
    passages = [
        Passage(row["id"], row["text"], (row.get("title") or "") if titled else "", row.get("doc_id") or "")
        for path in corpus_paths
        for row in read_rows(path, ("id", "text"))
    ]
    if not passages:
        raise LoadError(f"{name}: {corpus_paths[0]} holds no passage.")
    questions = tuple(read_rows(questions_path, ("id", "question", "gold_doc_ids")))
    return RankingSet(
        name=name,
        chinese=base_name(name).endswith("zh"),
        passages=tuple(passages),
        questions=questions,
        corpus_sha256=files_sha256(folder, corpus_paths),
        data_sha256=files_sha256(folder, [questions_path, *corpus_paths]),
    )


def read_extraction_set(folder: Path, name: str) -> ExtractionSet:
    """Read one set of the suite ``extraction``. Raises LoadError naming file and line."""
    paths = _needed("extraction", folder, name)
    levels = {path.stem: tuple(read_rows(path, ("id", "text", "relations"))) for path in paths}
    return ExtractionSet(name=name, levels=levels, data_sha256=files_sha256(folder, paths))


def loading_rows(folder: Path, name: str) -> list[Row]:
    """The files of one set of the suite ``loading``, each named as items name it. Raises LoadError naming the line."""
    (path,) = _needed("loading", folder, name)
    if name == WILD:
        rows = read_rows(path, ("file", "expect", "contains"))
        return [{**row, "file": f"{WILD}/{row['file']}"} for row in rows]
    rows = read_rows(path, ("file", "format", "gold_text", "headings", "tables", "sentences"))
    return [row for row in rows if row["format"] == name]


def loading_sha256(folder: Path, name: str) -> str:
    """SHA-256 over the gold and the files of one set of the suite ``loading``."""
    files = [folder / row["file"] for row in loading_rows(folder, name)]
    if missing := [file for file in files if not file.is_file()]:
        raise LoadError(f"{missing[0]} is missing. Fetch the set again.")
    return files_sha256(folder, [*_needed("loading", folder, name), *files])


def sample(rows: Sequence[Row], size: int | None, *, seed: int, name: str) -> tuple[Row, ...]:
    """``size`` of the rows in their old order: a function of seed, set and size alone. All of them for None."""
    if size is None or size >= len(rows):
        return tuple(rows)
    drawn = random.Random(f"{seed}:{name}").sample(range(len(rows)), size)  # noqa: S311 - a sample, not a secret
    return tuple(rows[i] for i in sorted(drawn))


def base_name(name: str) -> str:
    """The folder of a set: ``multihoprag`` for ``multihoprag+distractors/untitled``."""
    return re.split(r"[/+]", name)[0]


def read_rows(path: Path, fields: Iterable[str]) -> list[Row]:
    """The JSON objects of a file, each of which must have ``fields``. Raises LoadError naming file and line."""
    rows: list[Row] = []
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                row = json.loads(line)
                missing = [f for f in fields if f not in row] if isinstance(row, dict) else ["a JSON object"]
                if missing:
                    raise LoadError(f"{path}, line {number}: {', '.join(missing)} is missing.")
                rows.append(row)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise LoadError(f"{path}, line {len(rows) + 1}: not JSON in UTF-8 ({error}). Fetch the set again.") from error
    except OSError as error:
        raise LoadError(f"{path} cannot be read: {error.strerror}.") from error
    return rows


def files_sha256(folder: Path, paths: Iterable[Path]) -> str:
    """SHA-256 over the names and the contents of files."""
    digest = hashlib.sha256()
    for path in sorted(set(paths)):
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        digest.update(f"{path.relative_to(folder).as_posix()}\0{content}\n".encode())
    return digest.hexdigest()


def joined_sha256(parts: Iterable[str]) -> str:
    """SHA-256 over digests in sorted order: what a whole run was measured on."""
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()


def _loading_formats(folder: Path) -> tuple[str, ...]:
    path = folder / "files.jsonl"
    return tuple(sorted({row["format"] for row in read_rows(path, ("format",))})) if path.is_file() else LOADING_FORMATS


def _needed(suite: Suite, folder: Path, name: str) -> list[Path]:
    """The files of a set, for a ranking set the questions first; at least one, there or not."""
    if suite == "loading":
        return [folder / WILD / "wild.jsonl" if name == WILD else folder / "files.jsonl"]
    base = base_name(name)
    if suite == "extraction":
        both = [folder / "extraction" / base / f"{stem}.jsonl" for stem in ("sentences", "docs")]
        return [path for path in both if path.is_file()] or both[:1]
    kind = "multihop" if suite == "retrieval" else "chain"
    own = folder / kind / base / "corpus.jsonl"
    corpus = own if own.is_file() else folder / "corpus" / base / "corpus.jsonl"
    paths = [folder / kind / base / "questions.jsonl", corpus]
    if "+distractors" in name:
        paths.append(corpus.with_name("distractors.jsonl"))
    return paths


__all__ = [
    "CHAIN_SETS",
    "LOADING_FORMATS",
    "RETRIEVAL_SETS",
    "WILD",
    "ExtractionSet",
    "Passage",
    "RankingSet",
    "Row",
    "Skipped",
    "Suite",
    "base_name",
    "files_sha256",
    "find_sets",
    "joined_sha256",
    "known_sets",
    "loading_rows",
    "loading_sha256",
    "read_extraction_set",
    "read_ranking_set",
    "read_rows",
    "sample",
]
