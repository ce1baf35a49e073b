"""Files become shards of ids, and come back as if they were one array."""

import json
import logging
import mmap
import pickle
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe import Tokenizer, datasets, shards
from bpe.shards import TokenShards, encode_files

END, USER = "<|endoftext|>", "<|user|>"


@pytest.fixture(scope="module")
def tok() -> Tokenizer:
    return Tokenizer.train(datasets.article(), 500, special_tokens=[END, USER, "<|never|>"])


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("texts")
    parts = [*datasets.article().split("\n\n"), datasets.paragraph(), f"<|never|> {USER} x", ""]
    contents = [
        END.join(parts),
        "",
        "\n".join(parts) * 4,  # one long document
        END.join(parts[:3]) + END,
        END,
    ]
    paths = [folder / f"{i}.txt" for i in range(len(contents))]
    for path, content in zip(paths, contents):
        path.write_text(content, encoding="utf-8", newline="")
    return paths


def documents(tok: Tokenizer, paths: list[Path], separator: str | None, allowed=()) -> list:
    """What the plain tokenizer makes of them, document by document."""
    found = []
    end = [] if separator is None else [tok.special_tokens[separator]]
    for path in paths:
        parts = [path.read_bytes().decode()]
        if separator is not None:
            parts = parts[0].split(separator)
        if not parts[-1]:
            parts.pop()
        for part in parts:
            ids = tok.encode(part, allowed_special={*allowed}, disallowed_special=())
            found.append(ids + end)
    return found


class TestEncoding:
    @pytest.mark.parametrize("block_size", [700, 5000, 1 << 24])
    @pytest.mark.parametrize("separator", [END, None])
    def test_as_the_plain_tokenizer(self, files, tok, tmp_path, block_size, separator) -> None:
        found = encode_files(
            files, tmp_path, tok, separator=separator, allowed_special=[USER],
            workers=0, block_size=block_size,
        )  # fmt: skip
        expected = documents(tok, files, separator, [USER])
        assert [each.tolist() for each in found] == expected
        assert found.ids[:].tolist() == [idx for each in expected for idx in each]
        n = len(found.index["shards"])
        assert n == 4 if block_size == 1 << 24 else n > 6

    def test_without_numba(self, files, tok, tmp_path, monkeypatch) -> None:
        monkeypatch.setattr(shards, "_encoder", lambda tok: None)
        found = encode_files(files, tmp_path, tok, workers=0, block_size=5000)
        assert [each.tolist() for each in found] == documents(tok, files, END)

    def test_on_a_cluster(self, files, tok, tmp_path) -> None:
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
            found = encode_files(files, tmp_path, tok, client=client, block_size=1000)
        assert [each.tolist() for each in found] == documents(tok, files, END)

    @given(
        st.lists(st.lists(st.sampled_from(["a b", END, USER, "<|", "\n", "x "])).map("".join)),
        st.integers(1, 30),
    )
    @settings(max_examples=40)
    def test_any_files(self, tok, tmp_path_factory, texts, block_size) -> None:
        folder = tmp_path_factory.mktemp("any")
        paths = [folder / str(i) for i in range(len(texts))]
        for path, text in zip(paths, texts):
            path.write_text(text, newline="")
        found = encode_files(paths, folder / "ids", tok, workers=0, block_size=block_size)
        assert [each.tolist() for each in found] == documents(tok, paths, END)

    def test_width(self, files, tok, tmp_path) -> None:
        assert encode_files(files, tmp_path / "a", tok, workers=0).dtype == np.uint16
        wide = encode_files(files, tmp_path / "b", tok, workers=0, dtype="uint32")
        assert wide.dtype == np.uint32 and wide[0].dtype == np.uint32
        high = Tokenizer(tok.ranks, pattern=tok.pattern, special_tokens={END: 70_000})
        found = encode_files(files, tmp_path / "c", high, workers=0)
        assert found.dtype == np.uint32 and found[0][-1] == 70_000
        with pytest.raises(
            ValueError, match="up to 70000, too high for uint16: use dtype='uint32'"
        ):
            encode_files(files, tmp_path / "d", high, workers=0, dtype="uint16")
        with pytest.raises(ValueError, match="dtype='int64'"):
            encode_files(files, tmp_path / "d", high, workers=0, dtype="int64")
        higher = Tokenizer(tok.ranks, pattern=tok.pattern, special_tokens={END: 1 << 32})
        with pytest.raises(ValueError, match="not stored"):
            encode_files(files, tmp_path / "d", higher, workers=0)
        assert not (tmp_path / "d").exists()

    def test_wrong_arguments(self, files, tok, tmp_path) -> None:
        with pytest.raises(ValueError, match="'<e>' is no special token .*'<|endoftext|>'"):
            encode_files(files, tmp_path, tok, separator="<e>", workers=0)
        with pytest.raises(ValueError, match="is one str"):
            encode_files(files, tmp_path, tok, allowed_special=USER, workers=0)
        (tmp_path / "latin").write_bytes(b"caf\xe9")
        with pytest.raises(ValueError, match="latin, byte 3: not UTF-8"):
            encode_files(tmp_path / "latin", tmp_path / "ids", tok, workers=0)
        found = encode_files(tmp_path / "latin", tmp_path / "ids", tok, workers=0, errors="replace")
        assert tok.decode(found.ids[:]) == "caf\ufffd" + END

    def test_nothing(self, tok, tmp_path) -> None:
        found = encode_files([], tmp_path, tok, workers=0)
        assert len(found) == len(found.ids) == 0 and list(found) == []
        assert found.ids[:].tolist() == []


@pytest.fixture(scope="module")
def made(files, tok, tmp_path_factory) -> TokenShards:
    folder = tmp_path_factory.mktemp("ids")
    return encode_files(files, folder, tok, workers=0, block_size=700)


class TestReading:
    def test_as_one_array(self, made) -> None:
        every = made.ids[:]
        n = len(made.ids)
        assert every.shape == (n,) and made.starts[-1] == n
        rng = np.random.default_rng(1)
        for start, stop in rng.integers(-n - 5, n + 5, (200, 2)).tolist():
            for step in (None, 1, 3, -1, -7):
                assert np.array_equal(made.ids[start:stop:step], every[start:stop:step])
        assert [made.ids[i] for i in (0, n - 1, -1, -n)] == every[[0, n - 1, -1, -n]].tolist()
        assert made.ids[np.int64(3)] == every[3]
        for wrong in (n, -n - 1):
            with pytest.raises(IndexError, match=str(n)):
                made.ids[wrong]

    def test_documents(self, made, files, tok) -> None:
        expected = documents(tok, files, END)
        assert len(made) == len(expected)
        assert made[-1].tolist() == expected[-1]
        for wrong in (len(made), -len(made) - 1):
            with pytest.raises(IndexError, match=f"there are {len(made)}"):
                made[wrong]
        assert made.made_by(tok) and not made.made_by(Tokenizer.train("", 256))

    def test_by_memory_map(self, made, monkeypatch) -> None:
        part = made.ids[:5]
        assert not part.flags.writeable
        while isinstance(part, np.ndarray):
            part = part.base
        assert isinstance(part, mmap.mmap)
        monkeypatch.setattr(shards, "N_OPEN", 1)  # more shards than may be open
        again = TokenShards(made.folder)
        assert np.array_equal(again.ids[:], made.ids[:])

    def test_a_copy_for_another_process(self, made) -> None:
        again = pickle.loads(pickle.dumps(made))
        assert np.array_equal(again.ids[:], made.ids[:])
        assert repr(again) == f"<TokenShards: {len(made)} documents, {len(made.ids)} ids, uint16>"


class TestWhatIsWrong:
    @pytest.fixture
    def folder(self, files, tok, tmp_path) -> Path:
        encode_files(files, tmp_path, tok, workers=0, block_size=2000)
        return tmp_path

    def test_missing_and_short_files(self, folder, files, tok) -> None:
        file = folder / "shard-00002.ids"
        content = file.read_bytes()
        file.write_bytes(content[:-2])
        expected = f"shard-00002.ids has {len(content) - 2} bytes, and {len(content)} were written"
        with pytest.raises(ValueError, match=expected):
            TokenShards(folder)
        file.unlink()
        (folder / "shard-00003.starts").unlink()
        with pytest.raises(ValueError, match="shard-00002.ids is missing: call encode_files again"):
            TokenShards(folder)
        found = encode_files(files, folder, tok, workers=0, block_size=2000)
        assert [each.tolist() for each in found] == documents(tok, files, END)
        assert file.read_bytes() == content

    @pytest.mark.parametrize(
        "change, message",
        [
            ({"format": "?"}, "no index of shards"),
            ({"version": 2}, "newer package"),
            ({"dtype": "int8"}, "'int8'"),
        ],
    )
    def test_an_index_of_something_else(self, folder, change, message) -> None:
        file = folder / "index.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | change))
        with pytest.raises(ValueError, match=message):
            TokenShards(folder)

    def test_no_index(self, folder, tmp_path) -> None:
        (folder / "index.json").write_text("{")
        with pytest.raises(ValueError, match="no JSON"):
            TokenShards(folder)
        with pytest.raises(ValueError, match="there is no .*index.json"):
            TokenShards(tmp_path / "elsewhere")


class TestResuming:
    HOW = {"workers": 0, "block_size": 2000}  # noqa: RUF012

    @pytest.fixture
    def copies(self, files, tmp_path) -> list[Path]:
        paths = [tmp_path / path.name for path in files]
        for path, copy in zip(files, paths):
            copy.write_bytes(path.read_bytes())
        return paths

    @pytest.fixture
    def encoded(self, monkeypatch) -> Iterator[list[str]]:
        """The shards that are written from now on."""
        written: list[str] = []
        write = shards.write_file

        def noted(path: Path, content: bytes) -> None:
            if path.suffix == ".ids":
                written.append(path.stem)
            write(path, content)

        monkeypatch.setattr(shards, "write_file", noted)
        return written

    def test_a_run_that_was_stopped(self, copies, tok, tmp_path, encoded, monkeypatch) -> None:
        folder = tmp_path / "ids"
        add = shards.Journal.add

        def stop(self, *what, **entry) -> None:
            if entry["name"] == "shard-00003":
                raise KeyboardInterrupt
            add(self, *what, **entry)

        monkeypatch.setattr(shards.Journal, "add", stop)
        with pytest.raises(KeyboardInterrupt):
            encode_files(copies, folder, tok, **self.HOW)
        monkeypatch.setattr(shards.Journal, "add", add)
        with pytest.raises(ValueError, match="encode_files was stopped"):
            TokenShards(folder)
        (folder / "shard-00009.ids.123-456").touch()  # what a killed worker leaves
        first = list(encoded)
        found = encode_files(copies, folder, tok, **self.HOW)
        assert [each.tolist() for each in found] == documents(tok, copies, END)
        assert first == [f"shard-0000{i}" for i in range(4)] and encoded[4] == "shard-00003"
        assert len(encoded) == len(found.index["shards"]) + 1
        assert {file.suffix for file in folder.iterdir()} == {".ids", ".starts", ".json", ".jsonl"}
        before = len(encoded)
        encode_files(copies, folder, tok, **self.HOW)
        assert len(encoded) == before

    def test_a_file_that_has_changed(self, copies, tok, tmp_path, encoded) -> None:
        folder = tmp_path / "ids"
        encode_files(copies, folder, tok, **self.HOW)
        encoded.clear()
        copies[-1].write_text("another")
        found = encode_files(copies, folder, tok, **self.HOW)
        assert [each.tolist() for each in found] == documents(tok, copies, END)
        assert len(encoded) == 1
        copies[0].touch()  # read again, and found to be the same
        encode_files(copies, folder, tok, **self.HOW)
        encode_files(copies, folder, tok, checksum=True, **self.HOW)
        assert len(encoded) == 1

    def test_fewer_files_and_another_tokenizer(self, copies, tok, tmp_path) -> None:
        folder = tmp_path / "ids"
        encode_files(copies, folder, tok, **self.HOW)
        found = encode_files(copies[2:3], folder, tok, **self.HOW)
        assert [each.tolist() for each in found] == documents(tok, copies[2:3], END)
        assert len(list(folder.glob("shard-*"))) == 2 * len(found.index["shards"])
        other = Tokenizer.train("", 257, special_tokens=[END])
        found = encode_files(copies[2:3], folder, other, **self.HOW)
        assert [each.tolist() for each in found] == documents(other, copies[2:3], END)
        assert found.made_by(other)
