"""Datasets and loaders; facula.utils.data has those of PyTorch's names."""
from ._callbacks import dataset_of as dataset  # noqa: F401
from ._data import *  # noqa: F403


def __getattr__(name):
    own = {'CIFAR10': 'cifar10', 'CIFAR100': 'cifar100', 'MNIST': 'mnist', 'FashionMNIST': 'fashion_mnist',
           'KMNIST': 'kmnist', 'EMNIST': 'emnist', 'ImageFolder': 'image_folder'}.get(name)
    hint = f': facula.data.{own}() takes its place' if own else ''
    raise AttributeError(f'facula.data has no {name}{hint}')
