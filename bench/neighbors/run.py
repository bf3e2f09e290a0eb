"""Inference and training of an MLP and a CNN by Facula and by other libraries, in f32 with two threads, in one run.

run.py [--rounds N]: prints a table for docs/guide/comparison.md. Each library runs in a process of its own,
which answers lines on standard input; rounds alternate between them, and a figure is the median of the rounds. The weights
are one file, and all results are compared with NumPy's. `start` is the time from the start of a process to its first
result of the MLP, median of three. Needs numpy, and of the packages facula, torch, onnxruntime with onnx, and mlx those that
are to be measured; a library that cannot be imported is left out. FACULA_PYTHON, TORCH_PYTHON, ORT_PYTHON and MLX_PYTHON
name interpreters that have them; the default is this one, and an empty name leaves the library out.

Inference is also measured of programs in C and C++, which link a library: FACULA_PROGRAM, LIBTORCH_PROGRAM and GGML_PROGRAM
name them. What has to be shipped with each is the program and the shared libraries that it loads, without those of the C
library, all stripped. They are built from this folder like this:

    cc -O2 facula.c $(pkg-config --cflags --libs facula) -lm -o facula
    c++ -O2 -std=c++20 -I$TORCH/include -I$TORCH/include/torch/csrc/api/include libtorch.cpp -L$TORCH/lib \\
        -Wl,--no-as-needed -ltorch_cpu -lc10 -Wl,-rpath,$TORCH/lib -o libtorch
    cc -O2 -I$GGML/include ggml.c -L$GGML/build/src -lggml-cpu -lggml-base -lm -Wl,-rpath,$GGML/build/src -o ggml"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve()
PROGRAMS = {"Facula, C": "FACULA_PROGRAM", "libtorch, C++": "LIBTORCH_PROGRAM", "ggml, C": "GGML_PROGRAM"}
LIBRARIES = {"Facula": "FACULA_PYTHON", "PyTorch": "TORCH_PYTHON", "ONNX Runtime": "ORT_PYTHON", "MLX": "MLX_PYTHON"}
ROWS = ["mlp 1", "mlp 64", "cnn 1", "cnn 64", "step mlp 64", "step cnn 64"]


class Worker:
    def __init__(self, name, folder):
        threads = {k: "2" for k in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
        if name in PROGRAMS:
            self.command = [os.environ.get(PROGRAMS[name]), str(folder)]
        else:
            self.command = [os.environ.get(LIBRARIES[name], sys.executable), str(HERE.with_name("worker.py")), name, str(folder)]
        self.environment = {**os.environ, **threads}
        self.process = None

    def start(self):
        """Seconds until the first result; None: the library is not here."""
        if not self.command[0]:
            return None
        begin = time.perf_counter()
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=self.environment)
        ready = self.process.stdout.readline().strip()
        self.version = ready.partition(" ")[2]
        return time.perf_counter() - begin if ready.startswith("ready") else None

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def data(folder):
    """Weights with PyTorch's names, inputs, and NumPy's results."""
    import numpy
    random = numpy.random.default_rng(1)

    def uniform(*shape, fan):
        return random.uniform(-1, 1, shape).astype("f4") / numpy.float32(fan ** 0.5)
    mlp = {"0.weight": uniform(256, 784, fan=784), "0.bias": uniform(256, fan=784),
           "2.weight": uniform(10, 256, fan=256), "2.bias": uniform(10, fan=256)}
    cnn = {"0.weight": uniform(16, 1, 3, 3, fan=9), "0.bias": uniform(16, fan=9),
           "3.weight": uniform(32, 16, 3, 3, fan=144), "3.bias": uniform(32, fan=144),
           "7.weight": uniform(10, 32 * 7 * 7, fan=1568), "7.bias": uniform(10, fan=1568)}
    x = random.random((64, 1, 28, 28)).astype("f4")
    arrays = {"x": x, **{f"mlp.{k}": v for k, v in mlp.items()}, **{f"cnn.{k}": v for k, v in cnn.items()},
              "mlp": numpy_mlp(numpy, mlp, x), "cnn": numpy_cnn(numpy, cnn, x)}
    numpy.savez(folder / "data.npz", target=random.integers(0, 10, 64), **arrays)
    for name, array in arrays.items():  # for programs that do not read NumPy's files
        array.astype("<f4").tofile(folder / f"{name}.f32")


def numpy_mlp(numpy, w, x):
    h = numpy.maximum(x.reshape(64, -1) @ w["0.weight"].T + w["0.bias"], 0)
    return h @ w["2.weight"].T + w["2.bias"]


def numpy_cnn(numpy, w, x):
    for name in "0", "3":
        rows = numpy.lib.stride_tricks.sliding_window_view(numpy.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1))), (3, 3), (2, 3))
        y = numpy.einsum("nchwij,ocij->nohw", rows, w[name + ".weight"], optimize=True) + w[name + ".bias"][:, None, None]
        y = numpy.maximum(y, 0)
        n, c, height, width = y.shape
        x = y.reshape(n, c, height // 2, 2, width // 2, 2).max((3, 5))
    return x.reshape(64, -1) @ w["7.weight"].T + w["7.bias"]


def shipped(program):
    """Bytes of a program and its shared libraries, without those of the C library, stripped."""
    own = re.compile(r"/(ld-linux|libc|libm|libdl|librt|libpthread)[-.][^/]*$")
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    files = [f for f in re.findall(r"(/\S+) \(0x", listed) if not own.search(f)]
    with tempfile.NamedTemporaryFile() as stripped:
        size = 0
        for file in [program, *files]:
            subprocess.run(["strip", "-o", stripped.name, file], check=True)
            size += os.path.getsize(stripped.name)
    return size


def processor():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    flags = text.partition("flags")[2].partition("\n")[0].split()
    return f"{text.count('processor	')} processors, " + ", ".join(f for f in ("fma", "avx2", "avx512f", "amx_tile") if f in flags)


def shown(seconds):
    return "–" if seconds is None else f"{seconds * 1e6:.0f} µs" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"


def table(head, rows):
    print("\n| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=21)
    rounds = options.parse_args().rounds
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data(folder)
        workers, starts = {}, {}
        for library in [*LIBRARIES, *PROGRAMS]:
            w, times = Worker(library, folder), []
            for i in range(4):  # the first one reads files from the disk
                times.append(w.start())
                if times[-1] is None or i == 3:
                    break
                w.stop()
            if times[-1] is not None:
                workers[library], starts[library] = w, statistics.median(times[1:])
        seconds = {}
        for row in ROWS:
            opened = {}
            for library, w in workers.items():
                answer = w.ask("open " + row)
                if answer.startswith("error"):
                    sys.exit(f"{library}, {row}: {answer}")
                if answer == "opened":
                    opened[library] = w
            times = {library: [] for library in opened}
            for _ in range(rounds):
                for library, w in opened.items():
                    times[library].append(float(w.ask("go")))
            seconds.update(((library, row), statistics.median(t)) for library, t in times.items())
        print(f"{processor()}; load {os.getloadavg()[0]:.1f}; medians of {rounds} rounds")
        table(["", *(f"{n} {w.version}" for n, w in workers.items())],
              [[row, *(shown(seconds.get((n, row))) for n in workers)] for row in ROWS]
              + [["start", *(shown(starts[n]) for n in workers)]]
              + [["to ship", *(f"{shipped(w.command[0]) / 1e6:.1f} MB" if n in PROGRAMS else "" for n, w in workers.items())]])
        for w in workers.values():
            w.stop()


if __name__ == "__main__":
    main()
