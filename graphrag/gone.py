"""What is stored, or failed before, though the folder it came from no longer has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from graphrag.inputs import PART, Input, Listing, portable
from storage.ports import Failure
from storage.records import Source


def file_of(source: Source) -> Input:
    """The file that a stored document was read from."""
    name = portable(Path(source.location or "").name)
    folder, found, _ = source.path.partition(name) if name else (source.path, "", "")
    return Input(source.namespace, folder + found)


def gone_failures(failures: Sequence[Failure], listing: Listing) -> list[str]:
    """The ids of what failed before and was not found, itself or the file it is in, though its folder was walked."""
    walked = {namespace for namespace, _ in listing.roots}
    found = {item.path for item in listing.inputs if item.namespace in walked}
    found |= {problem.path for problem in (*listing.skipped, *listing.failed)}
    return [f.source_id for f in failures if f.namespace in walked and found.isdisjoint(_paths_of(f.path))]


def _paths_of(path: str) -> Iterator[str]:
    """A path, and what it is if each sign for a part of a file in it is one."""
    yield path
    for at, char in enumerate(path):
        if char == PART:
            yield path[:at]


def gone_sources(listing: Listing, known: dict[str, Source]) -> list[Source]:
    """Stored sources that were read from below an ingested folder and are no longer there."""
    present = {i.source_id for i in listing.inputs}
    return sorted(
        (
            source
            for id_, source in known.items()
            if id_ not in present
            and source.location is not None
            and any(
                source.namespace == namespace and Path(source.location).resolve().is_relative_to(root)
                for namespace, root in listing.roots
            )
            and not Path(source.location).exists()
        ),
        key=lambda s: s.path,
    )


__all__ = ["file_of", "gone_failures", "gone_sources"]
