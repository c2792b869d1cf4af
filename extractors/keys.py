"""The key of a statement in either language, and what its terms are worth in telling statements apart."""

from __future__ import annotations

import re
from functools import lru_cache

from extractors.chinese_key import chinese_key
from extractors.chinese_lexicon import ATTRIBUTES
from extractors.english_key import english_key
from extractors.english_lexicon import word_set
from storage.records import StatementKey

KEYS_VERSION = "keys@3"
"""What decides the identity of statements; a part of what a document is processed with."""

ATTRIBUTE_TERMS = frozenset(ATTRIBUTES.values()) | word_set("""
    price cost rate demand supply sale profit revenue margin output production volume stock inventory import export
    number level share amount value time error latency load capacity traffic risk
""")
"""Terms that say which side of a thing changes, and not which thing: *corn price* and *soy price* share only this."""

_NUMBER_OR_DATE = re.compile(
    r"第?\d|(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday)$|周[一二三四五六日]$|[上下]半年$"
)


@lru_cache(maxsize=65_536)
def is_number_or_date(term: str) -> bool:
    """Whether a term of a key only tells one happening of a kind from another: how much, how many, when."""
    return _NUMBER_OR_DATE.match(term) is not None


def statement_key(text: str, language: str) -> StatementKey | None:
    """The normalised form of ``text``, a pure function of its words; None where it has no content word."""
    return chinese_key(text) if language == "zh" else english_key(text)


__all__ = ["ATTRIBUTE_TERMS", "KEYS_VERSION", "is_number_or_date", "statement_key"]
