"""Findings as text, Markdown, JSON and HTML; nothing is computed here."""
