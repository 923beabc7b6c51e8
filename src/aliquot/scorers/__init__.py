"""Scorers: what turns a response into a value. Pure; they ask nothing."""
