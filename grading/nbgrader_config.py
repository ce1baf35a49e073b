"""Settings for nbgrader. A course folder made by `make release` loads this file; so can yours."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from nbconvert.preprocessors import ClearMetadataPreprocessor, CSSHTMLHeaderPreprocessor
from nbgrader import preprocessors as theirs

import preprocessors
from editions import STUB

os.environ["BPE_PROGRESS"] = "off"  # what is graded is not what the instructor has passed

c = get_config()  # noqa: F821 (a name that nbgrader provides)
c.ClearSolutions.code_stub = {"python": STUB}
c.ClearSolutions.text_stub = "YOUR ANSWER HERE"
c.Execute.timeout = int(os.environ.get("SECONDS_PER_CELL", "60"))
c.Autograde.sanitize_preprocessors = [
    theirs.ClearOutput,
    preprocessors.Mend,
    theirs.DeduplicateIds,
    theirs.OverwriteKernelspec,
    theirs.OverwriteCells,
    theirs.CheckCellMetadata,
]
c.Autograde.autograde_preprocessors = [
    preprocessors.PatientExecute,
    theirs.IgnorePattern,
    ClearMetadataPreprocessor,
    theirs.LimitOutput,
    theirs.SaveAutoGrades,
    theirs.AssignLatePenalties,
    theirs.CheckCellMetadata,
]
c.GenerateFeedback.preprocessors = [
    theirs.GetGrades,
    preprocessors.TellIdeasOnly,
    preprocessors.HideLaterOutputs,
    CSSHTMLHeaderPreprocessor,
]
