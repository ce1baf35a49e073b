"""Counts of many blocks are the counts of one pass, whoever counts and whatever goes wrong."""

import logging
import os
import random
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bpe
from bpe import blocks, counting, datasets, splitting, workers
from bpe.counting import count_files, train, train_on_counts
from bpe.splitting import GPT2_PATTERN, GPT4_PATTERN, GPT4O_PATTERN, SIMPLE_PATTERN

END = "<|endoftext|>"


def single_pass(paths: list[Path], pattern: str, specials: list[str] = ()) -> list:
    """What the plain splitter counts, in its order."""
    borders = blocks.Borders(pattern, specials)
    texts = [path.read_bytes().decode() for path in paths]
    parts = [part for text in texts for part in borders.cut_out(text)]
    return list(splitting.count_words(parts, pattern).items())


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three files: documents with a token between them, one long document, an empty one."""
    folder = tmp_path_factory.mktemp("corpus")
    rng = random.Random(3)
    texts = [datasets.paragraph(), *datasets.article().split("\n\n"), "中文没有空格。\n再来一行"]
    contents = [
        END.join(rng.choice(texts) + "\r\n" * rng.randrange(2) for _ in range(150)),
        "\n".join(rng.choice(texts) for _ in range(100)),
        "",
    ]
    paths = [folder / f"{i}.txt" for i in range(3)]
    for path, content in zip(paths, contents):
        path.write_text(content, encoding="utf-8", newline="")
    return paths


@pytest.fixture(scope="module")
def client() -> Iterator:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=False,
            dashboard_address=":0",
            silence_logs=logging.ERROR,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


class TestTheSinglePass:
    @pytest.mark.parametrize("pattern", [GPT2_PATTERN, GPT4_PATTERN, GPT4O_PATTERN, SIMPLE_PATTERN])
    @pytest.mark.parametrize("block_size", [1, 997, 20_000])
    def test_in_this_process(self, corpus, pattern, block_size) -> None:
        files = (
            corpus[1:] if block_size == 1 else corpus
        )  # one block a word: a smaller text will do
        if block_size == 1:
            files = [corpus[1].with_name("small.txt")]
            files[0].write_text(corpus[1].read_text("utf-8")[:600], "utf-8")
        found = count_files(
            files, pattern=pattern, special_tokens=[END], workers=0, block_size=block_size
        )
        assert list(found.items()) == single_pass(files, pattern, [END])

    def test_a_pattern_that_nobody_knows(self, corpus) -> None:
        pattern = r"(?<=the )\w+|\w+(?=.*\w)|[^\w]+"
        found = count_files(
            corpus[:1], pattern=pattern, special_tokens=[END], workers=0, block_size=999
        )
        assert list(found.items()) == single_pass(corpus[:1], pattern, [END])

    def test_on_a_cluster(self, corpus, client) -> None:
        found = count_files(corpus, special_tokens=[END], client=client, block_size=5000)
        assert list(found.items()) == single_pass(corpus, GPT4_PATTERN, [END])

    @given(
        st.lists(st.lists(st.sampled_from(["a b", " <e>", "<e", ">", "\n", "x "])).map("".join)),
        st.integers(1, 9),
    )
    @settings(max_examples=50)
    def test_any_files(self, tmp_path_factory, texts, block_size) -> None:
        folder = tmp_path_factory.mktemp("any")
        files = [folder / str(i) for i in range(len(texts))]
        for file, text in zip(files, texts):
            file.write_text(text)
        found = count_files(files, special_tokens=["<e>"], workers=0, block_size=block_size)
        assert list(found.items()) == single_pass(files, GPT4_PATTERN, ["<e>"])

    def test_wrong_bytes(self, tmp_path, client) -> None:
        file = tmp_path / "latin.txt"
        file.write_bytes(b"one two three caf\xe9 four")
        for how in ({"workers": 0}, {"client": client}):
            with pytest.raises(ValueError, match="latin.txt, byte 17: not UTF-8 .*errors='repl"):
                count_files(file, block_size=4, **how)
            found = count_files(file, block_size=4, errors="replace", **how)
            assert found["\ufffd".encode()] == 1

    def test_wrong_arguments(self, corpus, tmp_path) -> None:
        with pytest.raises(ValueError, match="no regular expression"):
            count_files(corpus, pattern="(", workers=0)
        with pytest.raises(ValueError, match="there is no file"):
            count_files([*corpus, tmp_path / "none.txt"], workers=0)
        with pytest.raises(ValueError, match="workers=-1"):
            count_files(corpus, workers=-1)
        with pytest.raises(ValueError, match="block_size=0"):
            count_files(corpus, block_size=0)
        with pytest.raises(ValueError, match="errors='skip'"):
            count_files(corpus, errors="skip")


class TestAWorkerThatDies:
    def test_loses_nothing(self, corpus, tmp_path, monkeypatch) -> None:
        """One process of two is killed when the first counts have come, with blocks in hand."""
        from distributed import Client, LocalCluster

        killed = []
        with (
            LocalCluster(
                n_workers=2,
                threads_per_worker=1,
                processes=True,
                dashboard_address=":0",
                silence_logs=logging.CRITICAL,
            ) as cluster,
            Client(cluster) as client,
        ):

            def kill_one(path: Path, content: bytes) -> None:
                if not killed:
                    processing = client.processing()
                    pids = client.run(os.getpid)
                    victim = next(worker for worker, tasks in processing.items() if tasks)
                    killed.append(len(processing[victim]))
                    os.kill(pids[victim], signal.SIGKILL)
                write(path, content)

            write = counting.write_file
            monkeypatch.setattr(counting, "write_file", kill_one)
            found = count_files(
                corpus,
                special_tokens=[END],
                client=client,
                block_size=5000,
                folder=tmp_path / "counts",
            )
        assert killed and killed[0] > 0
        assert list(found.items()) == single_pass(corpus, GPT4_PATTERN, [END])

    def test_a_block_that_kills_everyone_is_told(self, monkeypatch) -> None:
        from distributed import KilledWorker

        class Dying:
            def nthreads(self):
                return {"a": 1}

            def cancel(self, futures):
                self.cancelled = futures

            def submit(self, function, *task, pure):
                return type("F", (), {"result": staticmethod(lambda: fail())})()

        def fail():
            raise KilledWorker("count-1", type("W", (), {"address": "a"})(), 3)

        class Completed(list):
            add = list.append

        monkeypatch.setattr("distributed.as_completed", Completed)
        client = Dying()
        with pytest.raises(RuntimeError, match="smaller block_size"):
            list(workers.run(divmod, {0: (1, 1), 1: (2, 2)}, client=client))
        assert len(client.cancelled) == 2


def calls_of(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The blocks that are counted from now on, as file and start."""
    calls = []
    count = counting.count_stream

    def counted(stream, borders, *, name, start, **how):
        calls.append((Path(name).name, start))
        return count(stream, borders, name=name, start=start, **how)

    monkeypatch.setattr(counting, "count_stream", counted)
    return calls


HOW = {"special_tokens": [END], "workers": 0, "block_size": 20_000}


class TestResuming:
    @pytest.fixture
    def files(self, corpus, tmp_path) -> list[Path]:
        copies = [tmp_path / path.name for path in corpus]
        for path, copy in zip(corpus, copies):
            copy.write_bytes(path.read_bytes())
        return copies

    def test_a_second_run_counts_nothing(self, files, tmp_path, monkeypatch) -> None:
        calls = calls_of(monkeypatch)
        first = count_files(files, folder=tmp_path / "counts", **HOW)
        n_blocks = len(calls)
        assert n_blocks > 5
        second = count_files(files, folder=tmp_path / "counts", **HOW)
        assert list(second.items()) == list(first.items())
        assert len(calls) == n_blocks

    def test_a_run_that_was_stopped_goes_on(self, files, tmp_path, monkeypatch) -> None:
        calls = calls_of(monkeypatch)
        write, left = counting.write_file, [3]

        def stop(path: Path, content: bytes) -> None:
            if not left[0]:
                raise KeyboardInterrupt
            left[0] -= 1
            write(path, content)

        monkeypatch.setattr(counting, "write_file", stop)
        with pytest.raises(KeyboardInterrupt):
            count_files(files, folder=tmp_path / "counts", **HOW)
        monkeypatch.setattr(counting, "write_file", write)
        before = list(calls)
        found = count_files(files, folder=tmp_path / "counts", **HOW)
        assert list(found.items()) == single_pass(files, GPT4_PATTERN, [END])
        assert calls[:4] == before  # the fourth had been counted, and not written
        assert sorted(set(calls)) == sorted({*calls[:3], *calls[4:]})
        assert len(calls) == len(set(calls)) + 1

    def test_what_has_changed_is_counted_again(self, files, tmp_path, monkeypatch) -> None:
        folder = tmp_path / "counts"
        count_files(files, folder=folder, **HOW)
        calls = calls_of(monkeypatch)
        with files[1].open("ab") as file:
            file.write(b" and more")
        found = count_files(files, folder=folder, **HOW)
        assert list(found.items()) == single_pass(files, GPT4_PATTERN, [END])
        assert len(calls) == 1 and calls[0][0] == "1.txt" and calls[0][1] > 0  # the last block
        os.utime(files[0])  # another time, the same text: read, and not counted
        count_files(files, folder=folder, **HOW)
        assert len(calls) == 1

    def test_a_change_that_hides(self, files, tmp_path, monkeypatch) -> None:
        """Same size, same time: seen by the hash only."""
        folder = tmp_path / "counts"
        before = count_files(files, folder=folder, **HOW)
        stat = files[1].stat()
        data = bytearray(files[1].read_bytes())
        middle = data.index(b"e", len(data) // 2)
        data[middle : middle + 1] = b"E"
        files[1].write_bytes(data)
        os.utime(files[1], ns=(stat.st_atime_ns, stat.st_mtime_ns))
        assert count_files(files, folder=folder, **HOW) == before
        calls = calls_of(monkeypatch)
        found = count_files(files, folder=folder, checksum=True, **HOW)
        assert list(found.items()) == single_pass(files, GPT4_PATTERN, [END])
        assert len(calls) == 1

    def test_other_settings_are_other_counts(self, files, tmp_path) -> None:
        folder = tmp_path / "counts"
        for pattern in (GPT2_PATTERN, GPT4_PATTERN):
            for specials in ([], [END]):
                found = count_files(
                    files, folder=folder, pattern=pattern, special_tokens=specials, workers=0
                )
                assert list(found.items()) == single_pass(files, pattern, specials)

    def test_damage_is_mended(self, files, tmp_path, monkeypatch) -> None:
        folder = tmp_path / "counts"
        first = count_files(files, folder=folder, **HOW)
        parts = sorted(folder.glob("*.counts"))
        whole = [part.read_bytes() for part in parts]
        parts[0].write_bytes(whole[0][:-9])
        parts[1].unlink()
        parts[2].write_bytes(whole[2].replace(b"e", b"a", 1))
        journal = folder / "journal.jsonl"
        journal.write_bytes(journal.read_bytes()[:-9] + b'\n[1]\n{"half": ')
        for _ in range(2):
            assert count_files(files, folder=folder, **HOW) == first
        calls = calls_of(monkeypatch)
        assert count_files(files, folder=folder, **HOW) == first
        assert calls == []
        assert [part.read_bytes() for part in parts] == whole
        assert {path.suffix for path in folder.iterdir()} == {".counts", ".jsonl"}

    @given(st.dictionaries(st.binary(), st.integers(0, 2**64 - 1)))
    def test_counts_are_kept_as_they_are(self, counts) -> None:
        packed = counting._pack(counts)
        assert list(counting._unpack(packed).items()) == list(counts.items())
        for damaged in (packed[:-1], packed + b"x", b"", packed[:40]):
            if damaged != packed:
                with pytest.raises(ValueError):
                    counting._unpack(damaged)

    def test_a_file_that_changes_meanwhile(self, files, tmp_path, monkeypatch) -> None:
        write = counting.write_file

        def meddle(path: Path, content: bytes) -> None:
            files[0].write_bytes(files[0].read_bytes() + b"!")
            write(path, content)

        monkeypatch.setattr(counting, "write_file", meddle)
        with pytest.raises(ValueError, match="0.txt was changed while it was read"):
            count_files(files, **HOW)


class TestTraining:
    @pytest.mark.parametrize("ties", splitting.TIES)
    def test_as_from_the_texts(self, corpus, ties) -> None:
        texts = [path.read_bytes().decode() for path in corpus]
        how = {"special_tokens": [END, "<|pad|>"], "ties": ties}
        ours = train(corpus, 600, workers=0, block_size=7000, **how)
        theirs = bpe.Tokenizer.train(texts, 600, **how)
        assert ours.merges == theirs.merges and list(ours.merges) == list(theirs.merges)
        assert ours.special_tokens == theirs.special_tokens == {END: 598, "<|pad|>": 599}
        assert (ours.pattern, ours.ties, ours.vocab) == (theirs.pattern, theirs.ties, theirs.vocab)

    def test_on_a_cluster_with_progress(self, corpus, client, capsys) -> None:
        tok = train(corpus, 300, client=client, special_tokens={END: 299}, progress=True)
        assert isinstance(tok, bpe.Tokenizer) and tok.special_tokens == {END: 299}
        assert "counting: 100%" in capsys.readouterr().err

    def test_wrong_arguments_are_refused_before_anything_is_counted(
        self, corpus, monkeypatch
    ) -> None:
        calls = calls_of(monkeypatch)
        for wrong in (
            {"vocab_size": 200},
            {"special_tokens": "<e>"},
            {"special_tokens": {"<e>": 256}},
            {"ties": "random"},
            {"pattern": "("},
        ):
            with pytest.raises(ValueError):
                train(corpus, **{"vocab_size": 300, "workers": 0} | wrong)
        assert calls == []

    @pytest.mark.parametrize("compiled", [True, False])
    def test_too_few_words_warn(self, compiled, monkeypatch) -> None:
        if not compiled:
            monkeypatch.setitem(sys.modules, "bpe.fast", None)
        with pytest.warns(UserWarning, match="258 ids, 500 were asked for"):
            tok = train_on_counts({b"low": 1}, 500)
        assert len(tok.merges) == 2
        with pytest.raises(ValueError):
            train_on_counts({b"low": 1}, 256, special_tokens=["<e>"])

    def test_plain_and_compiled_agree(self, corpus, monkeypatch) -> None:
        words = dict(single_pass(corpus, GPT4_PATTERN, [END]))
        found = train_on_counts(words, 500, special_tokens=[END])
        monkeypatch.setitem(sys.modules, "bpe.fast", None)
        plain = train_on_counts(words, 500, special_tokens=[END])
        assert list(found.merges.items()) == list(plain.merges.items())
        assert found.special_tokens == plain.special_tokens


def test_without_dask(corpus, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"from-text-to-tokens\[scale\].*workers=0"):
        count_files(corpus, workers=2, block_size=1000)
