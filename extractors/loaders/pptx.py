"""PPTX: slide by slide the title, the shapes as they are read, tables, diagrams and what the speaker noted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import PurePath
from typing import Any

from extractors.loaders.office_drawing import add_drawings
from extractors.loaders.office_package import OFFICE, OfficePackage
from extractors.loaders.office_pictures import add_pictures, picture_names
from extractors.loaders.office_text import DRAWING, number, one_line, tidy
from extractors.loaders.pictures import Pictures, pictures_of
from extractors.loaders.pptx_comments import slide_comments
from extractors.loaders.pptx_shapes import Layouts, P, Shape, shapes_in_order
from extractors.loaders.pptx_text import add_table, paragraph_text, paragraphs
from extractors.loaders.signatures import is_office
from extractors.loaders.text_builder import TextBuilder
from extractors.ports import Likeness, LoadedFile, LoadOptions
from storage.errors import LoadError
from storage.records import PlaceKind, TextKind

_NOTES = "Notes: "
_LONGEST_FOOTER = 200
_EDGE = 0.13  # of the height of a slide
_USUAL_HEIGHT = 6_858_000
_Key = tuple[str, float, float]


class PptxLoader:
    """Reads PPTX from its XML; hidden slides and what is repeated on the slides are left out."""

    name = "pptx@2"
    suffixes = (".pptx", ".pptm", ".ppsx", ".potx")

    def recognises(self, path: PurePath, data: bytes) -> Likeness:
        """How sure it is that this is its format."""
        return Likeness.CONTENT if is_office(data, "ppt") else Likeness.NO

    def load(self, path: PurePath, data: bytes, options: LoadOptions) -> LoadedFile:
        """The presentation: a page and a place for each slide; the notes are the last paragraph of their slide."""
        package = OfficePackage(path, data)
        main = package.main_part()
        root = package.xml(main)
        relations = package.relations(main)
        listed = [relations.get(entry.get(f"{OFFICE}id", "")) for entry in root.iter(f"{P}sldId")]
        if not listed:
            raise LoadError(f"{path.name} is empty: it holds no slides")
        slides: list[_Slide] = []
        notes: list[str] = []
        layouts = Layouts(package)
        hidden: list[str] = []
        for at, relation in enumerate(listed, 1):
            try:
                slide = None if relation is None else _Slide(package, relation.target, at, layouts)
            except LoadError:
                slide = None
            if slide is None:
                notes.append(f"Slide {at} is missing or damaged and is left out.")
            elif slide.hidden:
                hidden.append(f"Slide {at} is hidden and is left out.")
            else:
                slides.append(slide)
        size = root.find(f"{P}sldSz")
        repeated = _repeated(slides, number(None if size is None else size.get("cy"), _USUAL_HEIGHT))
        pictures = pictures_of(options, lambda: (name for slide in slides for name in slide.picture_names()))
        builder = TextBuilder()
        for slide in slides:
            found = 0 if pictures is None else pictures.found
            builder.start_page(slide.number)
            with builder.place(PlaceKind.SLIDE, str(slide.number)):
                slide.add(builder, repeated, pictures)
                for comment in slide_comments(package, main, slide.part) if options.comments else ():
                    builder.paragraph(comment)
            if slide.is_picture and (pictures is None or pictures.found == found):
                why = "which are not read" if pictures is None else "in which no words were found"
                notes.append(f"Slide {slide.number} holds only pictures, {why}.")
        notes += () if pictures is None else pictures.left_out()
        title, metadata = package.properties()
        first = builder.headings[0] if builder.headings else path.stem
        document = builder.document(title or first, kind=TextKind.SLIDES, pages=len(listed), metadata=metadata)
        return LoadedFile(documents=(document,), notes=tuple(notes), left_out=tuple(hidden))


class _Slide:
    """One slide and its shapes in the order in which they are read."""

    def __init__(self, package: OfficePackage, part: str, at: int, layouts: Layouts) -> None:
        self.part, self.number = part, at
        self._package = package
        root = package.xml(part)
        self.hidden = root.get("show") in {"0", "false"}
        tree = root.find(f"{P}cSld/{P}spTree")
        self.shapes: list[Shape] = [] if tree is None else shapes_in_order(part, tree, layouts)

    @property
    def is_picture(self) -> bool:
        """Whether it holds pictures and no words but those that every slide has."""
        kinds = {shape.element.tag for shape in self.shapes if not shape.is_furniture and not _is_blank(shape)}
        return kinds == {f"{P}pic"}

    def picture_names(self) -> Iterable[str]:
        """The parts that are pictures on it, each as often as it stands there."""
        return picture_names(self._package, self.part, (shape.element for shape in self.shapes))

    def add(self, builder: TextBuilder, repeated: set[_Key], pictures: Pictures | None) -> None:
        """Add all of the slide but what is ``repeated`` on others."""
        titles = [shape for shape in self.shapes if shape.is_title]
        for shape in titles:
            builder.heading(_words(shape), 1)
        for shape in self.shapes:
            if not (shape.is_title or shape.is_furniture or _key(shape, self.number) in repeated):
                self._add_shape(builder, shape)
                if pictures is not None:
                    add_pictures(builder, self._package, self.part, [shape.element], pictures)
        self._add_notes(builder)

    def _add_shape(self, builder: TextBuilder, shape: Shape) -> None:
        body = shape.element.find(f"{P}txBody")
        if body is not None:
            found = paragraphs(body, bulleted=shape.placeholder in {"obj", "body"})
            single = len(found) == 1  # one paragraph is no list, whatever mark the layout gives it
            for paragraph in found:
                if paragraph.mark and not (single and paragraph.mark == "-"):
                    builder.line(f"{paragraph.mark} {tidy(paragraph.text)}", level=paragraph.level)
                else:
                    builder.paragraph(tidy(paragraph.text))
        for table in shape.element.iter(f"{DRAWING}tbl"):
            add_table(builder, table)
        if shape.element.tag == f"{P}graphicFrame":
            add_drawings(builder, self._package, self.part, [shape.element])

    def _add_notes(self, builder: TextBuilder) -> None:
        for part in self._package.related(self.part, "notesSlide"):
            lines = [
                tidy(paragraph.text)
                for shape in self._package.xml(part).iter(f"{P}sp")
                if _is_notes_body(shape) and (body := shape.find(f"{P}txBody")) is not None
                for paragraph in paragraphs(body, bulleted=False)
            ]
            text = "\n".join(filter(None, lines))
            builder.paragraph(_NOTES + text if text else "")


def _is_notes_body(shape: Any) -> bool:
    return any(mark.get("type") == "body" for mark in shape.iter(f"{P}ph"))


def _words(shape: Shape) -> str:
    return one_line(map(paragraph_text, shape.element.iter(f"{DRAWING}p")))


def _is_blank(shape: Shape) -> bool:
    return shape.element.tag in {f"{P}sp", f"{P}cxnSp"} and not _words(shape)


def _key(shape: Shape, at: int) -> _Key:
    """What a shape says and where it stands; the number of its own slide counts as the same on all of them."""
    words = _words(shape)
    x, y = (shape.box.x, shape.box.y) if shape.box is not None else (0.0, 0.0)
    if words.strip("-–— /") == str(at):
        return "#", 0.0, y
    return words, x, y


def _repeated(slides: list[_Slide], height: int) -> set[_Key]:
    """What stands at one place at the edge of most slides, and of three at least: footers, numbers, names of a firm."""
    counts: Counter[_Key] = Counter()
    for slide in slides:
        counts.update({_key(s, slide.number) for s in slide.shapes if not s.is_title and _is_at_edge(s, height)})
    least = max(3, len(slides) // 2)
    return {key for key, count in counts.items() if count >= least and 0 < len(key[0]) < _LONGEST_FOOTER}


def _is_at_edge(shape: Shape, height: int) -> bool:
    if shape.box is None or shape.element.tag != f"{P}sp":
        return False
    return shape.box.y > height * (1 - _EDGE) or shape.box.y + shape.box.height < height * _EDGE


__all__ = ["PptxLoader"]
