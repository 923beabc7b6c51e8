"""Which field names the cluster: what the user said, for the reader and for the analysis."""

from __future__ import annotations

from dataclasses import replace

from aliquot.evidence.reduction import EACH_ITEM
from aliquot.evidence.tables import Evidence
from aliquot.readers.options import ReadOptions


def reading_cluster(options: ReadOptions | None, cluster: str | None) -> ReadOptions:
    """Return the reading options with the named cluster field, so that the reader looks it up."""
    options = options or ReadOptions()
    return options if cluster is None or cluster == EACH_ITEM else replace(options, cluster=cluster)


def cluster_field(evidence: Evidence, cluster: str | None) -> str | None:
    """Return the field analysis clusters by: a table's reader has already taken a named column as the cluster."""
    if cluster is None or cluster == EACH_ITEM or f"segment.{cluster}" in evidence.items.columns:
        return cluster
    return "cluster" if evidence.items["cluster"].null_count() < evidence.items.height else cluster
