"""DOCX: headings, paragraphs, lists, tables row by row and notes, in reading order."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from extractors.loaders.signatures import is_office
from extractors.loaders.text_builder import TextBuilder
from extractors.ports import Likeness, LoadedFile, LoadOptions
from storage.errors import LoadError
from storage.records import Document

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_HEADING_NAME = re.compile(r"(?:heading|标题|標題)\s{0,3}(\d)", re.IGNORECASE)
# XML of office documents shrinks 5 to 40 times; a bomb of zeros 1,000 times. Below 16 MB nothing is worth refusing.
_MAX_BYTES = 256 * 1024 * 1024
_MAX_RATIO = 200
_SMALL = 16 * 1024 * 1024


class DocxLoader:
    """Reads DOCX with python-docx; its parser resolves no entities and fetches nothing."""

    name = "docx@1"
    suffixes = (".docx",)

    def recognises(self, path: PurePath, data: bytes) -> Likeness:
        """How sure it is that this is its format."""
        return Likeness.CONTENT if is_office(data, "word") else Likeness.NO

    def load(self, path: PurePath, data: bytes, options: LoadOptions) -> LoadedFile:
        """The document; the title is that of its properties, else the paragraph of style Title, else a heading."""
        refuse_bomb(path, data)
        import docx
        from docx.opc.exceptions import PackageNotFoundError

        try:
            document = docx.Document(io.BytesIO(data))
        except (PackageNotFoundError, KeyError, ValueError, zipfile.BadZipFile) as error:
            raise LoadError(f"{path.name} is not a DOCX document, or it is damaged. Save it again as DOCX") from error
        walk = _Walk(_heading_levels(document))
        walk.blocks(document.element.body)
        walk.notes(document)
        builder = walk.builder
        title = (document.core_properties.title or "").strip() or walk.title
        return LoadedFile(
            documents=(
                Document(
                    text=builder.text(),
                    title=title or (builder.headings[0] if builder.headings else path.stem),
                    sections=builder.sections(),
                ),
            )
        )


def refuse_bomb(path: PurePath, data: bytes) -> None:
    """Raise LoadError when the archive would unpack to far more than it is: looked up, not unpacked."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in archive.infolist():
            if member.flag_bits & 1:
                raise LoadError(f"{path.name} is protected by a password. Save it without one")
        size = sum(member.file_size for member in archive.infolist())
    if size > _MAX_BYTES or (size > _SMALL and size > len(data) * _MAX_RATIO):
        raise LoadError(f"{path.name} would unpack to {size:,} bytes and is refused. Split it into smaller documents")


def _heading_levels(document: Any) -> dict[str, int]:
    """Style id → level (0: the title), by the outline level or the name of the style or of one it is based on."""
    levels: dict[str, int] = {}
    for style in document.styles:
        base, steps = style, 0
        while base is not None and steps < 10:
            outline = base.element.find(f"{_W}pPr/{_W}outlineLvl")
            named = _HEADING_NAME.match(base.name or "")
            if (base.name or "").lower() in {"title", "标题", "標題"}:
                levels[style.style_id] = 0
            elif named:
                levels[style.style_id] = int(named.group(1))
            elif outline is not None and int(outline.get(f"{_W}val", "9")) < 9:
                levels[style.style_id] = int(outline.get(f"{_W}val")) + 1
            if style.style_id in levels:
                break
            base, steps = getattr(base, "base_style", None), steps + 1
    return levels


class _Walk:
    """Reads the body element by element; content controls and insertions count, deletions do not."""

    def __init__(self, levels: dict[str, int]) -> None:
        self.builder = TextBuilder()
        self.title = ""
        self._levels = levels

    def blocks(self, container: Any) -> None:
        for element in container:
            if element.tag == f"{_W}p":
                self._paragraph(element)
            elif element.tag == f"{_W}tbl":
                self._table(element)
            elif element.tag in {f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins", f"{_W}moveTo", f"{_W}customXml"}:
                self.blocks(element)

    def notes(self, document: Any) -> None:
        """Add foot- and endnotes at the end: they are the document's words and belong to no place in the flow."""
        from docx.oxml import parse_xml

        for relation in document.part.rels.values():
            if relation.reltype.endswith(("/footnotes", "/endnotes")) and not relation.is_external:
                for note in parse_xml(relation.target_part.blob):
                    if note.get(f"{_W}type") in {None, "normal"}:
                        self.blocks(note)

    def _paragraph(self, paragraph: Any) -> None:
        text = _text(paragraph)
        style = paragraph.find(f"{_W}pPr/{_W}pStyle")
        level = self._levels.get(style.get(f"{_W}val")) if style is not None else None
        outline = paragraph.find(f"{_W}pPr/{_W}outlineLvl")
        if level is None and outline is not None and int(outline.get(f"{_W}val", "9")) < 9:
            level = int(outline.get(f"{_W}val")) + 1
        if level is not None and text.strip():
            self.title = self.title or (text.strip() if level == 0 else "")
            self.builder.heading(text, max(level, 1))
        elif paragraph.find(f"{_W}pPr/{_W}numPr") is not None:
            self.builder.line("- " + text if text.strip() else "")
        else:
            self.builder.paragraph(text)
        for box in _text_boxes(paragraph):
            self.blocks(box)

    def _table(self, table: Any) -> None:
        for row in _children(table, "tr"):
            cells = []
            for cell in _children(row, "tc"):
                merge = cell.find(f"{_W}tcPr/{_W}vMerge")
                continued = merge is not None and merge.get(f"{_W}val", "continue") == "continue"
                # A cell that goes on from the row above holds only an empty paragraph.
                cells.append("" if continued else " ".join(filter(None, map(str.strip, _cell_texts(cell)))))
            self.builder.row(cells)


def _children(element: Any, name: str) -> Iterator[Any]:
    """Children of that name, those inside content controls and insertions included."""
    for child in element:
        if child.tag == f"{_W}{name}":
            yield child
        elif child.tag in {f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins", f"{_W}customXml"}:
            yield from _children(child, name)


def _cell_texts(cell: Any) -> Iterator[str]:
    for element in cell:
        if element.tag == f"{_W}p":
            yield _text(element)
        elif element.tag == f"{_W}tbl":
            for row in _children(element, "tr"):
                for inner in _children(row, "tc"):
                    yield from _cell_texts(inner)
        elif element.tag in {f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins"}:
            yield from _cell_texts(element)


_SKIPPED = {f"{_W}{n}" for n in ("del", "moveFrom", "pPr", "rPr", "drawing", "pict", "object", "instrText", "rt")}


def _text(paragraph: Any) -> str:
    """The words of a paragraph; what was deleted in tracked changes and the codes of fields are none."""
    parts: list[str] = []
    stack = list(reversed(paragraph))
    while stack:
        element = stack.pop()
        tag = element.tag
        if tag in _SKIPPED or tag == f"{_MC}AlternateContent":
            continue
        if tag == f"{_W}t":
            parts.append(element.text or "")
        elif tag == f"{_W}tab":
            parts.append("\t")
        elif tag in {f"{_W}br", f"{_W}cr"}:
            parts.append("\n")
        elif tag == f"{_W}noBreakHyphen":
            parts.append("-")
        else:
            stack.extend(reversed(element))
    return "".join(parts)


def _text_boxes(paragraph: Any) -> list[Any]:
    """Text boxes anchored here; of two forms of the same box only the first."""
    return [
        box
        for box in paragraph.iter(f"{_W}txbxContent")
        if not any(parent.tag == f"{_MC}Fallback" for parent in box.iterancestors())
        and next(box.iterancestors(f"{_W}p"), None) is paragraph
    ]


__all__ = ["DocxLoader", "refuse_bomb"]
