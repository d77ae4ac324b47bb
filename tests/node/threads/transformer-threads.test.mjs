// Whole models with several threads, each number of them in a process of its own: every bit is the same.
import assert from 'node:assert/strict';
import test from 'node:test';
import { runModule } from '../lib/child.mjs';

const program = `
  import assert from 'node:assert/strict';
  import { createHash } from 'node:crypto';
  import { init, Transformer, Tensor } from 'headwise';
  const hash = createHash('sha256');
  const count = { tensors: 0 };
  function add(value) {
    if (ArrayBuffer.isView(value)) {
      hash.update(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
      count.tensors++;
    } else if (typeof value === 'object') Object.values(value).forEach(add);
    else hash.update(String(value));
  }
  const tokensOf = (batch, length, seed) =>
    Array.from({ length: batch }, (_, row) => Array.from({ length }, (__, i) => (seed * i + 7 * row * i * i) % 61));
  const sizes = { numHiddens: 48, numHeads: 6, numLayers: 2, dropout: 0.25, seed: 3 };
  const ofTokens = { vocabularySize: 61, maxLength: 160, ...sizes };
  const tokens = tokensOf(3, 150, 5);
  const targets = tokensOf(3, 150, 11);
  const kinds = [
    [{ ...ofTokens, positions: 'rotary', numKvHeads: 2, norm: 'rms', gated: true, activation: 'silu' }, {}],
    [{ ...ofTokens, causal: false, segments: 2, normFirst: false }, { validLens: [150, 3, 0] }],
    [{ ...ofTokens, encoder: { numLayers: 2 } }, { source: tokensOf(3, 140, 3), sourceValidLens: [140, 9, 1] }],
  ];
  async function results() {
    for (const [options, given] of kinds) {
      const model = new Transformer(options);
      add(model.forward(tokens, { ...given, returnWeights: true, capture: ['scores', 'pooled'] }));
      model.train();
      add(model.forward(tokens, { ...given, requiresGrad: true }));
      add(model.backward(Tensor.randn([3, 150, 48], 2)));
      add(model.lossAndGradients(tokens, targets, given));
      add(model.gradients());
      add(model.trainStep(tokens, targets, undefined, given));
      add(model.stateDict());
      model.eval();
      if (model.causal) {
        const source = given.source && { source: given.source[0] };
        add(await model.generate(tokens[0].slice(0, 130), { ...source, maxNewTokens: 20, temperature: 1, seed: 1 }));
      }
      model.dispose();
    }
    const reader = new Transformer({ ...sizes, patches: { imageSize: 48, patchSize: 4 } });
    add(reader.forward(Tensor.randn([2, 3, 48, 48], 1), { requiresGrad: true, returnWeights: true }));
    add(reader.backward(Tensor.randn([2, 145, 48], 2)));
    reader.dispose();
    return count.tensors + ' ' + hash.digest('hex');
  }
`;

const resultsWith = (threads) =>
  runModule(`${program}
    assert.equal((await init({ threads: ${threads} })).threads, ${threads});
    console.log(await results());
  `);

test('what transformers give does not depend on the number of threads', () => {
  const alone = resultsWith(1);
  assert.ok(Number(alone.split(' ')[0]) > 200, alone);
  for (const threads of [2, 3]) assert.equal(resultsWith(threads), alone);
});
