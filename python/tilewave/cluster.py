# SPDX-License-Identifier: Apache-2.0
"""The points of a sweep on the workers of a Dask cluster; the results stay with the caller."""

import uuid

# Tasks that the scheduler holds for each thread of the cluster: enough to keep it at work while
# results are stored, few enough that a long sweep does not pile up there.
TASKS_PER_THREAD = 4
LEAST_TASKS = 8


def run_point(task):
    """One point, in a worker's process."""
    from tilewave import _core, _data  # noqa: F401  (finds the presets)
    return _core.run_point(task)


def run_on(client, opened):
    """Runs what is missing of an opened sweep (_core.OpenSweep).

    A worker that is lost costs its points' runs: the scheduler gives them to others. A point that
    ends several workers (distributed.scheduler.allowed-failures) is kept as lost, as with local processes.
    """
    from distributed import as_completed
    from distributed.scheduler import KilledWorker

    run_id = uuid.uuid4().hex
    finished = as_completed([])
    tasks = {}  # by key: number and text

    def submit(number, text):
        # A key of its own: equal text in another sweep is not this one's future.
        future = client.submit(run_point, text, key=f"tilewave-{run_id}-{number}", pure=False)
        tasks[future.key] = (number, text)
        finished.add(future)

    def fill():
        threads = sum(client.nthreads().values())
        while len(tasks) < max(LEAST_TASKS, TASKS_PER_THREAD * threads):
            task = opened.next()
            if task is None:
                return
            submit(*task)

    try:
        fill()
        for future in finished:
            number, _ = tasks.pop(future.key)
            try:
                opened.keep(future.result())
            except KilledWorker:
                opened.lose(number, "ended, on several workers of the cluster")
            future.release()
            fill()
    finally:
        finished.clear()
        for key in tasks:
            client.cancel(_future(client, key), force=True)


def _future(client, key):
    from distributed import Future
    return Future(key, client)
