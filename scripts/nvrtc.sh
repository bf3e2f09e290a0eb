#!/bin/sh
# nvrtc.sh: NVRTC, for tests/gpu/source.c, which compiles kernels for CUDA where no GPU is: the toolkit's when there is
# one, otherwise this version from PyPI, in build/nvrtc-venv. Without a network there is none, and that is all right.
set -u
version=13.0.88
folder=build/nvrtc-venv
if ldconfig -p 2>/dev/null | grep -q 'libnvrtc\.so\.1[23]' || [ -e /usr/local/cuda/lib64/libnvrtc.so ]; then
    echo 'nvrtc: the toolkit is here'
    exit 0
fi
if ls $folder/lib/python3*/site-packages/nvidia_cuda_nvrtc-$version.dist-info >/dev/null 2>&1; then
    exit 0
fi
python3 -m venv $folder && $folder/bin/pip -q --disable-pip-version-check install nvidia-cuda-nvrtc==$version && exit 0
echo "nvrtc: nvidia-cuda-nvrtc $version could not be fetched: kernels are not compiled for CUDA"
