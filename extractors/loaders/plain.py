"""Plain text."""

from __future__ import annotations

from pathlib import PurePath

from extractors.loaders.encoding import decode
from extractors.loaders.line_joining import unwrap
from extractors.ports import Likeness, LoadedFile, LoadOptions
from storage.records import Document
from storage.stored_text import stored_text


class PlainLoader:
    """Reads plain text in any usual encoding; hard-wrapped paragraphs become one line each."""

    name = "text@1"
    suffixes = (".txt", ".text")

    def recognises(self, path: PurePath, data: bytes) -> Likeness:
        """How sure it is that this is its format."""
        return Likeness.NAMED if path.suffix.lower() in self.suffixes else Likeness.ANY_TEXT

    def load(self, path: PurePath, data: bytes, options: LoadOptions) -> LoadedFile:
        """The document; its title is the file's name, for a plain text has no other."""
        return LoadedFile(
            documents=(Document(text=unwrap(stored_text(decode(data, name=path.name))), title=path.stem),)
        )


__all__ = ["PlainLoader"]
