"""The command line: ``clew VERB``. Data goes to stdout, everything else to stderr.

Exit codes: 0 success, 1 failure, 2 usage, 3 no grounded answer, 4 a store or model is unreachable.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from graphrag.load_options import (
    AskPassword,
    Comments,
    FormatOption,
    IdColumn,
    NoOcr,
    PasswordFile,
    Quoted,
    ReadPictures,
    Rows,
    RowsAs,
    TextColumns,
    TitleColumn,
    load_options,
    password_from,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic import BaseModel

    from extractors.ports import LoadedFile, LoadOptions
    from feedback import Decision
    from graphrag.deep_check import DeepReport
    from graphrag.knowledge_base import KnowledgeBase
    from graphrag.repair import RepairReport
    from graphrag.settings import Settings

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
    explain_chunks: Annotated[
        bool, typer.Option("--explain-chunks", help="Only print where one file is cut into chunks; needs no store.")
    ] = False,
    retry_degraded: Annotated[
        bool, typer.Option("--retry-degraded", help="Also process anew what the chat model could not read all of.")
    ] = False,
    max_tokens: Annotated[
        int | None, typer.Option(help="Most tokens that the chat model may take.", show_default=False, min=1)
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(help="Most that it may cost, by the prices of the settings.", show_default=False)
    ] = None,
    max_minutes: Annotated[
        float | None, typer.Option(help="Longest time in which it is asked.", show_default=False)
    ] = None,
    format_: FormatOption = None,
    password_file: PasswordFile = None,
    ask_password: AskPassword = False,
    comments: Comments = False,
    quoted: Quoted = False,
    rows: Rows = RowsAs.AUTO,
    text_column: TextColumns = None,
    title_column: TitleColumn = None,
    id_column: IdColumn = None,
    no_ocr: NoOcr = False,
    pictures: ReadPictures = False,
    json: Json = False,
) -> None:
    """Take documents in: chunks, embeddings, relations and their chains."""
    from extractors.chat.budget import Limits
    from graphrag.progress import progress_bar

    load = load_options(
        format=format_,
        password_file=password_file,
        ask_password=ask_password,
        comments=comments,
        quoted=quoted,
        rows=rows,
        text_columns=text_column,
        title_column=title_column,
        id_column=id_column,
        no_ocr=no_ocr,
        pictures=pictures,
    )
    if explain_chunks:
        _explain_chunks(store, paths, load, json)
        return
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
            load=load,
            limits=Limits(max_tokens, max_cost, max_minutes),
            retry_degraded=retry_degraded,
            progress=progress,
        )
    _print(report, json)
    if report.failed and not (report.added or report.replaced or report.updated or report.unchanged):
        raise typer.Exit(1)


@app.command()
def remove(
    source: Annotated[
        str, typer.Argument(metavar="PATH_OR_ID", help="Path or id of a document; the path of an archive.")
    ],
    store: Store = None,
    json: Json = False,
) -> None:
    """Remove a document, or all documents of a file, and everything that only they prove."""
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
    widen: Annotated[bool, typer.Option("--widen", help="Show each with its section around it.")] = False,
    json: Json = False,
) -> None:
    """Find chunks, and say which channels found each at what rank."""
    with _open(store) as kb:
        found = kb.search(question, limit=limit, groups=_groups(groups), as_of=as_of, where=_where(where), widen=widen)
    _print(found, json)


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
    format_: FormatOption = None,
    rules: Annotated[Path | None, typer.Option("--rules", help="A TOML file with rules of your own.")] = None,
    explain_: Annotated[bool, typer.Option("--explain", help="Say why each relation was found.")] = False,
    json: Json = False,
) -> None:
    """Print the relations of one text with their offsets; needs no store."""
    from extractors import detect_language
    from extractors.chat.budget import Budget
    from graphrag.extraction_explained import explained
    from graphrag.extraction_text import drawn
    from graphrag.extractor_choice import choose_extractor, prices_of
    from graphrag.settings import load_settings
    from storage.stored_text import stored_text

    text = stored_text(sys.stdin.read() if str(file) == "-" else _text_of(file, format_))
    settings = load_settings(None, environ=os.environ, options={"rules": rules})
    result = choose_extractor(settings, Budget(prices_of(settings))).extract(text, detect_language(text))
    if explain_:
        _print(explained(text, result), json)
    else:
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
def migrate(
    to: Annotated[Literal["neo4j", "embedded"], typer.Option("--to", help="Where the graph is to be.")],
    store: Store = None,
    json: Json = False,
) -> None:
    """Copy the graph into another graph store, check that both are equal, and use the copy from then on."""
    from graphrag.migrate import migrate as copy_graph
    from graphrag.opening import utc_now
    from graphrag.settings import load_settings

    folder = _folder(store)
    _print(copy_graph(folder, to, load_settings(folder, environ=os.environ), clock=utc_now), json)


@app.command()
def doctor(
    store: Store = None,
    deep: Annotated[
        bool, typer.Option("--deep", help="Read everything and prove that the stores agree; writes nothing.")
    ] = False,
    repair: Annotated[
        bool, typer.Option("--repair", help="Put right what --deep finds, and say what was done.")
    ] = False,
    optimize: Annotated[
        bool, typer.Option("--optimize", help="Fold files and search indexes together, and say what it gained.")
    ] = False,
    costs: Annotated[bool, typer.Option("--costs", help="What was paid for chat models, by model.")] = False,
    json: Json = False,
) -> None:
    """Versions, models, stores, name clashes; what is configured and reachable. Or the upkeep of one store."""
    from graphrag.doctor import costs_so_far, examine
    from storage.errors import UsageError

    if sum((deep, repair, optimize, costs)) > 1:
        raise UsageError("--deep, --repair, --optimize and --costs are different things: give one of them.")
    if costs:
        _print(costs_so_far(_folder(store), os.environ), json)
    elif optimize:
        with _open(store) as kb:
            _print(kb.optimize(), json)
    elif deep or repair:
        report = _checked(_folder(store), repair=repair)
        _print(report, json)
        if not report.healthy:
            raise typer.Exit(1)
    else:
        found = examine(_folder(store), os.environ)
        _print(found, json)
        if not found.healthy:
            raise typer.Exit(1)


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(help="The file to write.")],
    store: Store = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file if it is there.")] = False,
    json: Json = False,
) -> None:
    """Write the whole store but its settings into one file, while others may read."""
    with _open(store) as kb:
        _print(kb.backup(file, overwrite=overwrite), json)


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A file that clew backup wrote.")],
    store: Store = None,
    json: Json = False,
) -> None:
    """Make a store of a backup in a new or empty folder, and prove that it is equal."""
    from graphrag.backup import restore as made_of
    from graphrag.opening import utc_now
    from graphrag.settings import load_settings

    folder = _folder(store)
    _print(made_of(file, folder, load_settings(folder, environ=os.environ), clock=utc_now), json)


# shared by the commands


def _checked(folder: Path, *, repair: bool) -> DeepReport | RepairReport:
    from graphrag.doctor import warn_of_clashes
    from graphrag.settings import load_settings
    from graphrag.upkeep import check_store, counting, repair_store

    warn_of_clashes()
    settings = load_settings(folder, environ=os.environ)
    with counting("repairing" if repair else "checking") as progress:
        return (repair_store if repair else check_store)(folder, settings, progress=progress)


def _text_of(file: Path, format: str | None) -> str:
    """The text of a file, read as a store would; what of it cannot be read is said on stderr."""
    from extractors.ports import LoadOptions
    from graphrag.settings import load_settings

    options = LoadOptions.model_validate({"format": format, "password": password_from(None, ask=False)})
    loaded = _loaded(file, options, load_settings(None, environ=os.environ))
    return "\n\n".join(document.text for document in loaded.documents)


def _explain_chunks(store: Path | None, paths: list[Path], load: LoadOptions, as_json: bool) -> None:
    from extractors import default_chunker
    from graphrag.chunk_text import list_chunks
    from graphrag.settings import load_settings
    from storage.errors import UsageError

    if len(paths) != 1 or paths[0].is_dir():
        raise UsageError("--explain-chunks looks at one file. Name it, for example: clew ingest --explain-chunks a.pdf")
    settings = load_settings(_folder(store), environ=os.environ)
    loaded = _loaded(paths[0], load, settings)
    chunker = default_chunker(settings.chunk_tokens, settings.chunk_overlap)
    _print(list_chunks(paths[0], loaded.documents, chunker), as_json)


def _loaded(file: Path, options: LoadOptions, settings: Settings) -> LoadedFile:
    from graphrag.file_reader import FileReader
    from storage.errors import LoadError

    with contextlib.closing(FileReader(settings)) as files:
        try:
            data = files.read(file)
        except LoadError as error:
            raise LoadError(f"{file} {error}") from None
        loaded = files.load(file, data, options)
    for problem in loaded.problems:
        _say(f"{file}: {problem.part}: {problem.reason}")
    for note in (*loaded.notes, *loaded.left_out):
        _say(f"{file}: {note}")
    return loaded


def _folder(store: Path | None) -> Path:
    return store if store is not None else Path(os.environ.get("CLEW_STORE") or ".clew")


def _open(store: Path | None, *, create: bool = False) -> KnowledgeBase:
    from graphrag.doctor import warn_of_clashes
    from graphrag.knowledge_base import KnowledgeBase

    warn_of_clashes()
    return KnowledgeBase.open(_folder(store), create=create)


@contextlib.contextmanager
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
