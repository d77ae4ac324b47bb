"""Writes .npy files of every type, order, rank and version, for tests/node/io/npy.test.mjs:
python3 tests/data/write_npy.py FOLDER prints type, shape, order and numbers of each. Needs NumPy.
"""

import json
import sys

import numpy

numpy.seterr(all="ignore")
random = numpy.random.default_rng(1)
types = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]
shapes = [(), (7,), (3, 5), (2, 3, 4), (2, 3, 1, 4), (0,), (0, 3), (2, 0, 3)]
specials = numpy.array([numpy.nan, numpy.inf, -numpy.inf, -0.0, 6e-8, 1e-40, 1e300])
files = []


def numbers(kind, shape):
    if kind == "?":
        return random.integers(0, 2, shape).astype(bool)
    if kind[0] == "f":
        array = numpy.array(random.standard_normal(shape) * 1e3)
        flat = array.reshape(-1)
        flat[: min(flat.size, 7)] = specials[: min(flat.size, 7)]
        return array.astype(kind)
    limits = numpy.iinfo(kind)
    array = random.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)
    return numpy.array(array, dtype=kind)


def note(array, save):
    with open(f"{sys.argv[1]}/{len(files)}.npy", "wb") as file:
        save(file, array)
    floats = array.astype("<f4").tobytes("C").hex()
    files.append([array.dtype.str, list(array.shape), bool(array.flags.f_contiguous), floats])


for kind in types:
    for shape in shapes:
        for order in "<>":
            array = numbers(kind, shape).astype(numpy.dtype(kind).newbyteorder(order))
            note(array, numpy.save)
            note(numpy.asfortranarray(array) if shape else array, numpy.save)
            for version in [(2, 0), (3, 0)]:
                note(array, lambda file, each: numpy.lib.format.write_array(file, each, version))
print(json.dumps(files))
