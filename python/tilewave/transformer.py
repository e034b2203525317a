# SPDX-License-Identifier: Apache-2.0
"""Writes transformers down op by op, as the networks that are built in are (the C++ TransformerBuilder):
a configuration with their sizes gives the same ops."""

import dataclasses
import typing

from tilewave.inputs import config_error

MOST_OPS = 100_000  # of a workload: a configuration of more has a wrong number of layers


@dataclasses.dataclass(frozen=True)
class Tokens:
    """A result: who makes it, tokens of all sequences together, elements a token."""
    op: str
    rows: int
    width: int


@dataclasses.dataclass(frozen=True)
class Context:
    """What one pass works on: q_len new tokens of each of `batch` sequences, kv_len with those before."""
    batch: int
    q_len: int
    kv_len: int

    @property
    def tokens(self):
        return self.batch * self.q_len


@dataclasses.dataclass(frozen=True)
class Block:
    """Attention, then a feed-forward part, each with a residual sum."""
    width: int
    heads: int
    kv_heads: int
    head_dim: int
    ffn: int
    norm: str = "layernorm"
    norm_first: bool = True
    parallel: bool = False        # both parts read the block's input (GPT-NeoX)
    qkv_bias: bool = True
    out_bias: bool = True
    ffn_bias: bool = True
    causal: bool = False
    window: int = 0
    rotary: int = 0               # elements of each head that are turned
    head_norm: bool = False       # queries and keys are normalized by head (Qwen 3)
    gated: bool = False
    activation: str = "gelu"
    experts: int = 0
    top_k: int = 0


class TransformerBuilder:
    def __init__(self):
        self.ops = []

    def add(self, kind, name, inputs, /, **sizes):
        op = {"op": kind, "name": name, **{k: v for k, v in sizes.items() if v is not None},
              "inputs": inputs}
        if len(self.ops) == MOST_OPS:
            raise config_error(f"has more than {MOST_OPS} ops", "config")
        self.ops.append(op)
        return op

    def embed(self, name, rows, table_rows, width):
        self.add("embedding", name, ["input"], rows=rows, width=width, table_rows=table_rows)
        return Tokens(name, rows, width)

    def linear(self, name, x, outputs, epilogue=(), residual: typing.Optional[Tokens] = None):
        steps, inputs = list(epilogue), [x.op]
        if residual is not None:
            steps.append("residual")
            inputs.append(residual.op)
        self.add("gemm", name, inputs, m=x.rows, n=outputs, k=x.width, transpose_b=True,
                 epilogue=steps or None)
        return Tokens(name, x.rows, outputs)

    def last_linear(self, name, x, sequences, outputs, epilogue=(), weights_of=None):
        """Of the last token of each sequence."""
        result = self.linear(name, Tokens(x.op, sequences, x.width), outputs, epilogue)
        if x.rows != sequences:
            self.ops[-1]["partial_inputs"] = True
        if weights_of:
            self.ops[-1]["weights_of"] = weights_of
        return result

    def normalize(self, name, kind, x, vectors=1):
        """Each token, or each of its `vectors` parts."""
        self.add(kind, name, [x.op], rows=x.rows * vectors, cols=x.width // vectors)
        return Tokens(name, x.rows, x.width)

    def rotate(self, name, x, heads, dims):
        self.add("rotary", name, [x.op], rows=x.rows * heads, cols=dims,
                 partial_inputs=True if heads * dims != x.width else None)
        return Tokens(name, x.rows, heads * dims)

    def combine(self, name, kind, a, b):
        self.add("elementwise", name, [a.op, b.op], kind=kind, elements=a.rows * a.width, operands=2,
                 second_elements=None if a.rows == b.rows else b.rows * b.width)
        return Tokens(name, a.rows, a.width)

    def attend(self, name, block, context, q, k, v, causal):
        cached = context.kv_len > context.q_len and causal  # keys and values were added to the cache
        self.add("attention", name, [q.op, "input" if cached else k.op, "input" if cached else v.op],
                 batch=context.batch, heads=block.heads, kv_heads=block.kv_heads, q_len=context.q_len,
                 kv_len=context.kv_len, head_dim=block.head_dim, causal=causal,
                 window=block.window if 0 < block.window < context.kv_len else None)
        return Tokens(name, context.tokens, block.heads * block.head_dim)

    def self_attention(self, name, x, residual, block, context):
        bias = ["bias"] if block.qkv_bias else []
        q = self.linear(name + ".q", x, block.heads * block.head_dim, bias)
        k = self.linear(name + ".k", x, block.kv_heads * block.head_dim, bias)
        v = self.linear(name + ".v", x, block.kv_heads * block.head_dim, bias)
        if block.head_norm:
            q = self.normalize(name + ".norm_q", block.norm, q, block.heads)
            k = self.normalize(name + ".norm_k", block.norm, k, block.kv_heads)
        turned = []
        for letter, x_, heads in (("q", q, block.heads), ("k", k, block.kv_heads)):
            if block.rotary:
                r = self.rotate(f"{name}.rotary_{letter}", x_, heads, block.rotary)
                # Where only a part of each head is turned, the attention reads the whole.
                x_ = r if block.rotary == block.head_dim else x_
            turned.append(x_)
        seen = self.attend(name, block, context, *turned, v, block.causal)
        return self.linear(name + ".out", seen, block.width, ["bias"] if block.out_bias else [],
                           residual)

    def feed_forward(self, name, x, residual, block):
        if block.experts:
            scores = self.linear(name + ".router", x, block.experts)
            self.normalize(name + ".routes", "softmax", scores)
            self.add("moe", name + ".experts", [x.op], tokens=x.rows, hidden=x.width, ffn=block.ffn,
                     experts=block.experts, top_k=block.top_k, gated=block.gated)
            return self.combine(name + ".sum", "residual", Tokens(name + ".experts", x.rows, x.width),
                                residual)
        bias = ["bias"] if block.ffn_bias else []
        if not block.gated:
            inner = self.linear(name + ".up", x, block.ffn, [*bias, block.activation])
            return self.linear(name + ".down", inner, block.width, bias, residual)
        gate = self.linear(name + ".gate", x, block.ffn, [*bias, block.activation])
        up = self.linear(name + ".up", x, block.ffn, bias)
        inner = self.combine(name + ".gated", "mul", up, gate)
        return self.linear(name + ".down", inner, block.width, bias, residual)

    def block(self, name, x, block, context):
        attention, ffn = name + ".attention", name + ".ffn"
        norm1, norm2 = name + ".norm1", name + ".norm2"
        if not block.norm_first:
            y = self.normalize(norm1, block.norm, self.self_attention(attention, x, x, block, context))
            return self.normalize(norm2, block.norm, self.feed_forward(ffn, y, y, block))
        y = self.self_attention(attention, self.normalize(norm1, block.norm, x), x, block, context)
        source = x if block.parallel else y
        return self.feed_forward(ffn, self.normalize(norm2, block.norm, source), y, block)
