"""When the versions of a source hold: timelines worked out by hand. January to June are months of one year."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from graphrag.succession import Succession, succession
from storage.records import Period, Source
from storage.versions import Time

JAN, FEB, MAR, APR, MAY, JUNE = (datetime(2026, month, 1, tzinfo=UTC) for month in range(1, 7))
UNSAID = Time(None, None)


def version(
    text: str, start: datetime | None = None, end: datetime | None = None, *gaps: Period, **more: object
) -> Source:
    given = {"raw_hash": f"raw {text}", "fingerprint": "rules@1", **more}
    return Source(
        namespace="notes",
        path="policy.md",
        document_id=f"doc {text}",
        valid_from=start,
        valid_to=end,
        gaps=gaps,
        ingested_at=JAN,
        **given,  # type: ignore[arg-type]
    )


def take_in(
    text: str,
    known: Source | None,
    *older: Source,
    start: datetime | None = None,
    end: datetime | None = None,
    keeping: bool = True,
    now: datetime = JUNE,
    **more: object,
) -> Succession:
    return succession(
        version(text, **more),
        said=Time(start, end),
        known=known,
        older=older,
        keeping=keeping,
        now=now,  # type: ignore[arg-type]
    )


def test_a_first_version_holds_as_it_says_and_else_always() -> None:
    assert take_in("a", None).source == version("a")
    assert take_in("a", None, start=MAR, end=MAY).source == version("a", MAR, MAY)


def test_a_version_that_is_replaced_ends_where_the_next_one_begins() -> None:
    found = take_in("b", version("a"), start=MAR)
    assert found == Succession(source=version("b", MAR), keeps=(version("a", None, MAR),))


def test_without_a_date_the_next_version_begins_at_the_moment_of_replacement() -> None:
    found = take_in("b", version("a", JAN), now=APR)
    assert found == Succession(source=version("b", APR), keeps=(version("a", JAN, APR),))


def test_a_new_version_does_not_inherit_the_validity_of_the_old_one() -> None:
    found = take_in("b", version("a", JAN, MAY), now=APR)
    assert found == Succession(source=version("b", APR), keeps=(version("a", JAN, APR),))


def test_a_version_that_ended_before_is_not_made_longer() -> None:
    found = take_in("b", version("a", JAN, FEB), start=APR)
    assert found == Succession(source=version("b", APR), keeps=(version("a", JAN, FEB),))


def test_another_text_of_the_same_date_is_a_correction() -> None:
    found = take_in("b", version("a", MAR), start=MAR)
    assert found == Succession(source=version("b", MAR), replaces="doc a")


def test_a_version_that_comes_too_late_replaces_what_was_to_hold_later_and_says_so() -> None:
    found = take_in("c", version("b", MAR), version("a", None, MAR), start=FEB)
    assert (found.source, found.replaces) == (version("c", FEB), "doc b")
    assert found.keeps == (version("a", None, FEB),)
    assert found.drops == ()
    assert found.note == (
        "it holds from 2026-02-01 on and takes the place of a version that was to hold later. Ingest versions in the "
        "order of their dates to keep them all"
    )
    all_of_them = take_in("c", version("b", MAR), version("a", FEB, MAR), start=JAN)
    assert (all_of_them.keeps, all_of_them.drops, all_of_them.replaces) == ((), ("doc a",), "doc b")
    assert "2 versions that were" in all_of_them.note


def test_a_text_that_comes_back_holds_with_a_gap() -> None:
    found = take_in("a", version("b", MAR), version("a", None, MAR), start=MAY)
    assert found.source == version("a", None, None, Period(start=MAR, end=MAY))
    assert (found.keeps, found.drops, found.replaces) == ((version("b", MAR, MAY),), ("doc a",), None)
    again = take_in("b", found.source, *found.keeps, start=JUNE)
    assert again.source == version("b", MAR, None, Period(start=MAY, end=JUNE))
    assert again.keeps == (version("a", None, JUNE, Period(start=MAR, end=MAY)),)
    assert again.drops == ("doc b",)


def test_a_version_with_a_gap_is_cut_in_it_and_before_it() -> None:
    gapped = version("a", JAN, None, Period(start=MAR, end=MAY))
    late = take_in("c", version("b", MAR, MAY), gapped, start=APR, keeping=False)
    assert late.keeps == (version("a", JAN, MAR),)
    early = take_in("c", version("b", MAR, MAY), gapped, start=FEB, keeping=False)
    assert early.keeps == (version("a", JAN, FEB),)


def test_ingesting_a_text_again_that_came_back_changes_nothing() -> None:
    known = version("a", JAN, None, Period(start=MAR, end=MAY))
    kept = version("b", MAR, MAY)
    for said in ({}, {"start": MAY}):
        assert take_in("a", known, kept, **said) == Succession(source=known, replaces="doc a")  # type: ignore[arg-type]


def test_another_date_for_the_same_text_moves_its_last_period_only() -> None:
    known, kept = version("a", JAN, None, Period(start=MAR, end=MAY)), version("b", MAR, MAY)
    later = take_in("a", known, kept, start=JUNE)
    assert (later.source, later.keeps) == (version("a", JAN, None, Period(start=MAR, end=JUNE)), ())
    earlier = take_in("a", known, kept, start=APR)
    assert earlier.source == version("a", JAN, None, Period(start=MAR, end=APR))
    assert earlier.keeps == (version("b", MAR, APR),)


def test_a_correction_in_the_middle_of_a_text_that_is_back_stays_what_it_is_when_ingested_again() -> None:
    found = take_in("a", version("b", MAR), version("a", JAN, MAR), start=FEB)
    assert found.source == version("a", JAN, None, Period(start=FEB, end=FEB))
    assert found.replaces == "doc b"
    assert take_in("a", found.source, start=FEB).source == found.source


def test_another_reading_of_the_same_bytes_is_no_new_version() -> None:
    known = version("a", JAN, None, Period(start=MAR, end=MAY))
    found = take_in("better", known, version("b", MAR, MAY), raw_hash="raw a")
    assert found.source == version("better", JAN, None, Period(start=MAR, end=MAY), raw_hash="raw a")
    assert (found.keeps, found.drops, found.replaces) == ((), (), "doc a")


def test_a_version_whose_text_was_lost_is_not_kept() -> None:
    lost = version("a", JAN, raw_hash="")
    assert take_in("b", lost, start=MAR) == Succession(source=version("b", MAR), replaces="doc a")


def test_without_keeping_the_present_version_goes_and_older_ones_stay() -> None:
    found = take_in("c", version("b", MAR, JUNE), version("a", None, MAR), keeping=False)
    assert found == Succession(source=version("c", MAR, JUNE), replaces="doc b")
    back = take_in("a", version("b", MAR), version("a", None, MAR), keeping=False, now=JUNE)
    assert back.source == version("a", None, None, Period(start=MAR, end=MAR))
    assert (back.drops, back.replaces) == (("doc a",), "doc b")


@pytest.mark.parametrize("text", ["a", "b"])
def test_older_versions_take_the_groups_of_the_present_one(text: str) -> None:
    kept, known = version("x", JAN, FEB), version("a", FEB)
    found = take_in(text, known, kept, start=FEB if text == "a" else MAR, groups=("hr",))
    assert found.source.groups == ("hr",)
    assert {v.groups for v in found.keeps} == {("hr",)}
    assert {v.document_id for v in found.keeps} == {"doc x"} | ({"doc a"} if text == "b" else set())


def test_a_period_that_ends_before_it_begins_never_holds() -> None:
    found = take_in("a", version("b", MAR), version("a", JAN, MAR), start=MAY, end=FEB)
    assert found.source == version("a", JAN, MAY, Period(start=MAR, end=MAY))
