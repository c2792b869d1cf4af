"""DOCX: headings, paragraphs, lists, tables, text boxes and notes in reading order, all tracked changes accepted."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from extractors.loaders.docx_styles import Numbering, Style, Styles, list_of, outline_level
from extractors.loaders.docx_table import INNER, cell_parts, children, header_of, is_layout, read_grid
from extractors.loaders.docx_text import Words, read_words
from extractors.loaders.office_drawing import add_drawings
from extractors.loaders.office_package import OfficePackage
from extractors.loaders.office_pictures import add_pictures, picture_names
from extractors.loaders.office_text import WORD, chosen, is_alternatives, one_line, tidy
from extractors.loaders.pictures import Pictures, pictures_of
from extractors.loaders.signatures import is_office
from extractors.loaders.text_builder import TextBuilder
from extractors.ports import Likeness, LoadedFile, LoadOptions
from storage.errors import LoadError

_CONTENTS = "table of contents"
_LONGEST_HEADING = 300  # a longer one is a paragraph that was only made to look like one


class DocxLoader:
    """Reads DOCX from its XML; headers, footers, hidden text and tables of contents are left out."""

    name = "docx@3"
    suffixes = (".docx", ".docm", ".dotx")

    def recognises(self, path: PurePath, data: bytes) -> Likeness:
        """How sure it is that this is its format."""
        return Likeness.CONTENT if is_office(data, "word") else Likeness.NO

    def load(self, path: PurePath, data: bytes, options: LoadOptions) -> LoadedFile:
        """The document; the title is that of its properties, else the paragraph of style Title, else a heading."""
        package = OfficePackage(path, data)
        main = package.main_part()
        body = package.xml(main).find(f"{WORD}body")
        if body is None:
            raise LoadError(f"{path.name} is not a DOCX document, or it is damaged. Save it again as DOCX")
        pictures = pictures_of(options, lambda: picture_names(package, main, [body]))
        walk = _Walk(package, main, comments=options.comments, pictures=pictures)
        walk.blocks(body)
        walk.finish()
        title, metadata = package.properties()
        first = walk.builder.headings[0] if walk.builder.headings else path.stem
        document = walk.builder.document(title or walk.title or first, metadata=metadata)
        return LoadedFile(documents=(document,), notes=walk.left_out())


class _Walk:
    """Reads the body element by element; what is anchored in a paragraph or table comes after it."""

    def __init__(self, package: OfficePackage, main: str, *, comments: bool, pictures: Pictures | None) -> None:
        self.builder = TextBuilder()
        self.title = ""
        self._package, self._main = package, main
        self._parts: dict[str, str] = {}  # by the name of their root element
        self._styles = Styles(self._part("styles"))
        self._numbering = Numbering(self._part("numbering"))
        self._notes = {
            (kind, note.get(f"{WORD}id", "")): note
            for kind in ("footnote", "endnote")
            for note in self._children(self._part(f"{kind}s"))
            if note.get(f"{WORD}type") in {None, "normal"}
        }
        self._comments = {c.get(f"{WORD}id", ""): c for c in self._children(self._part("comments")) if comments}
        self._pictures = pictures
        self._pending = ""  # of a paragraph whose end was deleted: it goes on in the next
        self._caption = ""
        self._files_left_out = False

    def _part(self, kind: str) -> Any | None:
        found = self._package.related(self._main, kind)
        root = self._package.xml(found[0]) if found else None
        if root is not None:
            self._parts[root.tag] = found[0]
        return root

    @staticmethod
    def _children(root: Any | None) -> list[Any]:
        return [] if root is None else [child for child in root if isinstance(child.tag, str)]

    def blocks(self, container: Any) -> None:
        """Add what ``container`` holds."""
        for element in container:
            if element.tag == f"{WORD}p":
                self._paragraph(element)
            elif element.tag == f"{WORD}tbl":
                self._table(element)
            elif element.tag in INNER and not _is_contents(element):
                self.blocks(element)
            elif is_alternatives(element):
                form = chosen(element)
                self.blocks(() if form is None else form)
            elif element.tag == f"{WORD}altChunk":
                self._files_left_out = True

    def finish(self) -> None:
        """Add what waits for a paragraph that never came."""
        self.builder.paragraph(tidy(self._pending))

    def left_out(self) -> tuple[str, ...]:
        """What was not read, in words for people."""
        unread = () if self._pictures is None else self._pictures.left_out()
        if not self._files_left_out:
            return unread
        return ("A file that was inserted is left out: open the document in Word and save it again.", *unread)

    def _paragraph(self, paragraph: Any) -> None:
        properties = paragraph.find(f"{WORD}pPr")
        style = self._styles.of(properties)
        if style.contents or style.hidden:
            return
        words = read_words(paragraph, self._styles)
        text, self._pending = self._pending + words.text, ""
        mark = None if properties is None else properties.find(f"{WORD}rPr")
        if mark is not None and (mark.find(f"{WORD}del") is not None or mark.find(f"{WORD}moveFrom") is not None):
            self._pending = text
        else:
            self._add(text, properties, style)
        self._anchored([words])

    def _add(self, text: str, properties: Any | None, style: Style) -> None:
        own = outline_level(properties)
        level = own if style.level is None else style.level
        numbered = None if properties is None else list_of(properties.find(f"{WORD}numPr"))
        item = style.list if numbered is None else numbered
        plain = tidy(text)
        if not plain:
            return
        self._caption = one_line([plain]) if style.caption else ""
        if level is not None and len(plain) <= _LONGEST_HEADING:
            if level == 0 and not self.title:
                self.title = one_line([plain])
            self.builder.heading(one_line([plain]), max(level, 1))
        elif item is not None and item[0] not in {"", "0"}:
            self.builder.line(f"{self._numbering.mark(*item)} {plain}", level=item[1])
        else:
            self.builder.paragraph(text if style.code else plain)

    def _table(self, table: Any) -> None:
        grid = read_grid(table)
        if is_layout(grid):
            for cell in (cell for row in grid.rows for cell in row if cell is not None):
                self.blocks(cell)
            return
        anchored: list[Words] = []

        def text(paragraph: Any) -> str:
            anchored.append(read_words(paragraph, self._styles))
            return anchored[-1].text

        words = [["" if c is None else one_line(cell_parts(c, text)) for c in row] for row in grid.rows]
        header = header_of(table, grid, words, self._styles)
        self.builder.table(words, header=header, merged=grid.merged, caption=self._caption)
        self._caption = ""
        self._anchored(anchored)

    def _anchored(self, paragraphs: list[Words]) -> None:
        for words in paragraphs:
            for box in words.boxes:
                self.blocks(box)
            for drawing in words.drawings:
                part = self._parts.get(drawing.getroottree().getroot().tag, self._main)
                add_drawings(self.builder, self._package, part, [drawing])
                if self._pictures is not None:
                    add_pictures(self.builder, self._package, part, [drawing], self._pictures)
        for note in (note for words in paragraphs for note in words.notes):
            if note in self._notes:
                self.blocks(self._notes.pop(note))  # each once, however often it is referred to
        for name in (name for words in paragraphs for name in words.comments):
            if name in self._comments:
                self._comment(self._comments.pop(name))

    def _comment(self, comment: Any) -> None:
        author = " ".join(comment.get(f"{WORD}author", "").split()) or "unknown"
        text = one_line(read_words(paragraph, self._styles).text for paragraph in children(comment, "p"))
        self.builder.paragraph(f"[Comment of {author}: {text}]" if text else "")


def _is_contents(element: Any) -> bool:
    """Whether this is a table of contents that the program keeps: the headings once more, with page numbers."""
    gallery = element.find(f"{WORD}sdtPr/{WORD}docPartObj/{WORD}docPartGallery")
    return gallery is not None and gallery.get(f"{WORD}val", "").lower() == _CONTENTS


__all__ = ["DocxLoader"]
