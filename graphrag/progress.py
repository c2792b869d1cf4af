"""Progress of long work on stderr: a bar with rate and remaining time in a terminal, now and then a line elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from graphrag.ingest import Progress

LINE_EVERY = 10.0
"""Seconds between two lines where there is no terminal."""

_NAME = 32
"""Characters shown of a document's path, the last ones."""


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[Progress], None]]:
    """A function that shows each :class:`Progress` it is given."""
    if sys.stderr.isatty():
        with _bar(title) as show:
            yield show
    else:
        yield _lines(title)


@contextmanager
def _bar(title: str) -> Iterator[Callable[[Progress], None]]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )
    from rich.progress import Progress as Bar

    columns = (
        TextColumn(title),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[documents]} documents"),
        TextColumn("{task.fields[doing]}", markup=False),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None, documents=0, doing="")
        yield lambda p: bar.update(task, completed=p.done, total=p.total, documents=p.documents, doing=_doing(p))


def _lines(title: str) -> Callable[[Progress], None]:
    started = last = time.monotonic()

    def show(p: Progress) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < LINE_EVERY or not p.total:
            return
        last = now
        share = p.done / p.total
        left = f", {(now - started) * (1 - share) / share:.0f} s left" if share else ""
        rate = p.done / 1000 / (now - started)
        print(f"{title}: {share:.0%}, {p.documents} documents, {rate:.1f} kB/s{left}, {_doing(p)}", file=sys.stderr)

    return show


def _doing(p: Progress) -> str:
    name = "".join(c if c.isprintable() else "?" for c in p.document)
    return f"{p.stage} {name if len(name) <= _NAME else '…' + name[1 - _NAME :]}".rstrip()


__all__ = ["progress_bar"]
