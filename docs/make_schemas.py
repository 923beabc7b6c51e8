"""Writes docs/schemas: the JSON Schema of each kind of finding, of evaluation files and policies (make schemas)."""

from __future__ import annotations

import json
from pathlib import Path

from aliquot.findings.schema import finding_kinds, finding_schema
from aliquot.gates.policy_schema import policy_schema
from aliquot.runner.evaluation_schema import evaluation_schema

FOLDER = Path(__file__).resolve().parent / "schemas"


def schemas() -> dict[str, str]:
    """Return the text of each schema by its file's name."""
    found = {kind: finding_schema(kind) for kind in sorted(finding_kinds())} | {
        "evaluation": evaluation_schema(),
        "policy": policy_schema(),
    }
    return {f"{name}.json": json.dumps(schema, indent=1) + "\n" for name, schema in found.items()}


def main() -> None:
    """Write the schemas of today, and take away those of kinds that are no more."""
    FOLDER.mkdir(exist_ok=True)
    written = schemas()
    for path in FOLDER.glob("*.json"):
        if path.name not in written:
            path.unlink()
    for name, text in written.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
