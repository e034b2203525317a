# SPDX-License-Identifier: Apache-2.0
"""The layers of a report as a table: columns named and ordered as in the command line's CSV."""


def _is_cell(value):
    """Lists of lists (operand values of a functional run) have no column."""
    return not isinstance(value, list) or not any(isinstance(e, (list, dict)) for e in value)


def _add_columns(layer, columns):
    """Gives `columns` the keys of `layer` that have a cell; new ones behind those of the same object."""
    for key, value in layer.items():
        if isinstance(value, dict):
            _add_columns(value, columns.setdefault(key, {}))
        elif _is_cell(value):
            columns.setdefault(key, None)


def _paths(columns, prefix=()):
    for key, inner in columns.items():
        if isinstance(inner, dict):
            yield from _paths(inner, (*prefix, key))
        else:
            yield (*prefix, key)


def _value(layer, path):
    for key in path:
        if not isinstance(layer, dict) or key not in layer:
            return None
        layer = layer[key]
    return layer


def _title(path):
    # Counts of the breakdown get the unit that all others have in their names.
    return ".".join(path) + ("_cycles" if path[:-1] == ("breakdown",) else "")


def layers_frame(layers):
    """pandas.DataFrame: a row a layer, `traffic.dram.read_bytes` and the like as columns. What a layer
    does not have is missing (NaN or None)."""
    import pandas
    columns = {}
    for layer in layers:
        _add_columns(layer, columns)
    return pandas.DataFrame({_title(path): [_value(layer, path) for layer in layers]
                             for path in _paths(columns)})
