// Files that are wrong at random, and files that are too large for what memory is left.
import assert from 'node:assert/strict';
import test from 'node:test';
import { loadNpy, loadSafetensors, saveNpy, saveSafetensors, Tensor } from 'headwise';
import { assertWorks, bitsOf, loadOrFail, spoil } from '../lib/files.mjs';
import { withoutGrowth } from '../lib/memory.mjs';
import { npyFile } from '../lib/npy.mjs';
import { Random } from '../lib/random.mjs';
import { safetensorsFile } from '../lib/safetensors.mjs';

const a = new Tensor([1, 2, 3, 4, 5, 6], [2, 3]);

/** Spoils files in turn 5,000 times; `check` gets what could be loaded all the same. */
function spoilAndLoad(load, files, tokens, check) {
  const random = new Random(20);
  let loaded = 0;
  for (let i = 0; i < 5000; i++) {
    const result = loadOrFail(load, spoil(random, files[i % files.length], tokens));
    if (result === undefined) continue;
    check(result);
    loaded++;
  }
  assert.ok(loaded > 100 && loaded < 4000, `${loaded} loaded`);
  assertWorks();
}

test('5,000 spoilt safetensors files load or fail, and what was loaded can be saved', () => {
  const tensors = { a, 'é"': Tensor.full([], 7), none: Tensor.ones([0, 2]) };
  const half = { dtype: 'F16', shape: [1, 2], data_offsets: [0, 4] };
  const files = [
    saveSafetensors(tensors, { format: 'pt' }),
    safetensorsFile(
      { half, b: { ...half, dtype: 'BF16', data_offsets: [4, 8] } },
      new Array(8).fill(60),
    ),
    safetensorsFile(
      {
        ids: { dtype: 'I64', shape: [1], data_offsets: [0, 8] },
        mask: { dtype: 'BOOL', shape: [2], data_offsets: [8, 10] },
        small: { dtype: 'F8_E4M3', shape: [2], data_offsets: [10, 12] },
        quarter: { dtype: 'F4', shape: [4], data_offsets: [12, 14] },
      },
      new Array(14).fill(1),
    ),
  ];
  const tokens = [
    ...[
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '0',
      '4',
      '"a"',
      '"F16"',
      '"I64"',
      '"F4"',
      '"dtype"',
      '\\u0061',
    ],
    ...['__metadata__', '99999999999', '\\ud83d\\ude00', ' '],
  ];
  const isRead = (tensors, name) => {
    try {
      return tensors[name] !== undefined;
    } catch (error) {
      assert.equal(error.code, 'invalid-file', error.stack);
      assert.match(error.message, /in whole bytes, got (?:F4|F6_E2M3|F6_E3M2|C64)$/);
      return false;
    }
  };
  spoilAndLoad(loadSafetensors, files, tokens, ({ tensors, metadata }) => {
    for (const name of Object.keys(tensors)) {
      if (!isRead(tensors, name)) delete tensors[name];
    }
    const again = loadSafetensors(saveSafetensors(tensors, metadata));
    assert.deepEqual(Object.keys(again.tensors).sort(), Object.keys(tensors).sort());
    for (const [name, tensor] of Object.entries(tensors)) {
      assert.deepEqual(again.tensors[name].shape, tensor.shape);
      assert.equal(again.tensors[name].dtype, tensor.dtype);
      const isInteger = tensor.dtype !== undefined;
      const numbersOf = isInteger ? ({ data }) => data : bitsOf;
      assert.deepEqual(numbersOf(again.tensors[name]), numbersOf(tensor));
    }
  });
});

test('5,000 spoilt .npy files load or fail, and what was loaded can be saved', () => {
  const files = [
    saveNpy(a),
    npyFile("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }", new Array(12).fill(9)),
    npyFile("{'descr': '|b1', 'fortran_order': False, 'shape': (), }", [1], { version: 2 }),
    npyFile("{'shape': (3,), 'descr': '<f8', 'fortran_order': False}", new Array(24).fill(7)),
  ];
  const tokens = [
    ...['{', '}', '(', ')', ',', ':', "'", '"', '0', '4', '<f2', '|u1', 'True', 'False', 'shape'],
    ...["'descr'", '99999999999', ' ', '\n'],
  ];
  spoilAndLoad(loadNpy, files, tokens, (tensor) => {
    const again = loadNpy(saveNpy(tensor));
    assert.deepEqual(again.shape, tensor.shape);
    assert.deepEqual(bitsOf(again), bitsOf(tensor));
  });
});

test('headers too large for what memory is left are an error, and the next call works', () => {
  const one = '"":{"shape":[0],"dtype":"F32","data_offsets":[0,0]}';
  const headers = {
    metadata: (size) => `{"__metadata__":{${'"":"",'.repeat(size / 6)}"":""}}`,
    tensors: (size) => `{${`${one},`.repeat(size / one.length)}${one}}`,
    axes: (size) =>
      `{"a":{"shape":[${'0,'.repeat(size / 2)}0],"dtype":"F32","data_offsets":[0,0]}}`,
  };
  const codesOf = (callOf, from, to) => {
    const codes = new Set();
    for (let size = from; size < to; size *= 1.2) {
      const call = callOf(size);
      try {
        call();
        codes.add('none');
      } catch (error) {
        assert.equal(error.name, 'HeadwiseError', `${size}: ${error.stack}`);
        codes.add(error.code);
      }
    }
    return [...codes].sort();
  };
  withoutGrowth(() => {
    for (const [kind, headerOf] of Object.entries(headers)) {
      const file = (size) => safetensorsFile(headerOf(size));
      const codes = codesOf((size) => () => loadSafetensors(file(size)), 1e4, 4e6);
      assert.deepEqual(
        codes,
        kind === 'axes' ? ['none', 'out-of-memory'] : ['invalid-file', 'out-of-memory'],
      );
    }
    const number = Tensor.ones([]);
    const tensors = (size) =>
      Object.fromEntries(Array.from({ length: size }, (_, i) => [i.toString(36), number]));
    const codes = codesOf(
      (size) => {
        const given = tensors(size);
        return () => saveSafetensors(given);
      },
      1e3,
      1e5,
    );
    assert.deepEqual(codes, ['none', 'out-of-memory']);
    assertWorks();
  });
});
