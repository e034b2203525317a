# SPDX-License-Identifier: Apache-2.0
"""Hugging Face configurations: with the sizes of a network that is built in, the same ops come out."""

import json

import pytest
import tilewave as tw

# As the models' config.json have them (what the importer reads).
LLAMA2_7B = {"model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008,
             "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 32,
             "vocab_size": 32000, "hidden_act": "silu", "torch_dtype": "float16",
             "tie_word_embeddings": False}
LLAMA3_8B = {**LLAMA2_7B, "intermediate_size": 14336, "num_key_value_heads": 8, "vocab_size": 128256,
             "torch_dtype": "bfloat16"}
MIXTRAL = {**LLAMA3_8B, "model_type": "mixtral", "vocab_size": 32000, "num_local_experts": 8,
           "num_experts_per_tok": 2, "sliding_window": None}
GPT2 = {"model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_layer": 12, "n_positions": 1024,
        "vocab_size": 50257, "activation_function": "gelu_new"}
BERT = {"model_type": "bert", "hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 12,
        "intermediate_size": 3072, "vocab_size": 30522, "type_vocab_size": 2,
        "max_position_embeddings": 512, "hidden_act": "gelu"}
T5 = {"model_type": "t5", "d_model": 768, "d_kv": 64, "d_ff": 3072, "num_heads": 12, "num_layers": 12,
      "vocab_size": 32128, "feed_forward_proj": "relu"}


@pytest.mark.parametrize("config, network", [
    (LLAMA2_7B, "llama2_7b"), (LLAMA3_8B, "llama3_8b"), (MIXTRAL, "mixtral_8x7b"), (GPT2, "gpt2"),
    (BERT, "bert_base"), (T5, "t5_base")])
@pytest.mark.parametrize("options", [{"seq_len": 128, "batch": 2}, {"phase": "decode", "kv_len": 300},
                                     {"seq_len": 16, "kv_len": 64, "layers": 1}])
def test_same_sizes_same_ops(config, network, options):
    if network == "bert_base":
        options = {k: v for k, v in options.items() if k not in ("phase", "kv_len")}
    ours = tw.from_hf_config(config, dtype="fp16", **options)
    theirs = tw.workload(network, dtype="fp16", **options)
    assert ours.ops == theirs.ops


def count(workload):
    """Weights of all products, by their sizes."""
    return sum(op["n"] * op["k"] for op in workload.ops if op["op"] == "gemm")


def test_other_architectures():
    qwen = tw.from_hf_config({**LLAMA2_7B, "model_type": "qwen2", "num_key_value_heads": 4})
    assert next(op for op in qwen.ops if op["name"].endswith("attention.q"))["epilogue"] == ["bias"]
    assert qwen.ops[0]["dtype"] == "fp16"
    qwen3 = tw.from_hf_config({**LLAMA2_7B, "model_type": "qwen3", "head_dim": 128}, layers=1)
    assert sum(op["op"] == "rmsnorm" for op in qwen3.ops) == 2 + 2 + 1
    # Mistral 7B: a window of 4096 counts once the context is longer.
    mistral = {**LLAMA3_8B, "model_type": "mistral", "sliding_window": 4096}
    for kv_len, window in ((4096, 0), (8192, 4096)):
        decode = tw.from_hf_config(mistral, phase="decode", kv_len=kv_len, layers=1)
        assert next(op for op in decode.ops if op["op"] == "attention")["window"] == window
    # GPT-NeoX 20B (arXiv 2204.06745): 12 width^2 weights a block; both parts read the block's input.
    neox = tw.from_hf_config({"model_type": "gpt_neox", "hidden_size": 6144, "num_attention_heads": 64,
                              "num_hidden_layers": 44, "intermediate_size": 24576,
                              "vocab_size": 50432, "rotary_pct": 0.25}, seq_len=64)
    assert count(neox) == 44 * 12 * 6144 ** 2 + 50432 * 6144
    assert next(op for op in neox.ops if op["op"] == "rotary")["cols"] == 24
    opt = tw.from_hf_config({"model_type": "opt", "hidden_size": 1024, "word_embed_proj_dim": 512,
                             "num_attention_heads": 16, "num_hidden_layers": 24, "ffn_dim": 4096,
                             "vocab_size": 50272, "max_position_embeddings": 2048,
                             "do_layer_norm_before": False}, seq_len=32)  # OPT-350M
    assert count(opt) == 24 * 12 * 1024 ** 2 + 2 * 512 * 1024 + 50272 * 512
    for kind in ("roberta", "distilbert", "electra"):
        assert tw.from_hf_config({**BERT, "model_type": kind}, layers=1).ops
    flan = tw.from_hf_config({**T5, "feed_forward_proj": "gated-gelu"}, layers=1)
    assert any(op["name"] == "encoder0.ffn.gate" for op in flan.ops)


def test_files_and_folders(tmp_path):
    folder = tmp_path / "tiny-llama"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(LLAMA2_7B))
    for path in (folder, folder / "config.json"):
        workload = tw.from_hf_config(path, layers=1, seq_len=8)
        assert workload.name == "tiny-llama"
    assert tw.simulate("tpu_v1", workload, dtype="int8").total.macs > 0


@pytest.mark.parametrize("change, options, words", [
    ({"model_type": "lama"}, {}, 'did you mean "llama"'),
    ({"hidden_size": None}, {}, "config: hidden_size: is missing"),
    ({"hidden_size": 4096.5}, {}, "must be a whole number"),
    ({"num_attention_heads": 33}, {}, "must divide the width"),
    ({"hidden_act": "silly"}, {}, 'did you mean "silu"'),
    ({}, {"phase": "decoding"}, "must be one of prefill, decode"),
    ({}, {"kv_len": 4, "seq_len": 8}, "must be at least seq_len"),
    ({}, {"batch": 0}, "batch: must be a whole number"),
])
def test_wrong_input_is_a_config_error(change, options, words):
    with pytest.raises(tw.ConfigError, match=None) as caught:
        tw.from_hf_config({**LLAMA2_7B, **change}, **options)
    assert words in str(caught.value)


HOSTILE = [None, [], {}, "x", "", -1, 0, 1.5, 10 ** 18, 10 ** 30, True, "\ud800", [[1]], {"a": 1}]


@pytest.mark.filterwarnings("ignore")
def test_any_value_of_a_key_is_taken_or_a_config_error():
    keys = [*LLAMA2_7B, "num_key_value_heads", "head_dim", "partial_rotary_factor", "torch_dtype",
            "tie_word_embeddings", "attention_bias"]
    for key in keys:
        for value in HOSTILE:
            try:
                workload = tw.from_hf_config({**LLAMA2_7B, "num_hidden_layers": 1, key: value}, seq_len=8)
                assert len(workload.ops) > 0
            except tw.ConfigError:
                continue
