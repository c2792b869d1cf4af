"""Values come back from a database as they were written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from storage.encoding import from_micros, from_text, record_json, record_of, to_micros, to_text
from storage.errors import UsageError
from storage.identity import check_prefix, make_id
from storage.records import Source

NOW = datetime(2026, 1, 15, 12, 0, 0, 123456, tzinfo=UTC)


@pytest.mark.parametrize("moment", [NOW, NOW - timedelta(days=40_000), datetime(9999, 12, 31, tzinfo=UTC), None])
def test_a_moment_is_kept_to_the_microsecond(moment):
    assert from_micros(to_micros(moment)) == moment


@pytest.mark.parametrize("text", ["", "道", "bad\udc80name", None])
def test_a_name_is_kept_with_its_stray_bytes(text):
    assert from_text(to_text(text)) == text


def test_a_record_is_kept_whole():
    source = Source(
        namespace="n\udc80", path="p", groups=("g\udc81",),
        metadata={"k\udc82": "v\udc83", "one": 1, "real": 1.0, "yes": True},
        valid_from=NOW, document_id=make_id("doc", "x"), raw_hash="r", fingerprint="f", ingested_at=NOW,
    )  # fmt: skip
    text = record_json(source)
    assert text.isascii()
    back = record_of(Source, text)
    assert back == source
    assert [type(v) for v in back.metadata.values()] == [str, int, float, bool]


def test_a_prefix_bounds_the_ids_that_begin_with_it():
    low, high = check_prefix("rel_0f")
    assert low <= "rel_0f" + "f" * 30 < high
    assert not low <= "rel_10" < high
    with pytest.raises(UsageError):
        check_prefix("rel_G")
