"""One library in bench/neighbors/run.py: worker.py LIBRARY FOLDER. A library is a class with forward(net, rows), which makes a
call that gives a NumPy array, and step(net), which makes one that trains with SGD, or None."""
import pathlib
import sys
import time

ROUND_SECONDS = 0.1
NETS = ("mlp", "cnn")


class Facula:
    def __init__(self, data):
        import facula
        self.fa, self.data, self.version = facula, data, facula.__version__
        facula.set_num_threads(2)

    def net(self, name):
        nn = self.fa.nn
        layers = (nn.Flatten(), nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10)) if name == "mlp" else (
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(),
            nn.MaxPool2d(2), nn.Flatten(), nn.Linear(1568, 10))
        net = nn.Sequential(*layers)
        for p, (_, value) in zip(net.parameters(), weights(self.data, name)):
            p.data.copy_(self.fa.from_numpy(value))
        return net

    def forward(self, name, rows):
        net, x, fa = self.net(name).eval(), self.fa.from_numpy(self.data["x"][:rows].copy()), self.fa

        def call():
            with fa.no_grad():
                return net(x)
        return lambda: call().numpy()

    def step(self, name):
        net, fa = self.net(name), self.fa
        x, target = fa.from_numpy(self.data["x"].copy()), fa.from_numpy(self.data["target"].copy())
        optim = fa.optim.SGD(net.parameters(), lr=0.01)

        def call():
            optim.zero_grad()
            loss = fa.nn.functional.cross_entropy(net(x), target)
            loss.backward()
            optim.step()
            return loss.item()
        return call


class Torch(Facula):
    def __init__(self, data):
        import torch
        self.fa, self.data, self.version = torch, data, torch.__version__.partition("+")[0]
        torch.set_num_threads(2)


class Onnx:
    """Networks written as ONNX, with onnx.helper."""

    def __init__(self, data):
        import onnxruntime
        self.ort, self.data, self.version = onnxruntime, data, onnxruntime.__version__

    def model(self, name):
        from onnx import TensorProto, helper, numpy_helper
        w = dict(weights(self.data, name))
        keep = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
        pool = {"kernel_shape": [2, 2], "strides": [2, 2]}
        steps = [("Flatten", "", {}), ("Gemm", "0", {"transB": 1}), ("Relu", "", {}), ("Gemm", "2", {"transB": 1})] \
            if name == "mlp" else [("Conv", "0", keep), ("Relu", "", {}), ("MaxPool", "", pool), ("Conv", "3", keep),
                                   ("Relu", "", {}), ("MaxPool", "", pool), ("Flatten", "", {}), ("Gemm", "7", {"transB": 1})]
        nodes = []
        for i, (kind, of, options) in enumerate(steps):
            inputs = [f"t{i}"] + ([of + ".weight", of + ".bias"] if of else [])
            nodes.append(helper.make_node(kind, inputs, [f"t{i + 1}"], **options))
        graph = helper.make_graph(
            nodes, name, [helper.make_tensor_value_info("t0", TensorProto.FLOAT, ["n", 1, 28, 28])],
            [helper.make_tensor_value_info(f"t{len(steps)}", TensorProto.FLOAT, ["n", 10])],
            [numpy_helper.from_array(v, k) for k, v in w.items()])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
        return model.SerializeToString()

    def forward(self, name, rows):
        path = pathlib.Path(sys.argv[2]) / f"{name}.onnx"  # so that only the first process needs the package onnx
        if not path.exists():
            path.write_bytes(self.model(name))
        options = self.ort.SessionOptions()
        options.intra_op_num_threads = 2
        session = self.ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        x = {"t0": self.data["x"][:rows].copy()}
        return lambda: session.run(None, x)[0]

    def step(self, name):
        return None


class Mlx:
    """Images are (n, h, w, c) here; the last layer of the CNN gets its weights in that order."""

    def __init__(self, data):
        import mlx.core
        import mlx.nn
        from importlib.metadata import version
        self.mx, self.nn, self.data, self.version = mlx.core, mlx.nn, data, version("mlx")
        mlx.core.set_default_device(mlx.core.cpu)

    def net(self, name):
        nn, mx = self.nn, self.mx
        layers = (nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10)) if name == "mlp" else (
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(),
            nn.MaxPool2d(2), lambda x: x.reshape(x.shape[0], -1), nn.Linear(1568, 10))
        net, given = nn.Sequential(*layers), []
        for key, value in weights(self.data, name):
            if value.ndim == 4:
                value = value.transpose(0, 2, 3, 1)
            if key == "7.weight":
                value = value.reshape(10, 32, 7, 7).transpose(0, 2, 3, 1).reshape(10, -1)
            given.append((f"layers.{key}", mx.array(value)))
        return net.load_weights(given)

    def inputs(self, name, rows):
        x = self.data["x"][:rows]
        return self.mx.array(x.reshape(rows, -1) if name == "mlp" else x.transpose(0, 2, 3, 1))

    def forward(self, name, rows):
        import numpy
        net, x = self.net(name), self.inputs(name, rows)
        call = self.mx.compile(net)
        return lambda: numpy.array(call(x))

    def step(self, name):
        import mlx.optimizers
        nn, mx, net, x = self.nn, self.mx, self.net(name), self.inputs(name, 64)
        target, optim = mx.array(self.data["target"]), mlx.optimizers.SGD(0.01)
        graded = nn.value_and_grad(net, lambda x, t: nn.losses.cross_entropy(net(x), t, reduction="mean"))

        def call():
            loss, gradients = graded(x, target)
            optim.update(net, gradients)
            mx.eval(net.parameters(), loss)
            return loss.item()
        return call


def weights(data, name):
    return [(k.partition(".")[2], data[k]) for k in data if k.startswith(name + ".")]


def timed(call):
    """Seconds of one call, of as many as fit a round."""
    count, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < ROUND_SECONDS or not count:
        call()
        count += 1
    return (time.perf_counter() - begin) / count


def opened(library, data, row):
    """A call and what it said first: an inference is right, two steps lower the loss by as much as they should."""
    import numpy
    kind, *rest = row.split()
    if kind != "step":
        call = library.forward(kind, int(rest[0]))
        apart = numpy.abs(call() - data[kind][:int(rest[0])]).max()
        return call if apart < 1e-4 else f"results differ from NumPy's by {apart:.3g}"
    call = library.step(rest[0])
    if call:
        losses = [call() for _ in range(5)]
        want = data[rest[0]] - data[rest[0]].max(1, keepdims=True)
        want = numpy.mean(numpy.log(numpy.exp(want).sum(1)) - want[numpy.arange(64), data["target"]])
        if abs(losses[0] - want) > 1e-4 or not losses[-1] < losses[0]:
            return f"losses are {losses}, the first one should be {want:.5f}"
    return call


def main():
    import numpy
    kinds = {"Facula": Facula, "PyTorch": Torch, "ONNX Runtime": Onnx, "MLX": Mlx}
    data = dict(numpy.load(pathlib.Path(sys.argv[2]) / "data.npz"))
    try:
        library = kinds[sys.argv[1]](data)
    except ImportError as e:
        print(e, file=sys.stderr)
        return
    library.forward("mlp", 1)()
    print("ready", library.version, flush=True)
    call = None
    for line in sys.stdin:
        if line.strip() == "go":
            print(timed(call), flush=True)
        else:
            call = opened(library, data, line.partition(" ")[2].strip())
            print(f"error: {call}" if isinstance(call, str) else "opened" if call else "cannot", flush=True)


if __name__ == "__main__":
    main()
