from __future__ import annotations

import subprocess
import sys
from typing import Any

import duckdb
import numpy as np
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


WITHOUT_PYARROW = """
import subprocess
import sys
sys.modules["pyarrow"] = None
import pandas as pd
from aliquot import from_frame
frame = pd.DataFrame({"case": ["a", "b", "c"], "right": [1.0, None, 0.0], "who": ["m", "m", "n"]})
print(from_frame(frame, item="case", value="right", system="who").outcomes["value"].to_list())
"""


def test_pandas_frames_are_read_without_pyarrow() -> None:
    command = [sys.executable, "-c", WITHOUT_PYARROW]  # a fresh process: here pyarrow may be loaded already
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[1.0, None, 0.0]", done.stderr


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ([True, False, True], [1.0, 0.0, 1.0]),
        (np.array([1, 0, 1], dtype="int8"), [1.0, 0.0, 1.0]),
        (np.array([0.5, np.nan, 0.25], dtype="float32"), [0.5, None, 0.25]),
        (pd.array([1, None, 0], dtype="Int64"), [1.0, None, 0.0]),
        (pd.array([True, None, False], dtype="boolean"), [1.0, None, 0.0]),
        (pd.Series([1, 0.5, None], dtype=object), [1.0, 0.5, None]),
        (pd.Series([np.int64(1), np.float64(0.5), np.nan], dtype=object), [1.0, 0.5, None]),
        (pd.Categorical(["1", "0", "1"]), [1.0, 0.0, 1.0]),
    ],
    ids=["bool", "int8", "float32", "Int64", "boolean", "object", "numpy objects", "categorical"],
)
def test_every_kind_of_pandas_column_is_read(column: Any, values: list[float | None]) -> None:
    frame = pd.DataFrame({"case": pd.array([1, 2, 3], dtype="Int64"), "right": column})
    evidence = from_frame(frame, item="case", value="right")
    assert evidence.outcomes["item"].to_list() == ["1", "2", "3"]
    assert evidence.outcomes["value"].to_list() == values
