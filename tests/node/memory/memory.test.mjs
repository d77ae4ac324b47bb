// How much WebAssembly memory calls take: in proportion to the length, nothing more the second time, and an error where
// there cannot be enough.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as headwise from 'headwise';
import { runModule } from '../lib/child.mjs';
import { assertFails, assertSameResult } from '../lib/compare.mjs';
import { memory, withoutGrowth } from '../lib/memory.mjs';

const { MultiHeadAttention, Tensor, Transformer } = headwise;

/** After a first and a second forward, in a process of its own. */
const measure = (length, options) =>
  JSON.parse(
    runModule(`
      import * as headwise from 'headwise';
      import { memoryOfForwards } from './tests/node/lib/watch-memory.mjs';
      const request = ${JSON.stringify({ length, numHiddens: 512, numHeads: 8, ...options })};
      console.log(JSON.stringify(await memoryOfForwards(headwise, request)));
    `),
  );

// Keys beyond the valid ones cost no work, but as much memory: shapes alone decide that.
const masked = { validLens: [1] };
for (const [pass, options, lengths] of [
  ['forward', masked, [2048, 4096, 8192]],
  ['backward', { ...masked, requiresGrad: true }, [1024, 2048, 4096]],
]) {
  test(`memory of a ${pass} grows linearly with the length, and a second ${pass} needs no more`, () => {
    const measured = lengths.map((length) => measure(length, options));
    const [a, b, c] = measured.map(([{ used }]) => used);
    assert.ok(Math.abs((c - b) / (b - a) - 2) < 0.02, `${a}, ${b} and ${c} bytes`);
    for (const [first, second] of measured) {
      assert.equal(second.bytes, first.bytes);
      assert.ok(second.used <= first.used + 1000, `${second.used} after ${first.used}`);
    }
  });
}

test('L16384 D512 h8 runs inside 400 MB', () => {
  for (const { bytes } of measure(16384, masked)) assert.ok(bytes <= 400e6, `${bytes} bytes`);
});

/** Takes all memory there is without growth, down to pieces of a few dozen bytes. */
function fillMemory() {
  const sizes = { querySize: 1, keySize: 1, valueSize: 1 };
  const layer = new MultiHeadAttention({ numHiddens: 1, numHeads: 1, ...sizes });
  const pieces = [layer];
  for (let maxLength = 2 ** 22; maxLength >= 1; maxLength /= 2) {
    const takeAll = () => {
      for (;;) pieces.push(layer.createCache({ batchSize: 1, maxLength }));
    };
    assert.throws(takeAll, { code: 'out-of-memory' });
  }
  return pieces;
}

const outOfMemory = ['out-of-memory', 'memory: not enough for tensors of these sizes'];

test('a second forward of the same shapes works without free memory', () => {
  const layer = new MultiHeadAttention({ numHiddens: 12, numHeads: 3, seed: 1 });
  const X = Tensor.randn([2, 33, 12], 1);
  const options = [
    {},
    { returnWeights: true, causal: true },
    { validLens: [7, 33], headGate: [1, 0, 1] },
    { mask: Array.from({ length: 33 }, (_, i) => i % 5 > 0), window: [3, 1] },
  ];
  const forwards = options.map((each) => () => layer.forward(X, X, X, each));
  const expected = forwards.map((forward) => forward());
  withoutGrowth(() => {
    const pieces = fillMemory();
    try {
      forwards.forEach((forward, i) => assertSameResult(forward(), expected[i]));
      // Memory is full indeed: slightly larger inputs do not fit.
      const Y = Tensor.zeros([2, 40, 12]);
      assertFails(() => layer.forward(Y, Y, Y, { returnWeights: true }), ...outOfMemory);
      // The attempt freed the working memory, which the next call allocates again.
      forwards.forEach((forward, i) => assertSameResult(forward(), expected[i]));
    } finally {
      pieces.forEach((piece) => piece.dispose());
    }
  });
});

const most = 2 ** 31 - 1;
const one = { querySize: 1, keySize: 1, valueSize: 1 };
const wide = { querySize: 30_000, keySize: 30_000, valueSize: 30_000 };
const additive = { projection: 'none', pooling: 'additive' };
const model = { vocabularySize: 5, maxLength: 8, numHiddens: 8, numHeads: 2, numLayers: 2 };
const many = Tensor.ones([1, 1, 40_000, 1]);

/** Sizes that are too large. Some overflow 32 or 64 bits. */
const tooLarge = {
  MultiHeadAttention: [
    [{ numHiddens: 30_000, ...additive, attentionHiddens: 30_000 }],
    [{ numHiddens: 8, ...additive, attentionHiddens: most }],
    [{ numHiddens: most, ...additive }],
    [{ numHiddens: 65_536, ...additive, attentionHiddens: 65_536 }],
    [{ numHiddens: 8, pooling: 'additive', attentionHiddens: 2 ** 29, ...one }],
    [{ numHiddens: 30_000, ...wide }],
    [{ numHiddens: 60_000, projection: 'convolution', ...wide, biasKv: true }],
    [{ numHiddens: 2 ** 16, outputSize: 2 ** 16, ...one }],
    [{ numHiddens: 1, outputSize: 1, querySize: most, keySize: most, valueSize: most }],
    [{ numHiddens: 2_000_000, ...one }],
    [{ numHiddens: 8, ...one, querySize: 2_000_000_000 }],
    [{ numHiddens: 8, ...one, outputSize: most }],
  ].map(([options]) => [{ numHeads: 1, ...options }]),
  AttentionOnlyTransformer: [
    ...[{ vocabularySize: most }, { maxLength: most }, { numHiddens: 2 ** 30 }],
    { numLayers: most },
  ].map((huge) => [{ ...model, ...huge }]),
  Transformer: [
    ...[{ vocabularySize: most }, { maxLength: most }, { segments: most }, { ffnHiddens: most }],
    ...[{ numHiddens: 2 ** 30 }, { numLayers: most }, { headSize: 2 ** 29, numHeads: 2 }],
    ...[
      { headSize: 2 ** 30, numHeads: 1 },
      { numHeads: 2 ** 29, headSize: 2 },
    ],
    ...[{ encoder: { numLayers: most } }, { encoder: { ffnHiddens: 2 ** 30 } }],
  ].flatMap((huge) => [[{ ...model, ...huge }], [{ ...model, ...huge, weights: 'int4' }]]),
  createCache: [
    ...[2 ** 14, 2 ** 16, 2 ** 24, most, 1].map((batchSize) => [{ batchSize, maxLength: most }]),
    [{ batchSize: most, maxLength: 1 }],
    // Their bytes overflow 32 bits.
    [{ batchSize: 2 ** 16, maxLength: 2 ** 16 }],
    [{ batchSize: 2 ** 13, maxLength: 2 ** 16 }],
    [{ batchSize: 2 ** 27, maxLength: 4 }],
    [{ batchSize: 2 ** 27 + 1, maxLength: 1 }],
  ],
  batch: [2 ** 29, 2 ** 30, 2 ** 32 + 1, 2 ** 53 - 1].map((size) => [1, size]),
  randn: [
    [[2 ** 32], 1],
    [[2 ** 53 - 1], 1],
    [[2 ** 33, 2 ** 33], 1],
  ],
  zeros: [[[2 ** 33, 2 ** 33]], [[2 ** 50]]],
  positionalEncoding: [[most, most]],
  // Weights of 6 GB.
  scaledDotProductAttention: [[many, many, many, { returnWeights: true }]],
};

test('positions without parameters take no memory', () => {
  const options = { ...model, maxLength: most, positions: 'rotary' };
  withoutGrowth(() => new headwise.Transformer(options).dispose());
});

for (const [name, argumentLists] of Object.entries(tooLarge)) {
  test(`sizes beyond memory are an error: ${name}`, () => {
    const sizes = { querySize: 4, keySize: 4, valueSize: 4 };
    const subjects = {
      createCache: new MultiHeadAttention({ numHiddens: 8, numHeads: 2, ...sizes }),
      batch: new headwise.CopyTask({ numSymbols: 3, length: 8 }),
      randn: Tensor,
      zeros: Tensor,
    };
    const call = (...given) =>
      name in subjects
        ? subjects[name][name](...given)
        : /^[A-Z]/.test(name)
          ? new headwise[name](...given)
          : headwise[name](...given);
    for (const given of argumentLists) {
      assertFails(() => call(...given), ...outOfMemory);
      // The next call works.
      assert.deepEqual(headwise.maskedSoftmax([[[1, 1]]]).toArray(), [[[0.5, 0.5]]]);
    }
    subjects.createCache.dispose();
  });
}

test('captures of the last position take no memory for the others', () => {
  const sizes = { vocabularySize: 5, maxLength: 2048, numHiddens: 8, numLayers: 1, numHeads: 8 };
  const model = new Transformer(sizes);
  const before = memory.buffer.byteLength;
  const { captured } = model.forward(Array(2048).fill(1), {
    capture: ['scores', 'pattern', 'droppedWeights', 'headOut'],
    capturePositions: 'last',
  });
  assert.deepEqual(captured.pattern[0].shape, [8, 1, 2048]);
  // All weights of one kind take 134 MB.
  const grown = memory.buffer.byteLength - before;
  assert.ok(grown < 50e6, `${grown} bytes`);
});
