"""The key of a statement in either language, and what its terms are worth in telling statements apart."""

from __future__ import annotations

from extractors.chinese_key import chinese_key
from extractors.chinese_lexicon import ATTRIBUTES
from extractors.english_key import english_key
from extractors.english_lexicon import word_set
from storage.records import StatementKey

ATTRIBUTE_TERMS = frozenset(ATTRIBUTES.values()) | word_set("""
    price cost rate demand supply sale profit revenue margin output production volume stock inventory import export
    number level share amount value time error latency load capacity traffic risk
""")
"""Terms that say which side of a thing changes, and not which thing: *corn price* and *soy price* share only this."""


def statement_key(text: str, language: str) -> StatementKey | None:
    """The normalised form of ``text``, a pure function of its words; None where it has no content word."""
    return chinese_key(text) if language == "zh" else english_key(text)


__all__ = ["ATTRIBUTE_TERMS", "statement_key"]
