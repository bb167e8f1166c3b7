# SPDX-License-Identifier: Apache-2.0
"""A sweep shared out by an engine that runs already: concurrent.futures, Dask or Ray.

    python examples/programs/cluster_sweep.py processes|dask|ray MODEL.yaml NAME LOW HIGH RUNS OUT.sweep

The rows are the same for all of them, to the bit.  On several machines MODEL and OUT lie in a folder that all see.
"""
import contextlib
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import cleave


class Ray:
    """Ray as an executor; `options` are those of ray.remote, as num_cpus."""

    def __init__(self, **options):
        import ray
        self._remote = lambda function: ray.remote(**{"num_cpus": 1, **options})(function)

    def submit(self, function, *args):
        return self._remote(function).remote(*args).future()


@contextlib.contextmanager
def engine(name: str, workers: int = 2) -> Iterator[cleave.Executor]:
    """An executor by name, with workers on this machine."""
    if name == "processes":
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            yield pool
    elif name == "dask":
        from distributed import Client  # of a cluster: Client("tcp://scheduler:8786")
        with Client(n_workers=workers, threads_per_worker=1, processes=False, dashboard_address=None) as client:
            yield client.get_executor(pure=False)
    elif name == "ray":
        import ray  # of a cluster: ray.init("auto")
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
        try:
            yield Ray()
        finally:
            ray.shutdown()
    else:
        raise SystemExit(f"{name} is no engine: processes, dask, ray")


def main(name, model, number, low, high, runs, out):
    with engine(name) as executor:
        results = cleave.sweep(model, {number: (float(low), float(high))}, runs=int(runs), out=out, resume=True,
                               executor=executor, shards=8)
    print(results)


if __name__ == "__main__":
    main(*sys.argv[1:])
