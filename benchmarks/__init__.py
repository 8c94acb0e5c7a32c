"""Is it fast? `python -m benchmarks FOLDER` measures this machine, Pinakes and its peers in one run, as one table."""
