#!/usr/bin/env python3
"""embed_digits.py digits.csv.gz > src/data/embed/digits.txt: the digits as the library embeds them.

The source is scikit-learn's copy (sklearn/datasets/data/digits.csv.gz): 64 pixels, 0 to 16, and a label in each row. Here
a row is the label and a letter for each pixel: a for 0 to q for 16.
"""
import gzip
import sys

HEAD = """\
# Optical recognition of handwritten digits: E. Alpaydin and C. Kaynak (1998), UCI Machine Learning Repository,
# https://doi.org/10.24432/C50P49, CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/). The test part, 1,797 images
# of 8 x 8 pixels, as scikit-learn ships it. Changed: written as letters, a for 0 to q for 16, behind the label.
# Made by scripts/embed_digits.py.
"""


def main():
    with gzip.open(sys.argv[1], "rt") as file:
        rows = [[int(number) for number in line.split(",")] for line in file]
    assert len(rows) == 1797
    sys.stdout.write(HEAD)
    for row in rows:
        assert len(row) == 65 and all(0 <= pixel <= 16 for pixel in row[:64]) and 0 <= row[64] <= 9
        print(f"{row[64]}{''.join(chr(ord('a') + pixel) for pixel in row[:64])}")


main()
