"""Measures this project beside its peers: ``python -m benchmarks.run``. See README.md in this folder."""
