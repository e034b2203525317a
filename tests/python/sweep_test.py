# SPDX-License-Identifier: Apache-2.0
"""tilewave.sweep: the same results here and on a Dask cluster, also when workers are killed."""

import json
import os
import random
import signal
import sqlite3
import threading
import time

import pytest

import tilewave as tw

SMALL = {"ops": [{"op": "gemm", "m": 32, "n": 32, "k": 32}]}


def definition(values=10, **changes):
    return {"name": "s", "arch": "gemmini_16x16", "workload": SMALL,
            "parameters": {"core.matrix_unit.rows": [4, 8], "clock_ghz": {"range": [0.5, 2.0], "values": values}},
            "objectives": ["total.cycles", {"name": "per MAC", "value": "total.energy_j / total.macs"}],
            **changes}


def stored(folder):
    with sqlite3.connect(os.path.join(folder, "sweep.sqlite")) as database:
        rows = database.execute("SELECT point, parameters, key, objectives, total, error, warnings, report "
                                "FROM sweep_rows ORDER BY point").fetchall()
    database.close()
    return rows


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """What one process after another gives."""
    folder = tmp_path_factory.mktemp("alone")
    tw.sweep(definition(), out=folder / "out")
    return stored(folder / "out")


def test_frame():
    frame = tw.sweep(definition(3, arch={"extends": "gemmini_16x16", "name": "mine"}), jobs=2)
    assert list(frame.index) == list(range(6))
    assert list(frame.columns[:4]) == ["core.matrix_unit.rows", "clock_ghz", "total.cycles", "per MAC"]
    assert frame.attrs["objectives"] == ["total.cycles", "per MAC"]
    assert frame["error"].isna().all()
    point = frame.loc[5]
    report = tw.simulate("gemmini_16x16", SMALL, overrides={"core.matrix_unit.rows": 8, "clock_ghz": 2.0})
    assert point["total.cycles"] == report.total.cycles
    assert point["total.energy_j"] == report.total.energy_j
    assert point["per MAC"] == report.total.energy_j / report.total.macs


def test_a_failing_point_is_a_row_with_an_error():
    frame = tw.sweep(definition(2, parameters={"core.matrix_unit.rows": [8, 0]}))
    assert frame.loc[0, "error"] is None or frame["error"].isna()[0]
    assert frame.loc[1, "error"].startswith("core.matrix_unit.rows: must be")


def test_files_and_presets(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(definition(2)))
    frame = tw.sweep(path)
    assert frame.equals(tw.sweep(str(path)))
    assert "array_size" in tw.list_sweeps()
    with pytest.raises(tw.ConfigError, match='did you mean "array_size"'):
        tw.sweep("array_sise")
    with pytest.raises(tw.ConfigError, match="constraints: leave no point"):
        tw.sweep(definition(constraints=["clock_ghz > 5"]))
    with pytest.raises(tw.ConfigError, match="jobs: must be"):
        tw.sweep(definition(), jobs=0)


def test_resume(tmp_path, alone):
    folder = tmp_path / "out"
    tw.sweep(definition(), out=folder)
    with pytest.raises(tw.ConfigError, match="has results of a sweep"):
        tw.sweep(definition(), out=folder)
    tw.sweep(definition(), out=folder, resume=True)
    assert stored(folder) == alone


def test_control_c(tmp_path):
    # A sweep that takes long: its last point never ends.
    endless = {"ops": [{"op": "gemm", "m": 1 << 20, "n": 8192, "k": 8192}]}
    works = {"arch": "tpu_v1", "fidelity": "detailed", "parameters": {"workload": [SMALL, endless]}}
    folder = tmp_path / "out"

    def interrupt():
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            time.sleep(0.1)
            try:
                if stored(folder):
                    break
            except sqlite3.Error:
                continue
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        tw.sweep(works, out=folder)
    thread.join()
    assert [row[0] for row in stored(folder)] == [0]


distributed = pytest.importorskip("distributed", reason="dask[distributed] is not installed")


@pytest.fixture(scope="module")
def cluster():
    """A scheduler here, workers in processes of their own, which a nanny starts again."""
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True,
                                  dashboard_address=None) as local:
        with distributed.Client(local) as client:
            client.wait_for_workers(2, timeout=60)
            yield client


def test_a_cluster_gives_the_same(tmp_path, cluster, alone):
    frame = tw.sweep(definition(), out=tmp_path / "out", client=cluster)
    assert stored(tmp_path / "out") == alone
    assert len(frame) == 20


KILLS = 10  # and forty of processes of the command line: tests/cli/sweep_test.py
SEED = 20261201
PAUSE_S = (0.1, 0.5)  # between kills: a worker takes about a second to start again


def kill_workers(client, draw, killed, over):
    """Kills workers of the cluster, one after another, until there are enough or the sweep is over."""
    while len(killed) < KILLS and not over.wait(draw.uniform(*PAUSE_S)):
        workers = [nanny.pid for nanny in client.cluster.workers.values() if nanny.pid]
        try:
            victim = draw.choice(workers)
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)
        except (IndexError, ProcessLookupError):  # all are just starting
            continue


def test_killed_workers_cost_nothing(tmp_path, cluster):
    sweep = definition(200)
    tw.sweep(sweep, out=tmp_path / "alone", jobs=2)
    alone = stored(tmp_path / "alone")
    killed = []
    draw = random.Random(SEED)
    while len(killed) < KILLS:
        before = len(killed)
        folder = tmp_path / f"after_{before}"
        over = threading.Event()
        thread = threading.Thread(target=kill_workers, args=(cluster, draw, killed, over))
        thread.start()
        tw.sweep(sweep, out=folder, client=cluster)
        over.set()
        thread.join()
        assert len(killed) > before, "the sweep was over before a worker could be killed"
        # A point that was at three killed workers is kept as lost, and tried again.
        tw.sweep(sweep, out=folder, client=cluster, resume=True)
        assert stored(folder) == alone
