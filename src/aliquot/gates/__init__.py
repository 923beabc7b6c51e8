"""From findings to a release decision: policies, baselines, what a policy costs in a year, and monitoring state."""
