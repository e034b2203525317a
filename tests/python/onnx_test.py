# SPDX-License-Identifier: Apache-2.0
"""ONNX graphs: layers, shapes and MACs are the graph's own."""

import collections
import json

import numpy as np
import onnx
import onnx_models
import pytest
import tilewave as tw
from onnx import TensorProto, helper
from onnx_models import Net


def kinds(workload):
    return collections.Counter(op["op"] for op in workload.ops)


def macs(workload):
    """As the simulator counts them: on a machine that has a unit for every op."""
    total = tw.simulate("tpu_v1", workload, dtype="int8").total
    return total.macs


def one(workload, kind):
    found = [op for op in workload.ops if op["op"] == kind]
    assert len(found) == 1, kinds(workload)
    return found[0]


def imported(net, **options):
    options.setdefault("name", "net")
    return tw.from_onnx(net.model(options.pop("domains", ())), **options)


# Whole networks

def test_resnet50_is_the_network_that_is_built_in():
    net = onnx_models.resnet50()
    ours, theirs = imported(net), tw.workload("resnet50")
    assert kinds(ours) == kinds(theirs) == {"conv2d": 53, "pool": 2, "gemm": 1}
    assert net.macs == 4_089_184_256  # torchvision's 4.089 G
    sizes = ("c", "h", "w", "k", "r", "s", "stride", "padding", "groups")

    def shapes(workload):
        return sorted(json.dumps([op[s] for s in sizes]) for op in workload.ops if op["op"] == "conv2d")

    assert shapes(ours) == shapes(theirs)
    # Batch norms, activations and the sums of the blocks are all in the convolutions, as there. (The sum
    # is in the last convolution before it, which in the graph is the shortcut's where there is one.)

    def steps(workload):
        return collections.Counter(step for op in workload.ops for step in op.get("epilogue", ()))

    assert steps(ours) == steps(theirs)
    assert macs(ours) == net.macs == macs(theirs)


def test_a_symbolic_batch_needs_a_number():
    net = onnx_models.resnet50(batch=4, symbolic="N", image=32)
    with pytest.raises(tw.ConfigError, match='axis 0 of input "image" is \'N\'; give dims=.*batch=N'):
        imported(net)
    by_batch, by_name = imported(net, batch=4), imported(net, dims={"N": 4})
    assert by_batch.ops == by_name.ops
    assert by_batch.ops[0]["n"] == 4 and macs(by_batch) == net.macs
    with pytest.raises(tw.ConfigError, match="batch is fixed at 1"):
        imported(onnx_models.resnet50(image=32), batch=4)
    with pytest.raises(tw.ConfigError, match="dims.M: no dimension of an input is called 'M'"):
        imported(net, batch=4, dims={"M": 3})


def test_mobilenet():
    net = onnx_models.mobilenet()
    workload = imported(net)
    assert kinds(workload) == {"conv2d": 16, "pool": 4, "elementwise": 3, "gemm": 1}
    assert macs(workload) == net.macs and not workload.warnings
    depthwise = [op for op in workload.ops if op.get("groups", 1) > 1]
    assert [op["groups"] for op in depthwise] == [16, 64, 72]
    assert depthwise[0]["epilogue"] == ["bias", "relu"]  # ReLU6 is a clip
    assert any("hard_swish" in op.get("epilogue", []) for op in workload.ops)
    gates = [op for op in workload.ops if op["op"] == "elementwise"]
    assert all(op["kind"] == "mul" and op["second_elements"] > 0 for op in gates)


def test_bert():
    net = onnx_models.bert(batch=2, length=16)
    workload = imported(net, batch=2, dims={"seq": 16})
    assert kinds(workload) == {"embedding": 1, "elementwise": 4, "layernorm": 5, "gemm": 13,
                               "attention": 2}
    assert macs(workload) == net.macs
    attention = [op for op in workload.ops if op["op"] == "attention"][0]
    assert [attention[key] for key in ("batch", "heads", "q_len", "kv_len", "head_dim")] == [
        2, 4, 16, 16, 8]
    assert any(op.get("epilogue") == ["bias", "gelu"] for op in workload.ops)
    assert sum(op.get("epilogue") == ["bias", "residual"] for op in workload.ops) == 4
    with pytest.raises(tw.ConfigError, match="axis 1 of input \"input_ids\" is 'seq'"):
        imported(net, batch=2)


def test_a_decode_step_of_gpt():
    net = onnx_models.gpt_decode(batch=2, past=31)
    workload = imported(net, batch=2, dims={"past_length": 31})
    assert kinds(workload) == {"embedding": 1, "elementwise": 1, "layernorm": 5, "gemm": 9,
                               "attention": 2}
    assert macs(workload) == net.macs
    attention = [op for op in workload.ops if op["op"] == "attention"][1]
    assert (attention["q_len"], attention["kv_len"]) == (1, 32)
    # Keys and values are in a cache; the queries are a part of the fused projection.
    assert attention["inputs"][1:] == ["input", "input"] and attention["partial_inputs"]


def test_grouped_queries_and_rotary_embeddings():
    net = onnx_models.llama()
    workload = imported(net)
    assert kinds(workload) == {"rmsnorm": 2, "gemm": 7, "rotary": 2, "attention": 1, "elementwise": 1}
    attention = one(workload, "attention")
    assert (attention["heads"], attention["kv_heads"]) == (4, 2)
    assert macs(workload) == net.macs
    assert any(op.get("epilogue") == ["silu"] for op in workload.ops)


# Single ops: shape of the input, what to add, MACs

def single(op, shape, *weights, opset=13, out=None, **attributes):
    net = Net(opset)
    x = net.input("x", shape)
    made = net.node(op, x, *(w if isinstance(w, str) else net.weight(*w) for w in weights), **attributes)
    net.output(made, out)
    return net


CONVS = [
    # odd and asymmetric padding
    ([1, 3, 15, 17], (8, 3, 4, 2), {"pads": [2, 0, 1, 1], "strides": [2, 1]}, (15 + 3 - 4) // 2 + 1, 17),
    ([2, 4, 10, 10], (8, 4, 3, 3), {"auto_pad": "SAME_UPPER", "strides": [2, 2]}, 5, 5),
    ([2, 4, 11, 10], (8, 4, 3, 3), {"auto_pad": "SAME_LOWER", "strides": [2, 2]}, 6, 5),
    ([1, 4, 9, 9], (8, 4, 3, 3), {"auto_pad": "VALID"}, 7, 7),
    ([1, 4, 16, 16], (8, 2, 3, 3), {"group": 2, "dilations": [2, 2], "pads": [2] * 4}, 16, 16),
]


@pytest.mark.parametrize("shape, filters, attributes, height, width", CONVS)
def test_convolutions(shape, filters, attributes, height, width):
    workload = imported(single("Conv", shape, filters, **attributes))
    conv = one(workload, "conv2d")
    assert macs(workload) == shape[0] * height * width * filters[0] * filters[1] * 9 * (
        filters[2] * filters[3]) // 9
    assert conv["layout"] == "nhwc"
    assert imported(single("Conv", shape, filters, **attributes),
                    layout="nchw").ops[0]["layout"] == "nchw"


def test_convolutions_of_other_ranks():
    workload = imported(single("Conv", [2, 4, 20], (6, 4, 5), pads=[4, 0], dilations=[1]))
    assert one(workload, "conv1d")["padding"] == [4, 0]
    assert macs(workload) == 2 * 20 * 6 * 4 * 5
    workload = imported(single("Conv", [1, 2, 8, 8, 8], (4, 2, 3, 3, 3), pads=[1] * 6))
    assert one(workload, "conv3d")["d"] == 8
    assert macs(workload) == 8 ** 3 * 4 * 2 * 27
    with pytest.warns(tw.TilewaveWarning, match="3-D convolutions whose padding differs"):
        workload = imported(single("Conv", [1, 2, 8, 8, 8], (4, 2, 2, 3, 3), pads=[0, 1, 1, 1, 1, 1]))
    assert macs(workload) == 8 ** 3 * 4 * 2 * 18


@pytest.mark.parametrize("shape, filters, attributes", [
    ([1, 8, 7, 7], (8, 4, 2, 2), {"strides": [2, 2]}),
    ([1, 8, 7, 5], (8, 4, 3, 3), {"strides": [2, 2], "pads": [1] * 4, "output_padding": [1, 1]}),
    ([1, 8, 7, 5], (8, 4, 4, 4), {"strides": [2, 2], "pads": [1, 0, 0, 1]}),
    ([1, 8, 7, 5], (8, 4, 3, 3), {"strides": [2, 2], "auto_pad": "SAME_UPPER"}),
    ([1, 8, 9], (8, 4, 3), {"strides": [3]}),
    ([1, 8, 3, 3, 3], (8, 4, 2, 2, 2), {"strides": [2, 2, 2]})])
@pytest.mark.filterwarnings("ignore:.*3-D transposed")
def test_transposed_convolutions(shape, filters, attributes):
    net = single("ConvTranspose", shape, filters, **attributes)
    workload = imported(net)
    pixels = int(np.prod(shape[2:]))
    assert macs(workload) == pixels * shape[1] * filters[1] * int(np.prod(filters[2:]))
    inferred = onnx.shape_inference.infer_shapes(net.model()).graph.output[0].type.tensor_type.shape
    if len(shape) == 4:
        conv = one(workload, "conv2d")
        for axis, size in enumerate("hw"):
            before, after = conv["padding"][axis], conv.get("padding_end", conv["padding"])[axis]
            made = ((conv[size] - 1) * conv["stride"][axis] - before - after + filters[2 + axis]
                    + conv["output_padding"][axis])
            assert made == inferred.dim[2 + axis].dim_value


PRODUCTS = [
    # shapes of A and B, is B a weight; m, n, k, batch
    ([4, 6, 8], [8, 5], True, (24, 5, 8, 1)), ([4, 6, 8], [8, 5], False, (24, 5, 8, 1)),
    ([4, 6, 8], [4, 8, 5], False, (6, 5, 8, 4)), ([2, 3, 6, 8], [2, 3, 8, 5], False, (6, 5, 8, 6)),
    ([6, 8], [3, 8, 5], False, (6, 5, 8, 3)), ([8], [8, 5], True, (1, 5, 8, 1)),
    ([4, 6, 8], [8], True, (24, 1, 8, 1)),
]


@pytest.mark.parametrize("a, b, weight, sizes", PRODUCTS)
def test_products(a, b, weight, sizes):
    net = Net()
    x = net.input("a", a)
    y = net.weight(*b) if weight else net.input("b", b)
    net.output(net.node("MatMul", x, y))
    gemm = one(imported(net), "gemm")
    assert (gemm["m"], gemm["n"], gemm["k"], gemm["batch"]) == sizes
    assert gemm.get("b_is_activation", False) != weight
    assert macs(imported(net)) == np.prod(sizes)


def test_weights_on_the_left_and_transposes_inside():
    net = Net()
    x = net.input("x", [2, 8, 5])
    net.output(net.node("MatMul", net.weight(6, 8), x))
    gemm = one(imported(net), "gemm")
    assert (gemm["m"], gemm["n"], gemm["k"]) == (10, 6, 8) and not gemm.get("b_is_activation", False)
    net = Net()
    a, b = net.input("a", [3, 6, 8]), net.input("b", [3, 5, 8])
    net.output(net.node("MatMul", a, net.node("Transpose", b, perm=[0, 2, 1])))
    workload = imported(net)
    gemm = one(workload, "gemm")
    assert len(workload) == 1 and gemm["transpose_b"] and gemm["batch"] == 3


def test_steps_behind_a_product_are_its_epilogue_while_they_can_be():
    net = Net()
    x = net.input("x", [4, 8])
    y = net.node("MatMul", x, net.weight(8, 6))
    y = net.node("Mul", net.node("Add", y, net.weight(6)), net.scalar(2))
    y = net.node("Add", y, net.weight(6))         # goes into the bias that is there
    y = net.node("Relu", y)
    y = net.node("Add", y, net.weight(6))         # does not: the product is bent already
    net.output(net.node("Add", y, net.weight(4, 6)))
    ops = imported(net).ops
    assert ops[0]["epilogue"] == ["bias", "scale", "relu"]
    assert [(op["kind"], op.get("second_elements", 0)) for op in ops[1:]] == [("add", 6), ("add", 0)]
    # A result that somebody else reads, too, must be there as it was.
    net = Net()
    y = net.node("MatMul", net.input("x", [4, 8]), net.weight(8, 6))
    net.output(net.node("Relu", y))
    net.output(y)
    assert kinds(imported(net)) == {"gemm": 1, "elementwise": 1}


def test_gemm_and_einsum():
    net = Net()
    x = net.input("x", [8, 4])
    net.output(net.node("Gemm", x, net.weight(6, 8), net.weight(6), transA=1, transB=1, alpha=0.5))
    gemm = one(imported(net), "gemm")
    assert (gemm["m"], gemm["n"], gemm["k"]) == (4, 6, 8)
    assert gemm["transpose_a"] and gemm["transpose_b"] and gemm["epilogue"] == ["scale", "bias"]
    net = Net()
    q, k = net.input("q", [2, 3, 5, 8]), net.input("k", [2, 3, 7, 8])
    net.output(net.node("Einsum", q, k, equation="bhqd,bhkd->bhqk"))
    assert macs(imported(net)) == 2 * 3 * 5 * 7 * 8


def test_pools():
    for attributes, padding in (({"pads": [1] * 4}, [1, 1]), ({"pads": [0, 0, 1, 1]}, [1, 1]),
                                ({"auto_pad": "SAME_UPPER"}, [1, 1]), ({}, [0, 0])):
        pool = one(imported(single("MaxPool", [1, 4, 16, 16], kernel_shape=[3, 3], strides=[2, 2],
                                   **attributes)), "pool")
        assert pool["padding"] == padding and pool["kind"] == "max"
    assert one(imported(single("GlobalAveragePool", [2, 4, 7, 7])), "pool")["r"] == 7
    assert kinds(imported(single("AveragePool", [1, 4, 8, 8, 8], kernel_shape=[2, 2, 2],
                                 strides=[2, 2, 2]))) == {"pool": 2}
    assert one(imported(single("MaxPool", [1, 4, 9], kernel_shape=[3])), "pool")["s"] == 3


def test_norms_softmax_and_reductions():
    for op, weights, attributes, kind, rows, cols in (
            ("LayerNormalization", ((8,), (8,)), {"axis": -1}, "layernorm", 12, 8),
            ("InstanceNormalization", ((4,), (4,)), {}, "layernorm", 12, 8),
            ("BatchNormalization", ((4,),) * 4, {}, "batchnorm", 24, 4),
            ("Softmax", (), {"axis": 1}, "softmax", 24, 4),
            ("ReduceMean", (), {"axes": [2]}, "reduce", 12, 8),
            ("ReduceMax", (), {"axes": [1]}, "reduce", 24, 4)):
        op_ = one(imported(single(op, [3, 4, 8], *weights, opset=17, **attributes)), kind)
        assert (op_["rows"], op_["cols"]) == (rows, cols), op
    # Below opset 13, softmax flattens the axes from `axis` on.
    old = one(imported(single("Softmax", [3, 4, 8], opset=11, axis=1)), "softmax")
    assert (old["rows"], old["cols"]) == (3, 32)


@pytest.mark.parametrize("op, gates", [("LSTM", 4), ("GRU", 3), ("RNN", 1)])
def test_recurrent_layers(op, gates):
    steps, batch, inputs, hidden = 5, 2, 8, 6
    net = Net(opset=14)
    x = net.input("x", [steps, batch, inputs])
    y = net.node(op, x, net.weight(2, gates * hidden, inputs), net.weight(2, gates * hidden, hidden),
                 outputs=2, hidden_size=hidden, direction="bidirectional")
    net.output(y[0])
    workload = imported(net)
    assert kinds(workload) == {op.lower(): 2, "concat": 1}
    assert macs(workload) == 2 * steps * batch * gates * hidden * (inputs + hidden)


def test_quantized_graphs_multiply_integers():
    net = Net()
    x = net.input("x", [1, 4, 8, 8])
    scale, zero = net.scalar(0.1), net.constant(np.array(0, np.int8))

    def quantize(t):
        return net.node("QuantizeLinear", t, scale, zero)

    def dequantize(t):
        return net.node("DequantizeLinear", t, scale, zero)

    weights = dequantize(net.constant(np.zeros((8, 4, 3, 3), np.int8)))
    y = net.node("Conv", dequantize(quantize(x)), weights, pads=[1] * 4)
    y = net.node("Relu", dequantize(quantize(y)))
    net.output(y)
    workload = imported(net)
    assert [op["op"] for op in workload.ops] == ["quantize", "conv2d", "dequantize", "elementwise"]
    assert workload.ops[1]["dtype"] == "int8" and workload.ops[1]["epilogue"] == ["requantize"]
    assert workload.ops[2]["from"] == "int8" and workload.resolved["ops"][0]["dtype"] == "fp32"
    net = Net()
    x = net.input("x", [6, 8], TensorProto.INT8)
    net.output(net.node("MatMulInteger", x, net.constant(np.zeros((8, 5), np.int8))))
    assert one(imported(net), "gemm")["dtype"] == "int8"


def test_moves_and_parts():
    net = Net()
    x = net.input("x", [2, 6, 4, 4])
    y = net.node("Relu", x)
    a, b = net.node("Split", y, outputs=2, axis=1)
    moved = net.node("Transpose", y, perm=[0, 2, 3, 1])
    joined = net.node("Concat", net.node("Sigmoid", a), net.node("Tanh", b), axis=1)
    net.output(net.node("Add", net.node("Transpose", moved, perm=[0, 3, 1, 2]), joined))
    workload = imported(net)
    assert kinds(workload) == {"elementwise": 4, "transpose": 2, "concat": 1}
    transpose = next(op for op in workload.ops if op["op"] == "transpose")
    assert transpose["dims"] == [2, 6, 16] and transpose["permutation"] == [0, 2, 1]
    assert tw.simulate("tpu_v1", workload, dtype="int8").total.cycles > 0


def test_opset_range_and_older_forms():
    for opset in (7, 9, 11, 13, 17, 18, 21):
        net = Net(opset)
        x = net.input("x", [1, 3, 16, 16])
        y, size = net.conv(x, 16, 1, 3, 8, 3, act="Relu")
        y = net.node("Reshape", y, net.ints(1, -1))
        net.output(net.linear(y, 1, 8 * size * size, 10))
        assert macs(imported(net)) == net.macs
    with pytest.raises(tw.ConfigError, match="has opset 6, the oldest that is read is 7"):
        imported(single("Relu", [4], opset=6))


def test_shapes_computed_in_the_graph():
    net = Net(opset=14)
    x = net.input("x", ["batch", 4, 6, 8])
    shape = net.node("Shape", x)
    first = net.node("Gather", shape, net.ints(0), axis=0)
    target = net.node("Concat", first, net.ints(-1), axis=0)
    net.output(net.linear(net.node("Reshape", x, target), 3, 192, 7))
    workload = imported(net, batch=3)
    assert one(workload, "gemm")["m"] == 3 and len(workload) == 1


def test_expressions_of_dimensions():
    net = Net()
    a = net.input("a", ["n", "past + 1"])
    net.input("b", ["n", "past"])
    net.output(net.node("Relu", a))
    assert imported(net, dims={"n": 2, "past": 7}).ops[0]["elements"] == 16


def test_unknown_ops_are_listed_and_counted():
    net = Net()
    x = net.input("x", [4, 8])
    y = net.node("Relu", x)
    values, _ = net.node("TopK", y, net.ints(3), outputs=2, name="best")
    odd = net.node("Frobnicate", y, domain="com.example", name="odd")
    net.output(net.node("Tanh", values))
    net.output(odd)
    with pytest.warns(tw.TilewaveWarning, match=r"2 nodes of the graph are not known.*TopK \(1: best\), "
                                                r"com.example.Frobnicate \(1: odd\)"):
        workload = imported(net, domains=["com.example"])
    assert workload.unknown_ops == {"TopK": ["best"], "com.example.Frobnicate": ["odd"]}
    assert [op["op"] for op in workload.ops] == ["elementwise", "elementwise"]


def test_ops_of_onnx_runtime():
    net = Net()
    x = net.input("x", [2, 16, 64])
    ms = "com.microsoft"
    y = net.node("Attention", x, net.weight(64, 192), net.weight(192), domain=ms, num_heads=4)
    y = net.node("SkipLayerNormalization", y, x, net.weight(64), net.weight(64), domain=ms)
    y = net.node("BiasGelu", net.linear(y, 32, 64, 128, bias=False), net.weight(128), domain=ms)
    q, k, v = (net.linear(y, 32, 128, 64, bias=False) for _ in range(3))
    net.output(net.node("MultiHeadAttention", q, k, v, domain=ms, num_heads=8))
    workload = imported(net, domains=[ms])
    assert not workload.unknown_ops
    assert kinds(workload) == {"gemm": 5, "attention": 2, "elementwise": 1, "layernorm": 1}
    assert macs(workload) == net.macs + 32 * 64 * 192 + 2 * (2 * 2 * 16 * 16 * 64)


# Wrong input, and the command line

def test_hostile_files(tmp_path):
    file = tmp_path / "model.onnx"
    good = onnx_models.mobilenet().model().SerializeToString()
    for content in (b"", b"not a protobuf", b"\x00" * 100, good[:len(good) // 2], b"\xff" * 1000,
                    b"{}", bytes(range(256))):
        file.write_bytes(content)
        with pytest.raises(tw.ConfigError, match="model.onnx"):
            tw.from_onnx(file)
    with pytest.raises(tw.ConfigError, match="no such file"):
        tw.from_onnx(tmp_path / "nothing.onnx")
    rng = np.random.default_rng(1)
    for _ in range(60):  # bits flipped: an error or a workload, nothing else
        damaged = bytearray(good)
        for position in rng.integers(0, len(good), 20):
            damaged[position] ^= 1 << int(rng.integers(8))
        try:
            tw.from_onnx(bytes(damaged), name="damaged")
        except tw.ConfigError:
            pass
        except Warning:
            pass


test_hostile_files = pytest.mark.filterwarnings("ignore")(test_hostile_files)


def test_huge_constants_are_not_made():
    net = Net()
    x = net.input("x", [4])
    big = net.node("ConstantOfShape", net.ints(1 << 40))
    net.output(net.node("Relu", x))
    net.output(big)
    assert [op["elements"] for op in imported(net).ops] == [4]


def test_names_are_unique_and_no_name_is_input():
    net = Net()
    x = net.input("x", [4])
    y = net.node("Relu", x, name="input")
    y = net.node("Tanh", y, name="same")
    net.output(net.node("Exp", y, name="same"))
    assert [op["name"] for op in imported(net).ops] == ["input_", "same", "same_2"]


def test_the_command_line_reads_onnx_files(cli, tmp_path):
    net = onnx_models.gpt_decode()
    file = tmp_path / "gpt.onnx"
    onnx.save(net.model(), file)
    call = cli("run", "--arch", "tpu_v1", "--dtype", "int8", "--workload", f"{file}:past_length=31",
               "--batch", 1, "--json")
    assert call.returncode == 0, call.stderr
    report = json.loads(call.stdout)
    assert report["total"]["macs"] == net.macs and report["workload"]["name"] == "gpt"
    ours = tw.simulate("tpu_v1", tw.workload(file, batch=1, dims={"past_length": 31}), dtype="int8")
    assert ours.total == report["total"]
    # What is wrong is said as for any other file.
    call = cli("run", "--arch", "tpu_v1", "--workload", file)
    assert call.returncode == 2 and "axis 0 of input \"input_ids\" is 'batch_size'" in call.stderr
    assert all(line.startswith("error: ") for line in call.stderr.splitlines())
    file.write_bytes(b"junk")
    call = cli("check", file)
    assert call.returncode == 2 and "is no ONNX model" in call.stderr
    call = cli("check", tmp_path / "nothing.onnx")
    assert call.returncode == 2 and "no such file" in call.stderr


def test_without_the_package_the_command_line_says_what_to_install(cli, tmp_path):
    file = tmp_path / "net.onnx"
    onnx.save(onnx_models.mobilenet().model(), file)
    missing = tmp_path / "python"
    missing.write_text("#!/bin/sh\necho 'python: No module named tilewave' >&2\nexit 1\n")
    missing.chmod(0o755)
    for python in (missing, tmp_path / "nothing"):
        call = cli("run", "--arch", "tpu_v1", "--workload", file, TILEWAVE_PYTHON=str(python))
        assert call.returncode == 2 and call.stdout == ""
        assert "pip install '.[onnx]'" in call.stderr


def test_a_custom_batch_of_the_simulate_call(tmp_path):
    file = tmp_path / "r.onnx"
    net = onnx_models.resnet50(batch=2, symbolic="N", image=32)
    onnx.save(net.model(), file)
    assert tw.simulate("tpu_v1", str(file), batch=2, dtype="int8").total.macs == net.macs


def test_weights_of_graphs_say_the_type():
    for kind, name in ((np.float32, "fp32"), (np.float16, "fp16")):
        net = Net(dtype=kind)
        x = net.input("x", [4, 8])
        net.output(net.node("MatMul", x, net.weight(8, 2)))
        assert imported(net).resolved["ops"][0]["dtype"] == name
    assert imported(net, dtype="int8").ops[0]["dtype"] == "int8"
    assert helper  # used by the models
