"""The command line: what comes out, what is said, and how it ends."""

import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

import bpe
from bpe import commands, datasets
from bpe.splitting import GPT2_PATTERN, GPT4O_PATTERN

END = "<|endoftext|>"
TEXT = f"Wörter, 한글 und 👋🏽!\n{datasets.article()[:300]}"


@pytest.fixture(scope="module")
def tok(tmp_path_factory: pytest.TempPathFactory) -> bpe.Tokenizer:
    return bpe.Tokenizer.train(datasets.article(), 600, special_tokens=[END])


@pytest.fixture(scope="module")
def file(tok: bpe.Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("tokenizers") / "tok.json"
    tok.save(path)
    return str(path)


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture) -> Run:
    """Run a command in this process: exit code, standard output, standard error."""

    def run(*arguments: object, stdin: str | bytes = b"") -> tuple[int, str, str]:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        try:
            code = commands.main([str(each) for each in arguments])
        except SystemExit as stop:
            code = stop.code
        sys.stdout.flush()
        out, err = capfdbinary.readouterr()
        lines = err.decode().splitlines(keepends=True)
        said = [line for line in lines if not line.startswith("bpe.fast: compiling")]
        return code, out.decode(), "".join(said)

    return run


def start(*arguments: object, environment: dict[str, str] | None = None, **how) -> subprocess.Popen:
    command = [sys.executable, "-m", "bpe", *map(str, arguments)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | how
    return subprocess.Popen(command, env=os.environ | (environment or {}), **pipes)


class TestTextAndIds:
    def test_there_and_back(self, run, tok, file) -> None:
        code, ids, said = run("encode", "-t", file, stdin=TEXT)
        assert (code, said) == (0, "")
        assert ids == " ".join(map(str, tok.encode(TEXT))) + "\n"
        assert run("decode", "-t", file, stdin=ids) == (0, TEXT, "")
        _, lines, _ = run("encode", "-t", file, "--lines", stdin=TEXT)
        assert lines == "".join(f"{idx}\n" for idx in tok.encode(TEXT))
        assert run("decode", "-t", file, stdin=lines)[1] == TEXT
        assert run("decode", "-t", file, stdin=str(tok.encode(TEXT)))[1] == TEXT

    def test_nothing(self, run, file) -> None:
        assert run("encode", "-t", file) == (0, "\n", "")
        assert run("encode", "-t", file, "--lines") == (0, "", "")
        assert run("decode", "-t", file) == (0, "", "")
        assert run("count", "-t", file) == (0, "0\n", "")
        assert run("show", "-t", file) == (0, "no tokens\n", "")

    def test_files(self, run, tok, file, tmp_path) -> None:
        texts = {"a.txt": "one", "b.txt": "", "ü.txt": "three three"}
        paths = [tmp_path / name for name in texts]
        for path in paths:
            path.write_text(texts[path.name], "utf-8")
        encoded = [tok.encode(text) for text in [*texts.values(), "last"]]
        code, out, _ = run("encode", "-t", file, *paths, "-", stdin="last")
        assert code == 0 and [line.split() for line in out.split("\n")[:-1]] == [
            list(map(str, ids)) for ids in encoded
        ]
        code, out, _ = run("count", "-t", file, *paths, "-", stdin="last")
        counts = [*map(len, encoded), sum(map(len, encoded))]
        names = [*map(str, paths), "-", "total"]
        assert [line.split() for line in out.splitlines()] == [
            [str(n), name] for n, name in zip(counts, names)
        ]

    @pytest.mark.parametrize("name", ["gpt2", "cl100k_base"])
    def test_openais(self, run, name) -> None:
        expected = datasets.tiktoken_encoding(name).encode(TEXT)
        assert run("encode", "-e", name, stdin=TEXT)[1].split() == list(map(str, expected))
        assert run("count", "-e", name, stdin=TEXT)[1] == f"{len(expected)}\n"

    @given(st.lists(st.sampled_from([END, "<|end", "of text", " a", "\n", "ß", "  "])))
    @settings(max_examples=30)
    def test_pieces_are_encoded_as_the_whole(self, tok, parts) -> None:
        text = "".join(parts)
        options = commands._parser().parse_args(["count", "-e", "gpt2", "--allow-special"])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(commands, "PIECE", 3)
            patch.setattr(commands, "SMALL", 1 << 30)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
            ids = [idx for part in commands._ids_of_text(tok, "-", options) for idx in part]
        assert ids == tok.encode(text, allowed_special="all")

    def test_a_long_text_goes_through_compiled_code(self, run, tok, file, monkeypatch) -> None:
        monkeypatch.setattr(commands, "SMALL", 100)
        monkeypatch.setattr(commands, "PIECE", 150)
        expected = " ".join(map(str, tok.encode(TEXT))) + "\n"
        assert run("encode", "-t", file, stdin=TEXT)[1] == expected
        commands._compiled.cache_clear()
        monkeypatch.setitem(sys.modules, "bpe.fast", None)  # without numba: no other word
        assert run("encode", "-t", file, stdin=TEXT) == (0, expected, "")
        commands._compiled.cache_clear()

    def test_special_tokens(self, run, tok, file) -> None:
        code, out, said = run("encode", "-t", file, stdin=f"höh{END}")
        assert code == 1 and out == ""
        assert "standard input, byte 4: the special token '<|endoftext|>'" in said
        assert "--allow-special" in said and "--plain-special" in said and said.count("\n") == 1
        code, out, _ = run("encode", "-t", file, "--allow-special", stdin=f"h{END}")
        assert out.split() == ["104", "599"]
        code, out, _ = run("encode", "-t", file, "--plain-special", stdin=f"h{END}")
        assert out.split() == list(map(str, tok.encode_ordinary(f"h{END}")))
        assert run("encode", "-t", file, "--plain-special", "--allow-special")[0] == 2

    def test_show(self, run, file) -> None:
        assert run("show", "-t", file, "--ids", stdin="hey\n")[1] == "|he(258)|y(121)|⏎(10)\n|\n"
        assert "\x1b[" not in run("show", "-t", file, stdin="hey")[1]
        assert "\x1b[30;48;5;" in run("show", "-t", file, "--color", "always", stdin="hey")[1]


class TestTraining:
    def test_from_files_and_from_standard_input(self, run, tmp_path) -> None:
        text = tmp_path / "text.txt"
        text.write_text(f"low lower{END}lowest", "utf-8")
        output = tmp_path / "new" / "tok.json"
        arguments = ["train", "-o", output, "-n", 260, "--special", END, "--ties", "greatest"]
        expected = bpe.Tokenizer.train(text.read_text(), 260, special_tokens=[END], ties="greatest")
        for source, stdin in (([text], ""), ([], text.read_text()), (["-"], text.read_text())):
            assert run(*arguments, *source, stdin=stdin) == (0, "", "")
            found = bpe.Tokenizer.load(output)
            assert (found.merges, found.ties) == (expected.merges, "greatest")
            assert found.special_tokens == {END: 259}
            output.unlink()
        assert run(*arguments, text, text, "--counts", tmp_path / "counts")[0] == 0
        assert (tmp_path / "counts" / "journal.jsonl").exists()

    def test_formats(self, run, tmp_path) -> None:
        text = "low lower lowest lowest"
        tok = bpe.Tokenizer.train(text, 260, pattern=GPT2_PATTERN, special_tokens=[END])
        expected = tok.encode("lower lowest")
        for name in ("a.json", "tokenizer.json", "a.tiktoken", "folder/"):
            path = tmp_path / name
            arguments = ["-n", 260, "--pattern", "gpt2", "--special", END]
            output = f"{path}/" if name.endswith("/") else path
            assert run("train", "-o", output, *arguments, stdin=text) == (0, "", "")
            more = ["--pattern", "gpt2"] if name == "a.tiktoken" else []
            code, ids, said = run("encode", "-t", path, *more, stdin="lower lowest")
            assert (code, said) == (0, "")
            assert ids == " ".join(map(str, expected)) + "\n"
        assert tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json")).get_vocab_size()
        assert sorted(os.listdir(tmp_path / "folder")) == ["merges.txt", "vocab.json"]
        code, _, said = run("encode", "-t", tmp_path / "a.tiktoken", stdin="x")
        assert code == 1 and "add --pattern" in said
        code, _, said = run("encode", "-t", tmp_path / "a.json", "--special", "<e>", stdin="x")
        assert code == 1 and "leave out --special" in said

    @pytest.mark.parametrize(
        "name, pattern",
        [("gpt2", GPT2_PATTERN), ("o200k", GPT4O_PATTERN), (r"\w+|\W", r"\w+|\W")],
    )
    def test_patterns(self, run, tmp_path, name, pattern) -> None:
        output = tmp_path / "tok.json"
        assert run("train", "-o", output, "-n", 256, "--pattern", name, stdin="a")[0] == 0
        assert bpe.Tokenizer.load(output).pattern == pattern

    def test_too_little_text_is_told_in_a_line(self, run, tmp_path) -> None:
        code, out, said = run("train", "-o", tmp_path / "t.json", "-n", 999, stdin="low low")
        assert (code, out) == (0, "") and said.count("\n") == 1
        assert said.startswith("bpe: warning: training stopped at 259 ids, 999 were asked for")


class TestErrors:
    @pytest.mark.parametrize(
        "arguments, stdin, message",
        [
            (["encode", "-t", "none.json"], "", "none.json: No such file or directory"),
            (["encode", "-t", "FILE", "--pattern", "gpt2"], "", "leave out --pattern"),
            (["encode", "-e", "gpt2", "none.txt"], "", "none.txt: No such file or directory"),
            (["count", "-t", "FILE", "."], "", ".: Is a directory"),
            (["encode", "-t", "FILE"], b"ab\xff", "standard input, byte 2: not UTF-8"),
            (["decode", "-t", "FILE"], "12 x7 13", "standard input, id number 2: 'x7' is no id"),
            (["decode", "-t", "FILE"], "12 -7", "id number 2: '-7' is no id"),
            (["decode", "-t", "FILE"], "1" * 99, "id number 1: '1111"),
            (["decode", "-t", "FILE"], "97 700", "id number 2: 700 is not among the 600 ids"),
            (["train", "-o", "FILE/x.json", "-n", "300"], "a", "cannot be written"),
            (["train", "-o", "x.json", "-n", "200"], "a", "vocab_size=200 is too small"),
            (["train", "-o", "x.json", "-n", "300", "--pattern", "("], "a", "no regular exp"),
            (["train", "-o", "x.json", "-n", "300", "--special", ""], "a", "special token"),
            (["train", "-o", "x.json", "-n", "300", "--workers", "2"], "a", "need files"),
            (["train", "-o", "x.json", "-n", "300", "none.txt"], "a", "there is no file"),
        ],
    )  # fmt: skip
    def test_bad_input(self, run, file, tmp_path, monkeypatch, arguments, stdin, message) -> None:
        monkeypatch.chdir(tmp_path)
        arguments = [each.replace("FILE", file) for each in arguments]
        code, _, said = run(*arguments, stdin=stdin)
        assert code == 1
        assert message in said and said.startswith("bpe: ") and said.count("\n") == 1
        assert "Traceback" not in said
        assert list(tmp_path.iterdir()) == []

    def test_what_came_before_is_kept(self, run, file) -> None:
        assert run("decode", "-t", file, stdin="104 105 700 104")[1] == "hi"
        assert run("decode", "-t", file, stdin="97 195")[1] == "a\ufffd"
        code, out, _ = run("encode", "-t", file, "--errors", "replace", stdin=b"a\xff")
        assert (code, out.split()) == (0, ["97", "239", "191", "189"])

    @pytest.mark.parametrize(
        "arguments",
        [
            [],
            ["unknown"],
            ["encode"],
            ["encode", "-e", "gpt9"],
            ["encode", "-e", "gpt2", "-t", "tok.json"],
            ["train", "-n", "300"],
            ["train", "-o", "x.json", "-n", "many"],
            ["train", "-o", "x.json", "-n", "300", "--pattern", "gpt5"],
            ["train", "-o", "x.json", "-n", "300", "--ties", "random"],
        ],
    )
    def test_wrong_usage(self, run, arguments) -> None:
        code, out, said = run(*arguments)
        assert code == 2 and out == "" and said.startswith("usage: bpe")

    def test_help(self, run) -> None:
        code, out, _ = run("--help")
        assert code == 0 and "examples:" in out and "bpe train books/*.txt" in out
        for command in ("train", "encode", "decode", "count", "show"):
            code, out, _ = run(command, "--help")
            assert code == 0 and "example:\n  " in out and "tokenizer.json" in out
        assert run("--version")[1] == f"{bpe.__version__}\n"


class TestAsAProcess:
    def test_utf8_whatever_the_locale(self, file, tmp_path) -> None:
        environment = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        output = tmp_path / "tok.json"
        process = start(
            "train", "-o", output, "-n", 300, "--special", "《終》", environment=environment
        )
        _, said = process.communicate("한글《終》 한글".encode())
        assert process.returncode == 0
        special = bpe.Tokenizer.load(output).special_tokens
        assert [*special] == ["《終》"]
        process = start("show", "-t", output, "--allow-special", environment=environment)
        shown, said = process.communicate("한《終》".encode())
        assert shown.decode() == "|한|《終》|\n" and said == b""
        process = start("count", "-t", output, "없다.txt", environment=environment)
        _, said = process.communicate()
        assert process.returncode == 1 and b"No such file" in said and said.count(b"\n") == 1

    def test_text_comes_as_soon_as_its_characters_are_whole(self, file) -> None:
        process = start("decode", "-t", file, bufsize=0)
        process.stdin.write(b"104 105 237 149 1")
        assert os.read(process.stdout.fileno(), 100) == b"hi"
        process.stdin.write(b"56 ")
        assert os.read(process.stdout.fileno(), 100).decode() == "한"
        rest, said = process.communicate(b"33")
        assert (process.returncode, rest, said) == (0, b"!", b"")

    def test_nobody_reads(self, file, tmp_path) -> None:
        process = start("encode", "-t", file, "--lines")
        process.stdout.close()
        with process:
            try:
                process.stdin.write(b"many words " * 20_000)
                process.stdin.close()
            except BrokenPipeError:
                pass
            said = process.stderr.read()
        assert (process.returncode, said) == (141, b"")

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
    def test_no_space_left(self, file) -> None:
        with open("/dev/full", "wb") as full:
            process = start("encode", "-t", file, stdout=full)
            _, said = process.communicate(b"a")
        assert process.returncode == 1
        assert b"No space left" in said and said.count(b"\n") == 1

    @pytest.mark.skipif(sys.platform == "win32", reason="signals")
    def test_interrupted(self, file) -> None:
        process = start("decode", "-t", file, bufsize=0)
        process.stdin.write(b"104 ")
        assert os.read(process.stdout.fileno(), 100) == b"h"  # it runs
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
        assert process.wait() == 130 and said == b""
        process.stdin.close(), process.stdout.close(), process.stderr.close()

    @pytest.mark.skipif(sys.platform == "win32", reason="a memory limit of Unix")
    def test_a_long_stream_needs_little_memory(self, file) -> None:
        probe = (
            "import resource, sys; from bpe.commands import main; code = main(sys.argv[1:]);"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=sys.stderr)"
        )
        line = b"words and more words, one after the other\n"

        def peak(n: int) -> int:
            command = [sys.executable, "-c", probe, "count", "-t", file]
            done = subprocess.run(command, input=line * n, capture_output=True, check=True)
            assert int(done.stdout) > 0
            return int(done.stderr.split()[-1])

        assert peak(400_000) - peak(50_000) < 60  # MB; the text is 15 MB longer, its ids 50


def test_bars_only_for_people(tok, monkeypatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert commands._at_terminal()
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert not commands._at_terminal()


def test_the_entry_point() -> None:
    import tomllib

    settings = tomllib.loads(Path(__file__).parent.parent.joinpath("pyproject.toml").read_text())
    assert settings["project"]["scripts"] == {"bpe": "bpe.commands:main"}
