"""All benchmarks: `python benchmarks/run.py`; each `bench_*.py` runs by itself too."""

import sys
import time

import bench_match_index
import bench_passthrough
import bench_traffic
from command import main

if __name__ == "__main__":
    begun_s = time.monotonic()
    bench_match_index.show()
    cases = (*bench_traffic.CASES, *bench_passthrough.CASES)
    sys.exit(main(cases, time.monotonic() - begun_s))
