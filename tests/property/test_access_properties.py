"""The minimal form of an access rule admits exactly whom the rule admits, tried out on every set of groups."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from storage.records import AccessClass

GROUPS = ["a", "b", "c", "d", "e"]
EVERY_CALLER = [frozenset(c) for n in range(len(GROUPS) + 1) for c in combinations(GROUPS, n)]

rules = st.lists(st.lists(st.sampled_from(GROUPS), max_size=4), max_size=5)


def admits(rule: list[list[str]], groups: frozenset[str]) -> bool:
    """The rule as it is said: of every any-of set at least one."""
    return all(any(group in groups for group in any_of) for any_of in rule)


@settings(deadline=None, max_examples=300)
@given(rules)
def test_the_minimal_form_admits_exactly_whom_the_rule_admits(rule: list[list[str]]) -> None:
    minimal = AccessClass.of(rule)
    for caller in EVERY_CALLER:
        assert minimal.admits(caller) is admits(rule, caller)
    assert minimal.admits(None)  # the owner


@settings(deadline=None, max_examples=300)
@given(rules, rules)
def test_two_rules_have_one_id_exactly_if_they_admit_the_same(one: list[list[str]], other: list[list[str]]) -> None:
    same = all(admits(one, caller) is admits(other, caller) for caller in EVERY_CALLER)
    assert (AccessClass.of(one).id == AccessClass.of(other).id) is same


@settings(deadline=None)
@given(rules, st.randoms())
def test_the_minimal_form_does_not_hang_on_order_or_repetition(rule: list[list[str]], random: object) -> None:
    shuffled = [list(reversed(any_of)) + any_of[:1] for any_of in rule] + rule[:1]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert AccessClass.of(shuffled) == AccessClass.of(rule)
    assert AccessClass.of(AccessClass.of(rule).rule) == AccessClass.of(rule)


@settings(deadline=None)
@given(rules, rules)
def test_a_conjunction_of_rules_admits_whom_both_admit(one: list[list[str]], other: list[list[str]]) -> None:
    """What a derived chain is shown by: the rules of all its links together."""
    both = AccessClass.of([*AccessClass.of(one).rule, *AccessClass.of(other).rule])
    for caller in EVERY_CALLER:
        assert both.admits(caller) is (admits(one, caller) and admits(other, caller))
