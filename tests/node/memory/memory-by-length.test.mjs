// What a forward takes of WebAssembly memory when nobody looks at the weights: as much as queries
// and keys, not as their product.
import assert from 'node:assert/strict';
import test from 'node:test';
import { MultiHeadAttention, Tensor } from 'headwise';
import { runModule } from '../lib/child.mjs';
import { assertFails, assertSameResult } from '../lib/compare.mjs';
import { withoutGrowth } from '../lib/memory.mjs';
import { memoryOfWhatLoads } from '../lib/watch-memory.mjs';

test('memory is found where a module exports it and where threads share it', async () => {
  const header = [0, 97, 115, 109, 1, 0, 0, 0];
  // (module (memory (export "m") 1)) and (module (import "a" "m" (memory 1)))
  const exporting = [...header, 5, 3, 1, 0, 1, 7, 5, 1, 1, 109, 2, 0];
  const importing = [...header, 2, 8, 1, 1, 97, 1, 109, 2, 0, 1];
  const make = (bytes, imports) => () =>
    new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes)), imports);
  const shared = new WebAssembly.Memory({ initial: 1 });
  const loadShared = make(importing, { a: { m: shared, f() {} } });
  assert.equal((await memoryOfWhatLoads(make(exporting))).buffer.byteLength, 65536);
  assert.equal(await memoryOfWhatLoads(loadShared), shared);
  await assert.rejects(
    memoryOfWhatLoads(() => {}),
    { message: 'no WebAssembly memory was seen' },
  );
});

/** After a first and a second forward, in a process of its own. */
const measure = (length, options = {}) =>
  JSON.parse(
    runModule(`
      import * as headwise from 'headwise';
      import { memoryOfForwards } from './tests/node/lib/watch-memory.mjs';
      const request = ${JSON.stringify({ length, numHiddens: 512, numHeads: 8, ...options })};
      console.log(JSON.stringify(await memoryOfForwards(headwise, request)));
    `),
  );

// Keys beyond the valid ones cost no work, but as much memory: shapes alone decide that.
const oneValid = { validLens: [1] };

const lengths = [2048, 4096, 8192, 16384];
const measured = new Map(lengths.map((length) => [length, measure(length, oneValid)]));

test('memory grows linearly with the length', (t) => {
  const used = lengths.map((length) => measured.get(length)[0].used);
  const steps = used.slice(1).map((bytes, i) => bytes - used[i]);
  t.diagnostic(`bytes in use at L ${lengths.join(', ')}: ${used.join(', ')}`);
  for (const [i, step] of steps.slice(1).entries()) {
    const ratio = step / steps[i];
    assert.ok(
      Math.abs(ratio - 2) < 0.02,
      `${lengths[i + 2]}: a step ${ratio} times the one before`,
    );
  }
});

test('L16384 D512 h8 runs inside 400 MB', () => {
  for (const { bytes } of measured.get(16384)) assert.ok(bytes <= 400e6, `${bytes} bytes`);
});

test('a second forward of the same shapes takes no more', () => {
  for (const [length, [first, second]] of measured) {
    assert.equal(second.bytes, first.bytes, `L${length}`);
    assert.ok(second.used <= first.used + 1000, `L${length}: ${second.used} after ${first.used}`);
  }
});

test('a backward takes memory that is linear in the length, and a second one no more', (t) => {
  const some = [1024, 2048, 4096];
  const all = some.map((length) => measure(length, { ...oneValid, requiresGrad: true }));
  const used = all.map(([first]) => first.used);
  t.diagnostic(`bytes in use at L ${some.join(', ')}: ${used.join(', ')}`);
  const ratio = (used[2] - used[1]) / (used[1] - used[0]);
  assert.ok(Math.abs(ratio - 2) < 0.02, `${ratio}`);
  for (const [first, second] of all) {
    assert.equal(second.bytes, first.bytes);
    assert.ok(second.used <= first.used + 1000, `${second.used} after ${first.used}`);
  }
});

test('masked keys take as much memory as valid ones', () => {
  const [[all], [masked]] = [measure(2048), measured.get(2048)];
  assert.equal(all.bytes, masked.bytes);
  assert.ok(Math.abs(all.used - masked.used) < 1000, `${all.used} and ${masked.used} bytes`);
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

test('a second forward of the same shapes works where nothing is left to allocate', () => {
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
      // Memory is full indeed: what is a little larger finds no place.
      const Y = Tensor.zeros([2, 40, 12]);
      assertFails(
        () => layer.forward(Y, Y, Y, { returnWeights: true }),
        'out-of-memory',
        'memory: not enough for tensors of these sizes',
      );
      // The attempt gave up the working memory, which the next call takes anew.
      forwards.forEach((forward, i) => assertSameResult(forward(), expected[i]));
    } finally {
      pieces.forEach((piece) => piece.dispose());
    }
  });
});
