"""Settings: an option, else ``CLEW_*`` in the environment, else ``STORE/clew.toml``, else the default."""

from __future__ import annotations

import difflib
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from extractors.loaders.limits import LoadLimits
from storage.errors import ConfigurationError
from storage.records import PUBLIC


class Settings(BaseModel):
    """Everything that can be set, with its default. One object, made once and passed in."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    # models
    embedder: str = Field(default="auto", description="auto | e5 | use | openai:MODEL | onnx:FOLDER")
    openai_api_key: SecretStr | None = Field(
        default=None, description="key of an OpenAI-compatible endpoint; better in OPENAI_API_KEY"
    )
    openai_base_url: str | None = Field(
        default=None, description="address of an OpenAI-compatible endpoint; also OPENAI_BASE_URL"
    )
    extractor: Literal["auto", "offline", "hybrid", "model"] = Field(
        default="auto", description="auto (hybrid where chat_model is set) | offline | hybrid | model"
    )
    rules: Path | None = Field(default=None, description="TOML file with rules of your own for extraction")
    chat_model: str | None = Field(default=None, description="name of a chat model at the OpenAI-compatible endpoint")
    extraction_prompt: Path | None = Field(default=None, description="file with another prompt for the chat model")
    chat_concurrency: int = Field(default=4, ge=1, le=64, description="questions to the chat model at a time")
    chat_requests_per_minute: float = Field(
        default=0, ge=0, description="most questions to the chat model in a minute; 0: no limit"
    )
    chat_seconds: float = Field(default=120.0, gt=0, description="longest time one answer of the chat model may take")
    chat_stream: bool = Field(
        default=False, description="take answers of the chat model piece by piece, for servers that cut slow answers"
    )
    chat_prompt_price: float = Field(default=0.0, ge=0, description="price of a million tokens of questions")
    chat_completion_price: float = Field(default=0.0, ge=0, description="price of a million tokens of answers")

    # graph
    graph: Literal["auto", "embedded", "neo4j"] = Field(
        default="auto", description="auto (what the store has, embedded for a new one) | embedded | neo4j"
    )
    neo4j_uri: str = Field(default="neo4j://localhost:7687", description="address of the Neo4j server; also NEO4J_URI")
    neo4j_username: str = Field(default="neo4j", description="name to log in to Neo4j with; also NEO4J_USERNAME")
    neo4j_password: SecretStr | None = Field(
        default=None, description="password to log in to Neo4j with; better in NEO4J_PASSWORD"
    )
    neo4j_database: str = Field(default="neo4j", description="database of the Neo4j server; also NEO4J_DATABASE")

    # text index
    isolation: Literal["auto", "shared", "strict"] = Field(
        default="auto",
        description="auto (what the store has, shared for a new one) | shared | strict: tables per access class",
    )

    # cache
    cache: Path = Field(
        default_factory=lambda: Path(platformdirs.user_cache_dir("clew")),
        description="folder of the cache that all stores of a user share",
    )

    # ingest
    default_groups: tuple[str, ...] = Field(
        default=(PUBLIC,), description="access groups of a document that names none"
    )
    keep_versions: bool = Field(
        default=False, description="keep what is replaced: --as-of answers from the version that held at a date"
    )
    chunk_tokens: int = Field(default=350, ge=32, le=4000, description="size of a chunk, in tokens (about)")
    chunk_overlap: float = Field(default=0.12, ge=0, lt=0.5, description="share of a chunk that repeats the one before")
    lock_wait: float = Field(default=30.0, ge=0, description="seconds to wait for another writer")

    # reading files
    loader_process: bool = Field(
        default=True, description="read files in a process of its own, where the limits below hold"
    )
    loader_seconds: float = Field(default=90.0, gt=0, description="longest time one file may take to read")
    loader_memory_mb: int = Field(
        default=450, ge=64, description="most memory one file may take to read, in MB; with text recognition 600 more"
    )
    loader_characters: int = Field(
        default=50_000_000, ge=1, description="most text of one file, in characters; a cell or heading counts as 50"
    )
    loader_file_mb: float = Field(default=256, gt=0, description="largest file that is read at all, in MB")

    # walk
    min_confidence: float = Field(
        default=0.5, ge=0, le=1, description="relations below this lead to passages, but are shown in no chain"
    )
    max_hops: int = Field(default=4, ge=1, le=8, description="longest chain that is looked for")
    fan_out: int = Field(default=24, ge=1, le=1000, description="most relations followed from one statement")
    walk_seconds: float = Field(default=2.0, gt=0, description="longest time one walk may take")

    # answer
    answer_tokens: int = Field(default=1200, ge=100, description="size of the evidence of an answer, in tokens (about)")
    answer_threshold: float = Field(
        default=0.5, ge=0, le=1, description="evidence below this is called too weak to answer"
    )

    @property
    def load_limits(self) -> LoadLimits:
        """What reading one file may cost."""
        return LoadLimits(
            seconds=self.loader_seconds, memory_mb=self.loader_memory_mb, characters=self.loader_characters
        )


OTHER_VARIABLES = {
    name: name.upper()
    for name in (
        "openai_api_key",
        "openai_base_url",
        "neo4j_uri",
        "neo4j_username",
        "neo4j_password",
        "neo4j_database",
    )
}
"""Settings that are also taken from the variable that everybody calls so; ``CLEW_*`` comes before it."""


def load_settings(
    store: Path | None, *, environ: Mapping[str, str], options: Mapping[str, Any] | None = None
) -> Settings:
    """The settings for a store. Raises ConfigurationError naming the place, the setting and what it should be."""
    values: dict[str, Any] = {}
    places: dict[str, str] = {}

    def take(name: str, value: Any, place: str) -> None:
        if name not in Settings.model_fields:
            near = difflib.get_close_matches(name, Settings.model_fields, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ConfigurationError(f"{place}: there is no setting {name!r}.{hint}")
        values[name], places[name] = value, place

    path = store / "clew.toml" if store else None
    if path and path.is_file():
        for name, value in _read_toml(path).items():
            take(name, value, str(path))
    for name in Settings.model_fields:
        for variable in (OTHER_VARIABLES.get(name), f"CLEW_{name.upper()}"):
            if variable and (text := environ.get(variable)):
                take(name, text.split(",") if name == "default_groups" else text, variable)
    for name, value in (options or {}).items():
        if value is not None:
            take(name, value, "option")
    try:
        return Settings(**values)
    except ValidationError as error:
        problem = error.errors(include_input=False)[0]
        name = str(problem["loc"][0])
        raise ConfigurationError(f"{places.get(name, 'settings')}: {name}: {problem['msg']}.") from None


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read ({error.strerror}). Check its permissions.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"{path} is not valid TOML: {error}. Mend it, or delete it to use the defaults."
        ) from None


def settings_file() -> str:
    """A commented ``clew.toml`` with every setting at its default."""
    lines = [
        "# Settings of this Clew store. An option or a CLEW_* variable of the environment comes before this file.",
        "",
    ]
    for name, field in Settings.model_fields.items():
        default = field.get_default(call_default_factory=True, validated_data={})
        lines += [f"# {field.description}", f"# {name} = {_toml(default)}", ""]
    return "\n".join(lines)


def _toml(value: Any) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_toml(v) for v in value) + "]"
    if value is None:
        return '""'
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else json.dumps(str(value), ensure_ascii=False)


__all__ = ["OTHER_VARIABLES", "Settings", "load_settings", "settings_file"]
