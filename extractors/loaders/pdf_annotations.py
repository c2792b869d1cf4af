"""What lies on a PDF page beside its own content: filled-in fields, typed remarks, and comments of reviewers."""

from __future__ import annotations

import ctypes
from typing import Any

_MOST = 2_000  # annotations of one page that are looked at


def with_fields(document: Any, page: Any, index: int) -> Any:
    """The page with what stands in its fields, text boxes and stamps as part of it; in memory only."""
    from pypdfium2 import raw

    shown = {raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_FREETEXT, raw.FPDF_ANNOT_STAMP}
    kinds = _kinds(page)
    if not shown.intersection(kinds):
        return page
    for number in range(len(kinds) - 1, -1, -1):
        if kinds[number] not in shown:
            raw.FPDFPage_RemoveAnnot(page.raw, number)
    if raw.FPDFPage_Flatten(page.raw, raw.FLAT_NORMALDISPLAY) != raw.FLATTEN_SUCCESS:
        return page
    page.close()  # the text is read from a page that is loaded after the change
    return document[index]


def comments(page: Any) -> list[str]:
    """The comments of reviewers, each with who made it."""
    from pypdfium2 import raw

    kinds = {
        raw.FPDF_ANNOT_TEXT, raw.FPDF_ANNOT_HIGHLIGHT, raw.FPDF_ANNOT_UNDERLINE, raw.FPDF_ANNOT_SQUIGGLY,
        raw.FPDF_ANNOT_STRIKEOUT, raw.FPDF_ANNOT_CARET, raw.FPDF_ANNOT_INK, raw.FPDF_ANNOT_LINE,
        raw.FPDF_ANNOT_SQUARE, raw.FPDF_ANNOT_CIRCLE,
    }  # fmt: skip
    found = []
    for number, kind in enumerate(_kinds(page)):
        if kind in kinds:
            annotation = raw.FPDFPage_GetAnnot(page.raw, number)
            text, author = _value(annotation, b"Contents"), _value(annotation, b"T")
            raw.FPDFPage_CloseAnnot(annotation)
            if text:
                found.append(f"[Comment of {author or 'unknown'}: {text}]")
    return found


def _kinds(page: Any) -> list[int]:
    from pypdfium2 import raw

    kinds = []
    for number in range(min(raw.FPDFPage_GetAnnotCount(page.raw), _MOST)):
        annotation = raw.FPDFPage_GetAnnot(page.raw, number)
        kinds.append(raw.FPDFAnnot_GetSubtype(annotation) if annotation else raw.FPDF_ANNOT_UNKNOWN)
        raw.FPDFPage_CloseAnnot(annotation)
    return kinds


def _value(annotation: Any, key: bytes) -> str:
    from pypdfium2 import raw

    length = raw.FPDFAnnot_GetStringValue(annotation, key, None, 0)
    buffer = (ctypes.c_ushort * (length // 2 + 1))()
    raw.FPDFAnnot_GetStringValue(annotation, key, buffer, length)
    return " ".join(bytes(buffer).decode("utf-16-le", "replace").replace("\0", "").split())


__all__ = ["comments", "with_fields"]
