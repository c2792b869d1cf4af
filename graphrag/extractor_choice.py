"""Which extractor the settings name: rules alone, a model alone, or both together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from extractors import BilingualExtractor, default_extractor, extractor_with_rules
from extractors.chat.budget import Budget, Prices
from extractors.ports import RelationExtractor
from graphrag.settings import Settings
from storage.errors import ConfigurationError

if TYPE_CHECKING:
    from extractors.model import ModelExtractor

ANSWERS_FILE = "answers.sqlite"
"""In the user's cache: what models answered, and what was paid for it."""


def choose_extractor(settings: Settings, budget: Budget) -> RelationExtractor:
    """The extractor that ``settings`` name; what it asks a model for is counted in ``budget``.

    Raises:
        ConfigurationError: a model is asked for and none is named, or its prompt or the rules cannot be read.
        MissingExtraError: a model is asked for and the ``openai`` extra is not installed.
    """
    kind = settings.extractor
    if kind == "auto":
        kind = "hybrid" if settings.chat_model else "offline"
    if kind == "offline":
        return offline_extractor(settings)
    from extractors.model import HybridExtractor

    model = _model_extractor(settings, budget)
    return model if kind == "model" else HybridExtractor(offline_extractor(settings), model)


def offline_extractor(settings: Settings) -> BilingualExtractor:
    """The built-in rules, with those of the user beside them where ``settings`` name a file of rules."""
    if settings.rules is None:
        return default_extractor()
    from extractors.user_rules import read_user_rules

    return extractor_with_rules(read_user_rules(settings.rules))


def prices_of(settings: Settings) -> Prices:
    """What the chat model costs."""
    return Prices(settings.chat_prompt_price, settings.chat_completion_price)


def _model_extractor(settings: Settings, budget: Budget) -> ModelExtractor:
    from extractors.chat import BudgetedChat, CachedChat, CostLedger, OpenAIChatModel
    from extractors.model import ModelExtractor

    if not settings.chat_model:
        raise ConfigurationError(
            f"The extractor {settings.extractor!r} needs a model. Name one with chat_model (CLEW_CHAT_MODEL), "
            "or set extractor to 'offline'."
        )
    key = settings.openai_api_key
    server = OpenAIChatModel(
        settings.chat_model,
        settings.openai_base_url,
        key.get_secret_value() if key else None,
        timeout=settings.chat_seconds,
        stream=settings.chat_stream,
    )
    budgeted = BudgetedChat(server, budget, requests_per_minute=settings.chat_requests_per_minute)
    chat = CachedChat(budgeted, CostLedger(settings.cache / ANSWERS_FILE), prices_of(settings))
    return ModelExtractor(chat, prompt=_prompt(settings.extraction_prompt), concurrency=settings.chat_concurrency)


def _prompt(path: Path | None) -> str:
    from extractors.model import DEFAULT_PROMPT

    if path is None:
        return DEFAULT_PROMPT
    try:
        return path.expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ConfigurationError(f"The prompt {path} cannot be read ({reason}). Correct extraction_prompt.") from None


__all__ = ["ANSWERS_FILE", "choose_extractor", "offline_extractor", "prices_of"]
