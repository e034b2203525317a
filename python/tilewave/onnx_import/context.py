# SPDX-License-Identifier: Apache-2.0
"""What lowering a node needs to know, in one place."""

import dataclasses

from tilewave.inputs import config_error


@dataclasses.dataclass
class Match:
    """Nodes that are one thing together. `emit(context)` is called where `anchor`, the last of them,
    stands; of the others nothing is emitted."""
    anchor: int
    nodes: set
    emit: object


class Context:
    def __init__(self, graph, builder, label):
        self.graph = graph
        self.builder = builder
        self.label = label
        self.warnings = []
        self.unknown = {}   # op type -> node names
        self.anchors = {}   # node index -> Match
        self.silent = set()  # nodes that a match stands for
        self.views = set()  # nodes that move nothing, because their reader takes what they read
        self.rotary = {}    # tensor made by a rotary embedding -> (tensor before, its nodes)
        self.padding = {}   # tensor made by Pad -> (tensor before, zeros before, zeros after)
        self._noted = []

    def claim(self, match):
        """False if another match has one of the nodes."""
        if match.nodes & (self.silent | set(self.anchors) | self.views):
            return False
        self.anchors[match.anchor] = match
        self.silent |= match.nodes - {match.anchor}
        return True

    def is_claimed(self, index):
        return index in self.silent or index in self.anchors or index in self.views

    def name_of(self, node):
        return node.name or (node.outputs[0] if node.outputs and node.outputs[0] else
                             f"{node.op}_{node.index}")

    def value(self, tensor):
        """The tensor as plain numbers: what is quantized is converted first, once."""
        value = self.builder.value(tensor)
        if not value.quantized:
            return value
        self.builder.add("dequantize", f"{tensor}/dequantize", tensor, [(value, value.elements)],
                         elements=value.elements, **{"from": value.quantized})
        return self.builder.value(tensor)

    def read(self, tensor, elements=None):
        """A (Value, elements) for Builder.add."""
        value = self.value(tensor)
        return value, value.elements if elements is None else elements

    def note_unknown(self, node):
        kind = node.op if node.domain in ("", "ai.onnx") else f"{node.domain}.{node.op}"
        self.unknown.setdefault(kind, []).append(self.name_of(node))

    def note(self, text):
        """A warning, once."""
        if text not in self._noted:
            self._noted.append(text)

    def fail(self, node, message):
        raise config_error(message, self.label, f'node "{self.name_of(node)}" ({node.op})')

    def all_warnings(self):
        warnings = list(self.warnings)
        warnings += [f"{self.label}: {text}" for text in self._noted]
        if self.unknown:
            count = sum(map(len, self.unknown.values()))
            kinds = ", ".join(f"{kind} ({len(names)}: {', '.join(names[:3])}"
                              f"{', ...' if len(names) > 3 else ''})"
                              for kind, names in self.unknown.items())
            warnings.append(f"{self.label}: {count} node{'' if count == 1 else 's'} of the graph "
                            f"{'is' if count == 1 else 'are'} not known and take no time: {kinds}")
        return warnings
