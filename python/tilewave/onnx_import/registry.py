# SPDX-License-Identifier: Apache-2.0
"""Which function lowers which op."""

LOWERINGS = {}
VIEWS = {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Dropout", "Shape", "Size",
         "StringNormalizer"}


def lowers(*ops):
    """The function lowers nodes of these types: function(context, node)."""
    def register(function):
        for op in ops:
            LOWERINGS[op] = function
        return function
    return register
