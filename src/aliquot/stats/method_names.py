"""Which function made a number, by the name the number carries (``tango_effective_n``, ``mcnemar_midp`` …)."""

from __future__ import annotations

import re
from typing import Final

MADE_BY: Final[tuple[tuple[str, str], ...]] = (
    (r"tango_stratified|.*_stratified", "stratified_difference"),
    (r"tango_prediction_powered", "corrected_difference"),
    (r"post_stratified_mover\w*", "corrected_rate"),
    (r"prediction_powered", "corrected_mean"),
    (r"rogan_gladen_\w+", "rogan_gladen"),
    (r"mover(_log)?", "judge_accuracy"),
    (r"slope_within_labels", "covariate_bias"),
    (r"tango_effective_n", "paired_binary_difference"),
    (r"t(_cr2)?_tango_hull|tango_t_hull", "paired_graded_difference"),
    (r"t_these_items", "these_items_difference"),
    (r"t_cr2|t", "paired_difference"),
    (r"tango", "tango"),
    (r"mcnemar_(exact|mid_?p|asymptotic\w*)", "mcnemar"),
    (r"(cluster_)?sign_flip", "sign_flip"),
    (r"max_t", "max_t"),
    (r"boschloo", "boschloo"),
    (r"mn_score", "mn_score_test"),
    (r"fisher_\w+", "fisher"),
    (r"permutation", "permutation_means"),
    (r"cluster_permutation", "cluster_permutation"),
    (r"miettinen_nurminen_effective_n", "unpaired_rates"),
    (r"miettinen_nurminen", "miettinen_nurminen"),
    (r"welch(_cr2)?", "unpaired_means"),
    (r"wilson_effective_n|wilson_bounded\w*", "rate"),
    (r"wilson", "wilson"),
    (r"clopper_pearson\w*", "floor_interval"),
    (r"bca|mean_bca", "mean"),
    (r"tango_(not_worse|equivalent)", "paired_margin_test"),
    (r"mn_(not_worse|equivalent)", "unpaired_margin_test"),
    (r"t_(not_worse|equivalent)", "t_margin_test"),
    (r"(pearson|spearman|kendall)_difference_bootstrap|zou|williams|steiger|meng", "correlation_difference"),
    (r"\w+_difference_bootstrap", "agreement_difference"),
    (r"system_accuracy_bootstrap", "system_accuracy"),
    (r"system_\w+_bootstrap", "system_correlation"),
    (r"item_accuracy_bootstrap", "item_accuracy"),
    (r"item_\w+_bootstrap", "item_correlation"),
    (r"kappa_(normal|z)|cohen_kappa_\w+", "cohen_kappa"),
    (r"conger_kappa_\w+", "conger_kappa"),
    (r"fleiss_kappa_\w+", "fleiss_kappa"),
    (r"krippendorff_alpha_\w+", "krippendorff_alpha"),
    (r"scott_pi_\w+", "scott_pi"),
    (r"gwet_ac_\w+", "gwet_ac"),
    (r"brennan_prediger_\w+", "brennan_prediger"),
    (r"icc\dk?_f|icc_f", "rater_icc"),
    (r"pearson_\w+", "pearson_correlation"),
    (r"spearman_(bonett_wright|bootstrap|t)", "spearman_correlation"),
    (r"kendall_(bonett_wright|bootstrap|exact|z)", "kendall_tau"),
    (r"pilot_(tilt|shift)", "pilot_power"),
    (r"crossed_components", "crossed_spread"),
    (r"beta_binomial_mixture", "rate_sequence"),
    (r"paired_betting_\w+", "paired_sequence"),
    (r"betting_(mixture|predictable)", "betting_sequence"),
    (r"e_process|betting_e_process", "betting_capital"),
    (r"empirical_bernstein", "empirical_bernstein_sequence"),
    (r"normal_mixture", "subgaussian_sequence"),
    (r"mix_permutation", "mix_difference"),
)
"""Patterns of names, the first that fits the whole name tells; limits held at 0 and joint levels are cut off before."""


def function_of(name: str) -> str:
    """Return the function of ``aliquot.stats`` behind a name; the name itself when it is one.

    Examples:
        >>> function_of("tango, limit held at 0 by mcnemar_exact"), function_of("mcnemar_midp")
        ('tango', 'mcnemar')
    """
    head = name.partition(",")[0].removesuffix("_max_t") if name != "max_t" else name
    return next((found for pattern, found in MADE_BY if re.fullmatch(pattern, head)), head)
