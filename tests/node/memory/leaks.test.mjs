// Leaks of WebAssembly memory: when calls succeed, when they fail, and when objects are collected.
import assert from 'node:assert/strict';
import test from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  AttentionOnlyTransformer,
  MultiHeadAttention,
  ResidentTensor,
  Transformer,
} from 'headwise';
import { freeBytes } from '../lib/ballast.mjs';
import { calls, disposeAll, kinds } from '../lib/calls.mjs';
import { placesIn, withGetter } from '../lib/hostile-arguments.mjs';
import { tokens } from '../lib/observe.mjs';

const sized = { numHiddens: 8, numHeads: 2, querySize: 8, keySize: 8, valueSize: 8, seed: 1 };

const own = new Error('thrown by a getter');

/** Ten times the same call on a subject, every other time with a getter that throws. */
async function callOften({ prepare, call, args }, round) {
  const subject = prepare();
  for (let i = 0; i < 10; i++) {
    const given = args(subject);
    const places = placesIn(given);
    const path = places[(10 * round + i) % places.length];
    const isBad = i % 2 === 1 && path !== undefined;
    const change = () => {
      throw own;
    };
    try {
      await call(subject, ...(isBad ? withGetter(given, path, change) : given));
    } catch (error) {
      if (error !== own && error.name !== 'HeadwiseError') throw error;
    }
    subject.made?.dispose?.();
  }
  disposeAll(subject);
}

for (const [name, entry] of Object.entries(calls)) {
  test(`calls leak nothing: ${name}`, async () => {
    await callOften(entry, 0);
    const before = freeBytes();
    for (let round = 1; round <= 3; round++) await callOften(entry, round);
    const lost = before - freeBytes();
    // Less may be lost: what earlier calls made may be collected meanwhile.
    assert.ok(lost <= 0, `${lost} bytes are lost`);
  });
}

/** Checks that what `make` leaves behind gives its memory back when it is collected. */
async function assertForgottenGivesBack(make) {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc');
  const forget = async () => {
    make();
    // Finalizers run in a turn of their own, after the collection.
    for (let i = 0; i < 3; i++) {
      collectGarbage();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  await forget();
  const before = freeBytes();
  for (let round = 0; round < 5; round++) await forget();
  const isGivenBack = () => freeBytes() > before - 1000;
  // When finalizers run is the engine's affair.
  for (let tries = 0; tries < 1000 && !isGivenBack(); tries++) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.ok(isGivenBack(), `${freeBytes()} bytes are free after ${before}`);
}

const forgotten = {
  'layers and their caches': () => {
    const layer = new MultiHeadAttention({ ...sized, querySize: 50, keySize: 50, valueSize: 50 });
    layer.createCache({ batchSize: 1, maxLength: 200 });
  },
  models: () => {
    const { options, input } = kinds['attention only'];
    new AttentionOnlyTransformer({ ...options, numHiddens: 32 }).trainStep(input, tokens);
  },
  'transformers and their caches': () => {
    const model = new Transformer({ ...kinds.decoder.options, numHiddens: 32 });
    model.forward([1, 2], { cache: model.createCache({ batchSize: 1, maxLength: 20 }) });
    model.attention(0).createCache({ batchSize: 1, maxLength: 20 });
  },
  'resident tensors': () => new ResidentTensor([2 ** 12]).data.fill(1),
};
for (const [what, make] of Object.entries(forgotten)) {
  test(`collected objects free their memory: ${what}`, () =>
    assertForgottenGivesBack(() => {
      for (let i = 0; i < 5; i++) make();
    }));
}

test('holding a layer keeps its model alive', async () => {
  const wide = { vocabularySize: 5, maxLength: 4, numHiddens: 32, numHeads: 2, seed: 1 };
  const layers = Array.from({ length: 10 }, () => new Transformer(wide).attention(0));
  const expected = layers[0].stateDict();
  // Memory that is given back is taken again, by models that are forgotten in turn.
  await assertForgottenGivesBack(() => {
    for (let i = 0; i < 10; i++) new Transformer({ ...wide, seed: 2 + i }).forward([1, 2]);
  });
  for (const layer of layers) assert.deepEqual(layer.stateDict(), expected);
});
