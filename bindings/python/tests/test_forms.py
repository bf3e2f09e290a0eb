"""Tests of calls as PyTorch has them: forms of arguments, and messages for what does not go."""
import unittest

import facula as fa
from facula import nn

try:
    import numpy
except ImportError:
    numpy = None
F = nn.functional


class Methods(unittest.TestCase):
    def test_where_and_polygamma_as_methods(self):
        x = fa.tensor([1.0, -2.0, 3.0], requires_grad=True)
        y = x.where(x > 0, fa.zeros(3))
        self.assertEqual(y.tolist(), [1, 0, 3])
        y.sum().backward()
        self.assertEqual(x.grad.tolist(), [1, 0, 1])
        self.assertEqual(x.where(x > 0, -1.0).tolist(), [1, -1, 3])
        z = fa.tensor([2.0])
        self.assertAlmostEqual(z.polygamma(1).item(), 0.644934, 5)
        self.assertEqual(z.polygamma(1).tolist(), fa.polygamma(1, z).tolist())
        self.assertIs(z.polygamma_(1), z)
        self.assertAlmostEqual(z.item(), 0.644934, 5)
        self.assertFalse(hasattr(z, 'where_') or hasattr(z, 'igamma_'))  # which would write to the other operand

    def test_results_as_in_pytorch(self):
        x = fa.tensor([1, 1, 2, 1])
        self.assertEqual(fa.unique_consecutive(x).tolist(), [1, 2, 1])
        values, inverse, counts = x.unique_consecutive(True, True)
        self.assertEqual([values.tolist(), inverse.tolist(), counts.tolist()], [[1, 2, 1], [0, 0, 1, 2], [2, 1, 1]])
        self.assertEqual([t.tolist() for t in fa.unique_consecutive(x, return_counts=True)], [[1, 2, 1], [2, 1, 1]])
        a, b = fa.arange(9.0).reshape(3, 3), fa.eye(3)
        self.assertEqual(fa.cross(a, b).tolist(), fa.cross(a, b, dim=0).tolist())  # the first dimension of size 3
        self.assertEqual(fa.linalg.cross(a, b).tolist(), fa.cross(a, b, dim=-1).tolist())
        self.assertEqual((fa.ones(2, dtype=float).dtype, fa.ones(2).to(float).dtype), (fa.float64, fa.float64))
        mask = fa.tensor([0, 1, 0, 1], dtype=fa.uint8)
        self.assertEqual(fa.arange(4)[mask].tolist(), [1, 3])
        z = fa.zeros(4)
        z[mask] = 5
        self.assertEqual(z.tolist(), [0, 5, 0, 5])


class Parts(unittest.TestCase):
    def test_a_plain_tensor_is_no_parameter(self):
        layer = nn.Linear(2, 2)
        for value in (fa.ones(2, 2), layer.weight * 2):
            with self.assertRaisesRegex(TypeError, "cannot assign a tensor as parameter 'weight'"):
                layer.weight = value
        before, norm = layer.weight, nn.BatchNorm1d(2)
        norm.running_mean = fa.ones(2)
        self.assertEqual(norm.state_dict()['running_mean'].tolist(), [1, 1])
        layer.weight = nn.Parameter(fa.ones(2, 2))
        self.assertIsNot(layer.weight, before)

        class Scale(nn.Module):
            def __init__(self):
                super().__init__()
                self.w = nn.Parameter(fa.ones(2), requires_grad=False)
                self.register_buffer('calls', fa.zeros(1))
        net = Scale()
        net.calls = net.calls + 1
        self.assertEqual(net.state_dict()['calls'].tolist(), [1])
        self.assertRaisesRegex(TypeError, "parameter 'w'", setattr, net, 'w', fa.ones(2))

    def test_layers_are_no_lists(self):
        layer = nn.Linear(2, 2)
        for call in (nn.ModuleList, len, list, iter):
            self.assertRaises(TypeError, call, layer)
        self.assertRaises(TypeError, lambda: layer[0])
        self.assertTrue(layer)
        net = nn.Sequential(layer, nn.ReLU())
        self.assertEqual((len(net), list(net)[0], net[-1]), (2, layer, net[1]))
        self.assertEqual(len(nn.ModuleList(net)), 2)
        self.assertEqual(len(nn.ModuleDict({'a': layer})), 1)
        encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 3)
        self.assertEqual(len(list(encoder.layers)), 3)


if __name__ == '__main__':
    unittest.main()
