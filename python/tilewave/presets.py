# SPDX-License-Identifier: Apache-2.0
"""What can be named: each list is a dict of names and descriptions, in the order of the command line."""

from tilewave import _core


def list_arch():
    """Machines, as {name: description}."""
    return dict(_core.list_entries("arch"))


def list_workloads():
    """Workload files that come with Tilewave, as {name: description}."""
    return dict(_core.list_entries("workloads"))


def list_models():
    """Networks built in, as {name: description with its parameters and their defaults}."""
    return dict(_core.list_entries("models"))


def list_dtypes():
    """Data types, as {name: description}."""
    return dict(_core.list_entries("dtypes"))


def list_energy():
    """Energy tables, as {name: description}, the largest node first."""
    return dict(_core.list_entries("energy"))


def list_dram():
    """Memories, as {name: description}."""
    return dict(_core.list_entries("dram"))


def list_suites():
    """Suites of published measurements (`tilewave validate`), as {name: description}."""
    return dict(_core.list_entries("suites"))


def list_sweeps():
    """Sweeps that come with Tilewave, as {name: description}."""
    return dict(_core.list_entries("sweeps"))
