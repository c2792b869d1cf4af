"""The words of one paragraph of a DOCX as they read with all changes accepted, and what is anchored in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from extractors.loaders.docx_styles import Styles
from extractors.loaders.office_text import (
    MATH_MARKS,
    MATH_WORDS,
    WORD,
    chosen,
    elements,
    is_alternatives,
    is_on,
    typed,
)

_SKIPPED = {f"{WORD}{name}" for name in ("del", "moveFrom", "pPr", "rPr", "instrText", "rt", "sdtPr", "sdtEndPr")}
_DRAWINGS = {f"{WORD}{name}" for name in ("drawing", "pict", "object")}
_MARKS = {f"{WORD}tab": "\t", f"{WORD}ptab": "\t", f"{WORD}br": "\n", f"{WORD}cr": "\n", f"{WORD}noBreakHyphen": "-"}
_BOX = f"{WORD}txbxContent"
# Letters of the fonts Symbol and Wingdings that stand for a character of their own.
_SYMBOLS = {
    "symbol": dict(
        zip(range(0x61, 0x7B), "αβχδεφγηιϕκλμνοπθρστυϖωξψζ", strict=True)
    ) | {0xA3: "≤", 0xA5: "∞", 0xAE: "→", 0xB0: "°", 0xB1: "±", 0xB3: "≥", 0xB4: "×", 0xB7: "•", 0xB9: "≠", 0xBB: "≈",
         0xDE: "⇒", 0x44: "Δ", 0x53: "Σ", 0x57: "Ω"},
    "wingdings": {0xE0: "→", 0xE8: "→", 0xF0: "⇒", 0xFC: "✓", 0xFB: "✗", 0xFE: "☑", 0xA8: "☐", 0x6F: "☐", 0x4A: "☺"},
}  # fmt: skip


@dataclass(slots=True)
class Words:
    """What one paragraph holds."""

    text: str = ""
    boxes: list[Any] = field(default_factory=list)  # contents of text boxes
    drawings: list[Any] = field(default_factory=list)  # diagrams and charts are in them
    notes: list[tuple[str, str]] = field(default_factory=list)  # footnote or endnote, and its id
    comments: list[str] = field(default_factory=list)  # ids


def read_words(paragraph: Any, styles: Styles) -> Words:
    """The words of ``paragraph``: insertions in, deletions, hidden text and the codes of fields out."""
    words = Words()
    parts: list[str] = []
    fields: list[bool] = []  # for each open field whether its code is being read, else its result
    stack = list(reversed(paragraph))
    while stack:
        element = stack.pop()
        tag = element.tag
        if not isinstance(tag, str) or tag in _SKIPPED:
            continue
        if tag == f"{WORD}fldChar":
            _step(fields, element.get(f"{WORD}fldCharType"))
        elif tag == f"{WORD}r" and _is_hidden(element, styles):
            stack.extend(reversed(element.findall(f"{WORD}fldChar")))
        elif tag == f"{WORD}sdt" and is_on(element.find(f"{WORD}sdtPr"), f"{WORD}showingPlcHdr"):
            continue  # "Click here to enter text"
        elif is_alternatives(element):
            form = chosen(element)
            stack.extend(() if form is None else reversed(form))
        elif any(fields):
            stack.extend(reversed(element))
        elif tag in _DRAWINGS:
            _look_into(element, words)
        elif tag in {f"{WORD}t", MATH_WORDS}:
            parts.append(element.text or "")
        elif tag in _MARKS:
            parts.append(_MARKS[tag])
        elif tag == f"{WORD}sym":
            parts.append(_symbol(element))
        elif tag in {f"{WORD}footnoteReference", f"{WORD}endnoteReference"}:
            words.notes.append((tag.removeprefix(WORD).removesuffix("Reference"), element.get(f"{WORD}id", "")))
        elif tag == f"{WORD}commentReference":
            words.comments.append(element.get(f"{WORD}id", ""))
        else:
            if tag in MATH_MARKS and any(e.text for e in element.iter(MATH_WORDS)):
                parts.append(MATH_MARKS[tag])
            stack.extend(reversed(element))
    words.text = typed("".join(parts))
    return words


def _step(fields: list[bool], kind: str | None) -> None:
    if kind == "begin":
        fields.append(True)
    elif kind == "separate" and fields:
        fields[-1] = False
    elif kind == "end" and fields:
        fields.pop()


def _is_hidden(run: Any, styles: Styles) -> bool:
    properties = run.find(f"{WORD}rPr")
    if properties is None:
        return False
    if properties.find(f"{WORD}vanish") is not None:
        return is_on(properties, f"{WORD}vanish")
    return styles.of(properties, "rStyle").hidden


def _look_into(drawing: Any, words: Words) -> None:
    words.drawings.append(drawing)
    for element in elements(drawing, whole={_BOX}):
        if element.tag == _BOX:
            words.boxes.append(element)


def _symbol(element: Any) -> str:
    try:
        code = int(element.get(f"{WORD}char", ""), 16)
    except ValueError:
        return ""
    font = (element.get(f"{WORD}font") or "").lower()
    known = _SYMBOLS["wingdings" if font.startswith("wingdings") else "symbol"]
    if 0xF000 <= code <= 0xF0FF or font.startswith(("wingdings", "symbol")):
        return known.get(code & 0xFF, "")
    return chr(code) if 0x20 <= code < 0x110000 else ""


__all__ = ["Words", "read_words"]
