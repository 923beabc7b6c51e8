"""Shares of a field as they are written on a command line."""

from __future__ import annotations

from aliquot.errors import UsageError


def read_shares(text: str) -> tuple[str, dict[str, float]]:
    """Return a field and the share of each of its levels, of any scale.

    Raises:
        UsageError: not of the form ``field=level:share,level:share``.

    Examples:
        >>> read_shares("lang=de:30,en:70")
        ('lang', {'de': 30.0, 'en': 70.0})
    """
    field, equals, rest = text.partition("=")
    shares: dict[str, float] = {}
    for part in rest.split(","):
        level, colon, share = part.rpartition(":")
        try:
            number = float(share)
        except ValueError:
            number = -1.0
        if not (field and equals and level and colon) or not 0 <= number < float("inf") or level in shares:
            raise UsageError(f"{text!r} names no shares; write them like lang=de:30,en:60,fr:10")
        shares[level.strip()] = number
    return field.strip(), shares
