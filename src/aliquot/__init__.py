"""Aliquot: is this language-model system better, and how sure are we?

An aliquot is a sample taken so that the whole can be judged by it; every evaluation is one. The verbs below are the
commands of the command line under the same names; ``aliquot.stats`` holds the estimators, ``aliquot.errors`` what they
raise. Everything is imported when it is first used.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from aliquot.findings.finding import present_with

if TYPE_CHECKING:
    from aliquot.evidence.derivation import derive as derive
    from aliquot.evidence.labels import Labels as Labels
    from aliquot.evidence.long_table import to_arrow as to_arrow
    from aliquot.evidence.long_table import to_pandas as to_pandas
    from aliquot.evidence.long_table import to_polars as to_polars
    from aliquot.evidence.tables import Evidence as Evidence
    from aliquot.findings.agreement import RaterAgreement as RaterAgreement
    from aliquot.findings.calibration import Calibration as Calibration
    from aliquot.findings.comparison import Comparison as Comparison
    from aliquot.findings.explanation import Explanation as Explanation
    from aliquot.findings.failures import Failures as Failures
    from aliquot.findings.gate import Gate as Gate
    from aliquot.findings.monitor import Monitor as Monitor
    from aliquot.findings.noise import Noise as Noise
    from aliquot.findings.planning import Plan as Plan
    from aliquot.findings.probe import JudgeAudit as JudgeAudit
    from aliquot.findings.rescoring import Rescoring as Rescoring
    from aliquot.findings.schema import finding_schema as finding_schema
    from aliquot.findings.summary import Summary as Summary
    from aliquot.findings.table import Table as Table
    from aliquot.findings.trend import Trend as Trend
    from aliquot.findings.variants import Variants as Variants
    from aliquot.findings.verification import Verification as Verification
    from aliquot.labelling.label_project import LabelProject as LabelProject
    from aliquot.readers.frame import from_frame as from_frame
    from aliquot.readers.frame import labels_from as labels_from
    from aliquot.runner.evaluation import Evaluation as Evaluation
    from aliquot.runner.evaluation import Guards as Guards
    from aliquot.runner.evaluation import SampleSpec as SampleSpec
    from aliquot.runner.evaluation import ScorerSpec as ScorerSpec
    from aliquot.runner.evaluation import SystemSpec as SystemSpec
    from aliquot.runner.money import Prices as Prices
    from aliquot.runner.stored import StoredRun as StoredRun
    from aliquot.stats.results import Estimate as Estimate
    from aliquot.stats.results import HypothesisTest as HypothesisTest
    from aliquot.stats.results import Undefined as Undefined
    from aliquot.systems.baselines import Baseline as Baseline
    from aliquot.systems.callables import function_system as function_system
    from aliquot.systems.command import command_system as command_system
    from aliquot.systems.endpoint import Endpoint as Endpoint
    from aliquot.systems.fake import FakeSystem as FakeSystem
    from aliquot.systems.own import Command as Command
    from aliquot.systems.own import PythonFunction as PythonFunction
    from aliquot.systems.replies import Reply as Reply
    from aliquot.systems.requests import Decoding as Decoding
    from aliquot.verbs.agree import agree as agree
    from aliquot.verbs.calibrate import calibrate as calibrate
    from aliquot.verbs.compare import compare as compare
    from aliquot.verbs.demo import demo as demo
    from aliquot.verbs.expect import expect_not_worse as expect_not_worse
    from aliquot.verbs.expect import expect_rate as expect_rate
    from aliquot.verbs.explain import explain as explain
    from aliquot.verbs.failures import failures as failures
    from aliquot.verbs.gate import bless as bless
    from aliquot.verbs.gate import gate as gate
    from aliquot.verbs.init import init as init
    from aliquot.verbs.label import label as label
    from aliquot.verbs.label_draw import LabelDraw as LabelDraw
    from aliquot.verbs.label_draw import RaterChecks as RaterChecks
    from aliquot.verbs.model import model as model
    from aliquot.verbs.monitor import monitor as monitor
    from aliquot.verbs.noise import noise as noise
    from aliquot.verbs.plan import plan as plan
    from aliquot.verbs.probe_judge import probe_judge as probe_judge
    from aliquot.verbs.read import read as read
    from aliquot.verbs.report import report as report
    from aliquot.verbs.rescore import rescore as rescore
    from aliquot.verbs.run import run as run
    from aliquot.verbs.run import run_async as run_async
    from aliquot.verbs.runs import runs as runs
    from aliquot.verbs.show import show as show
    from aliquot.verbs.summarize import summarize as summarize
    from aliquot.verbs.table import table as table
    from aliquot.verbs.trend import trend as trend
    from aliquot.verbs.variants import variants as variants
    from aliquot.verbs.verify import verify as verify

_HOMES = {
    "Baseline": "aliquot.systems.baselines",
    "Calibration": "aliquot.findings.calibration",
    "Command": "aliquot.systems.own",
    "Comparison": "aliquot.findings.comparison",
    "Decoding": "aliquot.systems.requests",
    "Endpoint": "aliquot.systems.endpoint",
    "Estimate": "aliquot.stats.results",
    "Evaluation": "aliquot.runner.evaluation",
    "Evidence": "aliquot.evidence.tables",
    "Explanation": "aliquot.findings.explanation",
    "Failures": "aliquot.findings.failures",
    "FakeSystem": "aliquot.systems.fake",
    "Gate": "aliquot.findings.gate",
    "Guards": "aliquot.runner.evaluation",
    "HypothesisTest": "aliquot.stats.results",
    "JudgeAudit": "aliquot.findings.probe",
    "LabelDraw": "aliquot.verbs.label_draw",
    "LabelProject": "aliquot.labelling.label_project",
    "Labels": "aliquot.evidence.labels",
    "Monitor": "aliquot.findings.monitor",
    "Noise": "aliquot.findings.noise",
    "Plan": "aliquot.findings.planning",
    "Prices": "aliquot.runner.money",
    "PythonFunction": "aliquot.systems.own",
    "RaterAgreement": "aliquot.findings.agreement",
    "RaterChecks": "aliquot.verbs.label_draw",
    "Reply": "aliquot.systems.replies",
    "Rescoring": "aliquot.findings.rescoring",
    "SampleSpec": "aliquot.runner.evaluation",
    "ScorerSpec": "aliquot.runner.evaluation",
    "StoredRun": "aliquot.runner.stored",
    "Summary": "aliquot.findings.summary",
    "SystemSpec": "aliquot.runner.evaluation",
    "Table": "aliquot.findings.table",
    "Trend": "aliquot.findings.trend",
    "Undefined": "aliquot.stats.results",
    "Variants": "aliquot.findings.variants",
    "Verification": "aliquot.findings.verification",
    "agree": "aliquot.verbs.agree",
    "bless": "aliquot.verbs.gate",
    "calibrate": "aliquot.verbs.calibrate",
    "command_system": "aliquot.systems.command",
    "compare": "aliquot.verbs.compare",
    "demo": "aliquot.verbs.demo",
    "derive": "aliquot.evidence.derivation",
    "expect_not_worse": "aliquot.verbs.expect",
    "expect_rate": "aliquot.verbs.expect",
    "explain": "aliquot.verbs.explain",
    "failures": "aliquot.verbs.failures",
    "finding_schema": "aliquot.findings.schema",
    "from_frame": "aliquot.readers.frame",
    "function_system": "aliquot.systems.callables",
    "gate": "aliquot.verbs.gate",
    "init": "aliquot.verbs.init",
    "label": "aliquot.verbs.label",
    "labels_from": "aliquot.readers.frame",
    "model": "aliquot.verbs.model",
    "monitor": "aliquot.verbs.monitor",
    "noise": "aliquot.verbs.noise",
    "plan": "aliquot.verbs.plan",
    "probe_judge": "aliquot.verbs.probe_judge",
    "read": "aliquot.verbs.read",
    "report": "aliquot.verbs.report",
    "rescore": "aliquot.verbs.rescore",
    "run": "aliquot.verbs.run",
    "run_async": "aliquot.verbs.run",
    "runs": "aliquot.verbs.runs",
    "show": "aliquot.verbs.show",
    "summarize": "aliquot.verbs.summarize",
    "table": "aliquot.verbs.table",
    "to_arrow": "aliquot.evidence.long_table",
    "to_pandas": "aliquot.evidence.long_table",
    "to_polars": "aliquot.evidence.long_table",
    "trend": "aliquot.verbs.trend",
    "variants": "aliquot.verbs.variants",
    "verify": "aliquot.verbs.verify",
}

__all__ = list(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll] - the names above, each under TYPE_CHECKING too


def _when_asked(home: str, name: str) -> Callable[[Any], Any]:
    """Return a function that imports its module when it is called."""

    def presenter(finding: Any) -> Any:
        return getattr(import_module(home), name)(finding)

    return presenter


present_with(
    {
        "html": _when_asked("aliquot.reports.notebook", "notebook_html"),
        "markdown": _when_asked("aliquot.reports.notebook", "notebook_markdown"),
        "plot": _when_asked("aliquot.reports.notebook", "notebook_plot"),
    }
)


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'aliquot' has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
