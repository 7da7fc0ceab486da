"""All benchmarks: `python benchmarks/run.py`; each `bench_*.py` runs by itself too."""

import sys

import bench_cleanup
import bench_control_plane
import bench_event_domains
import bench_match_index
import bench_passthrough
import bench_plain
import bench_requests
import bench_scopes
import bench_traffic
from command import main

if __name__ == "__main__":
    measured = main((*bench_traffic.CASES, *bench_passthrough.CASES), bench_match_index.show)
    measured = bench_requests.show() or measured
    shown = bench_control_plane.show() or bench_event_domains.show() or bench_scopes.show()
    shown = shown or bench_plain.show() or bench_cleanup.show()
    sys.exit(measured or shown)
