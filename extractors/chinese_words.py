"""Chinese words with their part of speech and place in the text."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any, NamedTuple

from extractors.chinese_cues import CUE_WORDS, EVIDENCE_NOUNS
from extractors.chinese_lexicon import ADJECTIVES, ATTRIBUTES, COMPOUNDS, DIRECTION_WORDS, EXTRA_WORDS

_LONGEST_RUN = 400
"""Words are cut in pieces of at most this many characters: one piece then costs a bounded amount of time and memory."""


_KINDS = ("地区", "企业", "行业", "公司", "产品", "市场", "产业")
"""Written together with what stands before in the dictionary (钢铁企业), though they add nothing to it."""
_MEASURED = ("价格", "产量", "销量", "需求", "供给", "收入", "利润", "成本", "费用")
"""Attributes that the dictionary knows together with one character before (油价格, 钢产量)."""
_DEGREES = "高低大小多少总净毛纯超满非无"
"""Characters that name nothing of which there is a price or an output."""
_PLACES = ("国际", "国内", "全球")
"""Written together with what follows in the dictionary (国际原油), though they say nothing about it."""


class Word(NamedTuple):
    """One word: its characters in simplified script, jieba's part of speech, and ``[start, end)`` in the text."""

    text: str
    flag: str
    start: int
    end: int


def words(text: str, start: int = 0, end: int | None = None) -> list[Word]:
    """The words of ``text[start:end]`` (simplified script), offsets in ``text``; the same text always gives the same.

    The hidden Markov model for unknown words is off: it joins an unknown word with different neighbours in different
    sentences, and a statement would not be recognised again.
    """
    found: list[Word] = []
    tagger = _tagger()
    stop = len(text) if end is None else end
    for piece in range(start, stop, _LONGEST_RUN):
        position = piece
        for pair in tagger.lcut(text[piece : min(piece + _LONGEST_RUN, stop)], HMM=False):
            found.append(Word(pair.word, pair.flag, position, position + len(pair.word)))
            position += len(pair.word)
    return found


_VERB_CUES = ("导致", "致使", "引起", "引发", "造成", "促使", "使得")


@cache
def _tagger() -> Any:
    """jieba's tagger on a dictionary of its own.

    The dictionary is read from jieba's package and never from its cache, which lies in a folder that anyone can write.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # jieba 0.42.1 compiles with invalid escapes and asks for pkg_resources
        import jieba
        import jieba.posseg

        tokenizer = jieba.Tokenizer()
        tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
        tokenizer.initialized = True
        tagger = jieba.posseg.POSTokenizer(tokenizer)
        _split_phrases(tokenizer.FREQ)
        for word, flag in _own_words():
            tokenizer.FREQ[word] = max(tokenizer.FREQ.get(word, 0), tokenizer.suggest_freq(word), 50)
            tagger.word_tag_tab[word] = flag if flag != "c" else tagger.word_tag_tab.get(word, flag)
            for length in range(1, len(word)):
                tokenizer.FREQ.setdefault(word[:length], 0)
    return tagger


def _split_phrases(frequencies: dict[str, int]) -> None:
    """Phrases such as 价格上涨 and 玉米价格 are one word in the dictionary: they would hide attribute and direction."""
    for attribute in ATTRIBUTES:
        for direction in (*DIRECTION_WORDS, *ADJECTIVES):
            if frequencies.get(attribute + direction):
                frequencies[attribute + direction] = 0
    for word in frequencies:
        if word.startswith(_VERB_CUES) and word not in CUE_WORDS:
            frequencies[word] = 0  # 导致用户 is one word there: it would hide the cue
        elif word[0] == "据" and word[1:] in EVIDENCE_NOUNS:
            frequencies[word] = 0  # 据调查
        elif (
            (
                len(word) >= 4
                and word not in ATTRIBUTES
                and (word[-2:] in ATTRIBUTES or word.startswith(_PLACES) or word.endswith(_KINDS))
            )
            or (len(word) == 3 and word[0] not in _DEGREES and word not in ATTRIBUTES and word.endswith(_MEASURED))
            or (
                len(word) >= 3
                and word[-2:] in DIRECTION_WORDS
                and word not in COMPOUNDS
                and word not in DIRECTION_WORDS
            )
        ):
            frequencies[word] = 0


def _own_words() -> list[tuple[str, str]]:
    own = dict.fromkeys(CUE_WORDS, "c")
    own |= {word: "n" for word in ATTRIBUTES if len(word) > 1}
    own |= {word: "v" for word in (*COMPOUNDS, *DIRECTION_WORDS) if len(word) > 1}
    own |= EXTRA_WORDS
    return sorted(own.items())


__all__ = ["Word", "words"]
