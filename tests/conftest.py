"""Long comparisons run reduced in `make test` and whole in `make test-all`.

What shows the same thing once more for each chapter, and takes minutes, runs for a few chapters
there, and for all with COURSE_TESTS=rounds.
"""

import os

import pytest
from hypothesis import settings

os.environ["BPE_PROGRESS"] = "off"  # what the tests pass, no learner has passed
ASKED = os.environ.get("COURSE_TESTS", "")
REASONS = {"whole": ("all", "make test-all"), "rounds": ("rounds", "COURSE_TESTS=rounds")}


# A busy machine is no failure: what must be quick has a test that says so.
settings.register_profile("course", deadline=None)
settings.load_profile("course")


def pytest_configure(config: pytest.Config) -> None:
    for marker, (_, how) in REASONS.items():
        config.addinivalue_line("markers", f"{marker}: the long form of a comparison ({how})")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for marker, (asked, how) in REASONS.items():
            if marker in item.keywords and ASKED != asked:
                item.add_marker(pytest.mark.skip(reason=f"the long form: {how}"))
