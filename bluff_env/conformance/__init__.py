"""Checks that a rule set keeps every promise that this project makes: what the contributor of a variant runs.

    from bluff_env import conformance

    report = conformance.check("bullshit", num_players=5, jokers=2)
    assert report.ok, report

:func:`check` plays games of the rule set and tests every promise in ``PROMISES`` on them. The report says how often
each promise was tested. A broken promise comes with one sentence and, where a game shows it, with the record of that
game up to that moment. ``docs/check.md`` says what each test can find and what it cannot.

* ``running``: :func:`check`, the table of promises, and how one promise is tested;
* ``report``: what a user gets back;
* ``trial``: what the tests share: the games that were played, comparing what players see;
* ``endings``, ``libraries``, ``legality``, ``secrecy``, ``reproducibility``: the tests of the promises.
"""

from bluff_env.conformance.report import Report, Result
from bluff_env.conformance.running import PROMISES, check

__all__ = ["PROMISES", "Report", "Result", "check"]
