# SPDX-License-Identifier: Apache-2.0
"""The points of a sweep on the workers of a Dask cluster; the results stay with the caller."""

import uuid

# Tasks that the scheduler holds for each thread of the cluster: enough to keep it at work while
# results are stored, few enough that a long sweep does not pile up there.
TASKS_PER_THREAD = 4
LEAST_TASKS = 8
MOST_TRIES = 3  # of a point whose future the cluster drops (a restart), as many as of a lost worker's


def run_point(task, version):
    """One point, in a worker's process."""
    from tilewave import _core, _data  # noqa: F401  (finds the presets)
    if _core.__version__ != version:
        raise RuntimeError(f"the worker has tilewave {_core.__version__}, the sweep {version}")
    return _core.run_point(task)


class _Points:
    """Those that the cluster has."""

    def __init__(self, client):
        from distributed import as_completed
        self.client = client
        self.finished = as_completed(loop=client.loop)
        self.run = uuid.uuid4().hex
        self.at_work = {}  # by key: number, task, tries, future

    def submit(self, number, task, tries=1):
        from tilewave import _core
        # A key of its own: equal text in another sweep is not this one's future.
        future = self.client.submit(run_point, task, _core.__version__, pure=False,
                                    key=f"tilewave-{self.run}-{number}-{tries}")
        self.at_work[future.key] = (number, task, tries, future)
        self.finished.add(future)

    def room(self):
        threads = sum(self.client.nthreads().values())
        return len(self.at_work) < max(LEAST_TASKS, TASKS_PER_THREAD * threads)

    def drop_all(self):
        self.finished.clear()
        self.client.cancel([entry[3] for entry in self.at_work.values()], force=True)


def run_on(client, opened):
    """Runs what is missing of an opened sweep (_core.OpenSweep).

    A worker that is lost costs its points' runs: the scheduler gives them to others. A point that
    ends several workers (distributed.scheduler.allowed-failures) is kept as lost, as with local
    processes.
    """
    from concurrent.futures import CancelledError
    from distributed.scheduler import KilledWorker

    points = _Points(client)

    def fill():
        while points.room():
            task = opened.next()
            if task is None:
                return
            points.submit(*task)

    try:
        fill()
        for future in points.finished:
            number, task, tries, _ = points.at_work.pop(future.key)
            try:
                opened.keep(future.result())
            except KilledWorker:
                opened.lose(number, "ended, on several workers of the cluster")
            except CancelledError:
                if tries == MOST_TRIES:
                    raise
                points.submit(number, task, tries + 1)
            fill()
    except BaseException:
        points.drop_all()
        raise
