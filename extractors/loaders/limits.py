"""How much reading one file may cost."""

from __future__ import annotations

from pydantic import Field

from storage.errors import LoadError
from storage.records import Document, Record

_CHARACTERS_PER_MARK = 50
"""What a heading, page, place or cell counts as: about what its record weighs in memory beside a character of text."""

_RECOGNITION_MB = 600
"""A page of A4 at 200 dpi took PP-OCRv6 730 MB in all."""

_BYTES_PER_CHARACTER = 16
"""What a character of text may take as JSON, quoted; a cell takes much less than its 50."""


class LoadLimits(Record):
    """What a file may cost before it is given up; the settings ``loader_…`` say it."""

    seconds: float = Field(default=90.0, gt=0)
    memory_mb: int = Field(default=450, ge=64)  # beyond what the process has when it starts
    characters: int = Field(default=50_000_000, ge=1)  # of text; a cell or heading counts as 50

    def memory_for(self, *, recognition: bool) -> int:
        """Megabytes for a file, by whether text may have to be recognised in it: the models take more than parsing."""
        return self.memory_mb + (_RECOGNITION_MB if recognition else 0)

    @property
    def reply_bytes(self) -> int:
        """How long the documents of a file may be as JSON."""
        return self.characters * _BYTES_PER_CHARACTER + 1_000_000

    def check_output(self, name: str, documents: tuple[Document, ...]) -> None:
        """Raise LoadError when the documents of the file called ``name`` are more than may come out of one."""
        size = sum(len(document.text) + _CHARACTERS_PER_MARK * _marks(document) for document in documents)
        if size > self.characters:
            raise self.too_much(name)

    def too_much(self, name: str) -> LoadError:
        """That more comes out of a file than may."""
        return LoadError(
            f"{name} holds more text or cells than one file may ({self.characters:,} characters; a cell or heading "
            f"counts as {_CHARACTERS_PER_MARK}). Split it, or raise loader_characters"
        )


def _marks(document: Document) -> int:
    cells = sum(len(row) for table in document.tables for row in table.rows)
    return len(document.sections) + len(document.pages) + len(document.places) + cells


__all__ = ["LoadLimits"]
