"""Markdown: prose without its marks; headings are sections, tables are tables, code stays in its fences."""

from __future__ import annotations

from pathlib import PurePath

from extractors.loaders.encoding import decode
from extractors.loaders.front_matter import split_front_matter
from extractors.loaders.markdown_blocks import MarkdownBlocks
from extractors.loaders.markdown_source import link_targets, pieces, shallow, split_notes
from extractors.loaders.text_builder import TextBuilder
from extractors.ports import Likeness, LoadedFile, LoadOptions
from storage.stored_text import stored_text


class MarkdownLoader:
    """Reads CommonMark with tables and footnotes; front matter names title, groups, validity and metadata."""

    name = "markdown@3"
    suffixes = (".md", ".markdown")

    def recognises(self, path: PurePath, data: bytes) -> Likeness:
        """How sure it is that this is its format."""
        return Likeness.NAMED if path.suffix.lower() in self.suffixes else Likeness.NO

    def load(self, path: PurePath, data: bytes, options: LoadOptions) -> LoadedFile:
        """The document; the title is that of the front matter, else the first heading, else the file's name."""
        fields, source = split_front_matter(stored_text(decode(data, name=path.name)), path.name)
        source, notes = split_notes(shallow(source))
        builder = TextBuilder()
        blocks = MarkdownBlocks(builder, notes, link_targets(source))
        for piece in pieces(source):
            blocks.add(piece)
        blocks.add_other_notes()
        title = fields.pop("title", "") or (builder.headings[0] if builder.headings else path.stem)
        return LoadedFile(documents=(builder.document(title, **fields),))


__all__ = ["MarkdownLoader"]
