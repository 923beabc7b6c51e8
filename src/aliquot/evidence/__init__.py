"""Evaluated systems: tables, identity, status policy, matching and the reduction to units."""
