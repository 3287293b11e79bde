"""A cluster of Ray on this machine, for the tests of what runs on one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="package")
def cluster() -> Iterator[Any]:
    """A head and a second node, each with room for one worker."""
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    here = Path(__file__)  # what is pickled is imported in the workers: the package, and modules of these tests
    os.environ["PYTHONPATH"] = os.pathsep.join(map(str, [here.parents[2], here.parent]))
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    made.add_node(num_cpus=1)
    ray.init(address=made.address, log_to_driver=False)
    yield made
    ray.shutdown()
    made.shutdown()
