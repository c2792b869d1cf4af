"""Plain text."""

from __future__ import annotations

from pathlib import Path

from extractors.loaders.encoding import decode
from extractors.loaders.line_joining import unwrap
from storage.records import Document
from storage.stored_text import stored_text


class PlainLoader:
    """Reads plain text in any usual encoding; hard-wrapped paragraphs become one line each."""

    name = "text@1"

    def load(self, path: Path, data: bytes) -> Document:
        """The document; its title is the file's name, for a plain text has no other."""
        return Document(text=unwrap(stored_text(decode(data, name=path.name))), title=path.stem)


__all__ = ["PlainLoader"]
