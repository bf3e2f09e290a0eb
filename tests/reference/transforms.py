"""Writes transforms.txt: images that torchvision makes of an image of 3 x 13 x 17 bytes, and of the same as floats.

    python3 transforms.py >transforms.txt      # torchvision 0.29 with PyTorch 2.15
"""
import torch
import torchvision.transforms.v2.functional as F
from torchvision.transforms import InterpolationMode as I

C, H, W = 3, 13, 17
c, y, x = torch.meshgrid(torch.arange(C), torch.arange(H), torch.arange(W), indexing="ij")
image = ((x * x * (c + 1) + y * 17 + x * y * 3 // (c + 2) + c * 40) % 256 * (200 + 20 * c) // 255).to(torch.uint8)
N, L, B = I.NEAREST, I.BILINEAR, I.BICUBIC
cases = {"image": lambda t: t}
for name, how, aa in (("bilinear", L, True), ("bicubic", B, True), ("bilinear_narrow", L, False),
                      ("bicubic_narrow", B, False), ("nearest", N, False)):
    for size in ((5, 7), (20, 25), (30, 3)):
        cases[f"resize_{name}_{size[0]}x{size[1]}"] = lambda t, s=size, h=how, a=aa: F.resize(t, s, h, antialias=a)
for size in ((4, 7), (16, 21), (25, 2)):
    cases[f"center_{size[0]}x{size[1]}"] = lambda t, s=size: F.center_crop(t, s)
affine = dict(angle=20, translate=[2, -3], scale=1.2, shear=[10.0, -5.0])
corners, moved = [[0, 0], [16, 0], [16, 12], [0, 12]], [[2.3, 1.2], [13.1, 0.4], [15.2, 10.3], [1.1, 12.2]]
cases |= {
    "rotate_nearest": lambda t: F.rotate(t, 33, N),
    "rotate_bilinear": lambda t: F.rotate(t, -71, L),
    "affine_nearest": lambda t: F.affine(t, interpolation=N, **affine),
    "affine_bilinear": lambda t: F.affine(t, interpolation=L, **affine),
    "shear_corner": lambda t: F.affine(t, 0, [0, 0], 1.0, [15.0, 0.0], L, center=[0, 0]),
    "perspective_nearest": lambda t: F.perspective(t, corners, moved, N),
    "perspective_bilinear": lambda t: F.perspective(t, corners, moved, L),
    "brightness": lambda t: F.adjust_brightness(t, 1.4),
    "contrast": lambda t: F.adjust_contrast(t, 0.6),
    "saturation": lambda t: F.adjust_saturation(t, 1.7),
    "hue": lambda t: F.adjust_hue(t, 0.2),
    "hue_back": lambda t: F.adjust_hue(t, -0.4),
    "grayscale": lambda t: F.rgb_to_grayscale(t, 3),
    "sharpness": lambda t: F.adjust_sharpness(t, 1.8),
    "softness": lambda t: F.adjust_sharpness(t, 0.3),
    "blur": lambda t: F.gaussian_blur(t, [5, 3], [0.9, 0.9]),  # width 5, height 3
    "autocontrast": lambda t: F.autocontrast(t // 2 + 20 if t.dtype == torch.uint8 else t / 2 + 0.1),
    "equalize": lambda t: F.equalize(t),
    "posterize": lambda t: F.posterize(t, 3),
    "solarize": lambda t: F.solarize(t, 102 if t.dtype == torch.uint8 else 0.4),
}
for name, case in cases.items():
    for t in (image, image.to(torch.float32) / 255):
        got = case(t)
        values = got.flatten().tolist()
        text = " ".join(str(v) if got.dtype == torch.uint8 else f"{255 * v:.2f}" for v in values)
        kind = "u8" if got.dtype == torch.uint8 else "f32"
        if kind == "u8" or name in ("hue", "contrast", "blur", "equalize", "posterize", "rotate_bilinear", "perspective_bilinear"):
            print(name, kind, got.shape[1], got.shape[2], text)
