from __future__ import annotations

import duckdb
import pandas as pd
import polars as pl
import pytest

from aliquot.errors import InputError, UsageError
from aliquot.readers.frame import from_frame
from aliquot.readers.options import ReadOptions

ROWS = {"case": ["a", "b", "c"], "right": [1.0, None, 0.0], "who": ["m", "m", "n"], "doc": ["x", "x", "y"]}
POLARS = pl.DataFrame(ROWS)


@pytest.mark.parametrize(
    "frame",
    [
        POLARS,
        POLARS.lazy(),
        POLARS.to_arrow(),
        pd.DataFrame(ROWS),
        duckdb.sql("select * from POLARS order by 1"),
    ],
    ids=["polars", "lazy", "arrow", "pandas", "duckdb"],
)
def test_every_kind_of_frame_gives_the_same_evidence(frame: object) -> None:
    evidence = from_frame(
        frame, item="case", value="right", system="who", options=ReadOptions(cluster="doc", metric="acc")
    )
    assert evidence.outcomes.select("system", "item", "metric", "value").rows() == [
        ("m", "a", "acc", 1.0),
        ("m", "b", "acc", None),
        ("n", "c", "acc", 0.0),
    ]
    assert evidence.items["cluster"].to_list() == ["x", "x", "y"]


def test_a_frame_without_a_system_gets_the_name_given() -> None:
    assert from_frame(POLARS, item="case", value="right", name="mine").outcomes[
        "system"
    ].unique().to_list() == ["mine"]


def test_what_is_no_frame_or_has_no_rows_is_refused() -> None:
    with pytest.raises(UsageError, match="list is no data frame"):
        from_frame([1, 2])
    with pytest.raises(InputError, match=r"a column mixes kinds: .* Give each column one type"):
        from_frame(pd.DataFrame({"case": [1, "1"], "right": [1, 0]}), item="case", value="right")
    with pytest.raises(InputError, match="the frame has no rows"):
        from_frame(POLARS.head(0), item="case", value="right")
    with pytest.raises(UsageError, match=r"no column 'cas'. Did you mean 'case'"):
        from_frame(POLARS, item="cas", value="right")
