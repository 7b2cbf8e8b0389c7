"""Runs on a real cluster of two processes: the bits of one machine, one of the two killed, and what is refused."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from scipy.sparse import load_npz, vstack

import kernelspec as ks
from kernelspec import loading
from kernelspec.cli.cluster import ClusterRun
from kernelspec.cli.feature_run import SavedMap
from tests.cli.conftest import ENVIRONMENT, Run, refused, run

__all__ = ["run"]

distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two workers, each a process."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
    ) as found:
        yield found


@pytest.fixture
def table(tmp_path: Path) -> pd.DataFrame:
    """A table with a category of every part only, in four Parquet files and in one."""
    generator = np.random.default_rng(3)
    whole = pd.DataFrame(
        {
            "a": generator.standard_normal(400),
            "c": [f"of part {i // 100}" for i in range(400)],
            "b": generator.standard_normal(400),
        }
    )
    for i in range(4):
        whole[100 * i : 100 * (i + 1)].to_parquet(tmp_path / f"part-{i}.parquet")
    whole.to_parquet(tmp_path / "whole.parquet")
    return whole


@pytest.mark.long
def test_dense_features_are_those_of_one_file(run: Run, cluster: Any, table: pd.DataFrame, tmp_path: Path) -> None:
    spec = ("-e", "gaussian()[a, b]", "--n-features", 16)
    at = ("--engine", "dask", "--scheduler", cluster.scheduler_address)
    result = run("features", *spec, tmp_path / "part-*.parquet", "-o", tmp_path / "out", *at)
    assert result.exit_code == 0, result.stderr
    assert "400 rows × 16 columns in" in result.stderr
    assert result.stderr.rstrip().endswith(f"4 files in {tmp_path / 'out'}")
    names = [f"part-{i}.parquet" for i in range(4)]
    assert sorted(os.listdir(tmp_path / "out")) == names
    assert run("features", *spec, tmp_path / "whole.parquet", "-o", tmp_path / "whole.npy").exit_code == 0
    found = np.vstack([pq.read_table(tmp_path / "out" / name).to_pandas().to_numpy() for name in names])
    np.testing.assert_array_equal(found, np.load(tmp_path / "whole.npy"))


@pytest.mark.long
def test_categories_are_those_of_all_parts_and_the_map_is_kept(
    run: Run, cluster: Any, table: pd.DataFrame, tmp_path: Path
) -> None:
    spec = ("-e", "gaussian()[a]*match()[c]", "--n-features", 8)
    at = ("--engine", "dask", "--scheduler", cluster.scheduler_address, "--save-map", tmp_path / "map.npz")
    parts = [tmp_path / f"part-{i}.parquet" for i in range(4)]
    assert run("features", *spec, *parts, "-o", tmp_path / "out", *at, "-q").exit_code == 0
    found = vstack([load_npz(tmp_path / "out" / f"part-{i}.npz") for i in range(4)])
    assert run("features", *spec, tmp_path / "whole.parquet", "-o", tmp_path / "whole.npz").exit_code == 0
    assert (found != load_npz(tmp_path / "whole.npz")).nnz == 0
    assert (found != ks.load_map(tmp_path / "map.npz").transform(table)).nnz == 0


@pytest.mark.long
def test_types_are_those_of_the_first_part(run: Run, cluster: Any, tmp_path: Path) -> None:
    (tmp_path / "p0.csv").write_text("plan\n1\n2\n")
    (tmp_path / "p1.csv").write_text("plan\n3\nX\n")
    at = ("--engine", "dask", "--scheduler", cluster.scheduler_address)
    result = run("features", "-e", "match()[plan]", tmp_path / "p?.csv", "-o", tmp_path / "out", *at)
    assert result.exit_code == 2
    assert (
        f"{tmp_path / 'p1.csv'}: column 'plan' holds 'X' in row 2, but the map was made for whole numbers"
        in result.stderr
    )
    hashed = run(
        "features", "-e", "match()[plan]", tmp_path / "p?.csv", "-o", tmp_path / "out", *at, "--keys", "hashed"
    )
    assert hashed.exit_code == 2, "an error on a worker is that of the run"
    assert f"{tmp_path / 'p1.csv'}: column 'plan' holds 'X' in row 2" in hashed.stderr
    text = ("--text-columns", "plan")
    assert (
        run("features", "-e", "match()[plan]", tmp_path / "p?.csv", "-o", tmp_path / "out", *at, *text).exit_code == 0
    )


@pytest.mark.long
@pytest.mark.parametrize("spec", ["gaussian()[a]", "gaussian()[a]*match()[c]"])
def test_parts_without_rows_have_features_without_rows(
    run: Run, cluster: Any, table: pd.DataFrame, tmp_path: Path, spec: str
) -> None:
    """The first one, too."""
    table[:0].to_parquet(tmp_path / "part-.parquet")
    table[:0].to_parquet(tmp_path / "part-9.parquet")
    table[:100].to_csv(tmp_path / "part-1.csv", index=False)
    for name in ("part-0.csv", "part-2.csv"):
        table[:0].to_csv(tmp_path / name, index=False)
    (tmp_path / "part-3.csv").write_text("a,c,b")
    at = ("--engine", "dask", "--scheduler", cluster.scheduler_address, "--n-features", 8)
    for pattern, name, rows in (("part-*.parquet", "P", 400), ("part-*.csv", "C", 100)):
        result = run("features", "-e", spec, tmp_path / pattern, "-o", tmp_path / name, *at)
        assert result.exit_code == 0, result.stderr
        assert f"{rows} rows × " in result.stderr
        files = sorted((tmp_path / name).iterdir())
        read = load_npz if "match" in spec else pq.read_table
        shapes = [read(file).shape for file in files]
        assert [shape[0] for shape in shapes] == ([0, 100, 100, 100, 100, 0] if name == "P" else [0, 100, 0, 0])
        assert len({shape[1] for shape in shapes}) == 1
    said = refused(run, "features", "-e", spec, tmp_path / "part-9.parquet", "-o", tmp_path / "N", *at)
    assert said == f"{tmp_path / 'part-9.parquet'}: has no rows\n"


@pytest.mark.long
@pytest.mark.parametrize(("spec", "columns"), [("gaussian()[a]", 8), ("gaussian()[a]*match()[c]", None)])
def test_a_saved_map_needs_no_row(
    run: Run, cluster: Any, table: pd.DataFrame, tmp_path: Path, spec: str, columns: int | None
) -> None:
    for i in range(3):
        table[:0].to_parquet(tmp_path / f"none-{i}.parquet")
    table.to_parquet(tmp_path / "all.parquet")
    out = "f.npz" if "match" in spec else "f.npy"
    made = ("--n-features", 8, "--save-map", tmp_path / "map.npz", "-q")
    assert run("features", "-e", spec, tmp_path / "all.parquet", "-o", tmp_path / out, *made).exit_code == 0
    at = ("-o", tmp_path / "N", "--engine", "dask", "--scheduler", cluster.scheduler_address)
    assert refused(run, "features", "-e", spec, tmp_path / "none-*.parquet", *at) == "none of the 3 files has a row\n"
    result = run("features", tmp_path / "map.npz", tmp_path / "none-*.parquet", *at)
    assert result.exit_code == 0, result.stderr
    read = load_npz if "match" in spec else pq.read_table
    shapes = [read(file).shape for file in sorted((tmp_path / "N").iterdir())]
    assert len(shapes) == 3
    assert {shape[0] for shape in shapes} == {0}
    assert {shape[1] for shape in shapes} == {columns or shapes[0][1]}


@pytest.mark.long
def test_nothing_that_is_read_or_written_is_replaced(run: Run, cluster: Any, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    rows = np.random.default_rng(1).standard_normal((5, 3))
    for name in ("in/p0.npy", "in/p1.npy", "out/p1.npy"):
        np.save(tmp_path / name, rows)
    (tmp_path / "out" / "p0.npy").write_text("gaussian()")
    parts, at = tmp_path / "in" / "*.npy", ("--engine", "dask", "--scheduler", cluster.scheduler_address)
    for arguments, said in (
        (("-e", "gaussian()", parts, "--plan-on", tmp_path / "out" / "p1.npy"), "p1.npy would overwrite an input of"),
        ((tmp_path / "out" / "p0.npy", parts), "out/p0.npy is a table, but SPEC"),  # refused by its name
        (
            ("-e", "gaussian()", parts, "--save-map", tmp_path / "out" / "p1.npy"),
            "out/p1.npy would overwrite another output of this run",
        ),
        (("-e", "gaussian()", parts, "--save-map", tmp_path / "in" / "p1.npy"), "in/p1.npy would overwrite an input"),
    ):
        before = {path: path.read_bytes() for path in tmp_path.rglob("*.npy")}
        assert said in refused(run, "features", *arguments, "-o", tmp_path / "out", *at)
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.long
def test_workers_that_are_yet_to_come_are_waited_for(run: Run, tmp_path: Path, numbers_npy: Path) -> None:
    with distributed.LocalCluster(n_workers=0, dashboard_address=":0", processes=False) as none:
        timer = threading.Timer(1, lambda: none.scale(1))
        timer.start()
        at = ("--engine", "dask", "--scheduler", none.scheduler_address, "--n-features", 8)
        result = run("features", "-e", "gaussian()", numbers_npy, "-o", tmp_path / "out", *at)
        timer.join()
    assert result.exit_code == 0, result.stderr
    assert f"{none.scheduler_address}: has no workers yet" in result.stderr


@pytest.mark.long
def test_features_of_all_parts_are_of_one_type(run: Run, cluster: Any, tmp_path: Path) -> None:
    numbers = np.random.default_rng(6).standard_normal(10)
    for name, kind in (("single", "f4"), ("double", "f8"), ("whole", "i4")):
        pd.DataFrame({"a": numbers.astype(kind)}).to_parquet(tmp_path / f"{name}.parquet")
    at = ("--engine", "dask", "--scheduler", cluster.scheduler_address, "--n-features", 8)
    parts = [tmp_path / f"{name}.parquet" for name in ("single", "double", "whole")]
    said = refused(run, "features", "-e", "gaussian()", *parts, "-o", tmp_path / "refused", *at)
    assert "features are float64, but those of the first part float32: choose one with --dtype" in said
    for order, dtype in ((parts, "float32"), (parts, "float64"), (parts[1:] + parts[:1], None)):
        out = tmp_path / f"{dtype}"
        result = run("features", "-e", "gaussian()", *order, "-o", out, *at, *(("--dtype", dtype) if dtype else ()))
        assert result.exit_code == 0, result.stderr
        found = {str(field.type) for file in out.iterdir() for field in pq.read_schema(file)}
        assert found == {"float" if dtype == "float32" else "double"}


@pytest.mark.long
@pytest.mark.parametrize("seconds", [0.25, 1.25, 2.25])
def test_interrupted_in_a_terminal(tmp_path: Path, seconds: float) -> None:
    """Workers have the terminal's Ctrl-C, too: one word is said, whenever it comes, and no half file is left.

    Counted from the end of the start, which a busy machine makes long: Python itself answers while it imports modules.
    """
    began = time.perf_counter()
    subprocess.run([sys.executable, "-m", "kernelspec", "--version"], env=ENVIRONMENT, check=True)
    start = time.perf_counter() - began
    for i in range(3):
        np.save(tmp_path / f"p{i}.npy", np.random.default_rng(i).standard_normal((400_000, 3)))
    command = [sys.executable, "-m", "kernelspec", "features", "-e", "gaussian()", "p0.npy", "p1.npy", "p2.npy"]
    command += ["-o", "out", "--engine", "dask", "--n-features", "1024", "--rows-per-block", "16", "-q"]
    started = subprocess.Popen(
        command, cwd=tmp_path, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    time.sleep(start + seconds)
    assert started.poll() is None
    os.killpg(started.pid, signal.SIGINT)
    _, said = started.communicate(timeout=60)
    assert started.returncode in (
        130,
        -signal.SIGINT,
    )  # 130 in a shell either way; while modules are imported, Python's
    assert said == "interrupted\n"
    assert not list(tmp_path.rglob(".kernelspec-*"))


def test_without_dask_no_folder_is_made(
    run: Run, numbers_npy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "find_spec", lambda name: None)
    result = run("features", "-e", "gaussian()", numbers_npy, "-o", tmp_path / "out", "--engine", "dask")
    assert (result.exit_code, "kernelspec[dask]" in result.stderr) == (2, True)
    assert not (tmp_path / "out").exists()


@pytest.mark.long
def test_one_of_two_workers_is_killed_in_the_middle(cluster: Any, tmp_path: Path) -> None:
    """The other finishes; no file is missing, none is half written, and every bit is that of one machine."""
    generator = np.random.default_rng(4)
    for i in range(12):
        np.save(tmp_path / f"p{i:02}.npy", generator.standard_normal((8000, 3)))
    parts = tuple(str(tmp_path / f"p{i:02}.npy") for i in range(12))
    fmap, out = ks.compile("gaussian()", 3, 64), tmp_path / "out"
    with distributed.Client(cluster) as client:
        pids = list(client.run(os.getpid).values())
    assert len(pids) == 2
    with ThreadPoolExecutor(1) as beside:
        # blocks of five rows: a part takes a while
        run = ClusterRun(parts, str(out), None, 5, None, cluster.scheduler_address, quiet=True)
        running = beside.submit(run.run, SavedMap(fmap))
        until = time.monotonic() + 60
        while not list(out.glob("p*.npy")) and time.monotonic() < until:
            time.sleep(0.01)
        assert len(list(out.glob("p*.npy"))) < len(parts), "the run is over before a worker is killed"
        os.kill(pids[0], signal.SIGKILL)
        running.result(timeout=120)
    with distributed.Client(cluster) as client:
        client.wait_for_workers(2, timeout=60)
        assert pids[0] not in client.run(os.getpid).values()
    assert sorted(os.listdir(out)) == [Path(part).name for part in parts]
    for part in parts:
        np.testing.assert_array_equal(np.load(out / Path(part).name), fmap.transform(np.load(part)))


@pytest.mark.long
def test_collections_on_the_same_cluster(cluster: Any) -> None:
    da = pytest.importorskip("dask.array")
    rows = np.random.default_rng(5).standard_normal((1000, 3))
    dense, keyed = ks.compile("gaussian()", 3, 16), ks.compile("laplace()", 3, 8, method="binning", buckets=16)
    with distributed.Client(cluster) as client:
        X = da.from_array(rows, chunks=(90, 2))
        found, sparse = (future.result() for future in client.compute([dense.transform(X), keyed.transform(X)]))
    np.testing.assert_array_equal(found, dense.transform(rows))
    assert (sparse != keyed.transform(rows)).nnz == 0


@pytest.mark.long
def test_workers_of_its_own(run: Run, table: pd.DataFrame, tmp_path: Path) -> None:
    arguments = ("-e", "gaussian()[a, b]", "--n-features", 8, tmp_path / "part-*.parquet", "-o", tmp_path / "out")
    assert run("features", *arguments, "--engine", "dask", "-q").exit_code == 0
    assert len(list((tmp_path / "out").glob("*.parquet"))) == 4


def test_wrong_usage(run: Run, tmp_path: Path, numbers_npy: Path) -> None:
    other = tmp_path / "other.npy"
    np.save(other, 100 * np.load(numbers_npy))
    for arguments, said in (
        (("gaussian()", numbers_npy, "-o", "o.npy", "--scheduler", "tcp://x:1"), "--scheduler requires --engine dask"),
        (("gaussian()", "-o", "out", "--engine", "dask"), "DATA is missing"),
        (("gaussian()", numbers_npy, "-o", tmp_path, "--engine", "dask"), "would overwrite an input of this run"),
        (
            ("gaussian()", numbers_npy, "-o", "out", "--engine", "dask", "--save-map", numbers_npy),
            "would overwrite an input of this",
        ),
        (
            ("gaussian()", numbers_npy, "-o", tmp_path / "out", "--engine", "dask", "--error", 0.1),
            "with --plan-on FILE",
        ),
        (
            ("gaussian()[standardize(column(0))]", numbers_npy, other, "-o", tmp_path / "out", "--engine", "dask"),
            "name one of the files, or a sample of all, with --plan-on FILE",
        ),
    ):
        assert said in refused(run, "features", "-e", *arguments)


def lives_once(rows: pd.DataFrame, folder: str) -> pd.DataFrame:
    """The rows; the ninth process that asks for some is killed."""
    calls = Path(folder)
    (calls / f"{len(list(calls.iterdir()))}-{os.urandom(4).hex()}").touch()
    if len(list(calls.iterdir())) >= 9 and not (calls / "killed").exists():
        (calls / "killed").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return rows


@pytest.mark.long
def test_a_model_of_a_collection_survives_the_loss_of_a_worker(cluster: Any, tmp_path: Path) -> None:
    """In the second of its passes over four partitions."""
    dd = pytest.importorskip("dask.dataframe")
    generator = np.random.default_rng(3)
    X = pd.DataFrame({"a": generator.standard_normal(400)})
    y = np.sin(X.a) + 0.1 * generator.standard_normal(400)
    model = ks.KernelRegressor("gaussian()[a]", solver="features", n_features=16, random_state=0)
    with distributed.Client(cluster):
        lazy = dd.from_pandas(X, npartitions=4).map_partitions(lives_once, str(tmp_path), meta=X)
        model.fit(lazy, dd.from_pandas(y, npartitions=4))
    assert (tmp_path / "killed").exists()
    whole = ks.KernelRegressor("gaussian()[a]", solver="features", n_features=16, random_state=0).fit_blocks([(X, y)])
    assert np.abs(model.predict(X) - whole.predict(X)).max() < 1e-9 * np.ptp(whole.predict(X))


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::kernelspec.KeptRowsWarning")
def test_a_model_of_several_files(run: Run, cluster: Any, table: pd.DataFrame, tmp_path: Path) -> None:
    """That of `--stream`, if one of the files has no rows; errors on workers name the file and the row."""
    table[:0].to_parquet(tmp_path / "part-.parquet")
    what = ("-e", "gaussian()[standardize(a)] + match()[c]", "--target", "b", "--n-features", 16)
    at = ("--engine", "dask", "--scheduler", cluster.scheduler_address)
    for more, name in ((at, "dask.npz"), (("--stream",), "stream.npz")):
        result = run("fit", *what, tmp_path / "part-*.parquet", "-o", tmp_path / name, *more)
        assert result.exit_code == 0, result.output
        assert "on 80 rows held out" in result.stderr
    found, expected = (ks.load_model(tmp_path / name).predict(table) for name in ("dask.npz", "stream.npz"))
    assert np.abs(found - expected).max() < 1e-9 * np.ptp(expected)
    table.assign(b=np.where(table.index == 3, np.nan, table.b))[:100].to_parquet(tmp_path / "part-1.parquet")
    said = refused(run, "fit", *what, tmp_path / "part-*.parquet", "-o", tmp_path / "none.npz", *at)
    assert f"{tmp_path / 'part-1.parquet'}: the target 'b' is" in said
    assert not (tmp_path / "none.npz").exists()


def test_a_fit_whose_workers_cannot_be_had(run: Run, table: pd.DataFrame, tmp_path: Path) -> None:
    what = ("fit", "-e", "gaussian()[a]", tmp_path / "whole.parquet", "--target", "b", "-o", tmp_path / "m.npz")
    for more, said in (
        (("--scheduler", "tcp://x:1"), "--scheduler requires --engine dask"),
        (("--checkpoint", tmp_path / "c.npz"), "--checkpoint requires --stream, without --engine dask"),
        (("--engine", "dask", "--scheduler", "nowhere"), "no Dask scheduler answers at 'nowhere'"),
        (("--engine", "dask", "--solver", "exact"), "requires --solver features"),
    ):
        assert said in refused(run, *what, *more)
    assert not (tmp_path / "m.npz").exists()
