"""Aliquot."""
