# SPDX-License-Identifier: Apache-2.0
"""Many runs in one process, several threads, Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
import tilewave as tw
from conftest import ENDLESS, MLP

TINY = {"ops": [{"op": "gemm", "m": 16, "n": 16, "k": 16}]}
KIB_A_RUN = 20  # SystemC keeps about 13 KiB of each simulation (sim/simulation_context.hpp)


def resident_kib():
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


def test_a_thousand_runs_keep_no_more_than_systemc_does():
    for _ in range(100):
        tw.simulate("scale_sim_8_ws", TINY)
    before, runs = resident_kib(), 1000
    for _ in range(runs):
        tw.simulate("scale_sim_8_ws", TINY)
    assert (resident_kib() - before) / runs < KIB_A_RUN


def test_threads_take_turns_and_get_what_one_gets():
    want = tw.simulate("tpu_v1", MLP).total
    results = []
    threads = [threading.Thread(target=lambda: results.append(tw.simulate("tpu_v1", MLP).total))
               for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [want] * 8


SCRIPT = """
import json, sys, threading, time
import tilewave as tw
workload = json.loads(sys.argv[1])
count = 0
def tick():
    global count
    while True:
        count += 1
        time.sleep(0.005)
threading.Thread(target=tick, daemon=True).start()
seen = []
print("ready", flush=True)
try:
    tw.simulate("tpu_v1", workload, fidelity="detailed", progress=lambda *state: seen.append(state))
except KeyboardInterrupt:
    after = tw.simulate("tpu_v1", {"ops": [{"op": "gemm", "m": 8, "n": 8, "k": 8}]})
    print("interrupted", count, after.total.cycles, flush=True)
"""


def test_ctrl_c_ends_a_run_and_other_threads_go_on():
    child = subprocess.Popen([sys.executable, "-c", SCRIPT, json.dumps(ENDLESS)], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(1.0)
        os.kill(child.pid, signal.SIGINT)
        out, err = child.communicate(timeout=30)
    finally:
        child.kill()
    words = out.split()
    assert words[:1] == ["interrupted"], out + err
    # The GIL was free: the other thread counted meanwhile. And the process can simulate again.
    assert int(words[1]) > 20 and int(words[2]) > 0


def test_progress_is_told_and_what_it_raises_ends_the_run():
    class Enough(Exception):
        pass

    def stop(done, layers, cycle):
        raise Enough

    workload = {"ops": [{"op": "gemm", "name": f"op{i}", "m": 256, "n": 256, "k": 256}
                        for i in range(4)] + ENDLESS["ops"]}
    with pytest.raises(Enough):
        tw.simulate("tpu_v1", workload, fidelity="detailed", progress=stop)
