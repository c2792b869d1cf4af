"""Which loader read a stored source, and what that loader is called now."""

from __future__ import annotations

from extractors.loaders import loader_names

CALLER = "caller@1"
"""The loader of a document that the caller made."""


INSIDE = "+"
"""Parts the loader of a file from that of a file in it, see ``LoadedFile.loader_of``."""


def loader_of_source(fingerprint: str) -> str:
    """Name, version and options of the loader in a source's fingerprint, see ``Stores.fingerprint``."""
    return fingerprint.removeprefix("loader=").rpartition(";text=")[0] or CALLER


def current_loader(loader: str) -> str:
    """The present versions of the loaders that a source has passed, by their names; without their options."""
    known = {name.partition("@")[0]: name for name in (*loader_names(), CALLER)}
    passed = loader.partition("(")[0].split(INSIDE)
    return INSIDE.join(known.get(name.partition("@")[0], name) for name in passed)


def options_of(loader: str) -> str:
    """The options that a loader in a fingerprint was given, in brackets; "" if there were none."""
    return loader[at:] if (at := loader.find("(")) >= 0 else ""


__all__ = ["CALLER", "INSIDE", "current_loader", "loader_of_source", "options_of"]
