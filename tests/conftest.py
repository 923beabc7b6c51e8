"""How Hypothesis searches: freely on a desk, the same examples every time under CI."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# No deadline and no health check on speed: a loaded machine is not a fault of the code.
_ANY_SPEED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("desk", **_ANY_SPEED)
settings.register_profile("ci", derandomize=True, print_blob=True, **_ANY_SPEED)
settings.register_profile("mutants", derandomize=True, max_examples=25, database=None, **_ANY_SPEED)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "desk"))
