#!/bin/sh
# What any CI runs on a change; the base branch says by which policy and against which baseline. CI_BASE names it.
set -eu
cd "$(dirname "$0")"
aliquot gate pr.csv --policy gate.yaml --base-ref "${CI_BASE:-origin/main}" --comment pr.md -o gate.xml
