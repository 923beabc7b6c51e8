"""``gate``: may this candidate be merged? A decision that survives noise, with an exit code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from aliquot.analysis.compare import Choices
from aliquot.analysis.margins import share_of
from aliquot.errors import NoRowsError, UsageError
from aliquot.evidence.derivation import with_metric
from aliquot.evidence.matching import MatchOn
from aliquot.evidence.tables import Evidence, Note
from aliquot.files.base_branch import read_at, text_of
from aliquot.files.baseline_file import baseline_path, write_baseline
from aliquot.files.gate_history import Judged, add_to_history, parse_history, read_history
from aliquot.files.noise_memory import NOISE_FILE
from aliquot.findings.gate import EXIT_CODES, Gate
from aliquot.gates.answers import SameAnswers, answer_digests, judged_once
from aliquot.gates.assess import Circumstances, assess, nothing_gate
from aliquot.gates.held import Sides
from aliquot.gates.policy import UNDECIDED, MetricRule, Policy, Undecided
from aliquot.gates.policy_file import parse_policy, read_policy
from aliquot.readers.options import ReadOptions
from aliquot.stats.inputs import DEFAULT_SEED
from aliquot.verbs.clustering import cluster_field
from aliquot.verbs.gating import Subject, Wanted, settle_subject
from aliquot.verbs.reproduce import command_line, given_options


def gate(
    *sources: str | Path | Evidence,
    no_worse_than: float | str | None = None,
    at_least: float | str | None = None,
    policy: str | Path | Policy | None = None,
    base_ref: str | None = None,
    undecided: Undecided | None = None,
    report_only: bool = False,
    attempts: int | None = None,
    systems: Sequence[str] | None = None,
    task: str | None = None,
    metric: str | None = None,
    cluster: str | None = None,
    match_on: MatchOn = "content",
    allow: Sequence[str] = (),
    seed: int | None = None,
    noise: str | Path | None = NOISE_FILE,
    now: datetime | None = None,
    options: ReadOptions | None = None,
) -> Gate:
    """Decide on a candidate: pass, fail, undecided, or nothing to judge.

    Args:
        *sources: baseline and candidate, each a path of a run, log or table, or evidence; the baseline may be the name
            of a blessed one. One source is held against the baseline of the policy, or against floors alone.
        no_worse_than: largest loss that passes, for the headline: ``2pt``, or in the metric's own units.
        at_least: floor of the candidate's pass rate: ``90%``, or 0.9.
        policy: a policy file, or a policy, in place of the two.
        base_ref: branch or commit from which policy and baseline are read, so that a change cannot excuse itself.
        undecided: what to do when the data do not decide: ``fail`` (exit 4), ``pass``, or ``rerun``: ask both sides of
            what changed again, which labels flaky items and changes no decision.
        report_only: exit with 0 whatever is decided, unless there was nothing to judge.
        attempts: answers asked of each side for each changed item with ``rerun``; 3 by default.
        systems: baseline and candidate by name, or the candidate alone, when the sources hold several.
        task: the task, when there are several.
        metric: the metric, or an expression over metrics; by default the log's own headline.
        cluster: field that names the cluster of an item.
        match_on: ``content`` refuses items of one id whose content differs; ``id`` matches by id alone.
        allow: components that may differ although that is refused by default: ``judge``.
        seed: seed of everything random.
        noise: the file in which ``noise`` remembers what the suite moves by itself.
        now: the time, for the age of a baseline; by default that of the clock.
        options: what the columns of a table mean.

    Returns:
        The finding; ``exit_code`` is what the command exits with.

    Raises:
        UsageError: nothing to hold the candidate to, an unknown name, no baseline where one is needed.
        InputError: a source or policy that cannot be used as it stands.
    """
    given = given_options(gate, locals(), unsaid=["attempts", "noise", "now"])
    chosen = _policy(policy, base_ref, no_worse_than=no_worse_than, at_least=at_least, metric=metric)
    if undecided is not None and undecided not in UNDECIDED:
        raise UsageError(f"undecided is one of {', '.join(UNDECIDED)}; got {undecided!r}")
    chosen = chosen if undecided is None else replace(chosen, undecided=undecided)
    alone = systems is not None and len(systems) == 1
    given |= {"--policy": chosen.source or None, "--system": systems if alone else None}
    command = command_line("gate", sources, given, systems=None if alone else systems, reading=options)
    wanted = Wanted(systems, task, metric, cluster, options, base_ref, now or datetime.now(UTC))
    try:
        subject = settle_subject(sources, wanted, baseline=chosen.baseline.name, compares=chosen.compares)
    except NoRowsError as error:
        found = nothing_gate(str(error), chosen, command=command, seed=DEFAULT_SEED if seed is None else seed)
        return _acted(found, chosen, report_only=report_only)
    subject, same, answers = _judged_once(subject)
    evidence = with_metric(subject.evidence, metric)
    sides = Sides(
        evidence=evidence,
        baseline=subject.baseline,
        candidate=subject.candidate,
        task=subject.task,
        choices=Choices(
            metric=metric,
            cluster=cluster_field(evidence, cluster),
            level=chosen.level,
            match_on=match_on,
            seed=DEFAULT_SEED if seed is None else seed,
            allow=tuple(allow),
        ),
    )
    known = Circumstances(
        against=subject.against,
        same_answers=same,
        noise=None if noise is None else Path(noise),
        history=_history(chosen, base_ref),
        answers=answers,
        command=command,
    )
    found = assess(sides, chosen, known)
    if chosen.undecided == "rerun" and found.decision in ("undecided", "fail") and found.flips:
        from aliquot.verbs.rerun import ask_again

        found = ask_again(found, sources, attempts=attempts)
    elif attempts is not None:
        found = replace(found, warnings=(*found.warnings, Note("not_asked_again", "nothing was asked again")))
    return _acted(found, chosen, report_only=report_only)


def bless(
    source: str | Path | Evidence,
    *,
    name: str,
    systems: Sequence[str] | None = None,
    task: str | None = None,
    cluster: str | None = None,
    now: datetime | None = None,
    options: ReadOptions | None = None,
) -> Path:
    """Make a run the baseline of this name: a small file in ``baselines``, without any text, to be committed.

    Args:
        source: the run, log or table, or evidence.
        name: of the baseline.
        systems: the system, when the source holds several.
        task: the task, when there are several.
        cluster: field that names the cluster of an item.
        now: the time; by default that of the clock.
        options: what the columns of a table mean.

    Returns:
        The file.

    Raises:
        UsageError: a name that cannot be one, or several systems.
        InputError: a source that cannot be read.
        NothingToJudgeError: no row has a value.
        MachineError: the file cannot be written.
    """
    from aliquot.files.commits import describe_commit
    from aliquot.gates.baselines import rows_to_bless

    path = baseline_path(name)
    moment = now or datetime.now(UTC)
    wanted = Wanted(systems, task, None, cluster, options, None, moment)
    subject = settle_subject([source], wanted, baseline=None, compares=False)
    head, rows = rows_to_bless(
        subject.evidence,
        subject.candidate,
        task=subject.task,
        name=name,
        now=moment,
        commit=describe_commit(path).partition(" ")[0],  # the new file is itself a change
        sources=() if isinstance(source, Evidence) else (str(source),),
    )
    write_baseline(path, head, rows)
    return path


def _policy(
    given: str | Path | Policy | None,
    base_ref: str | None,
    *,
    no_worse_than: float | str | None,
    at_least: float | str | None,
    metric: str | None,
) -> Policy:
    if given is None:
        if no_worse_than is None and at_least is None:
            raise UsageError(
                "say what passes: --no-worse-than 2pt (largest loss), --at-least 90% (a floor), or --policy gate.yaml; "
                "aliquot init gate proposes margins from the suite's own noise"
            )
        floor = None if at_least is None else share_of(at_least)
        return Policy(metrics=(MetricRule(metric or "", no_worse_than, floor),))
    if no_worse_than is not None or at_least is not None:
        raise UsageError("--policy says what passes; --no-worse-than and --at-least exclude it")
    if isinstance(given, Policy):
        return given
    if base_ref is None:
        return read_policy(given)
    data = read_at(base_ref, Path(given))
    if data is None:
        raise UsageError(
            f"{base_ref} has no policy {given}. A policy counts once it is there; leave out --base-ref in the change "
            "that brings it"
        )
    return replace(parse_policy(text_of(data, file=str(given)), file=str(given)), source=str(given))


def _history(policy: Policy, base_ref: str | None) -> tuple[Judged, ...] | None:
    """Return the merges before, as the working folder or the base branch has them; None when none are kept."""
    if policy.merges is None or policy.merges.history is None:
        return None
    path = Path(policy.merges.history)
    if base_ref is None:
        return read_history(path)
    data = read_at(base_ref, path)
    return () if data is None else parse_history(data, file=str(path))


def record(found: Gate, policy: str | Path | Policy, *, now: datetime | None = None) -> Path:
    """Add a decision to the history its policy names; what was judged before, byte for byte, adds no row.

    Args:
        found: the decision.
        policy: the policy it was made by.
        now: the time; by default that of the clock.

    Returns:
        The history's file.

    Raises:
        UsageError: the policy names no history, or there was nothing to judge.
        InputError: the history is damaged.
        MachineError: the file cannot be written.
    """
    chosen = policy if isinstance(policy, Policy) else read_policy(policy)
    if chosen.merges is None or chosen.merges.history is None:
        raise UsageError("the policy names no history; write merges: {a_year: 200, history: gates.jsonl}")
    if found.decision == "nothing_to_judge":
        raise UsageError("nothing was judged, so there is nothing to record")
    path = Path(chosen.merges.history)
    moment = (now or datetime.now(UTC)).isoformat(timespec="seconds")
    row = Judged(
        digest=found.digest,
        candidate=found.candidate,
        at=moment,
        p=found.p,
        alpha=found.alpha,
        decision=found.decision,
    )
    add_to_history(path, row)
    return path


def _judged_once(
    subject: Subject,
) -> tuple[Subject, SameAnswers | None, dict[tuple[str, int], str]]:
    """Return the subject with answers that are byte for byte the baseline's scored as those were, and all hashes."""
    if not subject.baseline:
        return subject, None, {}
    before = (
        answer_digests(subject.evidence, subject.baseline, task=subject.task)
        if subject.blessed is None
        else subject.blessed.digests
    )
    after = answer_digests(subject.evidence, subject.candidate, task=subject.task)
    evidence, same = judged_once(
        subject.evidence, subject.baseline, subject.candidate, task=subject.task, before=before, after=after
    )
    return replace(subject, evidence=evidence), same, after


def _acted(found: Gate, policy: Policy, *, report_only: bool) -> Gate:
    """Return the finding with the exit code that follows from what was asked for; nothing to judge stays what it is."""
    if found.decision == "undecided" and policy.undecided == "pass":
        return replace(found, exit_code=0, acted="undecided passes here, as it was told to")
    if report_only and found.decision in ("fail", "undecided"):
        code = EXIT_CODES[found.decision]
        return replace(found, exit_code=0, acted=f"only reported here; it would exit with {code}")
    return found
