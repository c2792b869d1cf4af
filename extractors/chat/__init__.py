"""Chat models behind the port :class:`storage.ports.ChatModel`: a server, what is remembered, and what it may cost.

CachedChat ── asked before? ── the answer, for nothing
    └─ BudgetedChat ── may it still cost something? ── counts what it took
           └─ OpenAIChatModel ── any server that speaks OpenAI's protocol
"""

from extractors.chat.answers import ask
from extractors.chat.budget import Budget, BudgetedChat, Limits, Prices
from extractors.chat.cached import CachedChat, CostLedger, Spent
from extractors.chat.openai_chat import OpenAIChatModel

__all__ = ["Budget", "BudgetedChat", "CachedChat", "CostLedger", "Limits", "OpenAIChatModel", "Prices", "Spent", "ask"]
