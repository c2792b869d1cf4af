"""Figures and dates as a spreadsheet shows them."""

from __future__ import annotations

import pytest

from extractors.loaders.number_format import built_in, read_format, show


@pytest.mark.parametrize(
    ("value", "code", "expected"),
    [
        (5.0, "", "5"),
        (0.1 + 0.2, "General", "0.3"),
        (1e18, "", "1000000000000000000"),
        (0.00001234, "", "0.00001234"),
        (1e300, "0", "1e+300"),
        (3.14159, "0.00", "3.14"),
        (2.5, "0", "3"),
        (-1234567.891, "#,##0.00", "-1,234,567.89"),
        (5.5, "0.##", "5.5"),
        (12, "00000", "00012"),
        (0.4567, "0%", "46%"),
        (0.4567, "0.0%", "45.7%"),
        (1234.5, '"$"#,##0.00_);\\("$"#,##0.00\\)', "$1,234.50"),
        (1234.5, "#,##0.00 [$€-407]", "1,234.50 €"),
        (1234.5, "[$¥-804]#,##0", "¥1,235"),
        (5, '_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-;_-@_-', "5.00"),
        (5, '0 "kg"', "5 kg"),
        (3, "[Red]0", "3"),
        (42, "@", "42"),
        (3.25, "# ?/?", "3.25"),  # not simple: as it is
        (1234567, '0.0,,"M"', "1234567"),
        (45356, "yyyy-mm-dd", "2024-03-05"),
        (45356, "[$-409]mmmm d, yyyy;@", "2024-03-05"),
        (45356, "mmm-yy", "2024-03"),
        (45356, "yyyy", "2024"),
        (45356, 'yyyy"年"m"月"d"日"', "2024年3月5日"),
        (45356.5881944444, "m/d/yy h:mm", "2024-03-05 14:07"),
        (45356.0, "yyyy-mm-dd hh:mm", "2024-03-05"),
        (0.588206, "h:mm:ss AM/PM", "14:07:01"),
        (0.588206, "hh:mm", "14:07"),
        (0.02, "mm:ss", "28:48"),
        (1.5, "[h]:mm", "36:00"),
        (1.0, "yyyy-mm-dd", "1900-01-01"),
        (61.0, "yyyy-mm-dd", "1900-03-01"),
        (-1.0, "yyyy-mm-dd", "-1"),
        (1e12, "yyyy-mm-dd", "1000000000000"),
        (float("nan"), "0.00", "nan"),
    ],
)
def test_figures_are_shown_as_their_format_says(value: float, code: str, expected: str) -> None:
    assert show(value, read_format(code)) == expected


def test_days_are_counted_from_1904_where_the_file_says_so() -> None:
    assert show(0.0, read_format("yyyy-mm-dd"), since_1904=True) == "1904-01-01"
    assert show(43894.0, read_format("yyyy-mm-dd"), since_1904=True) == "2024-03-05"


def test_formats_that_have_a_number_only() -> None:
    assert show(45356.0, read_format(built_in(14))) == "2024-03-05"
    assert show(0.5, read_format(built_in(9))) == "50%"
    assert built_in(0) == built_in(9999) == ""
