"""PDF files made for tests: words at places, ruled lines, pictures."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

Row = tuple[float, float, str, float, str]  # x, y from the bottom, font, size, words

WIDTH, HEIGHT = 400, 600


def pdf(
    pages: Sequence[Sequence[Row]],
    *,
    title: str = "",
    author: str = "",
    password: str | None = None,
    draw: Callable[[Any, int], None] | None = None,
) -> bytes:
    """A PDF of ``pages``; ``draw`` may add to the canvas of each page, whose index it is given."""
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont
    from reportlab.pdfgen.canvas import Canvas

    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(WIDTH, HEIGHT), encrypt=password, invariant=1)
    if title:
        canvas.setTitle(title)
    if author:
        canvas.setAuthor(author)
    for index, rows in enumerate(pages):
        for x, y, font, size, words in rows:
            canvas.setFont(font, size)
            canvas.drawString(x, y, words)
        if draw is not None:
            draw(canvas, index)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def lines(y: float, *words: str, x: float = 50, font: str = "Times-Roman", size: float = 11) -> list[Row]:
    """Lines below each other, 13 points apart."""
    return [(x, y - 13 * i, font, size, each) for i, each in enumerate(words)]


def grid(canvas: Any, xs: Sequence[float], ys: Sequence[float]) -> None:
    """The lines of a table."""
    canvas.grid(list(xs), list(ys))


def picture(words: Sequence[str], *, font_size: int = 44) -> Any:
    """A picture of lines of text, as a scanner makes them, for ``Canvas.drawInlineImage``."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", (1100, 120 + 80 * len(words)), "white")
    draw = ImageDraw.Draw(image)
    for i, each in enumerate(words):
        draw.text((60, 60 + 80 * i), each, fill="black", font=ImageFont.load_default(font_size))
    return image
