"""The fast part: the same results as the rest of the package, from compiled code.

``train`` learns what ``bpe.Tokenizer.train`` learns (chapter 10), ``Encoder`` gives the ids that
``bpe.Tokenizer`` gives (chapter 11). Both are Python that numba compiles; it and NumPy are in the
extra ``fast``, and nothing else in the package needs them.
"""

from typing import TYPE_CHECKING

try:
    import numba  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"bpe.fast needs numba and NumPy ({error}): "
        'install them with  pip install "from-text-to-tokens[fast]"'
    ) from error

if TYPE_CHECKING:
    from bpe.fast.encoding import Encoder
    from bpe.fast.training import train

__all__ = ["Encoder", "train"]


def __getattr__(name: str) -> object:
    # On first use: whoever encodes does not wait for the trainer.
    if name == "Encoder":
        from bpe.fast.encoding import Encoder

        return Encoder
    if name == "train":
        from bpe.fast.training import train

        return train
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
