# SPDX-License-Identifier: Apache-2.0
"""ONNX graphs as exporters write them, made by hand, each with the MACs it has by the sizes it was made of.
The count here knows nothing of the importer: it is done where a node is added."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper


class Net:
    """A graph under construction. Weights are zeros: only their shapes matter."""

    def __init__(self, opset=13, dtype=np.float32):
        self.nodes, self.weights, self.inputs, self.outputs = [], [], [], []
        self.opset, self.dtype, self.macs, self.count = opset, dtype, 0, 0
        self.kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))

    def input(self, name, shape, kind=None):
        self.inputs.append(helper.make_tensor_value_info(name, kind or self.kind, shape))
        return name

    def weight(self, *shape):
        return self.constant(np.zeros(shape, self.dtype))

    def constant(self, values):
        self.count += 1
        name = f"const_{self.count}"
        self.weights.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def scalar(self, value):
        return self.constant(np.array(value, self.dtype))

    def node(self, op, *inputs, outputs=1, domain="", name=None, **attributes):
        self.count += 1
        made = [f"t{self.count}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, made, name=name or f"{op}_{self.count}",
                                           domain=domain, **attributes))
        return made[0] if outputs == 1 else made

    def output(self, name, shape=None):
        self.outputs.append(helper.make_tensor_value_info(name, self.kind, shape))

    def model(self, domains=()):
        graph = helper.make_graph(self.nodes, "net", self.inputs, self.outputs, self.weights)
        imports = [helper.make_opsetid("", self.opset)] + [helper.make_opsetid(d, 1) for d in domains]
        return helper.make_model(graph, opset_imports=imports, ir_version=8)

    # Layers, with their MACs

    def conv(self, x, size, n, c, k, r, stride=1, pad=None, groups=1, bn=True, act=None, name=None):
        """Returns (tensor, output size); the batch n may be symbolic for the graph, not for the count."""
        pad = r // 2 if pad is None else pad
        out = (size + 2 * pad - r) // stride + 1
        self.macs += n * out * out * k * (c // groups) * r * r
        y = self.node("Conv", x, self.weight(k, c // groups, r, r), name=name, strides=[stride] * 2,
                      pads=[pad] * 4, group=groups, kernel_shape=[r, r])
        if bn:
            y = self.node("BatchNormalization", y, *(self.weight(k) for _ in range(4)))
        if act == "relu6":
            y = self.node("Clip", y, self.scalar(0), self.scalar(6))
        elif act == "silu":
            y = self.node("Mul", y, self.node("Sigmoid", y))
        elif act:
            y = self.node(act, y)
        return y, out

    def linear(self, x, rows, k, n, bias=True):
        self.macs += rows * k * n
        y = self.node("MatMul", x, self.weight(k, n))
        return self.node("Add", y, self.weight(n)) if bias else y

    def layer_norm(self, x, width):
        """As exporters below opset 17 write it."""
        mean = self.node("ReduceMean", x, axes=[-1])
        d = self.node("Sub", x, mean)
        var = self.node("ReduceMean", self.node("Pow", d, self.scalar(2)), axes=[-1])
        root = self.node("Sqrt", self.node("Add", var, self.scalar(1e-5)))
        y = self.node("Mul", self.node("Div", d, root), self.weight(width))
        return self.node("Add", y, self.weight(width))

    def rms_norm(self, x, width):
        mean = self.node("ReduceMean", self.node("Pow", x, self.scalar(2)), axes=[-1])
        root = self.node("Sqrt", self.node("Add", mean, self.scalar(1e-5)))
        y = self.node("Mul", x, self.node("Div", self.scalar(1), root))
        return self.node("Mul", y, self.weight(width))

    def gelu_erf(self, x):
        y = self.node("Erf", self.node("Div", x, self.scalar(2 ** 0.5)))
        y = self.node("Mul", x, self.node("Add", y, self.scalar(1)))
        return self.node("Mul", y, self.scalar(0.5))

    def gelu_tanh(self, x):
        cube = self.node("Pow", x, self.scalar(3))
        inner = self.node("Add", x, self.node("Mul", cube, self.scalar(0.044715)))
        y = self.node("Tanh", self.node("Mul", inner, self.scalar(0.8)))
        return self.node("Mul", self.node("Mul", x, self.scalar(0.5)), self.node("Add", y, self.scalar(1)))

    def heads(self, x, heads, d, length):
        """[batch, length, heads * d] -> [batch, heads, length, d]."""
        y = self.node("Reshape", x, self.ints(0, length, heads, d))
        return self.node("Transpose", y, perm=[0, 2, 1, 3])

    def attend(self, q, k, v, batch, heads, q_len, kv_len, d, mask=None, scale_scores=True):
        """q, k, v: [batch, heads, length, d] -> [batch, q_len, heads * d]."""
        self.macs += 2 * batch * heads * q_len * kv_len * d
        scores = self.node("MatMul", q, self.node("Transpose", k, perm=[0, 1, 3, 2]))
        if scale_scores:
            scores = self.node("Div", scores, self.scalar(d ** 0.5))
        if mask is not None:
            scores = self.node("Add", scores, mask)
        y = self.node("MatMul", self.node("Softmax", scores, axis=-1), v)
        y = self.node("Transpose", y, perm=[0, 2, 1, 3])
        return self.node("Reshape", y, self.ints(0, q_len, heads * d))


def resnet50(batch=1, symbolic=None, image=224):
    """Of resnet50's bottlenecks all 16, with the images given: 4.089 G MACs at 224 (torchvision)."""
    net = Net()
    x = net.input("image", [symbolic or batch, 3, image, image])
    x, size = net.conv(x, image, batch, 3, 64, 7, 2, act="Relu", name="conv1")
    x = net.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    size, c = (size + 1) // 2, 64
    for width, blocks, first in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for i in range(blocks):
            stride = first if i == 0 else 1
            y, _ = net.conv(x, size, batch, c, width, 1, act="Relu")
            y, after = net.conv(y, size, batch, width, width, 3, stride, act="Relu")
            y, _ = net.conv(y, after, batch, width, 4 * width, 1)
            if i == 0:
                x, _ = net.conv(x, size, batch, c, 4 * width, 1, stride)
            x = net.node("Relu", net.node("Add", y, x))
            size, c = after, 4 * width
    x = net.node("Flatten", net.node("GlobalAveragePool", x), axis=1)
    net.macs += batch * c * 1000
    net.output(net.node("Gemm", x, net.weight(1000, c), net.weight(1000), transB=1))
    return net


def mobilenet(batch=1):
    """Inverted bottlenecks with depthwise convolutions, squeeze-and-excite and hard swish."""
    net = Net(opset=14)
    x = net.input("image", [batch, 3, 64, 64])
    x, size = net.conv(x, 64, batch, 3, 16, 3, 2, act="relu6")
    for c, inner, k, stride in ((16, 16, 16, 1), (16, 64, 24, 2), (24, 72, 24, 1)):
        y, _ = net.conv(x, size, batch, c, inner, 1, act="HardSwish")
        y, after = net.conv(y, size, batch, inner, inner, 3, stride, groups=inner, act="relu6")
        squeezed = net.node("GlobalAveragePool", y)
        gate, _ = net.conv(squeezed, 1, batch, inner, inner // 4, 1, bn=False, act="Relu")
        gate, _ = net.conv(gate, 1, batch, inner // 4, inner, 1, bn=False, act="HardSigmoid")
        y = net.node("Mul", y, gate)
        y, _ = net.conv(y, after, batch, inner, k, 1)
        x = net.node("Add", x, y) if stride == 1 and c == k else y
        size = after
    x = net.node("ReduceMean", x, axes=[2, 3], keepdims=0)
    net.macs += batch * 24 * 10
    net.output(net.node("Gemm", x, net.weight(24, 10), net.weight(10)))
    return net


def bert(batch=2, length=16, width=32, heads=4, layers=2, vocabulary=100):
    net = Net()
    ids = net.input("input_ids", ["batch", "seq"], TensorProto.INT64)
    mask = net.input("attention_mask", ["batch", "seq"], TensorProto.INT64)
    mask = net.node("Unsqueeze", mask, net.ints(1, 2))
    mask = net.node("Cast", mask, to=TensorProto.FLOAT)
    mask = net.node("Mul", net.node("Sub", net.scalar(1), mask), net.scalar(-1e4))
    x = net.node("Gather", net.weight(vocabulary, width), ids, name="words")
    x = net.node("Add", x, net.weight(1, length, width))
    x = net.layer_norm(x, width)
    d, rows = width // heads, batch * length
    for _ in range(layers):
        q, k, v = (net.heads(net.linear(x, rows, width, width), heads, d, length) for _ in range(3))
        y = net.attend(q, k, v, batch, heads, length, length, d, mask)
        x = net.layer_norm(net.node("Add", net.linear(y, rows, width, width), x), width)
        y = net.gelu_erf(net.linear(x, rows, width, 4 * width))
        x = net.layer_norm(net.node("Add", net.linear(y, rows, 4 * width, width), x), width)
    first = net.node("Gather", x, net.constant(np.array(0, np.int64)), axis=1)
    net.macs += batch * width * width
    net.output(net.node("Tanh", net.node("Gemm", first, net.weight(width, width), net.weight(width),
                                         transB=1)))
    return net


def gpt_decode(batch=1, past=31, width=64, heads=4, layers=2, vocabulary=100):
    """GPT-2: one new token, keys and values of the others from a cache, Q, K and V made together."""
    net = Net(opset=14)
    ids = net.input("input_ids", ["batch_size", 1], TensorProto.INT64)
    d, total = width // heads, past + 1
    x = net.node("Gather", net.weight(vocabulary, width), ids, name="wte")
    x = net.node("Add", x, net.weight(1, 1, width))
    for layer in range(layers):
        caches = [net.input(f"past_{layer}.{kind}", ["batch_size", heads, "past_length", d])
                  for kind in ("key", "value")]
        y = net.layer_norm(x, width)
        y = net.linear(y, batch, width, 3 * width)
        parts = net.node("Split", y, net.ints(width, width, width), outputs=3, axis=2)
        q, k, v = (net.heads(part, heads, d, 1) for part in parts)
        k, v = (net.node("Concat", cache, new, axis=2) for cache, new in zip(caches, (k, v)))
        net.output(k), net.output(v)
        y = net.attend(q, k, v, batch, heads, 1, total, d)
        x = net.node("Add", net.linear(y, batch, width, width), x)
        y = net.gelu_tanh(net.linear(net.layer_norm(x, width), batch, width, 4 * width))
        x = net.node("Add", net.linear(y, batch, 4 * width, width), x)
    net.output(net.linear(net.layer_norm(x, width), batch, width, vocabulary, bias=False))
    return net


def llama(batch=1, length=8, width=64, heads=4, kv_heads=2, ffn=96, layers=1):
    """Rotary embeddings, grouped queries (keys repeated by Expand), RMS norm, gated SiLU."""
    net = Net(opset=14)
    x = net.input("embeddings", [batch, length, width])
    d, rows, group = width // heads, batch * length, heads // kv_heads
    cos, sin = net.weight(1, 1, length, d), net.weight(1, 1, length, d)

    def rotate(t):
        half = d // 2
        low = net.node("Slice", t, net.ints(0), net.ints(half), net.ints(3))
        high = net.node("Slice", t, net.ints(half), net.ints(2 ** 40), net.ints(3))
        turned = net.node("Concat", net.node("Neg", high), low, axis=-1)
        return net.node("Add", net.node("Mul", t, cos), net.node("Mul", turned, sin))

    def repeat(t):
        t = net.node("Unsqueeze", t, net.ints(2))
        t = net.node("Expand", t, net.ints(batch, kv_heads, group, length, d))
        return net.node("Reshape", t, net.ints(batch, heads, length, d))

    causal = net.constant(np.triu(np.full((1, 1, length, length), -1e9, np.float32), 1))
    for _ in range(layers):
        y = net.rms_norm(x, width)
        q = net.heads(net.linear(y, rows, width, width, False), heads, d, length)
        k, v = (net.heads(net.linear(y, rows, width, kv_heads * d, False), kv_heads, d, length)
                for _ in range(2))
        y = net.attend(rotate(q), repeat(rotate(k)), repeat(v), batch, heads, length, length, d, causal)
        x = net.node("Add", x, net.linear(y, rows, width, width, False))
        y = net.rms_norm(x, width)
        gate = net.linear(y, rows, width, ffn, False)
        gate = net.node("Mul", gate, net.node("Sigmoid", gate))
        y = net.node("Mul", gate, net.linear(y, rows, width, ffn, False))
        x = net.node("Add", x, net.linear(y, rows, ffn, width, False))
    net.output(x)
    return net
