"""Every exercise: the solution passes, an empty answer and each plausible slip are refused."""

import sys
import tracemalloc
from collections.abc import Iterator

import pytest

import editions
from bpe.exercises import WrongAnswer, check, check_prediction
from course import WRITTEN, Exercise, exercises, wrong_answers

EXERCISES = exercises()
SLIPS = [
    pytest.param(exercise, source, message, id=f"{exercise.chapter}-{exercise.name}-{slip}")
    for exercise in EXERCISES
    for slip, source, message in wrong_answers(exercise.chapter).get(exercise.name, [])
]


@pytest.fixture(autouse=True)
def nothing_watches_afterwards() -> Iterator[None]:
    """A check that leaves a watcher on slows down all that runs in the same kernel later."""
    yield
    watching = tracemalloc.is_tracing(), sys.gettrace(), sys.getprofile()
    tracemalloc.stop()
    assert watching == (False, None, None)


def grade(answer: str, *checks: str) -> None:
    """Run an answer and its checks alone, as a grader does; the error of the checks comes out."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    exec(compile(answer, "answer", "exec"), namespace)
    for part in checks:
        exec(compile(part, "checks", "exec"), namespace)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: f"{e.chapter}-{e.name}")
class TestExercise:
    def test_solution_passes_alone(self, exercise: Exercise) -> None:
        grade(exercise.solution, exercise.checks)
        grade(exercise.solution, exercise.visible_checks)

    def test_has_hidden_checks(self, exercise: Exercise) -> None:
        assert exercise.visible_checks != exercise.checks, "no hidden checks"

    def test_empty_answer_is_refused(self, exercise: Exercise) -> None:
        start = exercise.solution.index("### BEGIN SOLUTION")
        indent = start - (exercise.solution.rfind("\n", 0, start) + 1)
        empty = exercise.solution[:start] + "raise NotImplementedError\n"
        if not indent:  # an answer outside a function: nothing is defined
            empty = exercise.solution[:start]
        with pytest.raises((WrongAnswer, NameError)):
            grade(empty, exercise.visible_checks)

    def test_keeps_three_slips(self, exercise: Exercise) -> None:
        slips = wrong_answers(exercise.chapter).get(exercise.name, [])
        assert len(slips) >= 3, f"tests/answers/{exercise.chapter}.py keeps {len(slips)}"
        messages = [message for _, _, message in slips]
        assert len(set(messages)) == len(messages), "each slip needs a message of its own"


@pytest.mark.parametrize(("exercise", "source", "message"), SLIPS)
def test_slip_is_refused_and_told_why(
    exercise: Exercise, source: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message is the learner's own mistake, also where a hidden check must not tell values."""
    for name in ("bpe.exercises", "bpe.steps", "bpe.progress"):  # these are loaded afresh
        monkeypatch.setitem(sys.modules, name, sys.modules[name])
    with pytest.raises(AssertionError) as caught:
        grade(source, editions.with_hidden_ideas(exercise.checks))
    assert message in str(caught.value)


@pytest.mark.parametrize("chapter", WRITTEN)
class TestSpecification:
    """Each exercise says what it is worth, how long, how hard, and what to deliver."""

    def test_worth(self, chapter: str) -> None:
        words = [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
        ]
        for exercise in EXERCISES:
            if exercise.chapter == chapter:
                assert exercise.worth, (
                    f"{exercise.number}: **points · time · difficulty · deliver**"
                )
                assert words.index(exercise.worth["points"]) == exercise.points + exercise.rubric

    def test_a_warm_up_two_to_build_one_open(self, chapter: str) -> None:
        kinds = [e.worth["difficulty"] for e in EXERCISES if e.chapter == chapter and e.worth]
        assert kinds.count("warm-up") >= 1
        assert kinds.count("medium") + kinds.count("hard") >= 2
        assert kinds[-1] == "open" and kinds.count("open") == 1

    def test_open_ones_have_a_rubric(self, chapter: str) -> None:
        for exercise in EXERCISES:
            if exercise.chapter == chapter and exercise.worth:
                assert (exercise.rubric > 0) == (exercise.worth["difficulty"] == "open")

    def test_numbers_count_on(self, chapter: str) -> None:
        numbers = [exercise.number for exercise in EXERCISES if exercise.chapter == chapter]
        first = int(chapter[:2])
        assert numbers == [f"{first}.{k + 1}" for k in range(len(numbers))]
        for exercise in EXERCISES:
            if exercise.chapter == chapter:
                assert exercise.checks.rstrip().endswith(f'passed("{exercise.number}")')


@pytest.mark.parametrize("chapter", WRITTEN)
def test_chapter_has_four_exercises_and_no_orphan_answers(chapter: str) -> None:
    names = [exercise.name for exercise in EXERCISES if exercise.chapter == chapter]
    assert len(names) >= 4
    assert set(wrong_answers(chapter)) == set(names)


class TestCheck:
    """The checks themselves say what went wrong."""

    def test_argument_changed(self) -> None:
        def drop(ids: list[int]) -> list[int]:
            ids.pop()
            return ids

        with pytest.raises(WrongAnswer, match="changed its argument"):
            check(drop, [1, 2], gives=[1])

    def test_missing_return(self) -> None:
        with pytest.raises(WrongAnswer, match="got None. Does the function end with return"):
            check(lambda ids: None, [1], gives=[1])

    @pytest.mark.parametrize(
        ("got", "expected"), [(True, 1), ((1, 2), [1, 2]), ("a", b"a"), (1, True), (b"a", "a")]
    )
    def test_types_that_are_easily_confused(self, got: object, expected: object) -> None:
        with pytest.raises(WrongAnswer):
            check(lambda: got, gives=expected)

    def test_iterator_counts_as_list(self) -> None:
        check(lambda: iter([1, 2]), gives=[1, 2])

    def test_unexpected_exception_is_named(self) -> None:
        with pytest.raises(WrongAnswer, match="IndexError came: list index out of range. Stop one"):
            check(lambda ids: ids[len(ids)], [1], gives=1, because="Stop one earlier.")

    def test_expected_exception(self) -> None:
        check(int, "x", raises=ValueError)
        with pytest.raises(WrongAnswer, match=r"expected ValueError, got 1"):
            check(int, "1", raises=ValueError)

    def test_deep_recursion(self) -> None:
        def count(ids: list[int]) -> int:
            return 1 + count(ids[1:]) if ids else 0

        with pytest.raises(WrongAnswer, match="use a loop"):
            check(count, list(range(5000)), gives=5000)

    def test_prediction(self) -> None:
        check_prediction(5, gives=5)
        for missing in (None, ...):
            with pytest.raises(WrongAnswer, match="no prediction yet"):
                check_prediction(missing, gives=5)
        with pytest.raises(WrongAnswer, match="you predicted 4") as caught:
            check_prediction(4, gives=5)
        assert "5" not in str(caught.value)
