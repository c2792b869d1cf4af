"""Where a setting comes from, and what is said when it is wrong."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from graphrag.settings import Settings, load_settings, settings_file
from storage.errors import ConfigurationError


def store(folder: Path, toml: str) -> Path:
    (folder / "clew.toml").write_text(toml, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("toml", "environ", "options", "hops"),
    [
        ("", {}, {}, 4),
        ("max_hops = 2", {}, {}, 2),
        ("max_hops = 2", {"CLEW_MAX_HOPS": "3"}, {}, 3),
        ("max_hops = 2", {"CLEW_MAX_HOPS": "3"}, {"max_hops": 5}, 5),
        ("max_hops = 2", {}, {"max_hops": 5}, 5),
        ("", {"CLEW_MAX_HOPS": "3"}, {}, 3),
        ("max_hops = 2", {"CLEW_MAX_HOPS": ""}, {}, 2),  # set to nothing is not set
        ("max_hops = 2", {"CLEW_MAX_HOPS": "3"}, {"max_hops": None}, 3),  # an option that was not given
    ],
)
def test_an_option_comes_before_the_environment_before_the_file_before_the_default(
    tmp_path: Path, toml: str, environ: dict[str, str], options: dict[str, Any], hops: int
) -> None:
    assert load_settings(store(tmp_path, toml), environ=environ, options=options).max_hops == hops


def test_an_option_of_zero_is_an_option(tmp_path: Path) -> None:
    settings = load_settings(store(tmp_path, "lock_wait = 9"), environ={}, options={"lock_wait": 0})
    assert settings.lock_wait == 0


def test_a_setting_wins_alone_and_leaves_the_others(tmp_path: Path) -> None:
    settings = load_settings(store(tmp_path, "max_hops = 2\nfan_out = 5"), environ={"CLEW_MAX_HOPS": "3"})
    assert (settings.max_hops, settings.fan_out, settings.min_confidence) == (3, 5, 0.5)


def test_no_store_and_no_file_give_the_defaults(tmp_path: Path) -> None:
    assert load_settings(None, environ={}) == load_settings(tmp_path, environ={}) == Settings()


def test_only_what_is_passed_in_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_MAX_HOPS", "7")
    assert load_settings(tmp_path, environ={}).max_hops == 4


def test_groups_in_the_environment_are_separated_by_commas() -> None:
    assert load_settings(None, environ={"CLEW_DEFAULT_GROUPS": "staff,board"}).default_groups == ("staff", "board")


def test_an_endpoint_may_be_named_as_others_name_it_and_ours_comes_first() -> None:
    common = {"OPENAI_API_KEY": "sk-common", "OPENAI_BASE_URL": "http://common"}
    settings = load_settings(None, environ=common)
    assert settings.openai_api_key is not None
    assert settings.openai_api_key.get_secret_value() == "sk-common"
    assert settings.openai_base_url == "http://common"
    ours = load_settings(None, environ=common | {"CLEW_OPENAI_BASE_URL": "http://ours"})
    assert ours.openai_base_url == "http://ours"


@pytest.mark.parametrize(("name", "near"), [("max_hop", "max_hops"), ("fanout", "fan_out"), ("embeder", "embedder")])
def test_an_unknown_setting_is_named_with_its_place_and_a_suggestion(tmp_path: Path, name: str, near: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        load_settings(store(tmp_path, f"{name} = 1"), environ={})
    message = str(raised.value)
    assert str(tmp_path / "clew.toml") in message
    assert repr(name) in message
    assert f"Did you mean {near!r}?" in message


def test_an_unknown_setting_like_no_other_has_no_suggestion() -> None:
    with pytest.raises(ConfigurationError, match="option: there is no setting 'zzzzzz'") as raised:
        load_settings(None, environ={}, options={"zzzzzz": 1})
    assert "Did you mean" not in str(raised.value)


def test_other_variables_of_the_environment_are_not_settings() -> None:
    assert load_settings(None, environ={"CLEW_STORE": "/x", "CLEW_BENCH_DATA": "/y", "MAX_HOPS": "1"}) == Settings()


@pytest.mark.parametrize(
    ("toml", "environ", "options", "place", "name"),
    [
        ('max_hops = "many"', {}, {}, "clew.toml", "max_hops"),
        ("max_hops = 0", {}, {}, "clew.toml", "max_hops"),
        ("", {"CLEW_MAX_HOPS": "many"}, {}, "CLEW_MAX_HOPS", "max_hops"),
        ("", {"CLEW_CHUNK_OVERLAP": "0.5"}, {}, "CLEW_CHUNK_OVERLAP", "chunk_overlap"),
        ("", {}, {"fan_out": 1001}, "option", "fan_out"),
        ("max_hops = 2", {"CLEW_MAX_HOPS": "9"}, {}, "CLEW_MAX_HOPS", "max_hops"),  # the place that decided
        ("[embedder]\nname = 1", {}, {}, "clew.toml", "embedder"),
    ],
)
def test_a_wrong_value_is_reported_with_its_place_and_name(
    tmp_path: Path, toml: str, environ: dict[str, str], options: dict[str, Any], place: str, name: str
) -> None:
    with pytest.raises(ConfigurationError) as raised:
        load_settings(store(tmp_path, toml), environ=environ, options=options)
    assert place in str(raised.value)
    assert f"{name}: " in str(raised.value)
    assert raised.value.exit_code == 2


@pytest.mark.parametrize("content", [b"max_hops = ", b"\xff\xfe", b"max_hops = 1\nmax_hops = 2"])
def test_a_file_that_is_not_toml_is_named_with_what_to_do(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "clew.toml").write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"clew\.toml is not valid TOML.*Mend it"):
        load_settings(tmp_path, environ={})


def test_a_secret_is_shown_nowhere() -> None:
    settings = load_settings(None, environ={"OPENAI_API_KEY": "sk-very-secret"})
    for shown in (repr(settings), str(settings), settings.model_dump_json(), f"{settings.openai_api_key}"):
        assert "very-secret" not in shown


def test_a_secret_of_the_wrong_type_is_not_quoted_in_the_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as raised:
        load_settings(store(tmp_path, 'openai_api_key = ["sk-very-secret"]'), environ={})
    assert "very-secret" not in str(raised.value)


def test_settings_cannot_be_changed_behind_ones_back() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Settings().max_hops = 1


def test_the_written_file_changes_nothing_and_names_every_setting_with_its_default(tmp_path: Path) -> None:
    text = settings_file()
    assert load_settings(store(tmp_path, text), environ={}) == Settings()
    lines = text.splitlines()
    shown = tomllib.loads("\n".join(line[2:] for line in lines if line.startswith("# ") and " = " in line))
    assert set(shown) == set(Settings.model_fields)
    without = {name: value for name, value in shown.items() if value != ""}
    assert load_settings(store(tmp_path, ""), environ={}, options=without) == Settings()
