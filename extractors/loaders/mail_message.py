"""What a mail is made of: its headers as words, the one version of its text, and what is attached."""

from __future__ import annotations

import base64
import binascii
import mimetypes
import re
from dataclasses import dataclass, field
from datetime import datetime
from email import message_from_bytes, policy
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.utils import collapse_rfc2231_value, getaddresses, parsedate_to_datetime
from typing import Any

from extractors.loaders.encoding import decode
from storage.errors import LoadError

_LONGEST_HEADER = 50_000  # characters that are read: decoding takes time by the square of the encoded words in it
_DEEPEST_PART = 50  # multiparts in multiparts
_BASE64_LINE = re.compile(rb"[A-Za-z0-9+/]{1,1000}={0,2}")
_SHIFTED = ("iso-2022-", "hz", "utf-7")  # encodings made of ASCII bytes, which would pass as UTF-8
_MEANINGLESS = frozenset({"us-ascii", "ascii", "unknown-8bit", "x-unknown", "8bit", "binary", "default"})
_LATIN = ("iso-8859-1", "latin1", "windows-1252", "cp1252", "iso-8859-15")
_MOST_HIGH = 0.15  # of the bytes of a text in a Western language; in Chinese nearly all are
_SEALS = ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature")
_SEALED = ("application/pkcs7-mime", "application/x-pkcs7-mime", "application/pgp-encrypted")
_PICTURES = ("image/", "audio/", "video/")
_TEXTS = frozenset({"text/plain", "text/html", "text/markdown", "text/enriched", "text/richtext", "text/x-markdown"})


@dataclass(slots=True)
class Attachment:
    """A file in a mail."""

    name: str
    type: str
    data: bytes


@dataclass(slots=True)
class Body:
    """A part of the text that the mail itself says."""

    html: bool
    source: str
    flowed: bool = False
    joined: bool = False  # a flowed line loses the blank that marks it ("delsp")


@dataclass(slots=True)
class Contents:
    """What the parts of a mail hold."""

    alternatives: list[list[Body]] = field(default_factory=list)  # in order; of each the same words in other forms
    attachments: list[Attachment] = field(default_factory=list)
    sealed: bool = False
    deeper: int = 0  # parts that lie too deep
    binary: int = 0  # parts that call themselves text and are none


def parse_mail(data: bytes, name: str) -> Message[str, str]:
    """The message in ``data``. Raises LoadError when its parts are nested deeper than the parser goes."""
    try:
        return message_from_bytes(data, policy=policy.compat32)
    except RecursionError as error:
        raise LoadError(f"{name} nests its parts too deeply to be read. Save its text on its own") from error


def header(message: Message[str, str], name: str) -> str:
    """The first header called ``name`` in plain words; "" when there is none."""
    raw = next((str(value) for key, value in message.raw_items() if key.lower() == name), "")
    return " ".join(decoded_words(raw).split())


def decoded_words(raw: str) -> str:
    """A header's value without its encoding: ``=?utf-8?b?5riv?=``, or bytes that no encoding was said for."""
    raw = re.sub(r"\r?\n[ \t]?", " ", raw[:_LONGEST_HEADER])
    try:
        parts: list[tuple[str | bytes, str | None]] = list(decode_header(raw))
    except (HeaderParseError, ValueError, binascii.Error):
        parts = [(raw, None)]
    return "".join(_decoded(value, charset) for value, charset in parts)


def _decoded(value: str | bytes, charset: str | None) -> str:
    data = value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")
    try:
        return _from_bytes(data, charset)
    except LoadError:
        return data.decode("ascii", "ignore")


def people(message: Message[str, str], name: str) -> str:
    """The people in a header, by name and address."""
    found = getaddresses([header(message, name)])
    return ", ".join(
        f"{who} <{address}>" if who and address else who or address for who, address in found if who or address
    )


def sender_name(message: Message[str, str]) -> str:
    """What a person calls the sender."""
    found = getaddresses([header(message, "from") or header(message, "sender")])
    return next((who or address for who, address in found if who or address), "")


def sent_at(message: Message[str, str]) -> datetime | None:
    """When it was sent, if the header is a date that can be."""
    try:
        return parsedate_to_datetime(header(message, "date"))
    except (TypeError, ValueError, IndexError, OverflowError):
        return None


def contents(message: Message[str, str]) -> Contents:
    """The parts of ``message``: of several forms of one text all, for the reader to choose from."""
    found = Contents()
    _collect(message, found, 0)
    return found


def _collect(part: Message[str, str], found: Contents, depth: int) -> None:
    kind = part.get_content_type()
    inner = part.get_payload()
    if depth > _DEEPEST_PART:
        found.deeper += 1
    elif kind == "message/rfc822" or kind == "message/global":
        found.attachments.append(Attachment(_file_name(part) or "message.eml", kind, _inner_message(part)))
    elif kind in _SEALED or kind == "multipart/encrypted":
        found.sealed = True
    elif isinstance(inner, list):
        _collect_parts(kind, [p for p in inner if isinstance(p, Message)], found, depth)
    elif kind in _SEALS or kind.startswith("message/"):
        return
    elif _is_text(part, kind):
        try:
            found.alternatives.append([_body(part, kind)])
        except LoadError:
            found.binary += 1
    elif not (kind.startswith(_PICTURES) and part.get_content_disposition() != "attachment"):
        found.attachments.append(Attachment(_file_name(part) or _made_up_name(kind), kind, payload(part)))


def _collect_parts(kind: str, parts: list[Message[str, str]], found: Contents, depth: int) -> None:
    if kind == "multipart/alternative":
        forms: list[Body] = []
        for part in parts:
            inside = Contents()
            _collect(part, inside, depth + 1)
            forms.extend(body for same in inside.alternatives for body in same)
            found.attachments.extend(inside.attachments)
            found.sealed |= inside.sealed
            found.deeper += inside.deeper
            found.binary += inside.binary
        if forms:
            found.alternatives.append(forms)
        return
    for number, part in enumerate(parts):
        is_inside = kind == "multipart/related" and number > 0
        if not (is_inside and part.get_content_maintype() == "image"):
            _collect(part, found, depth + 1)


def _is_text(part: Message[str, str], kind: str) -> bool:
    if kind.startswith("multipart/"):
        return True  # its parts could not be told apart
    return kind in _TEXTS and part.get_content_disposition() != "attachment" and not _file_name(part)


def _body(part: Message[str, str], kind: str) -> Body:
    data = payload(part)
    charset = _parameter(part, "charset")
    flowed = _parameter(part, "format").lower() == "flowed"
    source = _from_bytes(data, charset)
    return Body(kind == "text/html", source, flowed, flowed and _parameter(part, "delsp").lower() == "yes")


def payload(part: Message[str, str]) -> bytes:
    """The bytes of a part without what they were wrapped in for the way; damaged wrapping is read as far as it goes."""
    encoding = str(part.get("content-transfer-encoding", "")).strip().lower()
    if encoding == "base64":
        raw: Any = part.get_payload()
        return _from_base64(raw.encode("ascii", "surrogateescape")) if isinstance(raw, str) else b""
    try:
        data: Any = part.get_payload(decode=True)
    except (ValueError, LookupError):
        data = None
    return data if isinstance(data, bytes) else b""


def _from_base64(raw: bytes) -> bytes:
    """What base64 holds until its end; what stands after it (a list appends its footer) is taken as it is."""
    packed: list[bytes] = []
    lines = raw.splitlines()
    for number, line in enumerate(lines):
        words = line.strip()
        if words and not _BASE64_LINE.fullmatch(words):
            return _unpacked(packed) + b"\n" + b"\n".join(lines[number:])
        packed.append(words)
        if words.endswith(b"="):
            return _unpacked(packed) + b"\n".join([b"", *lines[number + 1 :]]).rstrip()
    return _unpacked(packed)


def _unpacked(packed: list[bytes]) -> bytes:
    joined = b"".join(packed).rstrip(b"=")
    joined = joined[: len(joined) - (len(joined) % 4 == 1)]
    return base64.b64decode(joined + b"=" * (-len(joined) % 4))


def _inner_message(part: Message[str, str]) -> bytes:
    """A mail within a mail; some programs wrap it, though none should."""
    inner: Any = part.get_payload()
    message = inner[0] if isinstance(inner, list) and inner else None
    if not isinstance(message, Message):
        return payload(part)
    if str(part.get("content-transfer-encoding", "")).strip().lower() in {"base64", "quoted-printable"}:
        raw = message.get_payload()
        if not message.keys() and isinstance(raw, str):
            wrapped: Message[str, str] = Message()
            wrapped["Content-Transfer-Encoding"] = part["content-transfer-encoding"]
            wrapped.set_payload(raw)
            return payload(wrapped)
    return message.as_bytes(policy=policy.compat32.clone(max_line_length=0))


def _file_name(part: Message[str, str]) -> str:
    try:
        name = part.get_filename() or ""
    except (ValueError, LookupError, TypeError):
        return ""
    return " ".join(decoded_words(name).replace("\\", "/").rsplit("/", 1)[-1].split())[:200]


def _made_up_name(kind: str) -> str:
    return f"attachment{mimetypes.guess_extension(kind) or ''}"


def _parameter(part: Message[str, str], name: str) -> str:
    try:
        value = part.get_param(name)
        return collapse_rfc2231_value(value).strip("\"' ") if value else ""
    except (ValueError, LookupError, TypeError):
        return ""


def _from_bytes(data: bytes, charset: str | None) -> str:
    """The text in ``data``; what is said of its encoding is believed where it can be true. Raises LoadError."""
    label = (charset or "").strip().lower()
    if label.startswith(_SHIFTED):
        try:
            return data.decode(label, "replace")
        except LookupError:
            pass
    high = len(data) - len(data.translate(None, bytes(range(128, 256))))
    if label in _MEANINGLESS or (label in _LATIN and high > len(data) * _MOST_HIGH):
        label = ""
    return decode(data, declared=label or None, name="the text of the mail")


__all__ = [
    "Attachment",
    "Body",
    "Contents",
    "contents",
    "decoded_words",
    "header",
    "parse_mail",
    "payload",
    "people",
    "sender_name",
    "sent_at",
]
