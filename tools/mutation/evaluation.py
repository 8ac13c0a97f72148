# SPDX-License-Identifier: MIT
"""Runs mutants in worker processes: a crash or an endless loop is a verdict too."""

from __future__ import annotations

import dataclasses
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import tempfile
import time
from collections.abc import Iterable, Iterator

import torch

import flash_attn_mps  # noqa: F401  (registers the operators)
from flash_attn_mps import simulator
from tools.mutation.mutants import Mutant, apply
from tools.mutation.problems import (
    PROBLEMS,
    Answers,
    KernelText,
    Problem,
    Run,
    kernel_texts,
)

# A mutant's verdict: the name of the test that caught it, or one of these.
SURVIVED = "survived"
NOT_COMPILED = "does not compile"
# Not a verdict: the test itself has a fault.
FAILED = "the mutation test failed"
# Of the worker's own processor time: other work on the machine does not count.
TIME_LIMIT_SECONDS = 20.0
# A mutant and its verdict.
Verdict = tuple[Mutant, str]


@dataclasses.dataclass(frozen=True)
class Case:
    """A problem with its answers and the kernels that are planned for it."""

    problem: Problem
    answers: Answers
    kernels: list[KernelText]
    # By kernel, the counts of its unchanged text; filled when first needed.
    counts: dict[str, dict[str, int]] = dataclasses.field(default_factory=dict)


def make_case(problem: Problem) -> Case:
    """Asks the package for the kernels of a problem."""
    sizes = [
        problem.batch,
        problem.query_heads,
        problem.query_length,
        problem.key_length,
        problem.head_dim,
        problem.value_head_dim,
    ]
    sources = torch.ops.flash_attn_mps.kernel_sources(
        sizes, problem.key_value_heads, problem.dtype, problem.is_causal
    )
    return Case(problem, Answers(problem), kernel_texts(problem, sources))


def dispatch(case: Case, kernel: KernelText, text: str) -> tuple[Run, simulator.Report]:
    """Runs a kernel's text under all checkers.

    The text is not optimised: compiling costs most of the time.
    """
    run = Run(case.problem, case.answers, kernel.name)
    library = simulator.Library(text, checks="all", optimization=0)
    report = library.kernel(kernel.name).dispatch(
        threads=(kernel.threads, 1, 1),
        group=(kernel.group, 1, 1),
        buffers=run.arguments(),
        raise_on_violation=False,
    )
    return run, report


def operation_counts(report: simulator.Report) -> dict[str, int]:
    """The counts that tests/attention/test_operation_counts.py compares."""
    return {
        name: count
        for name, count in report.counters.items()
        if name in ("matrix_products", "shuffles", "votes")
        or (
            name.startswith(("device_bytes_", "bytes_loaded.", "bytes_stored."))
            and not name.endswith(".params")
        )
    }


def expected_counts(case: Case, kernel: KernelText) -> dict[str, int]:
    """Counts of the unchanged kernel."""
    if kernel.name not in case.counts:
        _, report = dispatch(case, kernel, kernel.text)
        case.counts[kernel.name] = operation_counts(report)
    return case.counts[kernel.name]


def fault_of(case: Case, kernel: KernelText, text: str) -> str | None:
    """Dispatches a kernel's text; says what went wrong."""
    run, report = dispatch(case, kernel, text)
    if report.violations:
        return str(report.violations[0].kind)
    if fault := run.fault():
        return fault
    if operation_counts(report) != expected_counts(case, kernel):
        return "operation counts"
    return None


def judge(mutant: Mutant | None, cases: list[Case]) -> str:
    """The verdict on a mutant; on the unchanged kernels if there is none."""
    was_changed = False
    for case in cases:
        for kernel in case.kernels:
            text = apply(mutant, kernel.text) if mutant else kernel.text
            if mutant and text == kernel.text:
                continue
            was_changed = True
            try:
                fault = fault_of(case, kernel, text)
            except simulator.CompileError:
                return NOT_COMPILED
            if fault:
                return f"{kernel.name}/{case.problem.name}: {fault}"
    if mutant and not was_changed:
        raise ValueError(f"no kernel contains {mutant}")
    return SURVIVED


def work(connection: multiprocessing.connection.Connection, cases: list[Case]) -> None:
    """Judges mutants that arrive until the connection closes."""
    with tempfile.TemporaryDirectory() as cache:
        os.environ["FLASH_ATTN_MPS_CACHE_DIR"] = cache
        os.environ["FLASH_ATTN_MPS_SIMULATOR_THREADS"] = "1"
        while True:
            try:
                mutant = connection.recv()
            except EOFError:
                return
            try:
                verdict = judge(mutant, cases)
            except Exception as error:
                verdict = f"{FAILED}: {error!r}"
            connection.send(verdict)


def processor_seconds(process_id: int | None) -> float:
    """Time that a process has computed itself, without its children."""
    fields = pathlib.Path(f"/proc/{process_id}/stat").read_text().rsplit(")")[-1]
    ticks = sum(int(ticks) for ticks in fields.split()[11:13])
    return ticks / os.sysconf("SC_CLK_TCK")


class Worker:
    """One process that judges mutants, started again when it ends early.

    It is forked, before this process has run any kernel and so any thread of the
    simulator: libraries, texts and answers are there at once.
    """

    def __init__(self, cases: list[Case]) -> None:
        self.cases = cases
        self.mutant: Mutant | None = None
        self.start()

    def start(self) -> None:
        """Starts the process."""
        context = multiprocessing.get_context("fork")
        self.connection, other = context.Pipe()
        arguments = (other, self.cases)
        self.process = context.Process(target=work, args=arguments, daemon=True)
        self.process.start()
        other.close()

    def judge_unchanged(self) -> str:
        """The verdict on the kernels as they are; waits for it."""
        self.connection.send(None)
        return str(self.connection.recv())

    def give(self, mutant: Mutant) -> None:
        """Hands a mutant over."""
        self.mutant = mutant
        self.limit = processor_seconds(self.process.pid) + TIME_LIMIT_SECONDS
        self.connection.send(mutant)

    def verdict(self) -> Verdict | None:
        """The verdict if there is one already."""
        if self.mutant is None:
            return None
        verdict = ""
        try:
            if self.connection.poll():
                verdict = str(self.connection.recv())
                if verdict.startswith(FAILED):
                    raise RuntimeError(f"{self.mutant}: {verdict}")
            elif processor_seconds(self.process.pid) < self.limit:
                return None
        except (EOFError, OSError):
            verdict = "crash"
        if verdict in ("", "crash"):
            self.stop()
            self.start()
        mutant, self.mutant = self.mutant, None
        return mutant, verdict or "endless loop"

    def stop(self) -> None:
        """Ends the process."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def judge_all(
    mutants: Iterable[Mutant], jobs: int, judges_unchanged: bool
) -> Iterator[Verdict]:
    """Verdicts on all mutants, as they come.

    With `judges_unchanged` the kernels as they are must pass first.
    """
    cases = [make_case(problem) for problem in PROBLEMS]
    workers = [Worker(cases) for _ in range(jobs)]
    left = iter(mutants)
    try:
        fault = workers[0].judge_unchanged() if judges_unchanged else SURVIVED
        if fault != SURVIVED:
            raise RuntimeError(f"the unchanged kernels are wrong: {fault}")
        while True:
            for worker in workers:
                if verdict := worker.verdict():
                    yield verdict
                if worker.mutant is None and (mutant := next(left, None)):
                    worker.give(mutant)
            if all(worker.mutant is None for worker in workers):
                return
            time.sleep(0.01)
    finally:
        for worker in workers:
            worker.stop()
