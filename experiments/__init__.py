"""Measures play and training: ``python -m experiments.NAME``. README.md in this folder says what each one answers."""
