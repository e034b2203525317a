# SPDX-License-Identifier: Apache-2.0
"""Workloads from a Hugging Face config.json: the architecture's sizes, no weights, nothing downloaded.

Keys and defaults are those of the configuration classes of the transformers library
(src/transformers/models/*/configuration_*.py)."""

import json
import os

from tilewave import _core
from tilewave.inputs import Workload, config_error, warn_all
from tilewave.transformer import Block, Context, Tokens, TransformerBuilder
from tilewave.words import suggestion

DTYPES = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64",
          "float8_e4m3fn": "fp8"}
ACTIVATIONS = {"silu": "silu", "swish": "silu", "relu": "relu", "gelu": "gelu", "gelu_new": "gelu",
               "gelu_fast": "gelu", "gelu_pytorch_tanh": "gelu", "quick_gelu": "gelu", "tanh": "tanh",
               "gelu_10": "gelu", "gelu_python": "gelu"}
# Like Llama: RMS norm, gated, rotary, no biases; what differs is in _llama().
LLAMA_LIKE = {"llama", "mistral", "mixtral", "qwen2", "qwen3", "qwen3_moe", "gemma", "phi3",
              "granite"}
ENCODERS = {"bert", "roberta", "xlm-roberta", "electra", "distilbert"}
KNOWN = sorted(LLAMA_LIKE | ENCODERS | {"gpt2", "gpt_neox", "opt", "starcoder2", "t5"})


class _Config:
    """Keys of a configuration; one that is missing or wrong is a ConfigError with its name."""

    def __init__(self, values, label):
        self.values, self.label = values, label

    def has(self, key):
        return self.values.get(key) is not None

    def size(self, *keys, default=None):
        """A whole number of at least 1, by the first of the keys that is there."""
        for key in keys:
            value = self.values.get(key)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise config_error(f"must be a whole number of at least 1, is {value!r}", self.label,
                                   key)
            return value
        if default is None:
            raise config_error("is missing" + suggestion(keys[0], self.values), self.label, keys[0])
        return default

    def flag(self, key, default):
        value = self.values.get(key)
        return default if value is None else bool(value)

    def share(self, key, default):
        """A number from 0 to 1."""
        value = self.values.get(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
            raise config_error(f"must be a number from 0 to 1, is {value!r}", self.label, key)
        return value

    def activation(self, *keys, default):
        word = next((self.values[key] for key in keys if self.has(key)), default)
        if not isinstance(word, str) or word not in ACTIVATIONS:
            raise config_error(f"must be one of {', '.join(ACTIVATIONS)}; is {word!r}"
                               f"{suggestion(word, ACTIVATIONS)}", self.label, keys[0])
        return ACTIVATIONS[word]

    def head_dim(self, width, heads):
        if not self.has("head_dim") and width % heads:
            raise config_error(f"must divide the width ({width}), is {heads}", self.label,
                               "num_attention_heads")
        return self.size("head_dim", default=width // heads)


def _load(config):
    if isinstance(config, dict):
        return config, "config", None
    path = os.fspath(config)
    if os.path.isdir(path):
        path = os.path.join(path, "config.json")
    values = json.loads(_core.json_file(os.fsencode(path)))
    if not isinstance(values, dict):
        raise config_error("is no configuration: a JSON object is wanted", path)
    return values, path, os.path.basename(os.path.dirname(os.path.abspath(path)))


def from_hf_config(config, batch=1, seq_len=512, phase="prefill", kv_len=None, dtype=None, layers=None,
                   name=None):
    """The workload of a transformer by its Hugging Face config.json.

    config: path of the file or of its folder, or its content as a dict. Known model types: llama,
        mistral, mixtral, qwen2, qwen3, qwen3_moe, gemma, phi3, granite, gpt2, gpt_neox, opt,
        starcoder2, bert, roberta, xlm-roberta, electra, distilbert, t5.
    batch: sequences. seq_len: tokens of each. phase: "prefill" (all tokens at once) or "decode" (one
        token more), of those that make tokens. kv_len: tokens of the context with those before; default
        seq_len. dtype: default the configuration's torch_dtype. layers: fewer (or more) blocks.
    Logits are made of each sequence's last token. Raises ConfigError.
    """
    values, label, folder = _load(config)
    c = _Config(values, label)
    kind = values.get("model_type")
    if not isinstance(kind, str) or kind not in KNOWN:
        raise config_error(f"must be one of {', '.join(KNOWN)}; is {kind!r}{suggestion(kind, KNOWN)}",
                           label, "model_type")
    if phase not in ("prefill", "decode"):
        raise config_error(f'must be one of prefill, decode; is "{phase}"', label, "phase")
    asked = _Config({"batch": batch, "seq_len": seq_len, "kv_len": kv_len, "layers": layers}, label)
    length = asked.size("seq_len")
    context = Context(asked.size("batch"), 1 if phase == "decode" else length,
                      asked.size("kv_len", default=length))
    if context.kv_len < context.q_len:
        raise config_error(f"must be at least seq_len ({context.q_len}), is {context.kv_len}", label,
                           "kv_len")
    blocks = asked.size("layers", default=0)
    build = (_llama if kind in LLAMA_LIKE else _encoder if kind in ENCODERS else
             {"gpt2": _gpt2, "gpt_neox": _gpt_neox, "opt": _opt, "starcoder2": _starcoder2,
              "t5": _t5}[kind])
    if kind in ENCODERS and phase == "decode":
        raise config_error(f'a {kind} makes no tokens one after another: must be "prefill"', label,
                           "phase")
    ops = build(TransformerBuilder(), c, context, blocks, phase)
    written = str(values.get("torch_dtype") or values.get("dtype") or "float32")
    words = [] if dtype or written in DTYPES else [
        f"{label}: torch_dtype: {written!r} is not known: fp32 is taken"]
    warn_all(words)
    source = {"name": name or folder or kind, "dtype": dtype or DTYPES.get(written, "fp32"),
              "note": f"from a Hugging Face configuration, model_type {kind}", "ops": ops}
    return Workload(source, words)


def _decoder(net, c, context, blocks, block, x, count_keys, final_norm, tied, head_bias=False,
             names=("layer", "norm", "embedding"), width=None):
    for i in range(blocks or c.size(*count_keys)):
        x = net.block(f"{names[0]}{i}", x, block, context)
    if final_norm:
        x = net.normalize(names[1], block.norm, x)
    net.last_linear("lm_head", x, context.batch, c.size("vocab_size"), ["bias"] if head_bias else [],
                    names[2] if tied else None)
    return net.ops


def _llama(net, c, context, blocks, phase):
    kind = c.values["model_type"]
    width, heads = c.size("hidden_size"), c.size("num_attention_heads")
    head_dim = c.head_dim(width, heads)
    experts = c.size("num_local_experts", "num_experts", default=0) if kind in (
        "mixtral", "qwen3_moe") else 0
    window = c.size("sliding_window", default=0) if kind == "mistral" or (
        c.flag("use_sliding_window", kind == "mixtral")) else 0
    rotary = c.share("partial_rotary_factor", 1.0)
    block = Block(
        width, heads, c.size("num_key_value_heads", default=heads), head_dim,
        c.size(*(["moe_intermediate_size"] if kind == "qwen3_moe" else []), "intermediate_size"),
        norm="rmsnorm", qkv_bias=c.flag("attention_bias", kind == "qwen2"),
        out_bias=c.flag("attention_bias", False) and kind != "qwen2", ffn_bias=c.flag("mlp_bias", False),
        causal=True, window=window, rotary=int(head_dim * rotary) // 2 * 2,
        head_norm=kind in ("qwen3", "qwen3_moe"), gated=True,
        activation=c.activation("hidden_activation", "hidden_act",
                                default="gelu" if kind == "gemma" else "silu"),
        experts=experts, top_k=c.size("num_experts_per_tok", default=2) if experts else 0)
    x = net.embed("embedding", context.tokens, c.size("vocab_size"), width)
    tied = c.flag("tie_word_embeddings", kind == "gemma")
    return _decoder(net, c, context, blocks, block, x, ["num_hidden_layers"], True, tied)


def _starcoder2(net, c, context, blocks, phase):
    width, heads = c.size("hidden_size"), c.size("num_attention_heads")
    bias, head_dim = c.flag("use_bias", True), c.head_dim(width, heads)
    block = Block(width, heads, c.size("num_key_value_heads", default=heads), head_dim,
                  c.size("intermediate_size"), qkv_bias=bias, out_bias=bias, ffn_bias=bias, causal=True,
                  window=c.size("sliding_window", default=0), rotary=head_dim,
                  activation=c.activation("hidden_act", default="gelu_pytorch_tanh"))
    x = net.embed("embedding", context.tokens, c.size("vocab_size"), width)
    return _decoder(net, c, context, blocks, block, x, ["num_hidden_layers"], True,
                    c.flag("tie_word_embeddings", True))


def _with_positions(net, x, rows, table_rows, name="wpe", total="embedding"):
    return net.combine(total, "add", x, net.embed(name, rows, table_rows, x.width))


def _gpt2(net, c, context, blocks, phase):
    width, heads = c.size("n_embd", "hidden_size"), c.size("n_head", "num_attention_heads")
    block = Block(width, heads, heads, c.head_dim(width, heads), c.size("n_inner", default=4 * width),
                  causal=True, activation=c.activation("activation_function", default="gelu_new"))
    x = net.embed("wte", context.tokens, c.size("vocab_size"), width)
    positions = max(c.size("n_positions", "max_position_embeddings", default=1024), context.kv_len)
    x = _with_positions(net, x, context.q_len, positions)
    return _decoder(net, c, context, blocks, block, x, ["n_layer", "num_hidden_layers"], True,
                    c.flag("tie_word_embeddings", True), names=("h", "ln_f", "wte"))


def _gpt_neox(net, c, context, blocks, phase):
    width, heads = c.size("hidden_size"), c.size("num_attention_heads")
    head_dim = c.head_dim(width, heads)
    share = c.share("rotary_pct", 0.25)
    block = Block(width, heads, heads, head_dim, c.size("intermediate_size"), causal=True,
                  parallel=c.flag("use_parallel_residual", True), rotary=int(head_dim * share) // 2 * 2,
                  activation=c.activation("hidden_act", default="gelu"))
    x = net.embed("embedding", context.tokens, c.size("vocab_size"), width)
    return _decoder(net, c, context, blocks, block, x, ["num_hidden_layers"], True,
                    c.flag("tie_word_embeddings", False))


def _opt(net, c, context, blocks, phase):
    width, heads = c.size("hidden_size"), c.size("num_attention_heads")
    inner, first = c.size("word_embed_proj_dim", default=width), c.flag("do_layer_norm_before", True)
    bias = c.flag("enable_bias", True)
    block = Block(width, heads, heads, c.head_dim(width, heads), c.size("ffn_dim"), norm_first=first,
                  qkv_bias=bias, out_bias=bias, ffn_bias=bias, causal=True,
                  activation=c.activation("activation_function", default="relu"))
    x = net.embed("wte", context.tokens, c.size("vocab_size"), inner)
    if inner != width:
        x = net.linear("project_in", x, width)
    # Two rows more than positions: the first two are not used.
    positions = max(c.size("max_position_embeddings"), context.kv_len) + 2
    x = _with_positions(net, x, context.q_len, positions)
    for i in range(blocks or c.size("num_hidden_layers")):
        x = net.block(f"layer{i}", x, block, context)
    if first:
        x = net.normalize("norm", block.norm, x)
    if inner != width:
        x = net.linear("project_out", x, inner)
    net.last_linear("lm_head", x, context.batch, c.size("vocab_size"), [],
                    "wte" if c.flag("tie_word_embeddings", True) else None)
    return net.ops


def _encoder(net, c, context, blocks, phase):
    kind = c.values["model_type"]
    width, heads = c.size("hidden_size", "dim"), c.size("num_attention_heads", "n_heads")
    inner = c.size("embedding_size", default=width) if kind == "electra" else width
    block = Block(width, heads, heads, c.head_dim(width, heads),
                  c.size("intermediate_size", "hidden_dim"), norm_first=False,
                  activation=c.activation("hidden_act", "activation", default="gelu"))
    length = context.q_len
    x = net.embed("embedding.words", context.tokens, c.size("vocab_size"), inner)
    segments = None
    if kind != "distilbert":
        segments = net.embed("embedding.segments", context.tokens, c.size("type_vocab_size", default=2),
                             inner)
    positions = net.embed("embedding.positions", length,
                          max(c.size("max_position_embeddings", default=512), length), inner)
    if segments is not None:
        x = net.combine("embedding.add_segments", "add", x, segments)
    x = net.combine("embedding.add_positions", "add", x, positions)
    x = net.normalize("embedding.norm", block.norm, x)
    if inner != width:
        x = net.linear("embedding.project", x, width, ["bias"])
    whole = Context(context.batch, length, length)
    for i in range(blocks or c.size("num_hidden_layers", "n_layers")):
        x = net.block(f"layer{i}", x, block, whole)
    if kind not in ("distilbert", "electra"):
        net.last_linear("pooler", x, context.batch, width, ["bias", "tanh"])
    return net.ops


def _t5(net, c, context, blocks, phase):
    """Prefill reads the prompt in the encoder, and as many tokens in the decoder; decode is one step of
    the decoder. Biases for relative positions are left out."""
    words = str(c.values.get("feed_forward_proj", "relu"))
    gated = words.startswith("gated-")
    heads, head_dim = c.size("num_heads"), c.size("d_kv")
    block = Block(c.size("d_model"), heads, heads, head_dim, c.size("d_ff"), norm="rmsnorm",
                  qkv_bias=False, out_bias=False, ffn_bias=False, gated=gated,
                  activation=_Config({"feed_forward_proj": words.replace("gated-", "")},
                                     c.label).activation("feed_forward_proj", default="relu"))
    layers = blocks or c.size("num_layers")
    vocabulary, encoded = c.size("vocab_size"), None
    if phase != "decode":
        prompt = Context(context.batch, context.q_len, context.q_len)
        x = net.embed("encoder.embedding", prompt.tokens, vocabulary, block.width)
        for i in range(layers):
            x = net.block(f"encoder{i}", x, block, prompt)
        encoded = net.normalize("encoder.norm", block.norm, x)
    causal = Block(**{**block.__dict__, "causal": True})
    x = net.embed("decoder.embedding", context.tokens, vocabulary, block.width)
    if encoded is not None:
        net.ops[-1]["weights_of"] = "encoder.embedding"
    cross = Context(context.batch, context.q_len, context.kv_len if encoded is None else context.q_len)
    inner = heads * head_dim
    for i in range(blocks or c.size("num_decoder_layers", "num_layers")):
        name = f"decoder{i}"
        x = net.self_attention(name + ".attention", net.normalize(name + ".norm1", block.norm, x), x,
                               causal, context)
        normed = net.normalize(name + ".norm2", block.norm, x)
        q = net.linear(name + ".cross.q", normed, inner)
        k = v = Tokens("input", 0, inner)
        if encoded is not None:
            k = net.linear(name + ".cross.k", encoded, inner)
            v = net.linear(name + ".cross.v", encoded, inner)
        seen = net.attend(name + ".cross", block, cross, q, k, v, False)
        x = net.linear(name + ".cross.out", seen, block.width, [], x)
        normed = net.normalize(name + ".norm3", block.norm, x)
        x = net.feed_forward(name + ".ffn", normed, x, block)
    x = net.normalize("decoder.norm", block.norm, x)
    tied = c.flag("tie_word_embeddings", True)
    net.last_linear("lm_head", x, context.batch, vocabulary, [], "decoder.embedding" if tied else None)
    return net.ops
