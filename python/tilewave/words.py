# SPDX-License-Identifier: Apache-2.0
"""Numbers and names as people read them."""

import difflib

_PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""), (1e-3, "m"),
             (1e-6, "µ"), (1e-9, "n"), (1e-12, "p"))


def suggestion(name, known):
    """'; did you mean "x"?', or nothing."""
    near = difflib.get_close_matches(str(name), [str(k) for k in known], n=1, cutoff=0.6)
    return f'; did you mean "{near[0]}"?' if near else ""


def quantity(value, unit, digits=4):
    """1234567, "B" -> "1.235 MB": decimal prefixes, so many digits."""
    value = float(value)
    if value == 0:
        return f"0 {unit}".rstrip()
    for scale, prefix in _PREFIXES:
        if abs(value) >= scale * 0.9999999:
            return f"{value / scale:.{digits}g} {prefix}{unit}".rstrip()
    return f"{value:.{digits}g} {unit}".rstrip()


def percent(share):
    """0.123 -> "12.3 %"."""
    return f"{100 * share:.1f} %"
