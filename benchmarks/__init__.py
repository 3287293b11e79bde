"""Measures this project beside its peers: ``python -m benchmarks.run``. README.md in this folder says how."""
