"""The order in which boxes on a page are read."""

from __future__ import annotations

import pytest

from extractors.loaders.reading_order import Box, reading_order


@pytest.mark.parametrize(
    ("boxes", "expected"),
    [
        ([], []),
        ([Box(0, 0, 1, 1)], [0]),
        ([Box(50, 0, 40, 90), Box(0, 0, 40, 90)], [1, 0]),
        ([Box(0, 50, 90, 40), Box(0, 0, 90, 40)], [1, 0]),
        # a headline over two columns of unlike height
        ([Box(50, 20, 40, 70), Box(0, 60, 40, 30), Box(0, 20, 40, 30), Box(0, 0, 90, 10)], [3, 2, 1, 0]),
        # four cards, as far apart either way: row by row
        ([Box(50, 50, 40, 40), Box(0, 50, 40, 40), Box(50, 0, 40, 40), Box(0, 0, 40, 40)], [3, 2, 1, 0]),
        # two columns, each with its own headline close above it
        ([Box(50, 11, 40, 70), Box(50, 0, 40, 10), Box(0, 11, 40, 70), Box(0, 0, 40, 10)], [3, 2, 1, 0]),
        # the same below a headline over both
        (
            [Box(50, 31, 40, 60), Box(50, 20, 40, 10), Box(0, 31, 40, 60), Box(0, 20, 40, 10), Box(0, 0, 90, 15)],
            [4, 3, 2, 1, 0],
        ),
        # boxes that lie over each other: from the top, then from the left
        ([Box(10, 10, 50, 50), Box(0, 0, 50, 50), Box(5, 0, 50, 50)], [1, 2, 0]),
        ([Box(0, 0, 0, 0), Box(0, 0, 0, 0)], [0, 1]),
    ],
)
def test_boxes_are_read_in_bands_and_columns(boxes: list[Box], expected: list[int]) -> None:
    assert reading_order(boxes) == expected


def test_a_little_overlap_parts_two_boxes_all_the_same() -> None:
    assert reading_order([Box(48, 0, 50, 90), Box(0, 0, 50, 90)]) == [1, 0]


def test_many_boxes_are_all_read_once() -> None:
    stairs = [Box(n, n, 1000 - n, 1) for n in range(2000)]
    assert sorted(reading_order(stairs)) == list(range(2000))
