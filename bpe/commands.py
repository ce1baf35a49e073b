"""The command line: ``bpe train``, ``encode``, ``decode``, ``count`` and ``show``.

Text and ids go through standard input and output, in UTF-8 whatever the locale is; all else that
there is to say goes to standard error. However long the input is, a piece of it is in memory at a
time (``blocks`` says where it may be cut). Exit codes: 0 for fine, 1 for input that cannot be used,
2 for wrong usage, 130 when interrupted, 141 when nobody reads what is written.
"""

import argparse
import codecs
import os
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import bpe
from bpe import files
from bpe.blocks import Borders, decode, pieces
from bpe.counting import add_counts, check_arguments, count_stream, train, train_on_counts
from bpe.files import Tokenizer, get_encoding
from bpe.openai import ENCODINGS
from bpe.splitting import GPT2_PATTERN, GPT4_PATTERN, GPT4O_PATTERN, TIES

if TYPE_CHECKING:
    from bpe.fast import Encoder

PATTERNS = {"gpt2": GPT2_PATTERN, "gpt4": GPT4_PATTERN, "o200k": GPT4O_PATTERN}
SMALL = 1 << 18  # bytes: up to here the plain tokenizer is done before the compiled one is loaded
PIECE = 1 << 20  # bytes that are encoded at a time

EXAMPLES = """\
examples:
  bpe train books/*.txt -o tok.json --vocab-size 32000 --special '<|endoftext|>'
  bpe encode -t tok.json book.txt > ids.txt
  bpe decode -t tok.json ids.txt
  echo "How many tokens?" | bpe count -e cl100k_base
  echo "Which tokens?" | bpe show -e o200k_base --ids
"""
TOKENIZER_FILES = """\
tokenizer files, by their name:
  NAME.tiktoken    ranks; pattern and special tokens have to be given when it is read
  tokenizer.json   the format of Hugging Face tokenizers
  NAME.json        the course's own format, or any of Hugging Face's when it is read
  FOLDER/          vocab.json and merges.txt, as GPT-2 has them
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: What follows the name of the program; ``sys.argv`` without it.

    Returns:
        The exit code.

    Raises:
        SystemExit: The arguments are wrong (code 2), or ask for help (code 0).

    >>> main(["show", "-t", "nowhere.json"])  # on standard error: nowhere.json: No such file ...
    1
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    options = _parser().parse_args(arguments)
    if sys.stdout is None:
        _say("standard output is closed")
        return 1
    try:
        with _warnings_in_a_line():
            options.run(options)
            sys.stdout.flush()
        return 0
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _drop_output()
        return 141
    except (ValueError, KeyError, OSError, RuntimeError, ImportError, MemoryError) as error:
        _say(_in_a_line(error))
        try:
            sys.stdout.flush()  # what came before the error is written
        except OSError:
            _drop_output()
        return 1


def _drop_output() -> None:
    """Keep Python from writing once more when it ends, and from complaining about that."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(line: str) -> None:
    with suppress(OSError):
        print(f"bpe: {line}", file=sys.stderr)


def _in_a_line(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}"
    text = error.args[0] if isinstance(error, KeyError) and error.args else error
    return " ".join(str(text).split()) or type(error).__name__


@contextmanager
def _warnings_in_a_line() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("always", category=UserWarning, module=r"bpe\b")
        warnings.showwarning = lambda message, *_: _say(f"warning: {_in_a_line(message)}")
        yield


# --- the commands -------------------------------------------------------------------------------


def _train(options: argparse.Namespace) -> None:
    output = options.output
    _refuse_unwritable(output)
    settings: dict[str, Any] = {
        "pattern": options.pattern or GPT4_PATTERN,
        "special_tokens": options.special,
        "ties": options.ties,
        "progress": _at_terminal(),
    }
    if "-" in options.files:
        if options.workers or options.counts:
            raise ValueError("standard input is read once: --workers and --counts need files")
        check_arguments(options.vocab_size, **settings)
        borders = Borders(settings["pattern"], options.special)
        words: dict[bytes, int] = {}
        for name in options.files:
            with _opened(name) as (stream, shown):
                add_counts(words, count_stream(stream, borders, errors=options.errors, name=shown))
        tok = train_on_counts(words, options.vocab_size, **settings)
    else:
        tok = train(
            options.files,
            options.vocab_size,
            workers=options.workers,
            folder=options.counts,
            errors=options.errors,
            **settings,
        )
    _save(tok, output)


def _encode(options: argparse.Namespace) -> None:
    tok = _tokenizer(options)
    between = b"\n" if options.lines else b" "
    for name in options.files:
        first = True
        for ids in _ids_of_text(tok, name, options):
            if ids:
                text = between.decode().join(map(str, ids)).encode()
                _write(text if first else between + text)
                first = False
        if not (first and options.lines):  # a file without ids is an empty line, or none
            _write(b"\n")


def _decode(options: argparse.Namespace) -> None:
    tok = _tokenizer(options)
    for name in options.files:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        before = 0
        with _opened(name) as (stream, shown):
            for ids in _ids_in(stream, shown):
                n_known = next((i for i, idx in enumerate(ids) if idx not in tok.vocab), len(ids))
                _write(decoder.decode(tok.decode_bytes(ids[:n_known])).encode())
                sys.stdout.flush()  # whoever hands in ids one by one sees the text at once
                if n_known < len(ids):
                    raise ValueError(
                        f"{shown}, id number {before + n_known + 1}: {ids[n_known]} is not among "
                        f"the {len(tok.vocab)} ids of the tokenizer (highest: {max(tok.vocab)})"
                    )
                before += len(ids)
        _write(decoder.decode(b"", final=True).encode())


def _count(options: argparse.Namespace) -> None:
    tok = _tokenizer(options)
    counts = []
    for name in options.files:
        counts.append((sum(map(len, _ids_of_text(tok, name, options))), name))
    if len(counts) > 1:
        counts.append((sum(n for n, _ in counts), "total"))
    width = len(str(counts[-1][0]))
    for n, name in counts:
        line = f"{n:{width}} {name}" if len(counts) > 1 or name != "-" else f"{n}"
        _write(os.fsencode(line) + b"\n")


def _show(options: argparse.Namespace) -> None:
    from bpe.show import show_tokens

    tok = _tokenizer(options)
    auto = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    colored = {"always": True, "never": False, "auto": auto}[options.color]
    for name in options.files:
        ids = [idx for part in _ids_of_text(tok, name, options) for idx in part]
        view = show_tokens([tok.vocab[idx] for idx in ids], ids if options.ids else None)
        _write((view.ansi() if colored else str(view)).rstrip("\n").encode() + b"\n")


# --- text and ids -------------------------------------------------------------------------------


def _ids_of_text(tok: Tokenizer, name: str, options: argparse.Namespace) -> Iterator[list[int]]:
    """Yield the ids of a file, piece by piece."""
    specials = [] if options.specials == "plain" else [*tok.special_tokens]
    borders = Borders(tok.pattern, specials)
    place = 0
    with _opened(name) as (stream, shown), _bar(name) as bar:
        for piece in pieces(stream, borders, PIECE):
            found = [(at, text) for text in specials if (at := piece.find(text.encode())) >= 0]
            if found and options.specials == "refuse":
                at, text = min(found)
                raise ValueError(
                    f"{shown}, byte {place + at}: the special token {text!r}. --allow-special "
                    "turns it into its id, --plain-special takes it for plain text."
                )
            text = decode(piece, options.errors, shown, place)
            encoder = _compiled(tok) if len(piece) > SMALL else tok
            if found:
                yield encoder.encode(text, allowed_special="all")
            else:
                yield encoder.encode_ordinary(text)
            place += len(piece)
            bar.update(len(piece))


@lru_cache(maxsize=1)
def _compiled(tok: Tokenizer) -> "Tokenizer | Encoder":
    try:
        import bpe.fast
    except ImportError:  # no numba: the same ids, later
        return tok
    return bpe.fast.Encoder(tok)


def _ids_in(stream: BinaryIO, shown: str) -> Iterator[list[int]]:
    """Yield the ids that are written in a stream, as they come; brackets and commas may stand."""
    as_spaces = bytes.maketrans(b"[](),\t\r\n\v\f", b" " * 10)
    rest, n = b"", 0
    read = getattr(stream, "read1", stream.read)
    while True:
        chunk = read(1 << 16)
        waiting = rest + chunk.translate(as_spaces)
        end = waiting.rfind(b" ") + 1 if chunk else len(waiting)
        words, rest = waiting[:end].split(), waiting[end:]
        if len(rest) > 40:  # longer than any id
            words, rest = [*words, rest], b""
        for word in words:
            n += 1
            if not word.isdigit() or len(word) > 40:
                written = word[:40].decode("utf-8", "replace")
                raise ValueError(f"{shown}, id number {n}: {written!r} is no id, which is a number")
        yield [int(word) for word in words]
        if not chunk:
            return


@contextmanager
def _opened(name: str) -> Iterator[tuple[BinaryIO, str]]:
    if name == "-":
        if sys.stdin is None:
            raise ValueError("standard input is closed: name a file")
        yield sys.stdin.buffer, "standard input"
    else:
        with open(name, "rb") as stream:
            yield stream, name


def _write(data: bytes) -> None:
    sys.stdout.buffer.write(data)


def _at_terminal() -> bool:
    """Whether there is somebody to see a progress bar, and a library to draw it."""
    if sys.stderr is None or not sys.stderr.isatty():
        return False
    try:
        import tqdm  # noqa: F401
    except ImportError:
        return False
    return True


class _NoBar:
    def update(self, n: int) -> None:
        pass


@contextmanager
def _bar(name: str) -> Iterator[Any]:
    if not _at_terminal() or (name == "-" and sys.stdin.isatty()):
        yield _NoBar()
        return
    from tqdm import tqdm

    total = None if name == "-" else os.path.getsize(name) or None
    with tqdm(total=total, unit="B", unit_scale=True, desc=Path(name).name, leave=False) as bar:
        yield bar


# --- tokenizers ---------------------------------------------------------------------------------


def _tokenizer(options: argparse.Namespace) -> Tokenizer:
    pattern, special = options.pattern, options.special
    if options.encoding:
        _refuse_what_is_known(options.encoding, pattern, special)
        return get_encoding(options.encoding)
    path = Path(options.tokenizer)
    if path.is_dir():
        return files.read_vocab_and_merges(
            path, pattern=pattern or GPT2_PATTERN, special_tokens=special or None
        )
    if path.suffix == ".tiktoken":
        if pattern is None:
            raise ValueError(f"{path} does not say what a word is: add --pattern")
        return files.read_tiktoken(path, pattern=pattern, special_tokens=special)
    with path.open("rb") as file:
        ours = f'"{files.FORMAT}"'.encode() in file.read(100)
    _refuse_what_is_known(path, pattern if ours else None, special)
    return Tokenizer.load(path) if ours else files.read_tokenizer_json(path, pattern=pattern)


def _refuse_what_is_known(name: object, pattern: str | None, special: list[str]) -> None:
    if pattern is not None or special:
        option = "--special" if special else "--pattern"
        raise ValueError(f"{name} says this itself: leave out {option}")


def _save(tok: Tokenizer, output: str) -> None:
    path = Path(output)
    if output.endswith(("/", os.sep)) or path.is_dir():
        files.write_vocab_and_merges(tok, path)
    elif path.suffix == ".tiktoken":
        files.write_tiktoken(tok, path)
    elif path.name == "tokenizer.json":
        files.write_tokenizer_json(tok, path)
    else:
        tok.save(path)


def _refuse_unwritable(output: str) -> None:
    """Look before the training, which may take long, whether its result can be written."""
    folder = Path(os.path.abspath(output)).parent
    while not folder.exists():
        folder = folder.parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise ValueError(f"{output} cannot be written: {folder} is no folder that may be changed")


# --- arguments ----------------------------------------------------------------------------------


def _utf8(argument: str) -> str:
    """What was typed, in UTF-8: Python has read it in the encoding of the locale."""
    return os.fsencode(argument).decode("utf-8")


def _pattern(argument: str) -> str:
    text = _utf8(argument)
    if text not in PATTERNS and re.fullmatch(r"\w*", text):
        known = ", ".join(PATTERNS)
        raise argparse.ArgumentTypeError(f"no pattern {text!r}: use {known}, or a regex")
    return PATTERNS.get(text, text)


def _number(argument: str) -> int:
    if not argument.isdecimal():
        raise argparse.ArgumentTypeError(f"{argument!r} is no whole number from 0 up")
    return int(argument)


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="bpe",
        description="Byte-pair encoding: train a tokenizer, turn text into ids and back.",
        epilog=EXAMPLES,
        formatter_class=raw,
    )
    parser.add_argument("--version", action="version", version=bpe.__version__)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(name: str, run: Any, help: str, example: str) -> argparse.ArgumentParser:
        added = commands.add_parser(
            name,
            help=help,
            description=f"{help[0].upper()}{help[1:]}.",
            epilog=f"example:\n  {example}\n\n{TOKENIZER_FILES}",
            formatter_class=raw,
        )
        added.set_defaults(run=run)
        added.add_argument(
            "files", metavar="FILE", nargs="*", default=["-"],
            help="'-', or none at all, is standard input",
        )  # fmt: skip
        added.add_argument(
            "--special", metavar="TEXT", action="append", default=[], type=_utf8,
            help="a special token; may be given several times",
        )  # fmt: skip
        added.add_argument(
            "--pattern", metavar="PATTERN", type=_pattern,
            help=f"what a word is: {', '.join(PATTERNS)}, or a regular expression",
        )  # fmt: skip
        return added

    def reads_text(added: argparse.ArgumentParser) -> None:
        added.add_argument(
            "--errors", choices=["strict", "replace"], default="strict",
            help="what to do with bytes that are not UTF-8: stop, or take them for U+FFFD",
        )  # fmt: skip

    def has_tokenizer(added: argparse.ArgumentParser) -> None:
        which = added.add_mutually_exclusive_group(required=True)
        which.add_argument("-t", "--tokenizer", metavar="FILE", help="a tokenizer (see below)")
        which.add_argument("-e", "--encoding", choices=ENCODINGS, help="one of OpenAI's")

    def has_specials(added: argparse.ArgumentParser) -> None:
        added.set_defaults(specials="refuse")
        which = added.add_mutually_exclusive_group()
        which.add_argument(
            "--allow-special", dest="specials", action="store_const", const="allow",
            help="the text of a special token becomes its id; without this it is an error",
        )  # fmt: skip
        which.add_argument(
            "--plain-special", dest="specials", action="store_const", const="plain",
            help="the text of a special token is plain text",
        )  # fmt: skip

    added = command(
        "train", _train, "learn a tokenizer from text",
        "bpe train *.txt -o tok.json --vocab-size 32000 --special '<|endoftext|>'",
    )  # fmt: skip
    added.add_argument("-o", "--output", metavar="FILE", required=True, help="where to write it")
    added.add_argument(
        "-n", "--vocab-size", metavar="N", type=_number, required=True,
        help="how many ids: 256 bytes, the merges, the special tokens",
    )  # fmt: skip
    added.add_argument(
        "--ties", choices=TIES, default="smallest", help="which of several top pairs is merged"
    )
    added.add_argument(
        "--workers", metavar="N", type=_number, default=0,
        help="count words in N processes (needs Dask)",
    )  # fmt: skip
    added.add_argument(
        "--counts", metavar="FOLDER",
        help="keep the counts there: a run that was stopped goes on where it was",
    )  # fmt: skip
    reads_text(added)

    added = command(
        "encode", _encode, "turn text into ids", "bpe encode -e cl100k_base book.txt > ids.txt"
    )
    has_tokenizer(added)
    has_specials(added)
    reads_text(added)
    added.add_argument("--lines", action="store_true", help="one id a line, instead of one text")

    added = command("decode", _decode, "turn ids into text", "bpe decode -e cl100k_base ids.txt")
    has_tokenizer(added)

    added = command("count", _count, "count the tokens of text", "bpe count -e cl100k_base *.txt")
    has_tokenizer(added)
    has_specials(added)
    reads_text(added)

    added = command(
        "show", _show, "show the tokens of text", "echo 'Which tokens?' | bpe show -e gpt2"
    )
    has_tokenizer(added)
    has_specials(added)
    reads_text(added)
    added.add_argument("--ids", action="store_true", help="with the id of each token")
    added.add_argument("--color", choices=["auto", "always", "never"], default="auto")
    return parser
