"""Draw the README's picture, with the package that the course builds."""

from pathlib import Path

from bpe import plots
from bpe.training import build_vocab, train

TARGET = Path(__file__).parent / "_static" / "forest.png"


def main() -> None:
    merges = train("low lower lowest high higher highest", 267)
    plots.draw_forest(merges, build_vocab(merges)).savefig(TARGET)


if __name__ == "__main__":
    main()
