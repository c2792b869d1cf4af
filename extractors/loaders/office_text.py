"""What the XML of office documents has in common: words as a reader would type them, and alternatives of one thing."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from typing import Any

from extractors.loaders.line_joining import is_wide

WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_ALTERNATIVES = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
MATH_WORDS = f"{_MATH}t"
# What parts a numerator from its denominator, a base from what stands above or below it.
MATH_MARKS = {f"{_MATH}den": "/", f"{_MATH}sup": "^", f"{_MATH}sub": "_"}

_BLANKS = re.compile(r"[ \t\u00a0\u2007\u202f]+")
_LIGATURES = dict(zip(range(0xFB00, 0xFB07), str.split("ff fi fl ffi ffl st st"), strict=True))
_TYPED: dict[int, str | None] = {0xAD: None, 0x200B: None, 0xFEFF: None, **_LIGATURES}


def typed(text: str) -> str:
    """``text`` without what nobody types: soft hyphens, marks of no width, ligatures."""
    return text if text.isascii() else text.translate(_TYPED)


def tidy(text: str) -> str:
    """``text`` as a reader would type it, its blanks single, its line breaks kept."""
    return "\n".join(filter(None, (_BLANKS.sub(" ", line).strip() for line in typed(text).split("\n"))))


def one_line(parts: Iterable[str]) -> str:
    """All lines of ``parts`` as one, with a blank between two but not between Chinese characters."""
    joined = ""
    for line in (line for part in parts for line in tidy(part).split("\n") if line):
        gap = "" if not joined or (is_wide(joined[-1]) and is_wide(line[0])) else " "
        joined += gap + line
    return joined


def is_on(element: Any, name: str) -> bool:
    """Whether ``element`` has a switch of that name that is not off; None has none."""
    switch = None if element is None else element.find(name)
    value = None if switch is None else next((v for k, v in switch.attrib.items() if k.endswith("}val")), "1")
    return value is not None and value not in {"0", "false", "off"}


def number(text: str | None, default: int = 0) -> int:
    """The whole number an attribute holds, else ``default``."""
    digits = (text or "").strip()
    return int(digits) if len(digits) < 16 and digits.lstrip("-").isdecimal() and digits.isascii() else default


def is_alternatives(element: Any) -> bool:
    """Whether ``element`` holds several forms of one thing, for programs old and new."""
    return bool(element.tag == f"{_ALTERNATIVES}AlternateContent")


def chosen(alternatives: Any) -> Any | None:
    """The first of several forms of one thing that has words, else the first; None when there is none."""
    forms = [form for form in alternatives if isinstance(form.tag, str)]
    return next((form for form in forms if _has_words(form)), forms[0] if forms else None)


def _has_words(form: Any) -> bool:
    names = (f"{WORD}t", f"{DRAWING}t", MATH_WORDS)
    return any(element.text and element.text.strip() for element in form.iter(*names))


def elements(root: Any, whole: Container[str] = ()) -> Iterator[Any]:
    """All elements under ``root`` in order; of several forms of one thing only the chosen one.

    ``whole``: names of elements into which it does not look.
    """
    stack = list(reversed(root))
    while stack:
        element = stack.pop()
        if is_alternatives(element):
            form = chosen(element)
            stack.extend(() if form is None else reversed(form))
        elif isinstance(element.tag, str):
            yield element
            if element.tag not in whole:
                stack.extend(reversed(element))


__all__ = ["DRAWING", "MATH_MARKS", "MATH_WORDS", "WORD", "chosen", "elements", "is_alternatives", "is_on", "number",
           "one_line", "tidy", "typed"]  # fmt: skip
