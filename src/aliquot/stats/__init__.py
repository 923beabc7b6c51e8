"""Estimates, intervals and tests on numpy arrays, as frozen records; nothing here sees a row, a path or a frame.

The page of public names lists what each is for, ``docs/methods`` has a page a family. A module is imported when
one of its names is first used, so that a command loads the statistics it needs and no others.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aliquot.stats.agreement import cohen_kappa as cohen_kappa
    from aliquot.stats.agreement import scott_pi as scott_pi
    from aliquot.stats.agreement_many import agreement_coefficients as agreement_coefficients
    from aliquot.stats.agreement_many import brennan_prediger as brennan_prediger
    from aliquot.stats.agreement_many import conger_kappa as conger_kappa
    from aliquot.stats.agreement_many import fleiss_kappa as fleiss_kappa
    from aliquot.stats.agreement_many import gwet_ac as gwet_ac
    from aliquot.stats.agreement_many import krippendorff_alpha as krippendorff_alpha
    from aliquot.stats.agreement_many import raw_agreement as raw_agreement
    from aliquot.stats.agreement_pairs import AgreementDifference as AgreementDifference
    from aliquot.stats.agreement_pairs import SecondLabeller as SecondLabeller
    from aliquot.stats.agreement_pairs import agreement_difference as agreement_difference
    from aliquot.stats.agreement_pairs import second_labeller as second_labeller
    from aliquot.stats.agreement_records import Agreement as Agreement
    from aliquot.stats.apparent import lang_reiczigel as lang_reiczigel
    from aliquot.stats.apparent import rogan_gladen as rogan_gladen
    from aliquot.stats.attempts import paired_attempts as paired_attempts
    from aliquot.stats.attempts import these_items_difference as these_items_difference
    from aliquot.stats.betting import betting_interval as betting_interval
    from aliquot.stats.binomial_tests import binomial_exact as binomial_exact
    from aliquot.stats.binomial_tests import binomial_mid_p as binomial_mid_p
    from aliquot.stats.binomial_tests import binomial_score as binomial_score
    from aliquot.stats.bootstrap import abc_interval as abc_interval
    from aliquot.stats.bootstrap import bootstrap_difference as bootstrap_difference
    from aliquot.stats.bootstrap import bootstrap_mean as bootstrap_mean
    from aliquot.stats.bootstrap_intervals import basic_interval as basic_interval
    from aliquot.stats.bootstrap_intervals import bca_interval as bca_interval
    from aliquot.stats.bootstrap_intervals import normal_interval as normal_interval
    from aliquot.stats.bootstrap_intervals import percentile_interval as percentile_interval
    from aliquot.stats.bootstrap_intervals import studentized_interval as studentized_interval
    from aliquot.stats.boundaries import anytime_rate as anytime_rate
    from aliquot.stats.boundaries import mixture_precision as mixture_precision
    from aliquot.stats.boundaries import normal_mixture_bound as normal_mixture_bound
    from aliquot.stats.boundaries import normal_mixture_log as normal_mixture_log
    from aliquot.stats.boundaries import stitched_bound as stitched_bound
    from aliquot.stats.cautions import coverage_warning as coverage_warning
    from aliquot.stats.class_scores import Classification as Classification
    from aliquot.stats.class_scores import classification as classification
    from aliquot.stats.class_scores import classification_difference as classification_difference
    from aliquot.stats.clustered_tests import clustered_mcnemar as clustered_mcnemar
    from aliquot.stats.clusters import ClusterVariance as ClusterVariance
    from aliquot.stats.clusters import cluster_variance as cluster_variance
    from aliquot.stats.clusters import clustered_mean as clustered_mean
    from aliquot.stats.confusion_tables import ClassRates as ClassRates
    from aliquot.stats.confusion_tables import Confusion as Confusion
    from aliquot.stats.confusion_tables import confusion as confusion
    from aliquot.stats.corpus import corpus_difference as corpus_difference
    from aliquot.stats.corpus import corpus_metric as corpus_metric
    from aliquot.stats.corpus import corpus_swap as corpus_swap
    from aliquot.stats.corpus import corpus_value as corpus_value
    from aliquot.stats.corrected import CorrectedRate as CorrectedRate
    from aliquot.stats.corrected import VerdictLevel as VerdictLevel
    from aliquot.stats.corrected import corrected_rate as corrected_rate
    from aliquot.stats.corrected_means import CorrectedMean as CorrectedMean
    from aliquot.stats.corrected_means import corrected_mean as corrected_mean
    from aliquot.stats.corrected_pairs import CorrectedDifference as CorrectedDifference
    from aliquot.stats.corrected_pairs import corrected_difference as corrected_difference
    from aliquot.stats.correlation import DesignEffect as DesignEffect
    from aliquot.stats.correlation import Intraclass as Intraclass
    from aliquot.stats.correlation import design_effect as design_effect
    from aliquot.stats.correlation import design_effect_of as design_effect_of
    from aliquot.stats.correlation import intraclass as intraclass
    from aliquot.stats.correlation import shrout_fleiss as shrout_fleiss
    from aliquot.stats.correlations import Correlation as Correlation
    from aliquot.stats.correlations import correlation_interval as correlation_interval
    from aliquot.stats.correlations import kendall_tau as kendall_tau
    from aliquot.stats.correlations import pearson_correlation as pearson_correlation
    from aliquot.stats.correlations import spearman_correlation as spearman_correlation
    from aliquot.stats.decision import decided_interval as decided_interval
    from aliquot.stats.decision import rejects as rejects
    from aliquot.stats.dependent_correlations import CorrelationDifference as CorrelationDifference
    from aliquot.stats.dependent_correlations import correlation_difference as correlation_difference
    from aliquot.stats.dependent_correlations import (
        printed_correlation_difference as printed_correlation_difference,
    )
    from aliquot.stats.designs import AttemptsDesign as AttemptsDesign
    from aliquot.stats.designs import PairedDesign as PairedDesign
    from aliquot.stats.designs import RateDesign as RateDesign
    from aliquot.stats.designs import ScoresDesign as ScoresDesign
    from aliquot.stats.designs import UnpairedDesign as UnpairedDesign
    from aliquot.stats.diagnostics import JudgeAccuracy as JudgeAccuracy
    from aliquot.stats.diagnostics import accuracy_by as accuracy_by
    from aliquot.stats.diagnostics import judge_accuracy as judge_accuracy
    from aliquot.stats.discordance import discordance_range as discordance_range
    from aliquot.stats.discordance import feasible_difference as feasible_difference
    from aliquot.stats.discordance import pairing_break_even as pairing_break_even
    from aliquot.stats.e_detectors import Detection as Detection
    from aliquot.stats.e_detectors import DetectorState as DetectorState
    from aliquot.stats.e_detectors import conformal_ranks as conformal_ranks
    from aliquot.stats.e_detectors import e_detector as e_detector
    from aliquot.stats.e_processes import EProcess as EProcess
    from aliquot.stats.e_processes import betting_capital as betting_capital
    from aliquot.stats.e_processes import msprt as msprt
    from aliquot.stats.e_processes import sign_e_process as sign_e_process
    from aliquot.stats.e_processes import sign_e_value as sign_e_value
    from aliquot.stats.equivalence import graded_margin_power as graded_margin_power
    from aliquot.stats.equivalence import graded_margin_sample_size as graded_margin_sample_size
    from aliquot.stats.equivalence import paired_margin_power as paired_margin_power
    from aliquot.stats.equivalence import paired_margin_sample_size as paired_margin_sample_size
    from aliquot.stats.equivalence import unpaired_margin_power as unpaired_margin_power
    from aliquot.stats.equivalence import unpaired_margin_sample_size as unpaired_margin_sample_size
    from aliquot.stats.error_gaps import ErrorGap as ErrorGap
    from aliquot.stats.error_gaps import equal_errors as equal_errors
    from aliquot.stats.facets import DecisionStudy as DecisionStudy
    from aliquot.stats.facets import FacetStep as FacetStep
    from aliquot.stats.facets import decision_study as decision_study
    from aliquot.stats.families import mean_family as mean_family
    from aliquot.stats.families import paired_scores as paired_scores
    from aliquot.stats.families import proportion_family as proportion_family
    from aliquot.stats.family import Family as Family
    from aliquot.stats.group_permutation import cluster_permutation as cluster_permutation
    from aliquot.stats.group_permutation import permutation_means as permutation_means
    from aliquot.stats.heterogeneity import Shrinkage as Shrinkage
    from aliquot.stats.heterogeneity import cochran_q as cochran_q
    from aliquot.stats.heterogeneity import shrink_groups as shrink_groups
    from aliquot.stats.icc import RaterICC as RaterICC
    from aliquot.stats.icc import rater_icc as rater_icc
    from aliquot.stats.interaction import interaction_test as interaction_test
    from aliquot.stats.judge_bias import CovariateBias as CovariateBias
    from aliquot.stats.judge_bias import CovariateEffect as CovariateEffect
    from aliquot.stats.judge_bias import covariate_bias as covariate_bias
    from aliquot.stats.label_plan import LabelPlan as LabelPlan
    from aliquot.stats.label_plan import TwoPhase as TwoPhase
    from aliquot.stats.label_plan import allocate_labels as allocate_labels
    from aliquot.stats.label_plan import corrected_width as corrected_width
    from aliquot.stats.label_plan import plan_labels as plan_labels
    from aliquot.stats.label_plan import two_phase_design as two_phase_design
    from aliquot.stats.label_plan import verdict_cells as verdict_cells
    from aliquot.stats.label_split import LabelSample as LabelSample
    from aliquot.stats.label_split import development_rows as development_rows
    from aliquot.stats.label_split import rows_to_label as rows_to_label
    from aliquot.stats.level_changes import ChangePoint as ChangePoint
    from aliquot.stats.level_changes import ChangePoints as ChangePoints
    from aliquot.stats.level_changes import change_points as change_points
    from aliquot.stats.listing import Method as Method
    from aliquot.stats.listing import Methods as Methods
    from aliquot.stats.listing import methods as methods
    from aliquot.stats.margins import paired_margin_test as paired_margin_test
    from aliquot.stats.margins import t_margin_test as t_margin_test
    from aliquot.stats.margins import unpaired_margin_test as unpaired_margin_test
    from aliquot.stats.means import mean as mean
    from aliquot.stats.means import mean_bounded as mean_bounded
    from aliquot.stats.means import mean_t as mean_t
    from aliquot.stats.merge_years import YearOfMerges as YearOfMerges
    from aliquot.stats.merge_years import year_of_merges as year_of_merges
    from aliquot.stats.metric_ranking import MetricAgreement as MetricAgreement
    from aliquot.stats.metric_ranking import item_accuracy as item_accuracy
    from aliquot.stats.metric_ranking import item_correlation as item_correlation
    from aliquot.stats.metric_ranking import system_accuracy as system_accuracy
    from aliquot.stats.metric_ranking import system_correlation as system_correlation
    from aliquot.stats.missing import MissingBounds as MissingBounds
    from aliquot.stats.missing import difference_bounds as difference_bounds
    from aliquot.stats.missing import imbens_manski as imbens_manski
    from aliquot.stats.missing import mean_bounds as mean_bounds
    from aliquot.stats.mixes import MixDifference as MixDifference
    from aliquot.stats.mixes import mix_difference as mix_difference
    from aliquot.stats.multiplicity import benjamini_hochberg as benjamini_hochberg
    from aliquot.stats.multiplicity import benjamini_yekutieli as benjamini_yekutieli
    from aliquot.stats.multiplicity import bonferroni as bonferroni
    from aliquot.stats.multiplicity import hochberg as hochberg
    from aliquot.stats.multiplicity import holm as holm
    from aliquot.stats.multiplicity import hommel as hommel
    from aliquot.stats.multiplicity import sidak as sidak
    from aliquot.stats.multiplicity import step_down as step_down
    from aliquot.stats.multiplicity import tarone_holm as tarone_holm
    from aliquot.stats.noise_limits import NoiseLimit as NoiseLimit
    from aliquot.stats.noise_limits import noise_limit as noise_limit
    from aliquot.stats.noise_limits import spearman_brown as spearman_brown
    from aliquot.stats.online_tests import OnlineTests as OnlineTests
    from aliquot.stats.online_tests import addis as addis
    from aliquot.stats.online_tests import alpha_shares as alpha_shares
    from aliquot.stats.online_tests import lord as lord
    from aliquot.stats.pair_matrices import AllPairs as AllPairs
    from aliquot.stats.pair_matrices import all_pairs as all_pairs
    from aliquot.stats.paired import paired_binary_difference as paired_binary_difference
    from aliquot.stats.paired import paired_difference as paired_difference
    from aliquot.stats.paired import paired_graded_difference as paired_graded_difference
    from aliquot.stats.paired_family import paired_binary as paired_binary
    from aliquot.stats.paired_intervals import agresti_min as agresti_min
    from aliquot.stats.paired_intervals import bonett_price as bonett_price
    from aliquot.stats.paired_intervals import discordant_ratio as discordant_ratio
    from aliquot.stats.paired_intervals import newcombe_paired as newcombe_paired
    from aliquot.stats.paired_intervals import rate_ratio_paired as rate_ratio_paired
    from aliquot.stats.paired_intervals import wald_paired as wald_paired
    from aliquot.stats.paired_margins import MarginRange as MarginRange
    from aliquot.stats.paired_margins import feasible_tables as feasible_tables
    from aliquot.stats.paired_margins import mcnemar_range as mcnemar_range
    from aliquot.stats.paired_score import tango as tango
    from aliquot.stats.paired_tests import mcnemar as mcnemar
    from aliquot.stats.paired_tests import paired_table as paired_table
    from aliquot.stats.pass_k import IndependenceGap as IndependenceGap
    from aliquot.stats.pass_k import independence_gap as independence_gap
    from aliquot.stats.pass_k import item_pass_at_k as item_pass_at_k
    from aliquot.stats.pass_k import majority_at_k as majority_at_k
    from aliquot.stats.pass_k import pass_at_k as pass_at_k
    from aliquot.stats.pass_k import pass_hat_k as pass_hat_k
    from aliquot.stats.permutation import sign_flip as sign_flip
    from aliquot.stats.position import PositionBias as PositionBias
    from aliquot.stats.position import position_bias as position_bias
    from aliquot.stats.power import DesignErrors as DesignErrors
    from aliquot.stats.power import Detectable as Detectable
    from aliquot.stats.power import connor_sample_size as connor_sample_size
    from aliquot.stats.power import design_errors as design_errors
    from aliquot.stats.power import detectable_difference as detectable_difference
    from aliquot.stats.power import mcnemar_power as mcnemar_power
    from aliquot.stats.power import mcnemar_sample_size as mcnemar_sample_size
    from aliquot.stats.power_design import FoldedDesign as FoldedDesign
    from aliquot.stats.power_design import attempts_detectable as attempts_detectable
    from aliquot.stats.power_design import attempts_sample_size as attempts_sample_size
    from aliquot.stats.power_design import best_attempts as best_attempts
    from aliquot.stats.power_design import fold_design as fold_design
    from aliquot.stats.power_exact_unpaired import unpaired_design_errors as unpaired_design_errors
    from aliquot.stats.power_exact_unpaired import unpaired_exact_detectable as unpaired_exact_detectable
    from aliquot.stats.power_exact_unpaired import unpaired_exact_power as unpaired_exact_power
    from aliquot.stats.power_exact_unpaired import unpaired_exact_sample_size as unpaired_exact_sample_size
    from aliquot.stats.power_graded import paired_t_detectable as paired_t_detectable
    from aliquot.stats.power_graded import paired_t_errors as paired_t_errors
    from aliquot.stats.power_graded import paired_t_power as paired_t_power
    from aliquot.stats.power_graded import paired_t_sample_size as paired_t_sample_size
    from aliquot.stats.power_labels import judged_r2 as judged_r2
    from aliquot.stats.power_labels import labels_sample_size as labels_sample_size
    from aliquot.stats.power_pilot import SampleSizeRange as SampleSizeRange
    from aliquot.stats.power_pilot import pilot_power as pilot_power
    from aliquot.stats.power_pilot import pilot_sample_size as pilot_sample_size
    from aliquot.stats.power_pilot import sample_size_range as sample_size_range
    from aliquot.stats.power_unpaired import unpaired_arcsine_power as unpaired_arcsine_power
    from aliquot.stats.power_unpaired import unpaired_detectable as unpaired_detectable
    from aliquot.stats.power_unpaired import unpaired_sample_size as unpaired_sample_size
    from aliquot.stats.power_unpaired import unpaired_z_power as unpaired_z_power
    from aliquot.stats.precision import paired_half_width as paired_half_width
    from aliquot.stats.precision import paired_precision_size as paired_precision_size
    from aliquot.stats.precision import rate_half_width as rate_half_width
    from aliquot.stats.precision import rate_precision_size as rate_precision_size
    from aliquot.stats.prediction_powered import prediction_powered_mean as prediction_powered_mean
    from aliquot.stats.printed_rates import Attainable as Attainable
    from aliquot.stats.printed_rates import attainable as attainable
    from aliquot.stats.printed_rates import rate_error as rate_error
    from aliquot.stats.printed_rates import sizes_that_fit as sizes_that_fit
    from aliquot.stats.proportions import agresti_coull as agresti_coull
    from aliquot.stats.proportions import clopper_pearson as clopper_pearson
    from aliquot.stats.proportions import jeffreys as jeffreys
    from aliquot.stats.proportions import mid_p_interval as mid_p_interval
    from aliquot.stats.proportions import proportion as proportion
    from aliquot.stats.proportions import wilson as wilson
    from aliquot.stats.quantiles import paired_quantile as paired_quantile
    from aliquot.stats.quantiles import quantile as quantile
    from aliquot.stats.quantiles import quantile_difference as quantile_difference
    from aliquot.stats.quantiles import smallest_n as smallest_n
    from aliquot.stats.rater_tables import RatingTable as RatingTable
    from aliquot.stats.rater_tables import rating_table as rating_table
    from aliquot.stats.rater_tables import ratings_by_item as ratings_by_item
    from aliquot.stats.rates import floor_interval as floor_interval
    from aliquot.stats.rates import rate as rate
    from aliquot.stats.ratios import UnboundedRatio as UnboundedRatio
    from aliquot.stats.ratios import fieller as fieller
    from aliquot.stats.ratios import fieller_from_moments as fieller_from_moments
    from aliquot.stats.ratios import ratio_linear as ratio_linear
    from aliquot.stats.repeats import ItemMeans as ItemMeans
    from aliquot.stats.repeats import Precision as Precision
    from aliquot.stats.repeats import VarianceComponents as VarianceComponents
    from aliquot.stats.repeats import item_means as item_means
    from aliquot.stats.repeats import precision_table as precision_table
    from aliquot.stats.repeats import variance_components as variance_components
    from aliquot.stats.replicates import exact_resamples as exact_resamples
    from aliquot.stats.replicates import resample_mean as resample_mean
    from aliquot.stats.results import Estimate as Estimate
    from aliquot.stats.results import HypothesisTest as HypothesisTest
    from aliquot.stats.results import Undefined as Undefined
    from aliquot.stats.selection import Picked as Picked
    from aliquot.stats.selection import expected_maximum as expected_maximum
    from aliquot.stats.selection import picked_best as picked_best
    from aliquot.stats.sequences import ConfidenceSequence as ConfidenceSequence
    from aliquot.stats.sequences import betting_sequence as betting_sequence
    from aliquot.stats.sequences import empirical_bernstein_sequence as empirical_bernstein_sequence
    from aliquot.stats.sequences import paired_sequence as paired_sequence
    from aliquot.stats.sequences import rate_sequence as rate_sequence
    from aliquot.stats.sequences import subgaussian_sequence as subgaussian_sequence
    from aliquot.stats.simultaneous import MaxT as MaxT
    from aliquot.stats.simultaneous import max_t as max_t
    from aliquot.stats.simultaneous import simultaneous_interval as simultaneous_interval
    from aliquot.stats.simultaneous import simultaneous_intervals as simultaneous_intervals
    from aliquot.stats.spread import CrossedSpread as CrossedSpread
    from aliquot.stats.spread import crossed_spread as crossed_spread
    from aliquot.stats.strata import StratifiedVariance as StratifiedVariance
    from aliquot.stats.strata import stratified_variance as stratified_variance
    from aliquot.stats.stratified import stratified_difference as stratified_difference
    from aliquot.stats.stratified import stratified_mean as stratified_mean
    from aliquot.stats.stratified import stratified_sign_flip as stratified_sign_flip
    from aliquot.stats.unpaired import unpaired_means as unpaired_means
    from aliquot.stats.unpaired import unpaired_rates as unpaired_rates
    from aliquot.stats.unpaired import welch_test as welch_test
    from aliquot.stats.unpaired_exact import boschloo as boschloo
    from aliquot.stats.unpaired_exact import fisher as fisher
    from aliquot.stats.unpaired_exact import unpaired_test as unpaired_test
    from aliquot.stats.unpaired_forms import chi_squared as chi_squared
    from aliquot.stats.unpaired_forms import newcombe_unpaired as newcombe_unpaired
    from aliquot.stats.unpaired_forms import unpaired_binary as unpaired_binary
    from aliquot.stats.unpaired_forms import wald_unpaired as wald_unpaired
    from aliquot.stats.unpaired_forms import z_pooled as z_pooled
    from aliquot.stats.unpaired_score import mee as mee
    from aliquot.stats.unpaired_score import miettinen_nurminen as miettinen_nurminen
    from aliquot.stats.unpaired_score import mn_score_test as mn_score_test
    from aliquot.stats.validity import Coverage as Coverage
    from aliquot.stats.validity import Operation as Operation
    from aliquot.stats.validity import coverage as coverage

_MODULES = {
    "agreement": (
        "cohen_kappa",
        "scott_pi",
    ),
    "agreement_many": (
        "agreement_coefficients",
        "brennan_prediger",
        "conger_kappa",
        "fleiss_kappa",
        "gwet_ac",
        "krippendorff_alpha",
        "raw_agreement",
    ),
    "agreement_pairs": (
        "AgreementDifference",
        "SecondLabeller",
        "agreement_difference",
        "second_labeller",
    ),
    "agreement_records": ("Agreement",),
    "apparent": (
        "lang_reiczigel",
        "rogan_gladen",
    ),
    "attempts": (
        "paired_attempts",
        "these_items_difference",
    ),
    "betting": ("betting_interval",),
    "binomial_tests": (
        "binomial_exact",
        "binomial_mid_p",
        "binomial_score",
    ),
    "bootstrap": (
        "abc_interval",
        "bootstrap_difference",
        "bootstrap_mean",
    ),
    "bootstrap_intervals": (
        "basic_interval",
        "bca_interval",
        "normal_interval",
        "percentile_interval",
        "studentized_interval",
    ),
    "boundaries": (
        "anytime_rate",
        "mixture_precision",
        "normal_mixture_bound",
        "normal_mixture_log",
        "stitched_bound",
    ),
    "cautions": ("coverage_warning",),
    "class_scores": (
        "Classification",
        "classification",
        "classification_difference",
    ),
    "clustered_tests": ("clustered_mcnemar",),
    "clusters": (
        "ClusterVariance",
        "cluster_variance",
        "clustered_mean",
    ),
    "confusion_tables": (
        "ClassRates",
        "Confusion",
        "confusion",
    ),
    "corpus": (
        "corpus_difference",
        "corpus_metric",
        "corpus_swap",
        "corpus_value",
    ),
    "corrected": (
        "CorrectedRate",
        "VerdictLevel",
        "corrected_rate",
    ),
    "corrected_means": (
        "CorrectedMean",
        "corrected_mean",
    ),
    "corrected_pairs": (
        "CorrectedDifference",
        "corrected_difference",
    ),
    "correlation": (
        "DesignEffect",
        "Intraclass",
        "design_effect",
        "design_effect_of",
        "intraclass",
        "shrout_fleiss",
    ),
    "correlations": (
        "Correlation",
        "correlation_interval",
        "kendall_tau",
        "pearson_correlation",
        "spearman_correlation",
    ),
    "decision": (
        "decided_interval",
        "rejects",
    ),
    "dependent_correlations": (
        "CorrelationDifference",
        "correlation_difference",
        "printed_correlation_difference",
    ),
    "designs": (
        "AttemptsDesign",
        "PairedDesign",
        "RateDesign",
        "ScoresDesign",
        "UnpairedDesign",
    ),
    "diagnostics": (
        "JudgeAccuracy",
        "accuracy_by",
        "judge_accuracy",
    ),
    "discordance": (
        "discordance_range",
        "feasible_difference",
        "pairing_break_even",
    ),
    "e_detectors": (
        "Detection",
        "DetectorState",
        "conformal_ranks",
        "e_detector",
    ),
    "e_processes": (
        "EProcess",
        "betting_capital",
        "msprt",
        "sign_e_process",
        "sign_e_value",
    ),
    "equivalence": (
        "graded_margin_power",
        "graded_margin_sample_size",
        "paired_margin_power",
        "paired_margin_sample_size",
        "unpaired_margin_power",
        "unpaired_margin_sample_size",
    ),
    "error_gaps": (
        "ErrorGap",
        "equal_errors",
    ),
    "facets": (
        "DecisionStudy",
        "FacetStep",
        "decision_study",
    ),
    "families": (
        "mean_family",
        "paired_scores",
        "proportion_family",
    ),
    "family": ("Family",),
    "group_permutation": (
        "cluster_permutation",
        "permutation_means",
    ),
    "heterogeneity": (
        "Shrinkage",
        "cochran_q",
        "shrink_groups",
    ),
    "icc": (
        "RaterICC",
        "rater_icc",
    ),
    "interaction": ("interaction_test",),
    "judge_bias": (
        "CovariateBias",
        "CovariateEffect",
        "covariate_bias",
    ),
    "label_plan": (
        "LabelPlan",
        "TwoPhase",
        "allocate_labels",
        "corrected_width",
        "plan_labels",
        "two_phase_design",
        "verdict_cells",
    ),
    "label_split": (
        "LabelSample",
        "development_rows",
        "rows_to_label",
    ),
    "level_changes": (
        "ChangePoint",
        "ChangePoints",
        "change_points",
    ),
    "listing": (
        "Method",
        "Methods",
        "methods",
    ),
    "margins": (
        "paired_margin_test",
        "t_margin_test",
        "unpaired_margin_test",
    ),
    "means": (
        "mean",
        "mean_bounded",
        "mean_t",
    ),
    "merge_years": (
        "YearOfMerges",
        "year_of_merges",
    ),
    "metric_ranking": (
        "MetricAgreement",
        "item_accuracy",
        "item_correlation",
        "system_accuracy",
        "system_correlation",
    ),
    "missing": (
        "MissingBounds",
        "difference_bounds",
        "imbens_manski",
        "mean_bounds",
    ),
    "mixes": (
        "MixDifference",
        "mix_difference",
    ),
    "multiplicity": (
        "benjamini_hochberg",
        "benjamini_yekutieli",
        "bonferroni",
        "hochberg",
        "holm",
        "hommel",
        "sidak",
        "step_down",
        "tarone_holm",
    ),
    "noise_limits": (
        "NoiseLimit",
        "noise_limit",
        "spearman_brown",
    ),
    "online_tests": (
        "OnlineTests",
        "addis",
        "alpha_shares",
        "lord",
    ),
    "pair_matrices": (
        "AllPairs",
        "all_pairs",
    ),
    "paired": (
        "paired_binary_difference",
        "paired_difference",
        "paired_graded_difference",
    ),
    "paired_family": ("paired_binary",),
    "paired_intervals": (
        "agresti_min",
        "bonett_price",
        "discordant_ratio",
        "newcombe_paired",
        "rate_ratio_paired",
        "wald_paired",
    ),
    "paired_margins": (
        "MarginRange",
        "feasible_tables",
        "mcnemar_range",
    ),
    "paired_score": ("tango",),
    "paired_tests": (
        "mcnemar",
        "paired_table",
    ),
    "pass_k": (
        "IndependenceGap",
        "independence_gap",
        "item_pass_at_k",
        "majority_at_k",
        "pass_at_k",
        "pass_hat_k",
    ),
    "permutation": ("sign_flip",),
    "position": (
        "PositionBias",
        "position_bias",
    ),
    "power": (
        "DesignErrors",
        "Detectable",
        "connor_sample_size",
        "design_errors",
        "detectable_difference",
        "mcnemar_power",
        "mcnemar_sample_size",
    ),
    "power_design": (
        "FoldedDesign",
        "attempts_detectable",
        "attempts_sample_size",
        "best_attempts",
        "fold_design",
    ),
    "power_exact_unpaired": (
        "unpaired_design_errors",
        "unpaired_exact_detectable",
        "unpaired_exact_power",
        "unpaired_exact_sample_size",
    ),
    "power_graded": (
        "paired_t_detectable",
        "paired_t_errors",
        "paired_t_power",
        "paired_t_sample_size",
    ),
    "power_labels": (
        "judged_r2",
        "labels_sample_size",
    ),
    "power_pilot": (
        "SampleSizeRange",
        "pilot_power",
        "pilot_sample_size",
        "sample_size_range",
    ),
    "power_unpaired": (
        "unpaired_arcsine_power",
        "unpaired_detectable",
        "unpaired_sample_size",
        "unpaired_z_power",
    ),
    "precision": (
        "paired_half_width",
        "paired_precision_size",
        "rate_half_width",
        "rate_precision_size",
    ),
    "prediction_powered": ("prediction_powered_mean",),
    "printed_rates": (
        "Attainable",
        "attainable",
        "rate_error",
        "sizes_that_fit",
    ),
    "proportions": (
        "agresti_coull",
        "clopper_pearson",
        "jeffreys",
        "mid_p_interval",
        "proportion",
        "wilson",
    ),
    "quantiles": (
        "paired_quantile",
        "quantile",
        "quantile_difference",
        "smallest_n",
    ),
    "rater_tables": (
        "RatingTable",
        "rating_table",
        "ratings_by_item",
    ),
    "rates": (
        "floor_interval",
        "rate",
    ),
    "ratios": (
        "UnboundedRatio",
        "fieller",
        "fieller_from_moments",
        "ratio_linear",
    ),
    "repeats": (
        "ItemMeans",
        "Precision",
        "VarianceComponents",
        "item_means",
        "precision_table",
        "variance_components",
    ),
    "replicates": (
        "exact_resamples",
        "resample_mean",
    ),
    "results": (
        "Estimate",
        "HypothesisTest",
        "Undefined",
    ),
    "selection": (
        "Picked",
        "expected_maximum",
        "picked_best",
    ),
    "sequences": (
        "ConfidenceSequence",
        "betting_sequence",
        "empirical_bernstein_sequence",
        "paired_sequence",
        "rate_sequence",
        "subgaussian_sequence",
    ),
    "simultaneous": (
        "MaxT",
        "max_t",
        "simultaneous_interval",
        "simultaneous_intervals",
    ),
    "spread": (
        "CrossedSpread",
        "crossed_spread",
    ),
    "strata": (
        "StratifiedVariance",
        "stratified_variance",
    ),
    "stratified": (
        "stratified_difference",
        "stratified_mean",
        "stratified_sign_flip",
    ),
    "unpaired": (
        "unpaired_means",
        "unpaired_rates",
        "welch_test",
    ),
    "unpaired_exact": (
        "boschloo",
        "fisher",
        "unpaired_test",
    ),
    "unpaired_forms": (
        "chi_squared",
        "newcombe_unpaired",
        "unpaired_binary",
        "wald_unpaired",
        "z_pooled",
    ),
    "unpaired_score": (
        "mee",
        "miettinen_nurminen",
        "mn_score_test",
    ),
    "validity": (
        "Coverage",
        "Operation",
        "coverage",
    ),
}
_HOMES = dict(sorted((name, module) for module, names in _MODULES.items() for name in names))

__all__ = list(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll] - the names of _MODULES, each under TYPE_CHECKING too


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'aliquot.stats' has no attribute {name!r}")
    return getattr(import_module(f"aliquot.stats.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
