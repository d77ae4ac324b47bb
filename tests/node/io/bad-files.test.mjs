// Files that break their format's rules: what a memory of 32 bits could get wrong beside tests/native/io, every
// truncation, and random changes.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  HeadwiseError,
  loadNpy,
  loadSafetensors,
  maskedSoftmax,
  saveNpy,
  saveSafetensors,
  Tensor,
} from 'headwise';
import { assertFails, assertRejects } from '../lib/compare.mjs';
import { bitsOf } from '../lib/files.mjs';
import { memory, withoutGrowth } from '../lib/memory.mjs';
import { dictionary, npyFile } from '../lib/npy.mjs';
import { Random } from '../lib/random.mjs';
import { safetensorsFile } from '../lib/safetensors.mjs';
import { handleOn } from '../lib/sources.mjs';

const tensors = {
  a: new Tensor([1, 2, 3, 4, 5, 6], [2, 3]),
  'é"': Tensor.full([], 7),
  none: Tensor.ones([0, 2]),
};
const good = saveSafetensors(tensors, { format: 'pt' });
const goodNpy = saveNpy(tensors.a);

/** Checks that the file is refused, within the memory that a file of its size may take, and left as it is. */
function fails(load, file, message) {
  const copy = file.slice();
  assertFails(() => load(file), 'invalid-file', message);
  assert.ok(memory.buffer.byteLength < 150e6, `${memory.buffer.byteLength} bytes of memory`);
  assert.deepEqual(file, copy);
}

test.afterEach(() => {
  assert.deepEqual(maskedSoftmax([[[1, 1]]]).toArray(), [[[0.5, 0.5]]]);
});

test('every truncation, and one byte more', async () => {
  const failsAlike = async (file) => {
    let expected;
    try {
      loadSafetensors(file);
    } catch (error) {
      expected = error;
    }
    for (const source of [new Blob([file]), handleOn(file)]) {
      await assertRejects(() => loadSafetensors(source), 'invalid-file', expected.message);
    }
  };
  for (let length = 0; length < good.length; length++) {
    fails(loadSafetensors, good.slice(0, length), /^bytes: expected /);
    await failsAlike(good.slice(0, length));
  }
  const longer = Uint8Array.of(...good, 0);
  fails(loadSafetensors, longer, 'bytes: expected 28 bytes of tensors, got 29');
  await failsAlike(longer);
  for (let length = 0; length < goodNpy.length; length++) {
    fails(loadNpy, goodNpy.slice(0, length), /^bytes: expected /);
  }
  const ofShape = 'a .npy file with as many bytes of numbers as its shape takes, got 25';
  fails(loadNpy, Uint8Array.of(...goodNpy, 0), `bytes: expected ${ofShape}`);
});

/** A header of one tensor, with these members as JSON in place of others. */
const headerOf = (fields) => {
  const all = { dtype: '"F32"', shape: '[2]', data_offsets: '[0,8]', ...fields };
  return `{"a":{${Object.entries(all)
    .map(([name, json]) => `"${name}":${json}`)
    .join(',')}}}`;
};
const asMany = (got) => `tensor 'a' in as many bytes as its shape takes, got ${got}`;
const within = (size, got) => `tensor 'a' to lie within ${size} bytes, got ${got}`;

/** A header, how many bytes of numbers follow, the message, and the length that the file tells. */
const badSafetensors = [
  ['{"a" {}}', 0, 'a safetensors header with : at byte 5, got {'],
  ['['.repeat(1e6), 0, 'a safetensors header with { at byte 0, got ['],
  ['{"a":'.repeat(2e5), 0, "tensor 'a' with dtype, shape and data_offsets, each once, got a"],
  [headerOf({ data_offsets: '[8,0]' }), 8, within(8, '8 to 0')],
  // What 32 bits cannot count, and counts of 2^62 and 2^64: times four they are 0 in 64 bits.
  [headerOf({ data_offsets: '[0,9007199254740992]' }), 8, within(8, '0 to 9007199254740992')],
  [headerOf({ shape: '[2147483648,2147483648]', data_offsets: '[0,0]' }), 0, asMany(0)],
  [headerOf({ shape: '[65536,65536,65536,65536]' }), 8, asMany(8)],
  [
    ...[headerOf({ shape: '[4294967296,0]', data_offsets: '[0,0]' }), 0],
    "tensor 'a' of a shape that memory can hold, got 4294967296",
  ],
  ...[3, 2 ** 31, 2 ** 32 + 2, 2n ** 64n - 1n].map((length) => [
    ...['{}', 0, `a safetensors header of at most 2 bytes, got ${length}`, length],
  ]),
];

const ofShape = 'a .npy file with as many bytes of numbers as its shape takes, got';
const f4 = (shape, order) => dictionary("'<f4'", shape, order);

/** A dictionary, how many bytes of numbers follow, the message, and what the file tells of itself. */
const badNpy = [
  ['{}', 0, 'a .npy header of descr, fortran_order and shape, each once, got others'],
  [
    ...[`{'shape': ${'('.repeat(60_000)}`, 0],
    'a .npy header with an integer from 0 to 2^53 at byte 11, got (',
  ],
  [dictionary("'|O'", '(1,)'), 4, 'a .npy file of floats, integers or booleans, got |O'],
  [f4('(65536,65536,65536,65536)', 'True'), 4, `${ofShape} 4`],
  [f4('(4294967296, 0)'), 0, 'a .npy file of at most 64 axes that memory can hold, got 4294967296'],
  [
    ...[f4('(1,)'), 4, `a .npy header of at most ${f4('(1,)').length + 4} bytes, got 65535`],
    { length: 65535 },
  ],
];

test('files that break a rule are told which, also where 32 bits cannot count', () => {
  for (const [header, size, message, length] of badSafetensors) {
    const file = safetensorsFile(header, new Uint8Array(size), length);
    fails(loadSafetensors, file, `bytes: expected ${message}`);
  }
  for (const [text, size, message, given] of badNpy) {
    const file = npyFile(text, new Uint8Array(size), given);
    fails(loadNpy, file, `bytes: expected ${message}`);
  }
});

/** One to three changes of single bytes or short pieces. `tokens` are texts that files are made of. */
function spoil(random, file, tokens) {
  let bytes = Array.from(file);
  // Most of what can go wrong is in the beginning.
  const place = () => random.below(random.chance(0.8) ? Math.min(200, bytes.length) : bytes.length);
  for (let changes = 1 + random.below(3); changes > 0 && bytes.length > 0; changes--) {
    const [begin, count] = [place(), random.below(6)];
    const piece = bytes.slice(place()).slice(0, count);
    const change = [
      () => (bytes[begin] ^= 1 << random.below(8)),
      () => (bytes[begin] = random.below(256)),
      () => bytes.splice(begin, count),
      () => bytes.splice(begin, 0, ...piece),
      () => bytes.splice(begin, random.below(3), ...Buffer.from(random.pick(...tokens))),
      () => (bytes = bytes.slice(0, begin + random.below(200))),
    ];
    random.pick(...change)();
  }
  return Uint8Array.from(bytes);
}

/** What `use` gives, undefined if it fails as a malformed file does. */
function unlessInvalid(use, file) {
  try {
    return use();
  } catch (error) {
    const text = Buffer.from(file).toString('latin1');
    assert.ok(error instanceof HeadwiseError, `${error?.stack ?? error}\n${JSON.stringify(text)}`);
    assert.equal(error.code, 'invalid-file', error.message);
    assert.match(error.message, /^bytes: expected [ -~]+, got [ -~]*$/);
    return undefined;
  }
}

const half = { dtype: 'F16', shape: [1, 2], data_offsets: [0, 4] };
const numbersOf = (tensor) => [
  tensor.shape,
  tensor.dtype,
  tensor.dtype ? tensor.data : bitsOf(tensor),
];
/** Files, texts that they are made of, how they are loaded, and what must be the same once it was saved again. */
const spoilt = {
  safetensors: {
    load: loadSafetensors,
    files: [
      good,
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
    ],
    tokens: [
      ...['{', '}', '[', ']', ',', ':', '"', '0', '4', '"a"', '"F16"', '"I64"', '"F4"', '"dtype"'],
      ...['\\u0061', '__metadata__', '99999999999', '\\ud83d\\ude00', ' '],
    ],
    check({ tensors: all, metadata }, file) {
      for (const name of Object.keys(all)) {
        // Some are of kinds that are not read.
        if (unlessInvalid(() => all[name], file) === undefined) delete all[name];
      }
      const { tensors: again } = loadSafetensors(saveSafetensors(all, metadata));
      assert.deepEqual(Object.keys(again).sort(), Object.keys(all).sort());
      for (const name of Object.keys(all)) {
        assert.deepEqual(numbersOf(again[name]), numbersOf(all[name]));
      }
    },
  },
  '.npy': {
    load: loadNpy,
    files: [
      goodNpy,
      npyFile("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }", new Array(12).fill(9)),
      npyFile("{'descr': '|b1', 'fortran_order': False, 'shape': (), }", [1], { version: 2 }),
      npyFile("{'shape': (3,), 'descr': '<f8', 'fortran_order': False}", new Array(24).fill(7)),
    ],
    tokens: [
      ...['{', '}', '(', ')', ',', ':', "'", '"', '0', '4', '<f2', '|u1', 'True', 'False', 'shape'],
      ...["'descr'", '99999999999', ' ', '\n'],
    ],
    check: (tensor) => assert.deepEqual(numbersOf(loadNpy(saveNpy(tensor))), numbersOf(tensor)),
  },
};

for (const [format, { load, files, tokens, check }] of Object.entries(spoilt)) {
  test(`3,000 ${format} files with random changes load or fail, and what was loaded can be saved`, () => {
    const random = new Random(20);
    let loaded = 0;
    for (let i = 0; i < 3000; i++) {
      const file = spoil(random, files[i % files.length], tokens);
      const copy = file.slice();
      const result = unlessInvalid(() => load(file), file);
      assert.deepEqual(file, copy);
      if (result === undefined) continue;
      check(result, file);
      loaded++;
    }
    assert.ok(loaded > 100 && loaded < 2500, `${loaded} loaded`);
  });
}

test('headers too large for what memory is left are an error, and the next call works', () => {
  const none = '"":{"shape":[0],"dtype":"F32","data_offsets":[0,0]}';
  const number = Tensor.ones([]);
  const load = (header) => {
    const file = safetensorsFile(header);
    return () => loadSafetensors(file);
  };
  const save = (names) => () => saveSafetensors(names);
  /** Calls that fail for another reason, or succeed, as long as there is memory. */
  const calls = {
    'invalid-file': [
      (size) => load(`{"__metadata__":{${'"":"",'.repeat(size / 6)}"":""}}`),
      (size) => load(`{${`${none},`.repeat(size / none.length)}${none}}`),
    ],
    none: [
      (size) =>
        load(`{"a":{"shape":[${'0,'.repeat(size / 2)}0],"dtype":"F32","data_offsets":[0,0]}}`),
      (size) => save(Object.fromEntries(Array.from({ length: size / 40 }, (_, i) => [i, number]))),
    ],
  };
  withoutGrowth(() => {
    for (const [otherwise, callsOf] of Object.entries(calls)) {
      for (const callOf of callsOf) {
        const codes = new Set();
        for (let size = 1e4; size < 4e6; size *= 1.5) {
          const call = callOf(size);
          try {
            call();
            codes.add('none');
          } catch (error) {
            assert.ok(error instanceof HeadwiseError, `${size}: ${error.stack}`);
            codes.add(error.code);
          }
        }
        assert.deepEqual([...codes].sort(), [otherwise, 'out-of-memory'].sort());
      }
    }
  });
});
