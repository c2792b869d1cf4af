"""Clew's own words in an answer, in the language of the question; quotes stay in the language of their source."""

from __future__ import annotations

WORDS: dict[str, dict[str, str]] = {
    "en": {
        "sources": "Sources:",
        "part_shown": "{shown} is shown; nothing shows {missing}.",
        "negated": "The documents say that this is not so.",
        "disagree": "The documents disagree: another one says {chain}.",
        "hedged": "Said with reservation: {links}.",
        "derived": "This chain was written back across documents; every link of it is quoted below.",
        "no_answer": "The documents do not answer this question.",
        "nearest": "The nearest things found:",
        "nothing": "Nothing similar was found.",
        "no_chain": "No chain of reasons answers this; these passages speak of it:",
        "also": "Also: {chain}",
        "cut": "The search was cut: {reason}.",
        "valid_until": " (valid until {date})",
        "shortened": "The evidence was shortened to {tokens} tokens.",
    },
    "zh": {
        "sources": "出处：",
        "part_shown": "已有依据：{shown}；没有依据表明：{missing}。",
        "negated": "文档明确说明并非如此。",
        "disagree": "文档之间有分歧：另一处说 {chain}。",
        "hedged": "语气有保留：{links}。",
        "derived": "这条链由多份文档回写而成，每一环的原文见下。",
        "no_answer": "文档没有回答这个问题。",
        "nearest": "找到的最接近的内容：",
        "nothing": "没有找到相近的内容。",
        "no_chain": "没有关系链回答这个问题；以下段落提到了它：",
        "also": "另有：{chain}",
        "cut": "搜索被截断：{reason}。",
        "valid_until": "（有效至 {date}）",
        "shortened": "依据已缩短到 {tokens} 个词元。",
    },
}


def say(language: str, phrase: str, **values: object) -> str:
    """A phrase in the question's language (English where there is none)."""
    return WORDS.get(language, WORDS["en"])[phrase].format(**values)


__all__ = ["WORDS", "say"]
