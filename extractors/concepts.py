"""What a statement key says in terms that both languages share: concepts, one direction, a negation, and other words.

A pure function of the key and of the tables in :mod:`extractors.concept_changes` and :mod:`extractors.concept_things`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from extractors.chinese_lexicon import NEGATORS
from extractors.concept_changes import CHANGES
from extractors.concept_things import THINGS
from extractors.english_lexicon import DOWN, UP
from storage.records import Direction, StatementKey

CONCEPTS_VERSION = "concepts@2"

_LONGEST_PHRASE = 3
"""Terms that one phrase of the tables may span."""

_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_DATES = {name: f"{i}月" for i, name in enumerate(_MONTHS, 1)} | {
    name: f"周{day}" for name, day in zip(_WEEKDAYS, "一二三四五六日", strict=True)
}
"""Months and weekdays as Chinese keys name them; of a year they name the number and 年."""

_OF_ANYTHING = frozenset({"=price", "=supply", "=demand", "=cost", "=value", "=risk", "=quality", "=sales", "=profit"})
_DIRECTIONS = {"UP": Direction.UP, "DOWN": Direction.DOWN}
_MARKS = frozenset({*_DIRECTIONS, "NOT", "LIGHT"})


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a word or phrase of the tables stands for."""

    concepts: tuple[str, ...] = ()
    direction: Direction = Direction.NONE
    negates: bool = False


@dataclass(frozen=True, slots=True)
class Canonical:
    """What a key says: concepts by name and words that the tables do not hold, in the order of the text."""

    language: str
    parts: tuple[str, ...]  # a concept as "=name", another word as it is
    direction: Direction
    negated: bool
    names: frozenset[str]  # the parts as a set

    @property
    def frame(self) -> tuple[Direction, bool]:
        """What must agree whatever the rest says."""
        return self.direction, self.negated


def is_concept(part: str) -> bool:
    """Whether a part of a canonical form is a concept of the tables."""
    return part.startswith("=")


def is_bare(form: Canonical) -> bool:
    """Whether a form names nothing in particular: one happening or attribute, of nothing and in no direction.

    With a direction, only attributes that everything has say too little: that supply fell is said of anything.
    """
    if len(form.parts) != 1:
        return False
    return form.parts[0] in (_bare() if form.direction is Direction.NONE else _OF_ANYTHING)


@lru_cache(maxsize=200_000)
def canonical(key: StatementKey) -> Canonical | None:
    """The shared form of a key; None where it says two directions, denies twice, or nothing is left of it.

    >>> from extractors.keys import statement_key
    >>> english, chinese = statement_key("crude became dearer", "en"), statement_key("原油价格上涨", "zh")
    >>> set(canonical(english).parts) == set(canonical(chinese).parts) == {"=oil", "=price"}
    True
    """
    direction, negated = key.direction, key.negated
    unsaid = _not_a_direction(key)
    if len(unsaid) > 1:
        return None  # the key found two
    parts: dict[str, None] = {}
    read = _read_chinese(key.terms) if key.language == "zh" else _read_english(key.terms, unsaid)
    for found in read:
        if isinstance(found, str):
            parts[found] = None
            continue
        if found.direction is not Direction.NONE:
            if direction is not Direction.NONE:
                return None  # the shortage eased: which way supply went is not for a table to say
            direction = found.direction
        negated ^= found.negates
        parts.update((f"={name}", None) for name in found.concepts)
    if not parts or "not" in parts:
        return None
    return Canonical(key.language, tuple(parts), direction, negated, frozenset(parts))


@dataclass(frozen=True, slots=True)
class Signature:
    """What two keys that say the same must have in common: frame and concepts."""

    language: str
    frame: tuple[str, bool]
    concepts: frozenset[str]

    @property
    def block(self) -> tuple[tuple[str, bool], frozenset[str]]:
        """What is compared."""
        return self.frame, self.concepts


def signature(key: StatementKey) -> Signature | None:
    """The signature of a key; None where nothing but its own words can link it."""
    form = canonical(key)
    if form is None:
        return None
    direction, negated = form.frame
    return Signature(key.language, (direction.value, negated), frozenset(filter(is_concept, form.parts)))


def _not_a_direction(key: StatementKey) -> frozenset[str]:
    """Words that say a direction elsewhere and were found to say none here: *a rock fell*, *power was cut*."""
    if key.language != "en" or key.direction is not Direction.NONE:
        return frozenset()
    return (UP | DOWN).intersection(key.terms)


def _read_english(terms: Sequence[str], unsaid: frozenset[str]) -> Iterator[Meaning | str]:
    table = _tables()[0]
    i = 0
    while i < len(terms):
        for length in range(min(_LONGEST_PHRASE, len(terms) - i), 0, -1):
            meaning = table.get(" ".join(terms[i : i + length]))
            if meaning is not None and not (length == 1 and terms[i] in unsaid):
                yield meaning
                i += length
                break
        else:
            yield _DATES.get(terms[i], terms[i])
            i += 1


def _read_chinese(terms: Sequence[str]) -> Iterator[Meaning | str]:
    table = _tables()[1]
    i = 0
    while i < len(terms):
        if terms[i] in NEGATORS:  # the key says so already
            i += 1
            continue
        for length in range(min(_LONGEST_PHRASE, len(terms) - i), 0, -1):
            meaning = table.get("".join(terms[i : i + length]))
            if meaning is not None:
                yield meaning
                i += length
                break
        else:
            whole: list[Meaning | str] = [_year(terms[i])]
            yield from _parted(terms[i], table) or whole
            i += 1


def _year(term: str) -> str:
    return term[:-1] if len(term) == 5 and term.endswith("年") and term[:4].isdigit() else term


def _parted(word: str, table: dict[str, Meaning]) -> list[Meaning]:
    """The words of the table that make up ``word`` without remainder, the longest first; none if they do not."""
    found: list[Meaning] = []
    rest = word
    while rest:
        for length in range(len(rest), 1, -1):
            if (meaning := table.get(rest[:length])) is not None:
                found.append(meaning)
                rest = rest[length:]
                break
        else:
            return []
    return found


@cache
def _tables() -> tuple[dict[str, Meaning], dict[str, Meaning]]:
    """The tables by English phrase and by Chinese word."""
    english: dict[str, Meaning] = {}
    chinese: dict[str, Meaning] = {}
    for phrases, words, meaning in _lines(f"{CHANGES}\n{THINGS}"):
        english.update(dict.fromkeys(phrases, meaning))
        chinese.update(dict.fromkeys(words, meaning))
    return english, chinese


def _lines(table: str) -> Iterator[tuple[list[str], list[str], Meaning]]:
    """English phrases, Chinese words and meaning of each line of a table."""
    for line in table.replace("\n  ", " ").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        words, _, stands_for = line.partition(" = ")
        english_words, _, chinese_words = words.partition("|")
        phrases = [p.strip() for p in english_words.split(",") if p.strip()]
        yield phrases, chinese_words.split(), _meaning(stands_for.split() or [phrases[0].replace(" ", "_")])


def table_words(language: str) -> tuple[str, ...]:
    """Every word and phrase of the tables in a language, sorted."""
    return tuple(sorted(_tables()[language == "zh"]))


@cache
def _bare() -> frozenset[str]:
    """The happenings and the attributes, as parts of a form."""
    attributes = THINGS[: THINGS.index("# goods")]
    return frozenset(f"={name}" for *_, meaning in _lines(f"{CHANGES}\n{attributes}") for name in meaning.concepts)


def _meaning(names: Sequence[str]) -> Meaning:
    direction = next((_DIRECTIONS[n] for n in names if n in _DIRECTIONS), Direction.NONE)
    return Meaning(tuple(n for n in names if n not in _MARKS), direction, "NOT" in names)


__all__ = [
    "CONCEPTS_VERSION",
    "Canonical",
    "Meaning",
    "Signature",
    "canonical",
    "is_bare",
    "is_concept",
    "signature",
    "table_words",
]
