"""Mail: the text of each message once, its headers as metadata, and the files attached to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextvars import ContextVar
from email.message import Message
from itertools import pairwise
from pathlib import Path, PurePath

from extractors.loaders import load_file
from extractors.loaders.html import HtmlLoader
from extractors.loaders.mail_message import (
    Attachment,
    Contents,
    contents,
    header,
    parse_mail,
    people,
    sender_name,
    sent_at,
)
from extractors.loaders.mail_quotes import is_forward
from extractors.loaders.mail_text import LeftOut, add_body
from extractors.loaders.text_builder import TextBuilder
from extractors.ports import Likeness, LoadedFile, LoadOptions
from storage.errors import LoadError
from storage.records import Document, Metadata, PlaceKind, TextKind

_HEADER = rb"[A-Za-z][A-Za-z0-9_.-]{0,60}:[^\r\n]{0,4000}\r?\n(?:[ \t][^\r\n]{0,4000}\r?\n){0,200}"
_HEADERS = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,20}(?:From [^\r\n]{1,200}\r?\n)?((?:" + _HEADER + rb"){2,200})")
_KNOWN = re.compile(
    rb"^(from|to|cc|subject|date|received|return-path|message-id|mime-version|delivered-to|reply-to|sender|references"
    rb"|in-reply-to|content-type|content-transfer-encoding|x-mailer|user-agent|dkim-signature):",
    re.IGNORECASE | re.MULTILINE,
)
_TELLING = frozenset({b"from", b"received", b"return-path", b"message-id", b"mime-version", b"delivered-to"})
_MESSAGE_START = re.compile(
    rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\r\n]{1,200}\d{4}[^\r\n]{0,40}\r?\n(?=[A-Za-z-]{1,60}:)"
)
_DEEPEST = 3
_MOST_NAMED = 20
_ID = re.compile(r"[\w.@+=$-]{1,200}")
_depth: ContextVar[int] = ContextVar("mails in mails", default=0)


class MailLoader:
    """Reads a message, or a mailbox file with several, with the parser of the standard library."""

    name = "eml@2"
    suffixes = (".eml", ".mbox", ".mht", ".mhtml")

    def recognises(self, path: PurePath, data: bytes) -> Likeness:
        """How sure it is that this is its format: it begins with the headers of a mail."""
        start = _HEADERS.match(data[:65_536])
        known = {name.lower() for name in _KNOWN.findall(start.group(1))} if start else set()
        if len(known) > 1 and not known.isdisjoint(_TELLING):
            return Likeness.CONTENT
        return Likeness.NAMED if path.suffix.lower() in self.suffixes else Likeness.NO

    def load(self, path: PurePath, data: bytes, options: LoadOptions) -> LoadedFile:
        """One document for each message and for each attachment that can be read; the title is the subject."""
        if _depth.get() >= _DEEPEST:
            raise LoadError(f"{path.name} lies {_DEEPEST} mails deep and is not opened. Save it on its own")
        token = _depth.set(_depth.get() + 1)
        try:
            return _Reading(path, options).load(data)
        finally:
            _depth.reset(token)


class _Reading:
    """Collects what one file holds."""

    def __init__(self, path: PurePath, options: LoadOptions) -> None:
        self._path = path
        self._options = options
        self._documents: list[Document] = []
        self._inner: dict[str, str] = {}
        self._notes: list[str] = []
        self._left: list[str] = []  # on purpose
        self._ids: set[str] = set()

    def load(self, data: bytes) -> LoadedFile:
        starts = [found.start() for found in _MESSAGE_START.finditer(data)]
        pieces = [data[a:b] for a, b in pairwise([*starts, len(data)])] or [data.lstrip()]
        for number, piece in enumerate(pieces, 1):
            message = parse_mail(piece, self._path.name)
            if len(pieces) == 1 and not header(message, "from") and (page := self._page(message)) is not None:
                return page.model_copy(update={"inner": {"": HtmlLoader.name}})
            self._message(message, number if len(pieces) > 1 else 0)
        documents = self._documents
        if not documents:
            said = f": {'; '.join((*self._notes, *self._left))}" if self._notes or self._left else ""
            raise LoadError(f"{self._path.name} is empty: no text is in it{said}")
        if len(documents) == 1:
            self._inner = dict(zip(("",), self._inner.values(), strict=False))
            documents = [documents[0].model_copy(update={"id": None})]
        return LoadedFile(
            documents=tuple(documents), notes=tuple(self._notes), left_out=tuple(self._left), inner=self._inner
        )

    def _page(self, message: Message[str, str]) -> LoadedFile | None:
        """A web page that a browser has saved as one file has the form of a mail without a sender."""
        if message.get_content_type() != "multipart/related":
            return None
        form = next((body for forms in contents(message).alternatives for body in forms if body.html), None)
        return HtmlLoader().load(self._path, form.source.encode(), self._options) if form else None

    def _message(self, message: Message[str, str], number: int) -> None:
        """Read one message; ``number``: which of several, 0 when it is the only one."""
        found = contents(message)
        subject = header(message, "subject")
        sent = sent_at(message)
        label = ", ".join(filter(None, (sender_name(message), f"{sent:%Y-%m-%d %H:%M}" if sent else "")))
        builder = TextBuilder()
        left_out: list[LeftOut] = []
        with builder.place(PlaceKind.MESSAGE, label or subject or self._path.stem):
            for forms in found.alternatives:
                forward = is_forward(subject)
                left_out.append(add_body(builder, forms, quoted=self._options.quoted, forward=forward))
        which = f"message {number} ({subject})" if number else ""
        self._note_left_out(left_out, found, which)
        identity = self._identity(message, number) if number else "message"
        if not builder.blank:
            title = subject or (builder.headings[0] if builder.headings else self._path.stem)
            document = builder.document(
                title, kind=TextKind.MAIL, id=self._unique(identity), metadata=_metadata(message)
            )
            self._documents.append(document)
        elif found.sealed and not number:
            raise LoadError(
                f"{self._path.name} is encrypted (S/MIME or PGP) and cannot be read. "
                "Open it in a mail program and save it decrypted"
            )
        self._attachments(found.attachments, f"{identity}/" if number else "", subject, which)

    def _attachments(self, attachments: list[Attachment], prefix: str, subject: str, which: str) -> None:
        unread: list[str] = []
        for attachment in attachments:
            try:
                loaded = self._attached(attachment)
            except LoadError as error:
                if not attachment.type.startswith("image/"):
                    self._notes.append(f"The attachment {attachment.name} is not read: {error}")
                    continue
                loaded = None
            if loaded is None or not loaded.documents:
                unread.append(attachment.name)
                continue
            for document in loaded.documents:
                part = f"{prefix}{attachment.name}" + (f"#{document.id}" if document.id else "")
                metadata: Metadata = dict(document.metadata)
                if subject:
                    metadata.setdefault("attached to", subject)
                id = self._unique(part)
                self._inner[id] = loaded.loader_of(document)
                self._documents.append(document.model_copy(update={"id": id, "metadata": metadata}))
        if unread:
            more = f" and {len(unread) - _MOST_NAMED} more" if len(unread) > _MOST_NAMED else ""
            of = f" of {which}" if which else ""
            self._left.append(
                f"Attachments{of} that hold no text are left out: {', '.join(unread[:_MOST_NAMED])}{more}"
            )

    def _attached(self, attachment: Attachment) -> LoadedFile | None:
        """What is in an attached file; None when it is no kind of text."""
        if not attachment.data.strip() or attachment.type.startswith(("image/", "audio/", "video/", "text/calendar")):
            return None
        options = self._options.model_copy(update={"format": None})
        loaded = load_file(Path(attachment.name), attachment.data, options)
        self._notes.extend(loaded.notes)
        self._left.extend(loaded.left_out)
        self._notes.extend(f"{attachment.name}: {problem.part}: {problem.reason}" for problem in loaded.problems)
        return loaded

    def _note_left_out(self, left_out: list[LeftOut], found: Contents, which: str) -> None:
        quoted = sum(part.quoted for part in left_out)
        signature = sum(part.signature for part in left_out)
        packed = sum(part.packed for part in left_out)
        of = f" of {which}" if which else ""
        said = [f"{_count(quoted)} of earlier mails"] if quoted else []
        said += [f"{_count(signature)} of the signature"] if signature else []
        if said:
            self._left.append(f"Left out{of}: {' and '.join(said)}; the option quoted keeps them")
        if any(part.kept_quote for part in left_out):
            self._left.append(f"The text{of} is nothing but a quote, which is kept")
        if packed:
            self._left.append(f"Left out{of}: {_count(packed)} of encoded data, which are no words")
        self._notes.extend(f"The text{of} is not read: {part.unread}" for part in left_out if part.unread)
        if found.binary:
            self._left.append(f"Left out{of}: {found.binary} parts that call themselves text but are none")
        if found.deeper:
            self._notes.append(f"Left out{of}: {found.deeper} parts that are nested too deeply")

    def _identity(self, message: Message[str, str], number: int) -> str:
        said = header(message, "message-id").strip("<> ")
        return said if _ID.fullmatch(said) else f"{number}"

    def _unique(self, identity: str) -> str:
        candidates: Iterator[str] = (identity if n == 1 else f"{identity} ({n})" for n in range(1, len(self._ids) + 3))
        unique = next(candidate for candidate in candidates if candidate not in self._ids)
        self._ids.add(unique)
        return unique


def _count(lines: int) -> str:
    return f"{lines} line{'' if lines == 1 else 's'}"


def _metadata(message: Message[str, str]) -> Metadata:
    metadata: Metadata = {}
    for name in ("from", "to", "cc"):
        if said := people(message, name):
            metadata[name] = said
    if subject := header(message, "subject"):
        metadata["subject"] = subject
    if sent := sent_at(message):
        metadata["date"] = sent.isoformat()
    return metadata


__all__ = ["MailLoader"]
