"""When the versions of a source hold once one of them is taken in: each from its date until the next one's.

A version that is taken in replaces whatever held from its date on. What held before that date stays as it was, if older
versions are kept. So versions that arrive in the order of their dates give the same history whenever they arrive.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from storage.records import Source
from storage.versions import Time, before, holding, times_of, until


@dataclass(frozen=True, slots=True)
class Succession:
    """A source as it will be stored, and what becomes of its other versions."""

    source: Source
    keeps: tuple[Source, ...] = ()  # other versions that stay and change, each as it is from then on
    drops: tuple[str, ...] = ()  # document ids of older versions that go, or are the present one again
    replaces: str | None = None  # document id of the version that was the present one, if it goes or is made anew
    note: str = ""


def succession(
    source: Source,
    *,
    said: Time,
    known: Source | None,
    older: Sequence[Source] = (),
    keeping: bool,
    now: datetime,
) -> Succession:
    """What becomes of the versions of a source when ``source`` is to be its present one.

    Args:
        source: without its validity.
        said: the validity that the caller or the document says; what is None is not said.
        known: the present version as it is stored; None: there is none.
        older: the versions before it that are stored.
        keeping: whether a version that is replaced stays.
        now: the moment of replacement.
    """
    if known is None:
        return Succession(source=holding(source, [said]))
    changed = is_new_version(source, known)
    last = times_of(known)[-1]
    since = (now if keeping else last.start) if changed else last.start
    until_when = (None if keeping else last.end) if changed else last.end
    start = said.start if said.start is not None else since
    end = said.end if said.end is not None else until_when

    mine = [version for version in older if version.document_id == source.document_id]
    earlier = [time for version in mine for time in times_of(version)]
    if not changed:
        earlier += times_of(known)[:-1]
    earlier = before(sorted(earlier, key=lambda time: (time.start is not None, time.start or now)), start)
    if earlier and start is not None and end is not None and end < start:
        end = start  # it never holds; what came before is not to be cut by that

    others = [version for version in older if version.document_id != source.document_id]
    stays = changed and keeping
    keeps, drops = [], [version.document_id for version in mine]
    lost = 0
    replaces: str | None = known.document_id
    for version in [*others, *([known] if stays else [])]:
        left = until(version.model_copy(update={"groups": source.groups}), start)
        if left is not None:
            if left != version or version is known:
                keeps.append(left)
            if version is known:
                replaces = None
        elif version is known:
            lost += last.start != start
        else:
            drops.append(version.document_id)
            lost += 1
    return Succession(
        source=holding(source, [*earlier, Time(start, end)]),
        keeps=tuple(keeps),
        drops=tuple(drops),
        replaces=replaces,
        note=_note(lost, start),
    )


def is_new_version(source: Source, known: Source) -> bool:
    """Whether it says something else than before: another text, and not only another reading of the same bytes.

    A version whose text was lost (its hash is empty) is no version that could be kept.
    """
    return source.document_id != known.document_id and known.raw_hash not in (source.raw_hash, "")


def _note(lost: int, start: datetime | None) -> str:
    if not lost:
        return ""
    what = "a version that was" if lost == 1 else f"{lost} versions that were"
    since = f"from {start:%Y-%m-%d} on" if start is not None else "at all times"
    return (
        f"it holds {since} and takes the place of {what} to hold later. Ingest versions in the order of their dates "
        "to keep them all"
    )


__all__ = ["Succession", "is_new_version", "succession"]
