"""Faults put into the statistics one at a time, to see whether a test notices."""
