"""How Hypothesis searches: freely on a desk, the same examples every time under CI, long under ``make fuzz``."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

# No deadline and no health check on speed: a loaded machine is not a fault of the code.
_ANY_SPEED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("desk", **_ANY_SPEED)
# The same examples every time find nothing new the second time: fewer of them, as the suite has a time to keep.
settings.register_profile("ci", derandomize=True, print_blob=True, max_examples=30, **_ANY_SPEED)
settings.register_profile("mutants", derandomize=True, max_examples=25, database=None, **_ANY_SPEED)
settings.register_profile("fuzz", max_examples=20_000, print_blob=True, **_ANY_SPEED)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "desk"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Under the profile fuzz every test takes that many examples, whatever it asks for by itself."""
    if config.getoption("--hypothesis-profile", default=None) != "fuzz":
        return
    for item in items:
        test = getattr(item, "function", None)
        own = getattr(test, "_hypothesis_internal_use_settings", None)  # where a decorated test keeps them
        if own is not None:
            many = settings(own, max_examples=settings.get_profile("fuzz").max_examples)
            test._hypothesis_internal_use_settings = many
