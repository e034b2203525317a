# SPDX-License-Identifier: Apache-2.0
"""The ceilings of a report's machine."""


def is_gpu(arch):
    return arch.get("core", {}).get("type") == "sm"


def peak_tflops(arch):
    """{data type: 10^12 operations a second} of the matrix units."""
    core = arch.get("core", {})
    unit = core.get("matrix_unit", {})
    per_clock = 2 * arch.get("cores", 1) * arch["clock_ghz"] / 1000
    if is_gpu(arch):
        per_clock *= core.get("sub_cores", 1)  # each has a tensor core and lanes of its own
        lanes = core.get("vector_unit", {})
        peaks = {dtype: fma * per_clock for dtype, fma in unit.get("fma_per_cycle", {}).items()}
        # What the tensor cores cannot do, the lanes do.
        if "fp32" not in peaks and lanes.get("fp32_lanes"):
            peaks["fp32"] = lanes["fp32_lanes"] * per_clock
        return peaks
    macs = unit["rows"] * unit["cols"] * unit.get("depth", 1) * unit.get("count", 1)
    return {dtype: macs * share * per_clock for dtype, share in unit.get("throughput", {}).items()}


def dram_gb_per_s(report):
    """What the memory can move; None for an ideal one."""
    peak = report["total"].get("dram_peak_gb_per_s")
    return peak or report["arch"].get("memory", {}).get("dram", {}).get("bandwidth_gb_per_s")


def work_unit(layers):
    """OP/s if all layers are integer, else FLOP/s."""
    return "OP/s" if all(layer["dtype"].startswith("int") and "only" not in layer["dtype"]
                         for layer in layers) else "FLOP/s"
