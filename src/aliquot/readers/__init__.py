"""Logs and tables that others wrote, read as evidence."""
