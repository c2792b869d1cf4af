"""The command line: ``clew VERB``. Data goes to stdout, everything else to stderr.

Exit codes: 0 success, 1 failure, 2 usage, 3 no grounded answer, 4 a store or model is unreachable.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic import BaseModel

    from feedback import Decision
    from graphrag.knowledge_base import KnowledgeBase

NO_ANSWER = 3
INTERRUPTED = 130

app = typer.Typer(
    help="Retrieval by relation chains, and answers in which every step is cited.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
review_app = typer.Typer(help="Decide about chains that wait to be written back.", no_args_is_help=True)
ledger_app = typer.Typer(help="The record of every decision.", no_args_is_help=True)
app.add_typer(review_app, name="review")
app.add_typer(ledger_app, name="ledger")

Store = Annotated[
    Path | None,
    typer.Option("--store", help="Folder of the store.  [default: $CLEW_STORE, else ./.clew]", show_default=False),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Groups = Annotated[
    str | None,
    typer.Option("--groups", help="Look through the eyes of these groups, for example hr,public.", show_default=False),
]
AsOf = Annotated[
    datetime | None, typer.Option("--as-of", help="What was valid at this date (UTC).", show_default=False)
]
Where = Annotated[
    list[str] | None,
    typer.Option("--where", help="Only documents with this metadata: NAME=VALUE. May be repeated.", show_default=False),
]
Reason = Annotated[str, typer.Option("--reason", help="Why; kept in the ledger.")]
Actor = Annotated[
    str | None, typer.Option("--actor", help="Who decides.  [default: the user's name]", show_default=False)
]


@app.command()
def init(store: Store = None) -> None:
    """Make a store with a commented clew.toml."""
    from graphrag.opening import write_settings_file

    folder = _folder(store)
    with _open(store, create=True):
        written = write_settings_file(folder)
    print(f"{folder}: ready{'' if written else ', settings in ' + str(folder / 'clew.toml')}")


@app.command()
def ingest(
    paths: Annotated[list[Path], typer.Argument(help="Files and folders.")],
    store: Store = None,
    namespace: Annotated[
        str | None, typer.Option(help="Part of every identity.  [default: the folder's name]", show_default=False)
    ] = None,
    group: Annotated[
        list[str] | None, typer.Option("--group", help="Who may see them. May be repeated.", show_default=False)
    ] = None,
    valid_from: Annotated[datetime | None, typer.Option(help="From when they hold (UTC).", show_default=False)] = None,
    valid_to: Annotated[datetime | None, typer.Option(help="Until when they hold (UTC).", show_default=False)] = None,
    prune: Annotated[bool, typer.Option("--prune", help="Also remove what is gone from the folders.")] = False,
    reprocess: Annotated[
        bool, typer.Option("--reprocess", help="Also process anew what an older version processed.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would happen.")] = False,
    json: Json = False,
) -> None:
    """Take documents in: chunks, embeddings, relations and their chains."""
    from graphrag.progress import progress_bar

    with _opened_for_ingest(store, dry_run=dry_run) as kb, progress_bar("ingest") as progress:
        report = kb.ingest(
            list(paths),
            namespace=namespace,
            groups=group,
            valid_from=valid_from,
            valid_to=valid_to,
            prune=prune,
            reprocess=reprocess,
            dry_run=dry_run,
            progress=progress,
        )
    _print(report, json)
    if report.failed and not (report.added or report.replaced or report.updated or report.unchanged):
        raise typer.Exit(1)


@app.command()
def remove(
    source: Annotated[str, typer.Argument(metavar="PATH_OR_ID", help="Path or id of a document.")],
    store: Store = None,
    json: Json = False,
) -> None:
    """Remove a document and everything that only it proves."""
    with _open(store) as kb:
        _print(kb.remove(source, actor=_actor(None)), json)


@app.command()
def documents(
    store: Store = None,
    stale: Annotated[bool, typer.Option("--stale", help="Only what an older version processed.")] = False,
    failed: Annotated[bool, typer.Option("--failed", help="Only what could not be taken in.")] = False,
    groups: Groups = None,
    json: Json = False,
) -> None:
    """List what is in the store."""
    with _open(store) as kb:
        _print(kb.documents(stale=stale, failed=failed, groups=_groups(groups)), json)


@app.command()
def status(store: Store = None, json: Json = False) -> None:
    """Counts, sizes, versions and the state hash."""
    with _open(store) as kb:
        _print(kb.status(), json)


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="In English or Chinese.")],
    store: Store = None,
    propose: Annotated[bool, typer.Option("--propose", help="Propose a new chain of the answer for review.")] = False,
    groups: Groups = None,
    as_of: AsOf = None,
    where: Where = None,
    trace: Annotated[bool, typer.Option("--trace", help="Say on stderr how the answer was found.")] = False,
    json: Json = False,
) -> None:
    """Answer a question with a chain of reasons, every step cited."""
    with _open(store) as kb:
        answer = kb.ask(
            question, propose=propose, proposer=_actor(None), groups=_groups(groups), as_of=as_of, where=_where(where)
        )
    _print(answer, json)
    for line in answer.trace if trace else ():
        _say(line)
    if propose and not answer.proposals and not answer.abstained:
        _say("nothing to propose: the chain is stored already, or stands whole in one document")
    for proposal in answer.proposals:
        if proposal.status == "quarantined":
            _say(f"proposed {proposal.id}: decide with clew review accept {proposal.id} --reason WHY")
        else:
            failed = "; ".join(f"{v.check}: {v.reason}" for v in proposal.verdicts if not v.passed)
            _say(f"not proposed: {failed}")
    if answer.abstained:
        raise typer.Exit(NO_ANSWER)


@app.command()
def search(
    question: Annotated[str, typer.Argument(help="In English or Chinese.")],
    store: Store = None,
    limit: Annotated[int, typer.Option("-k", "--limit", help="Most chunks.", min=1)] = 10,
    groups: Groups = None,
    as_of: AsOf = None,
    where: Where = None,
    json: Json = False,
) -> None:
    """Find chunks, and say which channels found each at what rank."""
    with _open(store) as kb:
        _print(kb.search(question, limit=limit, groups=_groups(groups), as_of=as_of, where=_where(where)), json)


@app.command()
def chains(
    store: Store = None,
    start: Annotated[str | None, typer.Option("--from", help="Where chains start.", show_default=False)] = None,
    end: Annotated[str | None, typer.Option("--to", help="Where chains end.", show_default=False)] = None,
    type_: Annotated[
        list[str] | None,
        typer.Option(
            "--type", help="causal, sequential, supporting or progressive. May be repeated.", show_default=False
        ),
    ] = None,
    hops: Annotated[int | None, typer.Option("--hops", help="Longest chain.", show_default=False, min=1, max=8)] = None,
    limit: Annotated[int, typer.Option("--limit", help="Most chains.", min=1)] = 10,
    groups: Groups = None,
    as_of: AsOf = None,
    where: Where = None,
    json: Json = False,
) -> None:
    """Explore chains: between two statements, from one, or to one."""
    with _open(store) as kb:
        result = kb.chains(
            start=start,
            end=end,
            types=type_,
            max_hops=hops,
            limit=limit,
            groups=_groups(groups),
            as_of=as_of,
            where=_where(where),
        )
    _print(result, json)


@app.command()
def explain(
    chain_id: Annotated[str, typer.Argument(help="Id of a chain or relation, or its beginning.")],
    store: Store = None,
    groups: Groups = None,
    json: Json = False,
) -> None:
    """Show every link of a chain with its quote, cue, document and offsets."""
    with _open(store) as kb:
        _print(kb.explain(chain_id, groups=_groups(groups)), json)


@app.command()
def extract(
    file: Annotated[Path, typer.Argument(help="A file, or - for standard input.")],
    json: Json = False,
) -> None:
    """Print the relations of one text with their offsets; needs no store."""
    from extractors import extract as extract_relations
    from extractors.loaders import load_file
    from graphrag.extraction_text import drawn
    from storage.errors import LoadError

    if str(file) == "-":
        text = sys.stdin.read()
    else:
        try:
            text = "\n\n".join(document.text for document in load_file(file, file.read_bytes()).documents)
        except OSError as error:
            raise LoadError(f"{file} cannot be read: {(error.strerror or str(error)).lower()}.") from error
    result = extract_relations(text)
    print(_json(result) if json else drawn(result))


@review_app.command("list")
def review_list(
    store: Store = None,
    all_: Annotated[bool, typer.Option("--all", help="Also what is decided.")] = False,
    json: Json = False,
) -> None:
    """List proposals that wait for a decision."""
    from storage.records import ProposalStatus

    with _open(store) as kb:
        found = kb.proposals(None if all_ else [ProposalStatus.QUARANTINED])
    if json:
        print(_json_list(found))
        return
    for p in found:
        print(
            f"{p.id}  {p.status.value:<12}  {p.proposed_at:%Y-%m-%d %H:%M}  {p.proposer}  {p.batch or ''}  {p.question}"
        )
    if not found:
        print("no proposals")


@review_app.command("show")
def review_show(
    proposal: Annotated[str, typer.Argument(help="Id of a proposal, or its beginning.")],
    store: Store = None,
    json: Json = False,
) -> None:
    """Show a proposal's links with their quotes, and what each check said."""
    from graphrag.review_text import drawn

    with _open(store) as kb:
        item = kb.review(proposal)
    print(_json(item) if json else drawn(item))


@review_app.command("accept")
def review_accept(
    proposal: Annotated[str, typer.Argument(help="Id of a proposal, or its beginning.")],
    reason: Reason,
    store: Store = None,
    actor: Actor = None,
    json: Json = False,
) -> None:
    """Activate a proposed chain."""
    with _open(store) as kb:
        decision = kb.accept(proposal, reason=reason, actor=_actor(actor))
    _print_decision(decision, json)


@review_app.command("reject")
def review_reject(
    proposal: Annotated[str, typer.Argument(help="Id of a proposal, or its beginning.")],
    reason: Reason,
    store: Store = None,
    actor: Actor = None,
    json: Json = False,
) -> None:
    """Turn a proposed chain down."""
    with _open(store) as kb:
        decision = kb.reject(proposal, reason=reason, actor=_actor(actor))
    _print_decision(decision, json)


@app.command()
def rollback(
    batch: Annotated[str, typer.Argument(help="The batch that an acceptance named.")],
    reason: Reason = "rolled back",
    store: Store = None,
    actor: Actor = None,
    json: Json = False,
) -> None:
    """Undo an acceptance: the state is again what it was before."""
    with _open(store) as kb:
        decision = kb.rollback(batch, reason=reason, actor=_actor(actor))
    _print_decision(decision, json)


@ledger_app.command("verify")
def ledger_verify(
    store: Store = None,
    noted: Annotated[
        str | None, typer.Option("--noted", help="The head of an earlier check.", show_default=False)
    ] = None,
    json: Json = False,
) -> None:
    """Check that the record of decisions is unbroken."""
    from graphrag.review_text import verified

    with _open(store) as kb:
        report = kb.verify_ledger(noted=noted)
    print(_json(report) if json else verified(report))
    if not report.intact:
        raise typer.Exit(1)


@app.command()
def doctor(store: Store = None, json: Json = False) -> None:
    """Versions, models, stores, name clashes; what is configured and reachable."""
    from graphrag.doctor import examine

    report = examine(_folder(store), os.environ)
    _print(report, json)
    if not report.healthy:
        raise typer.Exit(1)


# shared by the commands


def _folder(store: Path | None) -> Path:
    return store if store is not None else Path(os.environ.get("CLEW_STORE") or ".clew")


def _open(store: Path | None, *, create: bool = False) -> KnowledgeBase:
    from graphrag.doctor import warn_of_clashes
    from graphrag.knowledge_base import KnowledgeBase

    warn_of_clashes()
    return KnowledgeBase.open(_folder(store), create=create)


@contextmanager
def _opened_for_ingest(store: Path | None, *, dry_run: bool) -> Iterator[KnowledgeBase]:
    """The store, made if there is none; a dry run that finds none is tried against an empty one that is thrown away."""
    from storage.manifest import read_manifest

    if not dry_run or read_manifest(_folder(store)) is not None:
        with _open(store, create=True) as kb:
            yield kb
        return
    with tempfile.TemporaryDirectory(prefix="clew-dry-run-") as folder, _open(Path(folder), create=True) as kb:
        yield kb


def _groups(text: str | None) -> list[str] | None:
    return None if text is None else [g.strip() for g in text.split(",") if g.strip()]


def _where(pairs: list[str] | None) -> dict[str, str | int | float | bool] | None:
    from storage.errors import UsageError

    if not pairs:
        return None
    where: dict[str, str | int | float | bool] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise UsageError(f"--where {pair!r}: write NAME=VALUE.")
        where[name] = value
    return where


def _actor(name: str | None) -> str:
    import getpass

    if name:
        return name
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "owner"


def _json(result: BaseModel) -> str:
    return result.model_dump_json(indent=2)


def _json_list(results: Iterable[BaseModel]) -> str:
    import json

    return json.dumps([r.model_dump(mode="json") for r in results], ensure_ascii=False, indent=2)


def _print(result: Any, as_json: bool) -> None:
    print(_json(result) if as_json else result.as_text())


def _print_decision(decision: Decision, as_json: bool) -> None:
    from graphrag.review_text import decided

    print(_json(decision) if as_json else decided(decision))


def _say(message: str) -> None:
    print(message, file=sys.stderr)


def _mount_evaluation() -> None:
    from graphrag.evaluation.console import app as evaluation

    app.add_typer(evaluation, name="eval", help="Measure on public benchmark data.")


def main() -> None:
    """Run the command line; every error that Clew raises on purpose becomes a message and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a character must not end the program
    _mount_evaluation()
    from storage.errors import ClewError

    try:
        app()
    except ClewError as error:
        _say(f"clew: {error}")
        sys.exit(error.exit_code)
    except SystemExit as end:
        if end.code == INTERRUPTED:  # how Typer passes an interrupt on
            _say("clew: interrupted. What was stored is kept; run the same command again to go on.")
        raise
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


if __name__ == "__main__":
    main()
