"""The key of a statement in either language."""

from __future__ import annotations

from extractors.chinese_key import chinese_key
from extractors.english_key import english_key
from storage.records import StatementKey


def statement_key(text: str, language: str) -> StatementKey | None:
    """The normalised form of ``text``, a pure function of its words; None where it has no content word."""
    return chinese_key(text) if language == "zh" else english_key(text)


__all__ = ["statement_key"]
