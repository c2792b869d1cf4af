"""The commands with which a person decides: review, rollback, and the ledger of what was decided."""

from __future__ import annotations

import json as json_format
from typing import TYPE_CHECKING, Annotated

import typer

from graphrag.store_command import Json, Store, actor_name, as_json, open_store

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic import BaseModel

    from feedback import Decision
    from storage.receipt import Receipt

review_app = typer.Typer(
    help="Decide about chains that wait to be written back, and reject what is stored and wrong.", no_args_is_help=True
)
ledger_app = typer.Typer(help="The record of every decision and removal.", no_args_is_help=True)

Reason = Annotated[str, typer.Option("--reason", help="Why; kept in the ledger.")]
Actor = Annotated[
    str | None, typer.Option("--actor", help="Who decides.  [default: the user's name]", show_default=False)
]
Subject = Annotated[
    str,
    typer.Argument(
        metavar="ID", help="Id, or its beginning, of a proposal (prp_), relation (rel_), chain (chn_) or link (lnk_)."
    ),
]


@review_app.command("list")
def review_list(
    store: Store = None,
    all_: Annotated[bool, typer.Option("--all", help="Also what is decided.")] = False,
    rejected: Annotated[
        bool, typer.Option("--rejected", help="Relations, chains and same_as links that a person rejected.")
    ] = False,
    json: Json = False,
) -> None:
    """List proposals that wait for a decision, or what a person rejected of what is stored."""
    from graphrag.review_text import listed, listed_stored
    from storage.errors import UsageError
    from storage.records import ProposalStatus

    if all_ and rejected:
        raise UsageError("--all lists proposals, --rejected what is stored: give one of them.")
    with open_store(store) as kb:
        if rejected:
            stored = kb.verdicts()
            print(_json_list(stored) if json else listed_stored(stored))
        else:
            proposals = kb.proposals(None if all_ else [ProposalStatus.QUARANTINED])
            print(_json_list(proposals) if json else listed(proposals))


@review_app.command("show")
def review_show(id_: Subject, store: Store = None, json: Json = False) -> None:
    """Show a proposal, a relation, a chain or a link with its quotes, and what was said about it."""
    from feedback import is_judged
    from graphrag.review_text import drawn, drawn_stored

    with open_store(store) as kb:
        if is_judged(id_):
            stored = kb.stored(id_)
            print(as_json(stored) if json else drawn_stored(stored))
        else:
            item = kb.review(id_)
            print(as_json(item) if json else drawn(item))


@review_app.command("accept")
def review_accept(id_: Subject, reason: Reason, store: Store = None, actor: Actor = None, json: Json = False) -> None:
    """Activate a proposed chain, or take the rejection of something stored back."""
    with open_store(store) as kb:
        decision = kb.accept(id_, reason=reason, actor=actor_name(actor))
    _print_decision(decision, json)


@review_app.command("reject")
def review_reject(id_: Subject, reason: Reason, store: Store = None, actor: Actor = None, json: Json = False) -> None:
    """Turn a proposed chain down, or reject a relation, chain or link for good, however often it is ingested."""
    with open_store(store) as kb:
        decision = kb.reject(id_, reason=reason, actor=actor_name(actor))
    _print_decision(decision, json)


def rollback(
    batch: Annotated[str, typer.Argument(help="The batch that an acceptance or a rejection named.")],
    reason: Reason = "rolled back",
    store: Store = None,
    actor: Actor = None,
    json: Json = False,
) -> None:
    """Undo an acceptance, or a rejection of something stored: the state is again what it was before."""
    with open_store(store) as kb:
        decision = kb.rollback(batch, reason=reason, actor=actor_name(actor))
    _print_decision(decision, json)


@ledger_app.command("verify")
def ledger_verify(
    store: Store = None,
    noted: Annotated[
        str | None, typer.Option("--noted", help="The head of an earlier check.", show_default=False)
    ] = None,
    json: Json = False,
) -> None:
    """Check that the record of decisions is unbroken, and that every receipt it names is there unaltered."""
    from graphrag.review_text import verified

    with open_store(store) as kb:
        report = kb.verify_ledger(noted=noted)
    print(as_json(report) if json else verified(report))
    if not report.intact:
        raise typer.Exit(1)


@ledger_app.command("receipts")
def ledger_receipts(
    id_: Annotated[
        str | None, typer.Argument(metavar="ID", help="Id of a receipt, or its beginning.", show_default=False)
    ] = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """List the receipts of removals, or print one with every id that went."""
    from graphrag.review_text import listed_receipts, receipt_text

    with open_store(store) as kb:
        receipts = kb.receipts()
        chosen = None if id_ is None else _receipt(receipts, id_)
    if chosen is not None:
        print(as_json(chosen) if json else receipt_text(chosen))
    else:
        print(_json_list(receipts) if json else listed_receipts(receipts))


def _receipt(receipts: Iterable[Receipt], name: str) -> Receipt:
    from storage.errors import NotFoundError, UsageError

    wanted = name if name.startswith("rcp_") else f"rcp_{name}"
    found = [receipt for receipt in receipts if receipt.id.startswith(wanted)]
    if not found:
        raise NotFoundError(f"There is no receipt whose id begins with {name!r}. See them with: clew ledger receipts")
    if len(found) > 1:
        raise UsageError(f"{name!r} could be any of {len(found)} receipts. Give more of the id.")
    return found[0]


def _json_list(results: Iterable[BaseModel]) -> str:
    return json_format.dumps([r.model_dump(mode="json") for r in results], ensure_ascii=False, indent=2)


def _print_decision(decision: Decision, json: bool) -> None:
    from graphrag.review_text import decided

    print(as_json(decision) if json else decided(decision))


__all__ = ["ledger_app", "review_app", "rollback"]
