"""Rules of the user's own: a TOML file of cues, checked entry by entry, read beside the built-in rules.

Each entry names a cue, its language, the relation's type and which side of the cue is its head. Matching is by whole
words in English and by characters in Chinese, the longest cue first, in time that grows with the text alone.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, Field, ValidationError, field_validator

from extractors.chinese_script import simplified
from extractors.ports import ExtractedRelation, ExtractionResult, RelationExtractor
from storage.errors import ConfigurationError
from storage.records import Modality, Record, RelationType

MOST_RULES = 5_000
MOST_BYTES = 2_000_000
LONGEST_CUE = 60
SUBTYPES = {
    RelationType.CAUSAL: "cause",
    RelationType.SEQUENTIAL: "then",
    RelationType.SUPPORTING: "evidence",
    RelationType.PROGRESSIVE: "further",
}
_ENGLISH_CUE = re.compile(r"[^\W_]+(?:[ '’-][^\W_]+)*")
_CHINESE_CUE = re.compile(r"[\u3400-\u9fffA-Za-z0-9]+")


class Side(StrEnum):
    """Where the two ends stand about the cue; A is the cause, the earlier, the evidence or the base."""

    FORWARD = "forward"  # A cue B
    BACKWARD = "backward"  # B cue A
    FRONTED = "fronted"  # cue A, B


class UserRule(Record):
    """One entry of the file."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)

    cue: str = Field(min_length=1, max_length=LONGEST_CUE)
    language: Literal["en", "zh"]
    type: RelationType
    direction: Side
    subtype: str = Field(default="", max_length=40, pattern=r"^[a-z0-9-]*$")
    modality: Modality = Modality.ASSERTED
    confidence: float = Field(default=0.6, ge=0.01, le=0.95)

    @field_validator("cue")
    @classmethod
    def _single_spaces(cls, cue: str) -> str:
        return " ".join(cue.split())

    @property
    def name(self) -> str:
        """What its relations say made them."""
        return f"user:{self.cue}"

    @property
    def pattern(self) -> str:
        """The form in which the cue is looked for."""
        return simplified(self.cue) if self.language == "zh" else self.cue.replace("’", "'").lower()


class UserRules(Record):
    """All rules of a file, and a digest of what they say."""

    rules: tuple[UserRule, ...]

    @property
    def digest(self) -> str:
        """Changes with every change that could change a relation."""
        said = sorted(rule.model_dump_json() for rule in self.rules)
        return hashlib.sha256("\n".join(said).encode()).hexdigest()[:8]

    def of(self, language: str) -> tuple[UserRule, ...]:
        """The rules for one language."""
        return tuple(rule for rule in self.rules if rule.language == language)


def read_user_rules(path: Path) -> UserRules:
    """The rules in the file ``path``.

    Raises:
        ConfigurationError: naming the file, the entry, the field and what it should be.
    """
    try:
        data = path.expanduser().read_bytes()
        if len(data) > MOST_BYTES:
            raise ConfigurationError(
                f"{path}: a file of rules has at most {MOST_BYTES:,} bytes, this one {len(data):,}."
            )
        content = tomllib.loads(data.decode("utf-8"))
    except OSError as error:
        raise ConfigurationError(f"The rules {path} cannot be read ({error.strerror}). Correct the path.") from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{path}: not UTF-8 text. Save the file as UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path}: not valid TOML: {error}.") from None
    if other := sorted(set(content) - {"rules"}):
        raise ConfigurationError(f"{path}: there is no {other[0]!r} here; every rule begins with a line [[rules]].")
    entries = content.get("rules")
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
        raise ConfigurationError(f"{path}: there are no rules in it; every rule begins with a line [[rules]].")
    if len(entries) > MOST_RULES:
        raise ConfigurationError(f"{path}: {len(entries):,} rules; at most {MOST_RULES:,} are read.")
    rules: dict[tuple[str, str, str], int] = {}
    found = []
    for number, entry in enumerate(entries, 1):
        place = f"{path}: rule {number}" + (f" (cue {entry['cue']!r})" if isinstance(entry.get("cue"), str) else "")
        rule = _rule(entry, place)
        same = rules.setdefault((rule.language, rule.pattern, rule.direction), number)
        if same != number:
            raise ConfigurationError(
                f"{place}: cue: rule {same} has this cue and direction already. Delete one of them."
            )
        found.append(rule)
    return UserRules(rules=tuple(found))


def _rule(entry: Mapping[str, Any], place: str) -> UserRule:
    try:
        rule = UserRule.model_validate(entry)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        name = str(problem["loc"][0])
        if problem["type"] == "extra_forbidden":
            fields = ", ".join(UserRule.model_fields)
            raise ConfigurationError(f"{place}: there is no field {name!r}. A rule has: {fields}.") from None
        given = "" if problem["type"] == "missing" else f", not {problem['input']!r}"
        raise ConfigurationError(f"{place}: {name}: {_said(problem['type'], problem['msg'])}{given}.") from None
    pattern = _CHINESE_CUE if rule.language == "zh" else _ENGLISH_CUE
    if not pattern.fullmatch(rule.cue):
        kind = "Chinese characters, letters and figures" if rule.language == "zh" else "words, with blanks between them"
        raise ConfigurationError(f"{place}: cue: should be {kind} and no other marks, not {rule.cue!r}.")
    if rule.language == "zh" and len(rule.cue) < 2:
        raise ConfigurationError(f"{place}: cue: should have at least two characters: one stands within many words.")
    return rule.model_copy(update={"subtype": rule.subtype or SUBTYPES[rule.type]})


def _said(kind: str, message: str) -> str:
    return "is missing" if kind == "missing" else message.removeprefix("Input ").removeprefix("String ")


class UserRuleExtractor:
    """Reads a text by the rules of the user.

    Args:
        rules: what the file says.
        readers: an extractor by language, for the languages that have rules.
    """

    def __init__(self, rules: UserRules, readers: Mapping[str, RelationExtractor]) -> None:
        self._readers = readers
        self.name = f"user-rules@1({rules.digest})"

    def extract(self, text: str, language: str) -> ExtractionResult:
        """What the rules find in ``text``, whatever its main language."""
        relations: list[ExtractedRelation] = []
        for own, reader in sorted(self._readers.items()):
            relations += reader.extract(text, own).relations
        return ExtractionResult(language=language, relations=tuple(relations), extractor=self.name)


__all__ = ["MOST_RULES", "Side", "UserRule", "UserRuleExtractor", "UserRules", "read_user_rules"]
