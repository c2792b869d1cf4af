"""Relations found by a chat model: it quotes, and what it quotes is looked for in the text."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.resources import files

from extractors.chat.answers import ask
from extractors.chat.cached import CachedChat, subject_of
from extractors.chunking import StructureChunker
from extractors.keys import statement_key
from extractors.language import detect_language
from extractors.model.estimate import Estimate
from extractors.model.findings import Findings, FoundRelation
from extractors.model.quotes import Quotable
from extractors.ports import ExtractedRelation, ExtractionResult
from extractors.token_estimate import estimate_tokens
from storage.errors import ConfigurationError, ModelError, UnreachableError
from storage.ports import ChatMessage, ChatModel
from storage.records import Document, Modality, Polarity, RelationType

WINDOW_TOKENS = 900
"""Text that is sent at once: small models lose the ends of longer ones."""
ANSWER_TOKENS = 2_000
SHOWN_CONFIDENCE, IMPLIED_CONFIDENCE = 0.7, 0.55
"""Of a relation whose cue was quoted, and of one that the text shows without a cue. A model does not raise them."""
_FACTOR = {Modality.ASSERTED: 1.0, Modality.HEDGED: 0.8, Modality.HYPOTHETICAL: 0.6}
_SUBTYPES = {
    RelationType.CAUSAL: "cause",
    RelationType.SEQUENTIAL: "then",
    RelationType.SUPPORTING: "evidence",
    RelationType.PROGRESSIVE: "further",
}
_FAILURES, _REST_SECONDS = 3, 60.0
"""After so many failures in a row the server is left alone for so long."""

DEFAULT_PROMPT = files("extractors.model").joinpath("prompt.md").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of text that is sent at once, and the relations that the rules have found in it."""

    start: int
    text: str
    candidates: tuple[ExtractedRelation, ...] = ()  # offsets into the window's text

    @property
    def messages(self) -> list[ChatMessage]:
        """What is asked about it, after the prompt. The text is fenced by a mark that it does not hold.

        The first line tells the text from any other, whatever is asked about it: answers are forgotten by it.
        """
        mark = hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        lines = [f"[text {mark}]", self.text, f"[end of text {mark}]"]
        if self.candidates:
            lines += ["", "Relations to check:"]
            lines += [
                f"{i}. {c.type.value}: {_flat(c.head.text)} → {_flat(c.tail.text)}"
                + (f" (cue: {_flat(c.cue.text)})" if c.cue else "")
                for i, c in enumerate(self.candidates, 1)
            ]
        return [ChatMessage(role="user", content="\n".join(lines))]


@dataclass(slots=True)
class Reading:
    """What the model said of one text; offsets into the whole text."""

    relations: list[ExtractedRelation] = field(default_factory=list)
    confirmed: set[int] = field(default_factory=set)  # positions among the candidates that were given
    doubted: set[int] = field(default_factory=set)
    unread: list[str] = field(default_factory=list)  # why windows could not be read
    windows: int = 0
    dropped: int = 0  # relations whose quotes do not stand in the text

    @property
    def degraded(self) -> tuple[str, ...]:
        """What could not be done, in words for people."""
        said = []
        if self.unread:
            said.append(f"the model could not read {len(self.unread)} of {self.windows} parts: {self.unread[0]}")
        if self.dropped:
            said.append(f"relations of the model whose words do not stand in the text were left out: {self.dropped}")
        return tuple(said)


class ModelExtractor:
    """Reads a text window by window with a chat model.

    A window that the model cannot read is left out and said so; three failures in a row, and the server is left alone
    for a minute.

    Args:
        model: the chat model.
        prompt: what it is told, see ``prompt.md``.
        concurrency: windows that are read at a time.
        clock: seconds, ever increasing.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        prompt: str = DEFAULT_PROMPT,
        concurrency: int = 4,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not prompt.strip():
            raise ConfigurationError("The prompt of the extraction model is empty. Mend the file, or leave it unset.")
        self._model = model
        self._prompt = ChatMessage(role="system", content=prompt)
        self._concurrency = concurrency
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._rests_until = 0.0
        self._chunker = StructureChunker(size_tokens=WINDOW_TOKENS, overlap=0.0)
        digest = hashlib.sha256(prompt.encode()).hexdigest()[:8]
        self.name = f"model@1({model.name},prompt={digest})"

    def extract(self, text: str, language: str) -> ExtractionResult:
        """The relations that the model finds in ``text``."""
        reading = self.read(text, ())
        return ExtractionResult(
            language=language,
            relations=tuple(reading.relations),
            extractor=self.name,
            degraded=reading.degraded,
            retry=bool(reading.unread),
        )

    def read(self, text: str, candidates: Sequence[ExtractedRelation]) -> Reading:
        """What the model finds in ``text``, and what it thinks of the candidates (offsets into ``text``).

        Raises BudgetReachedError when reading would cost more than is allowed.
        """
        windows = self.windows(text, candidates)
        reading = Reading(windows=len(windows))
        with ThreadPoolExecutor(max_workers=self._concurrency) as pool:
            answers = [pool.submit(self._ask, window) for window in windows]
            try:
                for window, answer in zip(windows, answers, strict=True):
                    try:
                        self._add(reading, window, answer.result(), candidates)
                    except (UnreachableError, ModelError, ConfigurationError) as error:
                        reading.unread.append(str(error))
            except BaseException:
                for answer in answers:
                    answer.cancel()
                raise
        reading.relations.sort(key=lambda r: r.order)
        return reading

    def windows(self, text: str, candidates: Sequence[ExtractedRelation]) -> list[Window]:
        """The stretches in which ``text`` is sent: whole paragraphs and sentences."""
        spans = self._chunker.chunk(Document(text=text))
        return [
            Window(
                span.start,
                text[span.start : span.end],
                tuple(c.shifted(-span.start) for c in candidates if _lies_in(c, span.start, span.end)),
            )
            for span in spans
        ]

    def estimate(self, text: str, language: str) -> Estimate:  # noqa: ARG002 (as the offline extractors have it)
        """What extracting from ``text`` would ask of the model, about."""
        return self.estimate_reading(text, ())

    def estimate_reading(self, text: str, candidates: Sequence[ExtractedRelation]) -> Estimate:
        """What reading ``text`` and checking the candidates would ask of the model, about."""
        total = Estimate()
        for window in self.windows(text, candidates):
            messages = [self._prompt, *window.messages]
            known = isinstance(self._model, CachedChat) and self._model.knows(
                messages, max_tokens=ANSWER_TOKENS, form=Findings
            )
            if not known:
                # Answers quote about as much as a third of what they are about.
                asked = round(sum(estimate_tokens(m.content) for m in messages))
                total += Estimate(1, asked, round(estimate_tokens(window.text) / 3) + 50)
        return total

    def forget(self, texts: Sequence[str]) -> int:
        """Remove the remembered answers about ``texts``, of any model and prompt; how many that were."""
        if not isinstance(self._model, CachedChat):
            return 0
        return self._model.forget([subject_of(w.messages) for text in texts for w in self.windows(text, ())])

    def _ask(self, window: Window) -> Findings:
        with self._lock:
            if self._clock() < self._rests_until:
                raise UnreachableError("the model server failed several times in a row and is left alone for a while")
        try:
            findings = ask(self._model, [self._prompt, *window.messages], Findings, max_tokens=ANSWER_TOKENS)
        except (UnreachableError, ConfigurationError):
            with self._lock:
                self._failures += 1
                if self._failures >= _FAILURES:
                    self._failures, self._rests_until = 0, self._clock() + _REST_SECONDS
            raise
        with self._lock:
            self._failures = 0
        return findings

    def _add(
        self, reading: Reading, window: Window, findings: Findings, candidates: Sequence[ExtractedRelation]
    ) -> None:
        numbers = [i for i, c in enumerate(candidates) if _lies_in(c, window.start, window.start + len(window.text))]
        for check in findings.checked:
            if 1 <= check.number <= len(numbers):
                (reading.confirmed if check.verdict == "confirm" else reading.doubted).add(numbers[check.number - 1])
        quotable = Quotable(window.text)
        for found in findings.found:
            relation = self._located(quotable, found)
            if relation is None:
                reading.dropped += 1
            else:
                reading.relations.append(relation.shifted(window.start))

    def _located(self, text: Quotable, found: FoundRelation) -> ExtractedRelation | None:
        ends = text.pair(found.head, found.tail)
        if ends is None:
            return None
        head, tail = ends
        keys = [statement_key(end.text, detect_language(end.text)) for end in ends]
        if keys[0] is None or keys[1] is None:
            return None
        cue = text.cue(found.cue, head, tail)
        kind, modality = RelationType(found.type), Modality(found.modality)
        confidence = (SHOWN_CONFIDENCE if cue else IMPLIED_CONFIDENCE) * _FACTOR[modality]
        return ExtractedRelation(
            type=kind,
            head=head,
            tail=tail,
            cue=cue,
            head_key=keys[0],
            tail_key=keys[1],
            polarity=Polarity.NEGATED if found.negated else Polarity.AFFIRMED,
            modality=modality,
            subtype=_SUBTYPES[kind],
            explicit=cue is not None,
            confidence=round(confidence, 3),
            rule="model",
            origin=self.name,
        )


def _lies_in(relation: ExtractedRelation, start: int, end: int) -> bool:
    first, last = min(relation.head.start, relation.tail.start), max(relation.head.end, relation.tail.end)
    return start <= first and last <= end


def _flat(text: str) -> str:
    return " ".join(text.split())


__all__ = ["ANSWER_TOKENS", "DEFAULT_PROMPT", "WINDOW_TOKENS", "ModelExtractor", "Reading", "Window"]
