"""The knowledge base for asynchronous programs: the same methods, each run in a worker thread."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from feedback import Decision, LedgerReport, ReviewItem, StoredItem
from graphrag.backup import BackupReport, RestoreReport
from graphrag.deep_check import DeepReport
from graphrag.inputs import Ingestible
from graphrag.knowledge_base import KnowledgeBase
from graphrag.optimize import OptimizeReport
from graphrag.reindex import ReindexReport
from graphrag.repair import RepairReport
from graphrag.results import (
    Answer,
    ChainsResult,
    DocumentsResult,
    Explanation,
    IngestReport,
    PurgeReport,
    RemovalReceipt,
    SearchResult,
    Status,
)
from graphrag.settings import Settings
from storage.receipt import Receipt
from storage.records import OWNER, Metadata, Proposal, ProposalStatus, RelationType, View


class AsyncKnowledgeBase:
    """Mirrors :class:`~graphrag.knowledge_base.KnowledgeBase`; see there for arguments and errors."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb

    @classmethod
    async def open(cls, path: str | Path, **options: Any) -> Self:
        """See :meth:`KnowledgeBase.open`."""
        return cls(await asyncio.to_thread(partial(KnowledgeBase.open, path, **options)))

    async def ingest(self, sources: Ingestible | Sequence[Ingestible], **options: Any) -> IngestReport:
        """See :meth:`KnowledgeBase.ingest`."""
        return await asyncio.to_thread(partial(self._kb.ingest, sources, **options))

    async def remove(self, source: str, *, actor: str = "owner", purge: bool = False) -> RemovalReceipt:
        """See :meth:`KnowledgeBase.remove`."""
        return await asyncio.to_thread(partial(self._kb.remove, source, actor=actor, purge=purge))

    async def documents(
        self,
        *,
        stale: bool = False,
        failed: bool = False,
        versions: bool = False,
        groups: Iterable[str] | None = None,
        as_of: datetime | None = None,
    ) -> DocumentsResult:
        """See :meth:`KnowledgeBase.documents`."""
        return await asyncio.to_thread(
            partial(self._kb.documents, stale=stale, failed=failed, versions=versions, groups=groups, as_of=as_of)
        )

    async def status(self) -> Status:
        """See :meth:`KnowledgeBase.status`."""
        return await asyncio.to_thread(self._kb.status)

    async def search(
        self,
        question: str,
        *,
        limit: int = 10,
        groups: Iterable[str] | None = None,
        as_of: datetime | None = None,
        where: Metadata | None = None,
        widen: bool = False,
    ) -> SearchResult:
        """See :meth:`KnowledgeBase.search`."""
        return await asyncio.to_thread(
            partial(self._kb.search, question, limit=limit, groups=groups, as_of=as_of, where=where, widen=widen)
        )

    async def ask(
        self,
        question: str,
        *,
        propose: bool = False,
        proposer: str = "ask",
        groups: Iterable[str] | None = None,
        as_of: datetime | None = None,
        where: Metadata | None = None,
    ) -> Answer:
        """See :meth:`KnowledgeBase.ask`."""
        return await asyncio.to_thread(
            partial(self._kb.ask, question, propose=propose, proposer=proposer, groups=groups, as_of=as_of, where=where)
        )

    async def chains(
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
        """See :meth:`KnowledgeBase.chains`."""
        return await asyncio.to_thread(
            partial(
                self._kb.chains,
                start=start,
                end=end,
                types=types,
                max_hops=max_hops,
                limit=limit,
                groups=groups,
                as_of=as_of,
                where=where,
            )
        )

    async def explain(
        self, chain_id: str, *, groups: Iterable[str] | None = None, as_of: datetime | None = None
    ) -> Explanation:
        """See :meth:`KnowledgeBase.explain`."""
        return await asyncio.to_thread(partial(self._kb.explain, chain_id, groups=groups, as_of=as_of))

    async def propose(
        self, relation_ids: Sequence[str], *, proposer: str, question: str = "", view: View = OWNER
    ) -> Proposal:
        """See :meth:`KnowledgeBase.propose`."""
        return await asyncio.to_thread(
            partial(self._kb.propose, relation_ids, proposer=proposer, question=question, view=view)
        )

    async def proposals(self, statuses: Iterable[ProposalStatus] | None = None) -> tuple[Proposal, ...]:
        """See :meth:`KnowledgeBase.proposals`."""
        return await asyncio.to_thread(partial(self._kb.proposals, statuses))

    async def review(self, proposal_id: str) -> ReviewItem:
        """See :meth:`KnowledgeBase.review`."""
        return await asyncio.to_thread(partial(self._kb.review, proposal_id))

    async def stored(self, id_: str) -> StoredItem:
        """See :meth:`KnowledgeBase.stored`."""
        return await asyncio.to_thread(partial(self._kb.stored, id_))

    async def verdicts(self) -> tuple[StoredItem, ...]:
        """See :meth:`KnowledgeBase.verdicts`."""
        return await asyncio.to_thread(self._kb.verdicts)

    async def accept(self, id_: str, *, reason: str, actor: str) -> Decision:
        """See :meth:`KnowledgeBase.accept`."""
        return await asyncio.to_thread(partial(self._kb.accept, id_, reason=reason, actor=actor))

    async def reject(self, id_: str, *, reason: str, actor: str) -> Decision:
        """See :meth:`KnowledgeBase.reject`."""
        return await asyncio.to_thread(partial(self._kb.reject, id_, reason=reason, actor=actor))

    async def rollback(self, batch: str, *, reason: str, actor: str) -> Decision:
        """See :meth:`KnowledgeBase.rollback`."""
        return await asyncio.to_thread(partial(self._kb.rollback, batch, reason=reason, actor=actor))

    async def verify_ledger(self, *, noted: str | None = None) -> LedgerReport:
        """See :meth:`KnowledgeBase.verify_ledger`."""
        return await asyncio.to_thread(partial(self._kb.verify_ledger, noted=noted))

    async def receipts(self) -> tuple[Receipt, ...]:
        """See :meth:`KnowledgeBase.receipts`."""
        return await asyncio.to_thread(self._kb.receipts)

    async def check(self, **options: Any) -> DeepReport:
        """See :meth:`KnowledgeBase.check`."""
        return await asyncio.to_thread(partial(self._kb.check, **options))

    async def repair(self, **options: Any) -> RepairReport:
        """See :meth:`KnowledgeBase.repair`."""
        return await asyncio.to_thread(partial(self._kb.repair, **options))

    async def optimize(self) -> OptimizeReport:
        """See :meth:`KnowledgeBase.optimize`."""
        return await asyncio.to_thread(self._kb.optimize)

    async def purge(self) -> PurgeReport:
        """See :meth:`KnowledgeBase.purge`."""
        return await asyncio.to_thread(self._kb.purge)

    async def backup(self, file: str | Path, *, overwrite: bool = False) -> BackupReport:
        """See :meth:`KnowledgeBase.backup`."""
        return await asyncio.to_thread(partial(self._kb.backup, file, overwrite=overwrite))

    @staticmethod
    async def restore(file: str | Path, path: str | Path, **options: Any) -> RestoreReport:
        """See :meth:`KnowledgeBase.restore`."""
        return await asyncio.to_thread(partial(KnowledgeBase.restore, file, path, **options))

    @staticmethod
    async def reindex(path: str | Path, **options: Any) -> ReindexReport:
        """See :meth:`KnowledgeBase.reindex`."""
        return await asyncio.to_thread(partial(KnowledgeBase.reindex, path, **options))

    @property
    def settings(self) -> Settings:
        """What this knowledge base was opened with."""
        return self._kb.settings

    async def close(self) -> None:
        """See :meth:`KnowledgeBase.close`."""
        await asyncio.to_thread(self._kb.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


__all__ = ["AsyncKnowledgeBase"]
