"""The face of ``stats`` is the public functions of its modules, and loads no more than it says."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import subprocess
import sys

import aliquot.stats

MACHINERY = {
    "sequences": "the sequence of units, for looks at a run",
    "shown_share": "what the pairs of a probe could show, for analysis",
    "agreement_forms": "observed and expected agreement from totals, behind every coefficient",
    "agreement_intervals": "imagined tables and resamples behind their intervals",
    "agreement_records": "from a table of ratings to a record",
    "agreement_scales": "weights of pairs of labels",
    "design_effects": "mean squares of targets by raters",
    "correlations": "resampling of rows, and checks of columns, for the comparison of two",
    "dependent_correlations": "the test that is read from resamples",
    "bets": "stakes and capital behind betting sequences",
    "boundaries": "limits of rates on arrays, behind sequences",
    "bootstrap_intervals": "the two constants of BCa",
    "corpus": "how many columns the parts of a metric may have, for analysis",
    "corrected": "MOVER limits on arrays and names of verdicts, for plans and analysis",
    "clusters": "sums by cluster, for analysis and databases; t on a variance by clusters",
    "diagnostics": "checks of labels beside verdicts",
    "designs": "what draws, inside designs",
    "discordance": "checked shares and enumeration behind power",
    "distributions": "quantiles and tails",
    "e_detectors": "the state of a detector that has seen nothing, for monitors",
    "e_processes": "capital on arrays, for looks at a run",
    "effective": "effective n behind rates, means and cautions",
    "family": "what a family call is built from",
    "flips": "sign flips of many columns behind max-T and step-down",
    "inputs": "checks of what comes in",
    "judged_rows": "checked labels, verdicts and how labels were drawn, behind corrections",
    "least_squares": "the robust fit behind biases of a judge",
    "margins": "score statistics on arrays, and checks of margins, behind equivalence",
    "merge_draws": "how merges come out under the conditions of a gate, behind simulated years",
    "method_names": "which function made a number",
    "online_tests": "many streams at once, behind simulated years",
    "paired": "reduction to differences",
    "paired_forms": "interval forms behind paired differences",
    "paired_score": "Tango's limits on arrays and checks of counts",
    "paired_tests": "checks of tables",
    "power_graded": "checks of spreads, and the law of s, behind graded margins",
    "power_unpaired": "where a search by exact power starts",
    "prediction_powered": "the linear form behind corrected means and differences",
    "printing": "tables as text and HTML",
    "procedures": "what coverage runs",
    "rates": "a rate by any interval for x of n",
    "rater_tables": "coding of two lists of labels",
    "metric_scores": "scores of the same cells, drawn anew, behind metrics against people",
    "ranks": "ranks and counts of pairs behind correlations",
    "replicates": "units that are resampled",
    "resampling": "the engine of the bootstrap",
    "results": "what every record shares",
    "roots": "bisection",
    "sawtooth": "the scan for the last n that falls short",
    "strata": "weights of strata",
    "unpaired_exact": "checks of counts",
    "unpaired_regions": "tables that a test rejects",
    "unpaired_score": "score limits on arrays and checks of counts",
}


def public(module):
    """Functions and classes that a module defines under a name without underscore."""
    return {
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (inspect.isfunction(value) or inspect.isclass(value))
        and value.__module__ == module.__name__
    }


def test_what_is_public_and_not_on_the_face_is_machinery_with_a_reason():
    left_out = {}
    for found in pkgutil.iter_modules(aliquot.stats.__path__):
        module = importlib.import_module(f"aliquot.stats.{found.name}")
        hidden = public(module) - set(aliquot.stats.__all__)
        if hidden and found.name not in MACHINERY:
            left_out[found.name] = sorted(hidden)
    assert left_out == {}


def test_every_name_is_served_from_the_module_that_defines_it():
    for name in aliquot.stats.__all__:
        value = getattr(aliquot.stats, name)
        assert name in public(sys.modules[value.__module__]), name
        assert name in dir(aliquot.stats)


def test_the_whole_face_loads_neither_scipy_stats_nor_polars():
    code = (
        "import sys, aliquot.stats as s\n"
        "assert not [m for m in sys.modules if m.startswith('aliquot.stats.')]\n"
        "for name in s.__all__: getattr(s, name)\n"
        "heavy = ('scipy.stats', 'scipy.optimize', 'polars', 'pandas', 'narwhals')\n"
        "print([m for m in heavy if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
