"""The knowledge base: the whole of Clew behind one object."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import feedback
from extractors.chat.budget import UNLIMITED, Limits
from extractors.loaders import DEFAULTS, loader_of
from extractors.ports import Chunker, LoadOptions, RelationExtractor
from feedback import Decision, LedgerReport, ReviewItem, StoredItem
from graphrag import deciding, inventory
from graphrag.answer import compose, evidence_score
from graphrag.backup import BackupReport, RestoreReport, backup, restore
from graphrag.calibration import Calibration, calibrate
from graphrag.consistent_read import consistently
from graphrag.deep_check import DeepReport, deep_check
from graphrag.explore import explain, explore
from graphrag.ingest import Progress, ingest
from graphrag.inputs import Ingestible, list_inputs
from graphrag.opening import open_stores, utc_now
from graphrag.optimize import OptimizeReport, optimize
from graphrag.plan import IngestOptions
from graphrag.purge import forget_caches, purge_stores
from graphrag.question import read_question
from graphrag.reindex import ReindexReport, reindex
from graphrag.repair import RepairReport, repair
from graphrag.results import (
    Answer,
    ChainsResult,
    DocumentsResult,
    Explanation,
    FoundChain,
    IngestReport,
    PurgeReport,
    RemovalReceipt,
    SearchResult,
    Status,
)
from graphrag.retrieve import Retrieval, Retriever
from graphrag.settings import Settings, load_settings
from graphrag.stores import Stores
from graphrag.switch import explaining_a_switch
from graphrag.walked import WalkedChains
from graphrag.writing import recover, remove_sources
from storage.errors import StoreBusyError, StoreFullError, UsageError
from storage.fault_points import unwatched
from storage.manifest import Isolation
from storage.ports import Embedder
from storage.receipt import Receipt
from storage.records import OWNER, Metadata, Proposal, ProposalStatus, RelationType, View
from storage.stored_text import stored_text
from storage.writer_lock import is_held, writer_lock

T = TypeVar("T")

SHOWN_CHAINS = 5


class KnowledgeBase:
    """Documents, their relation chains, and answers from them.

    >>> with KnowledgeBase.open("knowledge.clew") as kb:  # doctest: +SKIP
    ...     kb.ingest(["handbook/"])
    ...     print(kb.ask("Why did the port close?"))
    """

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._walked = WalkedChains(stores.settings.cache)

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        settings: Settings | None = None,
        embedder: Embedder | None = None,
        extractor: RelationExtractor | None = None,
        chunker: Chunker | None = None,
        clock: Callable[[], datetime] = utc_now,
        create: bool = True,
        on_write_step: Callable[[str], None] = unwatched,
    ) -> Self:
        """Open the store in the folder ``path``; what an interrupted writer left behind is finished or undone.

        Args:
            settings: None reads ``CLEW_*`` and the store's ``clew.toml``.
            embedder, extractor, chunker: None makes those that the settings name.
            clock: gives the present moment, timezone-aware.
            create: whether to make the store where there is none.
            on_write_step: called with the name of each step of writing as it is passed.

        Raises:
            NotFoundError: there is no store, and ``create`` is False.
            UsageError: ``path`` is a file, or a folder that holds other things.
            StoreVersionError: the store has another format, or was made with another embedder.
            ConfigurationError: a setting is wrong.
        """
        stores = open_stores(
            Path(path),
            settings=settings,
            embedder=embedder,
            extractor=extractor,
            chunker=chunker,
            clock=clock,
            create=create,
            reached=on_write_step,
        )
        if stores.graph.open_intents():
            # While another writes, or the disk is full, reading is possible: what is open is hidden.
            with contextlib.suppress(StoreBusyError, StoreFullError), writer_lock(stores.folder, wait_seconds=0):
                recover(stores)
        return cls(stores)

    # documents

    def ingest(
        self,
        sources: Ingestible | Sequence[Ingestible],
        *,
        namespace: str | None = None,
        groups: Iterable[str] | None = None,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        prune: bool = False,
        reprocess: bool = False,
        dry_run: bool = False,
        load: LoadOptions = DEFAULTS,
        limits: Limits = UNLIMITED,
        retry_degraded: bool = False,
        progress: Callable[[Progress], None] = lambda _: None,
    ) -> IngestReport:
        """Take in files, folders and documents; what is unchanged costs a hash, what fails is reported and skipped.

        Args:
            namespace: part of every source's identity; None: the folder's name (for a ``Document``: ``documents``).
            groups: who may see them; None: as each document says, else as before, else the store's default.
            prune: also remove what was ingested from a named folder and is gone from it.
            reprocess: also process anew what an older loader, chunker or extractor processed.
            dry_run: only say what would happen.
            load: how files are read: format, password, comments, rows and more.
            limits: the most that a chat model may be asked for; then it stops, and the same call goes on later.
            retry_degraded: also process anew what the chat model could not read all of.

        Raises UsageError when ``load`` names a format that there is not.
        """
        if load.format is not None:
            loader_of(load.format)
        listing = list_inputs(sources, namespace=namespace)
        options = IngestOptions(
            groups=None if groups is None else tuple(sorted(set(groups))),
            valid_from=valid_from,
            valid_to=valid_to,
            prune=prune,
            reprocess=reprocess,
            retry_degraded=retry_degraded,
            dry_run=dry_run,
            load=load,
        )
        if dry_run:
            return ingest(self._stores, listing, options, progress=progress)
        with self._writing():
            self._stores.budget.limit(limits)
            return ingest(self._stores, listing, options, progress=progress)

    def remove(self, source: str, *, actor: str = "owner", purge: bool = False) -> RemovalReceipt:
        """Remove a source, with all its versions, by its path, id or the beginning of its id; what only it proved is
        retired.

        The path of a file that holds several documents, such as an archive, removes all of them. With ``purge``, what
        their texts have left in old versions of tables, free pages and the user's caches is dropped as well: that
        writes the whole store once more, and readers in other processes must open it again.

        Raises NotFoundError if there is none, UsageError if there are several.
        """
        with self._writing():
            found = inventory.find_sources(self._stores.graph, source)
            older = self._stores.graph.kept_versions([s.id for s in found])
            forgotten = forget_caches(self._stores, found) if purge else PurgeReport()
            receipt = remove_sources(self._stores, found, actor=actor, reason="remove")
            if not purge:  # which does all of it
                self._stores.index.keep_up(ingested=False)
            purged = forgotten.with_(purge_stores(self._stores)) if purge else None
        return RemovalReceipt(
            id=receipt.receipt,
            sources=tuple(sorted(s.id for s in found)),
            documents=tuple(sorted(s.document_id for s in (*found, *older))),
            chunks=receipt.chunks,
            evidence=receipt.evidence,
            relations=receipt.relations,
            statements=receipt.statements,
            chains=receipt.chains,
            paths=tuple(s.path for s in found),
            purged=purged,
        )

    def documents(
        self,
        *,
        stale: bool = False,
        failed: bool = False,
        versions: bool = False,
        groups: Iterable[str] | None = None,
        as_of: datetime | None = None,
    ) -> DocumentsResult:
        """What is in, and holds now or ``as_of`` a moment.

        Args:
            stale: only what an older version of Clew processed.
            failed: only what could not be taken in.
            versions: whatever holds at any time, also older versions that are kept.
            groups: whose eyes to look through; None: the owner's.
            as_of: the moment documents must be valid at; None: now.
        """
        view = _view(groups, as_of)
        return consistently(
            self._stores.graph,
            view,
            lambda scope: inventory.documents(
                self._stores, scope, view.groups, stale=stale, failed=failed, versions=versions
            ),
        )

    def status(self) -> Status:
        """Counts, sizes, versions and the state hash."""
        return inventory.status(self._stores)

    # questions

    def search(
        self,
        question: str,
        *,
        limit: int = 10,
        groups: Iterable[str] | None = None,
        as_of: datetime | None = None,
        where: Metadata | None = None,
        widen: bool = False,
    ) -> SearchResult:
        """Chains and chunks for a question, best first, with the channels that found each chunk.

        Args:
            limit: most chunks, ≥ 1.
            groups: whose eyes to look through; None: the owner's.
            as_of: the moment documents must be valid at; None: now.
            where: metadata that documents must have.
            widen: whether each hit has the text of its section around it as ``wider``.
        """
        if limit < 1:
            raise UsageError("limit must be at least 1.")
        question = _asked(question)
        asked = read_question(question)

        def read(retriever: Retriever) -> tuple[Retrieval, float, tuple[FoundChain, ...]]:
            found = retriever.retrieve(asked, limit=limit)
            if widen:
                found.hits = retriever.widened(found.hits)
            shown = retriever.shown([c for c in found.chains if c.complete], SHOWN_CHAINS)
            return found, evidence_score(retriever, found), shown

        view = _view(groups, as_of, where)
        found, score, chains = self._retrieving(view, read)
        self._remember(chains, view)
        return SearchResult(
            question=question,
            chains=chains,
            hits=tuple(found.hits),
            evidence_score=score,
            abstained=score < self._stores.settings.answer_threshold,
            truncated=bool(found.reasons),
            reasons=tuple(found.reasons),
        )

    def ask(
        self,
        question: str,
        *,
        propose: bool = False,
        proposer: str = "ask",
        groups: Iterable[str] | None = None,
        as_of: datetime | None = None,
        where: Metadata | None = None,
    ) -> Answer:
        """Answer a question from the documents, every step cited, or say that they do not answer it.

        With ``propose``, a chain of the answer that crosses documents and is not stored is put before the gate and,
        if it passes, waits for a person's review.
        """
        question = _asked(question)
        asked = read_question(question)
        settings = self._stores.settings

        def read(retriever: Retriever) -> tuple[Answer, list[FoundChain]]:
            found = retriever.retrieve(asked, limit=10)
            answer = compose(retriever, found, threshold=settings.answer_threshold, tokens=settings.answer_tokens)
            best = answer.chains[:1] if propose and not answer.abstained else ()
            return answer, [c for c in best if not c.stored and _crosses_documents(retriever, c)]

        view = _view(groups, as_of, where)
        answer, new = self._retrieving(view, read)
        self._remember(answer.chains, view)
        if new:
            proposals = [
                self.propose(
                    [link.relation_id for link in chain.links], proposer=proposer, question=question, view=view
                )
                for chain in new
            ]
            answer = answer.model_copy(update={"proposals": tuple(proposals)})
        return answer

    def chains(
        self,
        *,
        start: str | None = None,
        end: str | None = None,
        types: Iterable[RelationType | str] | None = None,
        max_hops: int | None = None,
        limit: int = 10,
        groups: Iterable[str] | None = None,
        as_of: datetime | None = None,
        where: Metadata | None = None,
    ) -> ChainsResult:
        """Chains from ``start`` to ``end``, or with one of them alone what follows it or leads to it, best first."""
        types, view = None if types is None else tuple(types), _view(groups, as_of, where)
        result = self._retrieving(
            view,
            lambda retriever: explore(
                self._stores, retriever, start=start, end=end, types=types, max_hops=max_hops, limit=limit
            ),
        )
        self._remember(result.chains, view)
        return result

    def explain(
        self, chain_id: str, *, groups: Iterable[str] | None = None, as_of: datetime | None = None
    ) -> Explanation:
        """Every link of a chain with its quotes, cues and offsets; ``chain_id`` may be the beginning of an id."""
        view = _view(groups, as_of)
        shown_lately = partial(self._walked.starting, groups=view.groups)
        return self._retrieving(view, lambda retriever: explain(self._stores, retriever, shown_lately, chain_id))

    # writing back

    def propose(
        self, relation_ids: Sequence[str], *, proposer: str, question: str = "", view: View = OWNER
    ) -> Proposal:
        """Put a chain of existing relations before the gate; what passes waits for a person's review."""
        with self._writing():
            return feedback.propose(
                self._stores.graph,
                self._stores.index,
                relation_ids=relation_ids,
                view=view,
                proposer=proposer,
                question=question,
                clock=self._stores.clock,
            )

    def proposals(self, statuses: Iterable[ProposalStatus] | None = None) -> tuple[Proposal, ...]:
        """Proposals, oldest first."""
        return feedback.list_proposals(self._stores.graph, statuses=statuses)

    def review(self, proposal_id: str) -> ReviewItem:
        """A proposal with every link's quotes and every check's verdict, for the person who decides."""
        id_ = deciding.proposal_id(self._stores, proposal_id)
        return feedback.show(self._stores.graph, self._stores.index, proposal_id=id_)

    def stored(self, id_: str) -> StoredItem:
        """A relation, a chain or a same_as link with its quotes, and the verdict on it, whatever its status."""
        id_ = deciding.stored_id(self._stores, id_)
        return feedback.show_stored(self._stores.graph, self._stores.index, subject_id=id_)

    def verdicts(self) -> tuple[StoredItem, ...]:
        """The relations, chains and same_as links that a person rejected, in words, with who, when and why."""
        return feedback.list_stored(self._stores.graph)

    def accept(self, id_: str, *, reason: str, actor: str) -> Decision:
        """Activate a proposed chain, or take back the rejection of a relation, a chain or a same_as link."""
        with self._writing():
            return deciding.accept(self._stores, id_, reason=reason, actor=actor)

    def reject(self, id_: str, *, reason: str, actor: str) -> Decision:
        """Turn a proposed chain down, or reject what is stored: a relation, chain or same_as link (``rel_``, ``chn_``,
        ``lnk_``).

        What is rejected stays out of answers, walks, counts and the state hash, however often it is ingested again.
        """
        with self._writing():
            return deciding.reject(self._stores, self._walked, id_, reason=reason, actor=actor)

    def rollback(self, batch: str, *, reason: str, actor: str) -> Decision:
        """Undo an acceptance or the rejection of something stored; the state hash is again what it was before."""
        with self._writing():
            return feedback.rollback(
                self._stores.graph,
                self._stores.index,
                self._stores.embedder,
                batch=batch,
                actor=actor,
                reason=reason,
                clock=self._stores.clock,
            )

    def verify_ledger(self, *, noted: str | None = None) -> LedgerReport:
        """Whether the record of all decisions is unbroken, holds the entry whose hash was ``noted``, and every receipt
        that it names is there unaltered."""
        graph = self._stores.graph
        return consistently(
            graph, OWNER, lambda _: feedback.verify(graph.ledger(), noted=noted, receipts=graph.receipts())
        )

    def receipts(self) -> tuple[Receipt, ...]:
        """The receipts of all removals, oldest first: what went, by id."""
        return tuple(self._stores.graph.receipts())

    # upkeep

    def check(self, *, progress: Callable[[int, int], None] = lambda *_: None) -> DeepReport:
        """Prove that the stores agree: read everything of both, and say what is not as it should be."""
        stores = self._stores
        return deep_check(
            stores.graph,
            stores.index,
            dimensions=stores.embedder.dimensions,
            now=stores.clock(),
            writing=is_held(stores.folder),
            progress=progress,
        )

    def repair(self, *, progress: Callable[[int, int], None] = lambda *_: None) -> RepairReport:
        """Put right what :meth:`check` finds, as far as the stores themselves hold what is needed."""
        with writer_lock(self._stores.folder, wait_seconds=self._stores.settings.lock_wait):
            return repair(self._stores, progress=progress)

    def optimize(self) -> OptimizeReport:
        """Fold files and search indexes together and give space back; searches stay right meanwhile."""
        with self._writing():
            return optimize(self._stores)

    def purge(self) -> PurgeReport:
        """Drop what the stores keep of everything that was removed or replaced: old versions of tables, free pages.

        What caches remember of such texts cannot be told apart any more; removing with ``purge`` forgets it in time.
        """
        with self._writing():
            return purge_stores(self._stores)

    def backup(self, file: str | Path, *, overwrite: bool = False) -> BackupReport:
        """Write everything but the settings into one file, while others may read; see :mod:`graphrag.backup`."""
        with self._writing():
            return backup(self._stores, Path(file), overwrite=overwrite)

    @staticmethod
    def restore(
        file: str | Path,
        path: str | Path,
        *,
        settings: Settings | None = None,
        clock: Callable[[], datetime] = utc_now,
        on_write_step: Callable[[str], None] = unwatched,
    ) -> RestoreReport:
        """Make a store in the new or empty folder ``path`` of a backup, and prove that it is equal; then open it."""
        settings = settings if settings is not None else load_settings(Path(path), environ=os.environ)
        return restore(Path(file), Path(path), settings, clock=clock, reached=on_write_step)

    @staticmethod
    def reindex(
        path: str | Path,
        *,
        embedder: str | Embedder | None = None,
        isolation: Isolation | None = None,
        settings: Settings | None = None,
        clock: Callable[[], datetime] = utc_now,
        on_write_step: Callable[[str], None] = unwatched,
        progress: Callable[[int, int], None] = lambda *_: None,
    ) -> ReindexReport:
        """Embed the store in ``path`` anew, or keep its access classes apart; see :func:`graphrag.reindex.reindex`."""
        settings = settings if settings is not None else load_settings(Path(path), environ=os.environ)
        return reindex(
            Path(path),
            settings,
            embedder=embedder,
            isolation=isolation,
            clock=clock,
            reached=on_write_step,
            progress=progress,
        )

    # life

    @property
    def settings(self) -> Settings:
        """What this knowledge base was opened with."""
        return self._stores.settings

    def close(self) -> None:
        """Let go of the stores, and end the process that reads files."""
        self._stores.files.close()
        self._stores.graph.close()
        self._stores.index.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @cached_property
    def _calibration(self) -> Calibration:
        return calibrate(self._stores.embedder)

    def _retrieving(self, view: View, read: Callable[[Retriever], T]) -> T:
        """What ``read`` finds of one state of the store; each try has a retriever of its own."""
        graph, calibration = self._stores.graph, self._calibration
        with explaining_a_switch(self._stores):
            return consistently(graph, view, lambda scope: read(Retriever(self._stores, scope, calibration)))

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        with writer_lock(self._stores.folder, wait_seconds=self._stores.settings.lock_wait):
            recover(self._stores)
            yield

    def _remember(self, chains: Iterable[FoundChain], view: View) -> None:
        new = ((c.id, tuple(link.relation_id for link in c.links)) for c in chains if not c.stored)
        self._walked.remember(new, view.groups)


def _view(
    groups: Iterable[str] | None,
    as_of: datetime | None = None,
    where: Mapping[str, str | int | float | bool] | None = None,
) -> View:
    return View(groups=None if groups is None else frozenset(groups), as_of=as_of, where=dict(where or {}))


def _asked(question: str) -> str:
    question = stored_text(question)  # without what could not be printed or searched for
    if not question.strip():
        raise UsageError('The question is empty. Ask something, for example: clew ask "Why did the port close?"')
    return question


def _crosses_documents(retriever: Retriever, chain: FoundChain) -> bool:
    """Whether no single document proves every link."""
    proofs = retriever.reader.evidence(link.relation_id for link in chain.links)
    return not set.intersection(*({e.document_id for e in evidence} for evidence in proofs.values()))


__all__ = ["SHOWN_CHAINS", "KnowledgeBase"]
