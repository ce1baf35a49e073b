"""Long comparisons run reduced in `make test` and whole in `make test-all`."""

import os

import pytest
from hypothesis import settings

os.environ["BPE_PROGRESS"] = "off"  # what the tests pass, no learner has passed
WHOLE = os.environ.get("COURSE_TESTS") == "all"


# A busy machine is no failure: what must be quick has a test that says so.
settings.register_profile("course", deadline=None)
settings.load_profile("course")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "whole: the long form of a comparison (make test-all)")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not WHOLE:
        skip = pytest.mark.skip(reason="the long form: make test-all")
        for item in items:
            if "whole" in item.keywords:
                item.add_marker(skip)
