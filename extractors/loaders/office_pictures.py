"""Pictures in DOCX and PPTX: which parts of the package they are, and what their author says of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from extractors.loaders.office_package import OFFICE, OfficePackage
from extractors.loaders.office_text import DRAWING, WORD, elements
from extractors.loaders.pictures import MAX_PICTURE, Pictures
from extractors.loaders.text_builder import TextBuilder

_PICTURE = "{http://schemas.openxmlformats.org/drawingml/2006/picture}"
_SLIDES = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_FILLS = frozenset((f"{_PICTURE}blipFill", f"{_SLIDES}blipFill"))  # a fill of the namespace DRAWING is a decoration
_IMAGE_DATA = "{urn:schemas-microsoft-com:vml}imagedata"
_SAID = ("{*}nvPicPr/{*}cNvPr", "{*}nvGraphicFramePr/{*}cNvPr", "{*}docPr")
_OUTERMOST = 12  # elements around a picture in which to look for what is said of it


def picture_names(package: OfficePackage, part: str, roots: Iterable[Any]) -> Iterator[str]:
    """The parts that are pictures under ``roots`` of ``part``, each as often as it stands there."""
    for root in roots:
        for element in root.iter(*_FILLS, _IMAGE_DATA):
            if name := _name(package, part, element):
                yield name


def add_pictures(
    builder: TextBuilder, package: OfficePackage, part: str, drawings: Iterable[Any], pictures: Pictures
) -> None:
    """Add what the pictures in ``drawings`` of ``part`` say; those in text boxes stand in their paragraphs."""
    for drawing in drawings:
        for element in elements(drawing, whole={f"{WORD}txbxContent"}):
            if (element.tag in _FILLS or element.tag == _IMAGE_DATA) and (name := _name(package, part, element)):
                pictures.add(builder, name, partial(package.data, name, MAX_PICTURE), _said(element))


def _name(package: OfficePackage, part: str, element: Any) -> str:
    """The part of a picture; "" for one that lies outside of the file."""
    if element.tag == _IMAGE_DATA:
        reference = element.get(f"{OFFICE}id")
    else:
        blip = element.find(f"{DRAWING}blip")
        reference = None if blip is None else blip.get(f"{OFFICE}embed")
    relation = package.relations(part).get(reference or "")
    return "" if relation is None else relation.target


def _said(element: Any) -> str:
    for _, outer in zip(range(_OUTERMOST), element.iterancestors(), strict=False):
        marks = [outer, *(mark for path in _SAID for mark in outer.findall(path))]
        for words in (mark.get(key) for mark in marks for key in ("descr", "alt")):
            if words and words.strip():
                return str(words)
    return ""


__all__ = ["add_pictures", "picture_names"]
