# SPDX-License-Identifier: Apache-2.0
"""Finds what a graph spells out in many nodes. Attention takes the moves around it, also those before
rotary embeddings, which are found first for that."""

from tilewave.onnx_import import patterns_activation, patterns_attention, patterns_norm, patterns_rotary


def find_all(context):
    patterns_rotary.find(context)
    patterns_attention.find(context)
    patterns_norm.find(context)
    patterns_activation.find(context)
