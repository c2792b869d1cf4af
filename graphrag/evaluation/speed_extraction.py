"""How fast relations are extracted, beside the parser and the word segmenter alone: a case of ``make bench``."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING

from graphrag.evaluation.bench_row import BenchRow, row
from graphrag.evaluation.generated import Shape, documents

if TYPE_CHECKING:
    from storage.records import Document

DOCUMENTS = 24  # half of them English, half Chinese
ROUNDS = 3  # the fastest of them counts: other work on the machine only ever adds
_SHAPE = Shape(paragraphs=12, fillers=3)


def extraction_case(seed: int) -> list[BenchRow]:
    """English tokens and Chinese characters per CPU-second: of the extractor, of spaCy and of jieba alone."""
    from extractors import default_extractor
    from extractors.chinese_words import words
    from extractors.english import EnglishExtractor

    drawn = list(islice(documents(seed, _SHAPE), DOCUMENTS))
    english, chinese = _texts(drawn[::2]), _texts(drawn[1::2])
    extractor, parser = default_extractor(), EnglishExtractor()
    for text, language in ((english[0], "en"), (chinese[0], "zh")):  # loads models
        extractor.extract(text, language)
    tokens = sum(parser.read(english, len))
    characters = sum(map(len, chinese))

    def extract(texts: list[str], language: str) -> list[object]:
        return [extractor.extract(text, language) for text in texts]

    seconds = {
        ("english", "clew"): _fastest(lambda: extract(english, "en")),
        ("english", "spacy"): _fastest(lambda: parser.read(english, len)),
        ("chinese", "clew"): _fastest(lambda: extract(chinese, "zh")),
        ("chinese", "jieba"): _fastest(lambda: [words(text) for text in chinese]),
    }
    rows = []
    for (language, system), taken in seconds.items():
        units, unit = (tokens, "tokens/s") if language == "english" else (characters, "characters/s")
        rows.append(row("extraction", f"{language}_per_cpu_second", units / taken, unit, units, system))
    for language, alone in (("english", "spacy"), ("chinese", "jieba")):
        ratio = seconds[language, "clew"] / seconds[language, alone]
        rows.append(row("extraction", f"{language}_over_{alone}", ratio, "ratio", DOCUMENTS // 2))
    return rows


def _texts(of: list[Document]) -> list[str]:
    return [document.text for document in of]


def _fastest(work: Callable[[], object]) -> float:
    """Seconds of this process's CPU, all threads together."""
    best = float("inf")
    for _ in range(ROUNDS):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best


__all__ = ["extraction_case"]
