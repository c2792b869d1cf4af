"""What the public methods give back: pydantic models that print themselves usefully."""

from __future__ import annotations

import html
from datetime import datetime, time
from typing import Literal

from pydantic import Field

from graphrag.answer_words import say
from graphrag.places import in_words
from storage.chain_text import arrow
from storage.records import (
    Metadata,
    Modality,
    Period,
    PlaceKind,
    PlaceName,
    Polarity,
    Proposal,
    Record,
    RelationType,
    UtcTime,
)


class Result(Record):
    """A result: ``print`` shows it as the command line does, a notebook as a preformatted block."""

    def __repr__(self) -> str:
        return self.as_text()

    def __str__(self) -> str:
        return self.as_text()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.as_text())}</pre>"

    def as_text(self) -> str:
        """The result in words, as the command line prints it."""
        return self.model_dump_json(indent=2)


_NOTES_SHOWN = 5

# --- ingest and remove -----------------------------------------------------------------------------------------------


class FileProblem(Record):
    """One input that was not taken in, and why."""

    path: str
    reason: str


class ModelUse(Record):
    """What a chat model was asked, or in a dry run would be asked; answers that are remembered cost nothing."""

    calls: int
    tokens: int  # of questions and answers
    cost: float  # by the prices of the settings; 0 where they name none


class IngestReport(Result):
    """What an ingest did, or with ``dry_run`` would do. Paths are relative to the folder, or the caller's ids."""

    added: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()  # groups or metadata only
    unchanged: int = 0
    removed: tuple[str, ...] = ()  # pruned: their file is gone
    stale: tuple[str, ...] = ()  # unchanged, but processed by an older loader, chunker or extractor
    failed: tuple[FileProblem, ...] = ()
    skipped: tuple[FileProblem, ...] = ()
    degraded: tuple[FileProblem, ...] = ()  # taken in, but something could not be done
    notes: tuple[FileProblem, ...] = ()  # left out on purpose: quotes of earlier mails, hidden sheets, hidden files
    chunks: int = 0
    relations: dict[str, int] = Field(default_factory=dict)  # evidence found, by type
    chains: int = 0
    truncated_chains: int = 0
    seconds: float = 0.0
    stages: dict[str, float] = Field(default_factory=dict)  # seconds by stage
    stopped: str = ""  # why it ended before the last input: what a model may cost was used up
    model: ModelUse | None = None
    dry_run: bool = False

    def as_text(self) -> str:
        would = "would be " if self.dry_run else ""
        lines = [
            f"{len(self.added)} added, {len(self.replaced)} replaced, {len(self.updated)} updated, "
            f"{self.unchanged} unchanged, {len(self.removed)} removed, {len(self.failed)} failed"
            + (" (dry run: nothing was written)" if self.dry_run else f" in {self.seconds:.1f} s")
        ]
        if not self.dry_run and (self.added or self.replaced):
            types = ", ".join(f"{n} {name}" for name, n in sorted(self.relations.items())) or "no relations"
            lines.append(f"{self.chunks} chunks; relations: {types}; {self.chains} chains")
        if self.truncated_chains:
            lines.append(f"{self.truncated_chains} further paths inside documents were not stored as chains")
        if self.model:
            price = f", cost {self.model.cost:.4f}" if self.model.cost else ""
            asked = "about " if self.dry_run else ""
            lines.append(f"model: {asked}{self.model.calls:,} calls, {self.model.tokens:,} tokens{price}")
        if self.stopped:
            lines.append(f"stopped: {self.stopped}")
        for title, paths in (("added", self.added), ("replaced", self.replaced), ("removed", self.removed)):
            if self.dry_run or title == "removed":
                lines += [f"{would}{title}: {path}" for path in paths]
        lines += [
            f"stale: {path} (an older version of Clew processed it; redo with --reprocess)" for path in self.stale
        ]
        for title, problems in (("failed", self.failed), ("skipped", self.skipped), ("degraded", self.degraded)):
            lines += [f"{title}: {p.path}: {p.reason}" for p in problems]
        lines += [f"note: {p.path}: {p.reason}" for p in self.notes[:_NOTES_SHOWN]]
        if len(self.notes) > _NOTES_SHOWN:
            lines.append(f"note: {len(self.notes) - _NOTES_SHOWN:,} more of the kind, see IngestReport.notes")
        return "\n".join(lines)


class PurgeReport(Result):
    """What was dropped of what removed texts leave behind, and what cannot be promised."""

    vectors: int = 0  # entries of the user's embedding cache
    answers: int = 0  # remembered answers of chat models
    index_versions: int = 0  # older versions of tables of the text index
    notes: tuple[str, ...] = ()

    def with_(self, other: PurgeReport) -> PurgeReport:
        """Both together."""
        return PurgeReport(
            vectors=self.vectors + other.vectors,
            answers=self.answers + other.answers,
            index_versions=self.index_versions + other.index_versions,
            notes=(*self.notes, *other.notes),
        )

    def as_text(self) -> str:
        return "\n".join(
            [
                f"purged: {self.index_versions} older versions of the index's tables, free pages of the graph, "
                f"{self.vectors} remembered vectors, {self.answers} remembered answers",
                *(
                    ["Readers in other processes that have an older version open must open the store again."]
                    if self.index_versions
                    else []
                ),
                *(f"note: {note}" for note in self.notes),
            ]
        )


class RemovalReceipt(Result):
    """What went with the removed sources; ids sorted. It is stored without the paths, under ``id``."""

    id: str | None = None  # of the stored receipt: clew ledger receipts ID
    sources: tuple[str, ...]
    documents: tuple[str, ...]
    chunks: tuple[str, ...]
    evidence: tuple[str, ...]
    relations: tuple[str, ...]  # retired: nothing else proves them
    statements: tuple[str, ...]
    chains: tuple[str, ...]
    paths: tuple[str, ...]
    purged: PurgeReport | None = None  # if that was asked for

    def as_text(self) -> str:
        older = len(self.documents) - len(self.sources)
        versions = f" with {older} older version{'s' if older > 1 else ''}" if older else ""
        return "\n".join(
            [
                f"removed {', '.join(self.paths)}{versions}",
                f"removed: chunks {len(self.chunks)}, evidence {len(self.evidence)}; retired, as nothing else proves "
                f"them: relations {len(self.relations)}, statements {len(self.statements)}, chains {len(self.chains)}",
                *([f"receipt {self.id}"] if self.id else []),
                *([self.purged.as_text()] if self.purged else []),
            ]
        )


# --- chains ----------------------------------------------------------------------------------------------------------


class Citation(Record):
    """Where something is said: ``quote`` is the text of the document from ``start`` to ``end``."""

    marker: int = Field(ge=1)
    evidence_id: str | None = None
    document_id: str
    chunk_id: str | None = None
    source: str  # path or the caller's id
    title: str = ""
    section: tuple[str, ...] = ()
    page: int | None = None
    places: tuple[PlaceName, ...] = ()  # from the outermost: a sheet, a row, a column
    start: int
    end: int
    quote: str
    sentence: str  # the whole sentence(s) in which the quote stands
    row: str = ""  # in a table: the row in which it stands, with the names of its columns
    valid_until: UtcTime | None = None  # the document no longer holds: until when it did

    @property
    def place(self) -> str:
        """The document, and where in it, as a person would say it."""
        return self.place_in("en")

    def place_in(self, language: str) -> str:
        """The same in English or Chinese; of a document that no longer holds, until when it did."""
        return _place(self.source, self.section, self.page, self.places, language) + _until(self.valid_until, language)


def _place(
    source: str, section: tuple[str, ...], page: int | None, places: tuple[PlaceName, ...], language: str = "en"
) -> str:
    parts = [source]
    if section:
        parts.append(f"§ {' › '.join(section)}")
    if page is not None and not any(place.kind is PlaceKind.SLIDE for place in places):
        parts.append(f"p. {page}")
    return ", ".join([*parts, *in_words(places, language)])


def _until(moment: datetime | None, language: str = "en") -> str:
    return "" if moment is None else say(language, "valid_until", date=date_in_words(moment))


def date_in_words(moment: datetime) -> str:
    """A date, and the time of day where it is not the beginning of the day."""
    return f"{moment:%Y-%m-%d}" if moment.time() == time.min else f"{moment:%Y-%m-%d %H:%M} UTC"


class LinkEvidence(Record):
    """One proof of a link, with the words of its ends and cue as they stand in the document."""

    evidence_id: str
    document_id: str
    source: str
    start: int
    end: int
    quote: str
    head: str
    head_start: int
    head_end: int
    tail: str
    tail_start: int
    tail_end: int
    cue: str | None
    cue_start: int | None
    cue_end: int | None
    subtype: str
    modality: Modality
    confidence: float
    origin: str
    valid_until: UtcTime | None = None  # the document no longer holds: until when it did


class ChainLink(Record):
    """One step of a chain."""

    relation_id: str
    type: RelationType
    polarity: Polarity = Polarity.AFFIRMED
    modality: Modality = Modality.ASSERTED
    subtype: str
    confidence: float
    head_id: str
    head: str
    tail_id: str
    tail: str
    documents: int  # distinct documents that prove it
    evidence: tuple[LinkEvidence, ...] = ()
    joined_by_same_as: bool = False  # its head is said in other words than the tail before it
    same_as_id: str | None = None  # of the link that joins it, if it is so joined: a person can reject it


class FoundChain(Result):
    """A chain that a search, a walk or an id found."""

    id: str
    links: tuple[ChainLink, ...]
    score: float = 0.0
    stored: bool = False
    derived: bool = False  # written back across documents, not found whole inside one

    def as_text(self) -> str:
        return draw_chain(self)


def draw_chain(chain: FoundChain, markers: dict[str, int] | None = None) -> str:
    """``A ─causes→ B [1] ─then→ C [2]``: markers by relation id stand behind the tail of their link."""
    parts = [chain.links[0].head]
    for link in chain.links:
        if link.joined_by_same_as:
            parts.append(f"≈ {link.head}")
        parts.append(f"{arrow(link.type, link.polarity)} {link.tail}")
        if markers and link.relation_id in markers:
            parts.append(f"[{markers[link.relation_id]}]")
    return " ".join(parts) + (" (derived)" if chain.derived else "")


class Explanation(Result):
    """One chain with everything that proves it."""

    chain: FoundChain

    def as_text(self) -> str:
        lines = [draw_chain(self.chain), f"id {self.chain.id}"]
        if self.chain.stored:
            lines.append(
                "stored: written back across documents" if self.chain.derived else "stored: found in one document"
            )
        for i, link in enumerate(self.chain.links, 1):
            lines += ["", f"{i}. {link.head} {arrow(link.type, link.polarity)} {link.tail}"]
            if link.same_as_id:
                lines.append(f"   joined to the link before, which is said in other words, by {link.same_as_id}")
            lines.append(
                f"   {link.subtype}, {link.modality.value}, confidence {link.confidence:.2f}, "
                f"{link.documents} document{'s' if link.documents != 1 else ''}, {link.relation_id}"
            )
            for proof in link.evidence:
                place = f"{proof.source}{_until(proof.valid_until)} [{proof.start}:{proof.end}]"
                lines.append(f"   {place}: “{' '.join(proof.quote.split())}”")
                cue = f"cue “{proof.cue}” [{proof.cue_start}:{proof.cue_end}], " if proof.cue else ""
                lines.append(f"      {cue}{proof.origin}, document {proof.document_id}")
        return "\n".join(lines)


class StatementMatch(Record):
    """A statement that a name could mean."""

    statement_id: str
    text: str
    score: float


class ChainsResult(Result):
    """Chains found between, from or to the statements that were named, best first."""

    chains: tuple[FoundChain, ...] = ()
    truncated: bool = False
    reasons: tuple[str, ...] = ()  # why it was cut
    matched_statements: dict[Literal["start", "end"], tuple[StatementMatch, ...]] = Field(default_factory=dict)

    def as_text(self) -> str:
        lines: list[str] = []
        for end, matches in self.matched_statements.items():
            if not matches:
                lines.append(f"{end}: no statement matches")
            else:
                lines.append(f"{end}: {matches[0].text}")
                lines += [f"  or: {m.text} ({m.statement_id})" for m in matches[1:]]
        lines += [f"{i}. {draw_chain(c)}  ({c.score:.2f}, {c.id})" for i, c in enumerate(self.chains, 1)]
        if not self.chains:
            lines.append("no chain found")
        lines += [f"cut: {reason}" for reason in self.reasons]
        return "\n".join(lines)


# --- search and ask --------------------------------------------------------------------------------------------------


class ChannelScore(Record):
    """Where one way of searching ranked a chunk (from 1), and its own score for it."""

    rank: int
    score: float


class Wider(Record):
    """The text around a hit: its section, or as much of that as the bound allows."""

    start: int
    end: int
    text: str


class Hit(Record):
    """One chunk that a search found."""

    chunk_id: str
    document_id: str
    source: str
    title: str = ""
    section: tuple[str, ...] = ()
    page: int | None = None
    places: tuple[PlaceName, ...] = ()
    start: int
    end: int
    context: str = ""  # to be read before the text: the header of its table
    text: str
    rows: tuple[str, ...] = ()  # of a table: its rows with the names of their columns, each to be read by itself
    wider: Wider | None = None  # the section around it, if that was asked for
    score: float
    channels: dict[str, ChannelScore]
    valid_until: UtcTime | None = None  # the document no longer holds: until when it did

    def shown(self, characters: int = 200) -> str:
        """The beginning of it on one line; of a table the rows as they read by themselves."""
        return " ".join((" / ".join(self.rows) or self.text).split())[:characters]

    def place_in(self, language: str) -> str:
        """The document, and the section, page or other place in it, in English or Chinese; and until when it held."""
        return _place(self.source, self.section, self.page, self.places, language) + _until(self.valid_until, language)


class SearchResult(Result):
    """Chains and chunks that a question found, best first."""

    question: str
    chains: tuple[FoundChain, ...] = ()
    hits: tuple[Hit, ...] = ()
    evidence_score: float = 0.0  # in [0, 1]: how much what was found looks like an answer
    abstained: bool = False  # the evidence is below the threshold of the settings
    truncated: bool = False
    reasons: tuple[str, ...] = ()

    def as_text(self) -> str:
        lines = [f"chain {i}: {draw_chain(c)}" for i, c in enumerate(self.chains, 1)]
        for i, hit in enumerate(self.hits, 1):
            channels = ", ".join(f"{name} #{c.rank}" for name, c in sorted(hit.channels.items()))
            lines.append(f"{i}. {hit.place_in('en')} ({channels})")
            lines.append(f"   {' '.join(hit.wider.text.split()) if hit.wider else hit.shown()}")
        if not self.hits:
            lines.append("nothing found")
        lines += [f"cut: {reason}" for reason in self.reasons]
        return "\n".join(lines)


class Answer(Result):
    """A grounded answer: the chain first, then sentences of the evidence, then the citations."""

    question: str
    text: str
    abstained: bool
    chains: tuple[FoundChain, ...] = ()
    citations: tuple[Citation, ...] = ()
    missing: tuple[str, ...] = ()  # what the question asks for and nothing shows
    nearest: tuple[Hit, ...] = ()  # what was found instead, when abstained
    evidence_score: float = 0.0
    proposals: tuple[Proposal, ...] = ()
    truncated: bool = False
    trace: tuple[str, ...] = ()  # what was done, step by step

    def as_text(self) -> str:
        return self.text


# --- inventory -------------------------------------------------------------------------------------------------------


class DocumentRow(Record):
    """One line of ``clew documents``."""

    source_id: str
    document_id: str
    namespace: str
    path: str
    title: str
    language: str
    chunks: int
    relations: int
    groups: tuple[str, ...]
    metadata: Metadata
    ingested_at: UtcTime
    stale: bool
    valid_from: UtcTime | None = None
    valid_to: UtcTime | None = None
    gaps: tuple[Period, ...] = ()  # within these two another version held
    older: bool = False  # a version that was replaced and is kept

    @property
    def validity(self) -> str:
        """When it holds, in words; "" where that is always."""
        if self.valid_from is None and self.valid_to is None and not self.gaps:
            return ""
        start = f" from {date_in_words(self.valid_from)}" if self.valid_from else ""
        end = f" until {date_in_words(self.valid_to)}" if self.valid_to else ""
        gaps = [f"{date_in_words(gap.start)} to {date_in_words(gap.end)}" for gap in self.gaps if gap.start < gap.end]
        return f"valid{start}{end}" + (f", but not {', '.join(gaps)}" if gaps else "")


class DocumentsResult(Result):
    """What is in a store, and what could not be taken in."""

    documents: tuple[DocumentRow, ...] = ()
    failed: tuple[FileProblem, ...] = ()

    def as_text(self) -> str:
        lines = [
            f"{d.document_id}  {d.language}  {d.chunks:>4} chunks  {d.relations:>4} relations  "
            f"{d.ingested_at:%Y-%m-%d %H:%M}  {d.namespace}/{d.path}{'  (stale)' if d.stale else ''}"
            + (f"  ({'older version, ' if d.older else ''}{d.validity})" if d.validity else "")
            for d in self.documents
        ]
        lines += [f"failed: {p.path}: {p.reason}" for p in self.failed]
        return "\n".join(lines) or "no documents"


class Status(Result):
    """Counts, sizes and versions of a store."""

    store: str
    format_version: int
    clew_version: str
    embedder: str
    dimensions: int
    same_as_by: tuple[str, ...]  # what finds statements that say the same; vectors only with a calibrated embedder
    counts: dict[str, int]
    relations_by_type: dict[str, int]
    bytes_on_disk: int
    stale: int
    failed: int
    versions: int = 0  # older ones that are kept
    isolation: str = "shared"  # of access classes in the text index
    state_hash: str

    def as_text(self) -> str:
        lines = [f"store       {self.store} (format {self.format_version}, {self.bytes_on_disk / 1e6:.1f} MB)"]
        lines.append(f"embedder    {self.embedder} ({self.dimensions} dimensions)")
        if self.isolation == "strict":
            lines.append("isolation   strict: tables of their own per access class")
        off = "" if "vectors" in self.same_as_by else " (not by vectors: no thresholds were measured for this embedder)"
        lines.append(f"same_as     by {', '.join(self.same_as_by)}{off}")
        lines += [f"{name.replace('_', ' '):<16}{n:>8}" for name, n in self.counts.items()]
        lines += [f"  {name:<14}{n:>8}" for name, n in self.relations_by_type.items()]
        if self.stale:
            lines.append(f"{self.stale} stale documents: see clew documents --stale")
        if self.versions:
            kept = "older version is" if self.versions == 1 else "older versions are"
            lines.append(f"{self.versions} {kept} kept: see clew documents --versions")
        if self.failed:
            lines.append(f"{self.failed} files could not be taken in: see clew documents --failed")
        lines.append(f"state_hash  {self.state_hash}")
        return "\n".join(lines)


__all__ = [
    "Answer",
    "ChainLink",
    "ChainsResult",
    "ChannelScore",
    "Citation",
    "DocumentRow",
    "DocumentsResult",
    "Explanation",
    "FileProblem",
    "FoundChain",
    "Hit",
    "IngestReport",
    "LinkEvidence",
    "PurgeReport",
    "RemovalReceipt",
    "Result",
    "SearchResult",
    "StatementMatch",
    "Status",
    "draw_chain",
]
