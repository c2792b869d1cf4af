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
from typing import TYPE_CHECKING, Annotated

import typer

from graphrag.console_review import ledger_app, review_app, rollback
from graphrag.console_upkeep import UPKEEP
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
from graphrag.store_command import Json, Store, actor_name
from graphrag.store_command import as_json as _json
from graphrag.store_command import open_store as _open
from graphrag.store_command import print_result as _print
from graphrag.store_command import say as _say
from graphrag.store_command import store_folder as _folder

if TYPE_CHECKING:
    from extractors.ports import LoadedFile, LoadOptions
    from graphrag.knowledge_base import KnowledgeBase
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
app.add_typer(review_app, name="review")
app.add_typer(ledger_app, name="ledger")

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
    purge: Annotated[
        bool, typer.Option("--purge", help="Also drop what is left in old versions, free pages and caches.")
    ] = False,
    json: Json = False,
) -> None:
    """Remove a document, or all documents of a file, and everything that only they prove."""
    with _open(store) as kb:
        _print(kb.remove(source, actor=actor_name(None), purge=purge), json)


@app.command()
def documents(
    store: Store = None,
    stale: Annotated[bool, typer.Option("--stale", help="Only what an older version processed.")] = False,
    failed: Annotated[bool, typer.Option("--failed", help="Only what could not be taken in.")] = False,
    versions: Annotated[
        bool, typer.Option("--versions", help="Also older versions that are kept, and what does not hold now.")
    ] = False,
    groups: Groups = None,
    as_of: AsOf = None,
    json: Json = False,
) -> None:
    """List what is in the store."""
    with _open(store) as kb:
        found = kb.documents(stale=stale, failed=failed, versions=versions, groups=_groups(groups), as_of=as_of)
    _print(found, json)


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
            question,
            propose=propose,
            proposer=actor_name(None),
            groups=_groups(groups),
            as_of=as_of,
            where=_where(where),
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
    as_of: AsOf = None,
    json: Json = False,
) -> None:
    """Show every link of a chain with its quote, cue, document and offsets."""
    with _open(store) as kb:
        _print(kb.explain(chain_id, groups=_groups(groups), as_of=as_of), json)


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


app.command()(rollback)
for _command in UPKEEP:
    app.command()(_command)


# shared by the commands


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


def _mount_evaluation() -> None:
    from graphrag.evaluation.console import app as evaluation

    app.add_typer(evaluation, name="eval", help="Measure on public benchmark data.")


def main() -> None:
    """Run the command line; every error that Clew raises on purpose becomes a message and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a character must not end the program
    _mount_evaluation()
    from graphrag.process_memory import share_arenas
    from storage.errors import ClewError

    share_arenas()

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
