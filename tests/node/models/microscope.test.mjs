// Captures, patches and what is made of them, by equations that hold in any model. The values themselves are compared
// with those of C++ in the vectors, and there with float64.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { exportCheckpoint, init, ResidentTensor, saveSafetensors, Transformer } from 'headwise';
import { readCheckpoint } from '../lib/checkpoints.mjs';
import { temporaryFolder } from '../lib/child.mjs';
import { assertFails, assertRejects, maxDifference } from '../lib/compare.mjs';
import { runPython } from '../lib/python.mjs';
import { dataFile } from '../lib/records.mjs';

await init();

const lengths = { batch: 2, length: 5 };
const draw = (size, seed) =>
  Array.from({ length: lengths.batch }, (_, i) =>
    Array.from(
      { length: lengths.length },
      (__, j) => (7 * seed + 3 * i + 5 * j * j + i * j) % size,
    ),
  );
/** Tensors or lists of numbers. */
const close = (a, b, tolerance = 1e-5) => {
  const difference = maxDifference(a.data ?? a, b.data ?? b);
  assert.ok(difference <= tolerance, `${difference} > ${tolerance}`);
};
const map = ({ data, shape }, change) => ({ data: data.map(change), shape });

const options = {
  ...{ vocabularySize: 17, maxLength: 8, numHiddens: 16, numHeads: 4, numLayers: 3, seed: 1 },
};
const variants = {
  'like GPT-2': { norm: 'layer', logitsBias: true },
  'like Llama': { norm: 'rms', numKvHeads: 2, positions: 'rotary', bias: false, gated: true },
  'like Gemma 2': { norm: 'rms', postNorms: true, normEpsilon: 0.01, gated: true, numKvHeads: 2 },
  'without norms and feed-forward layers': { norm: 'none', ffnHiddens: 0, tiedEmbeddings: false },
};

for (const [name, variant] of Object.entries(variants)) {
  const model = new Transformer({ ...options, ...variant });
  const [clean, corrupted] = [draw(17, 1), draw(17, 2)];

  test(`one head at a time of a model ${name} is patched as by \`patch\``, async () => {
    // Of so many samples, not all heads are patched at once.
    const [many, others] = [clean, corrupted].map((tokens) => Array(5).fill(tokens).flat());
    // Of patched runs, reading one logit and reading all of them take different ways.
    const metric = (logits) => logits.at(1, logits.shape[1] - 1, 3) - logits.data.at(-6);
    const { captured } = model.forward(many, { capture: ['z', 'keys'] });
    for (const [at, positions] of [
      ['z', undefined],
      ['keys', [0, 4]],
    ]) {
      const done = [];
      const patched = await model.patchHeads(many, others, {
        ...{ metric, at, positions },
        onProgress: (n) => done.push(n),
      });
      const [, heads] = patched.shape;
      assert.equal(done.at(-1), 3 * heads);
      for (let i = 0; i < 3 * heads; i++) {
        const [layer, head] = [Math.floor(i / heads), i % heads];
        const patch = [{ at, layer, heads: [head], value: captured[at][layer] }];
        close([patched.data[i]], [metric(model.forward(others, { patch }).logits)]);
      }
    }
  });

  test(`lens and attribution of a model ${name} end in its logits`, () => {
    const { logits } = model.forward(clean);
    const at = (sample, token) => logits.data[(sample * 5 + 4) * 17 + token];
    const lens = model.logitLens(clean);
    assert.deepEqual(lens.shape, [4, 2, 1, 17]);
    close(
      lens.data.slice(3 * 34),
      [0, 1].flatMap((i) => Array.from({ length: 17 }, (_, t) => at(i, t))),
    );
    const parts = model.attributeLogits(clean, { target: [3, 4], against: 5 });
    for (const sample of [0, 1]) {
      const sum = ({ data }) =>
        data
          .slice((sample * data.length) / 2, ((sample + 1) * data.length) / 2)
          .reduce((a, b) => a + b, 0);
      const { total, ...others } = parts;
      const expected = at(sample, 3 + sample) - at(sample, 5);
      close([total.data[sample]], [expected]);
      close([Object.values(others).reduce((all, part) => all + sum(part), 0)], [expected]);
    }
    const one = model.attributeLogits(clean[0], { target: 3, against: 5 });
    assert.deepEqual([one.heads.shape, one.total.shape], [[3, 4], []]);
  });

  test(`embeddings of a model ${name} take the tokens' place`, () => {
    const { captured, logits, hidden } = model.forward(clean, { capture: ['embeddings'] });
    const input = { embeddings: captured.embeddings };
    assert.deepEqual(model.forward(input).logits, logits);
    model.forward(input, { requiresGrad: true });
    const { embeddings } = model.backward(map(hidden, () => 1));
    assert.deepEqual(embeddings.shape, hidden.shape);
  });
}

test('a lens of all positions writes to nothing but its own memory', () => {
  const positions = Array.from({ length: 128 }, (_, i) => i);
  const sizes = { vocabularySize: 128, numHiddens: 64, numHeads: 4, numLayers: 4, maxLength: 128 };
  const model = new Transformer({ ...sizes, seed: 1 });
  const run = () => model.logitLens([positions], { positions }).data;
  const expected = run();
  // Behind the working memory that the first call has taken.
  const others = positions.map(() => new ResidentTensor([1000]));
  assert.deepEqual(run(), expected);
  assert.ok(others.every(({ data }) => data.every((number) => number === 0)));
});

test('the last position alone is captured, of layers in any order', () => {
  const model = new Transformer(options);
  const none = { capture: ['z', 'embeddings'], captureLayers: [] };
  assert.deepEqual(model.forward(draw(17, 1), none).captured.z, []);
  const [whole, last] = [{}, { captureLayers: [2, 0], capturePositions: 'last' }].map((given) =>
    model.forward(draw(17, 1), { capture: ['residPre'], ...given }),
  );
  const rows = [2, 0].map((layer) => {
    const { data } = whole.captured.residPre[layer];
    return { data: Float32Array.of(...data.slice(64, 80), ...data.slice(144)), shape: [2, 1, 16] };
  });
  assert.deepEqual(
    last.captured.residPre.map(({ data, shape }) => ({ data, shape })),
    rows,
  );
});

test('new tokens come with the weights of the row that drew them', async () => {
  const model = new Transformer(options);
  const given = { maxNewTokens: 3, returnWeights: { heads: [2, 0] } };
  const { tokens, attentionWeights } = await model.generate([1, 2, 3], given);
  assert.deepEqual(tokens, await model.generate([1, 2, 3], { maxNewTokens: 3 }));
  const whole = model.forward([1, 2, 3, ...tokens.slice(0, 2)], {
    returnWeights: { heads: [2, 0] },
  });
  assert.equal(attentionWeights.length, 3);
  attentionWeights.forEach((layers, i) => {
    assert.deepEqual(
      layers.map(({ shape }) => shape),
      Array(3).fill([2, 1, 3 + i]),
    );
    const row = [...layers[1].data.slice(0, 3 + i)];
    close(row, [...whole.attentionWeights[1].data.slice((2 + i) * 5, (2 + i) * 5 + 3 + i)]);
  });
});

// Formulas and names are those of Transformers' modelling files.
test("NumPy computes the same results from an exported checkpoint's names and shapes", (t) => {
  const readExport = readFileSync(dataFile('read_export.py'), 'utf8');
  for (const name of ['gpt2-a', 'llama-a', 'bert-a']) {
    const { config: given, tensors: read } = readCheckpoint(name);
    // Two groups of heads; pruning removes one.
    const heads = name === 'llama-a' && { num_attention_heads: 4, num_key_value_heads: 2 };
    const model = Transformer.fromPretrained({ config: { ...given, ...heads }, tensors: read });
    model.pruneHeads({ 1: heads ? [0, 1] : [0] });
    for (const pruned of ['zeroed', 'removed']) {
      const folder = temporaryFolder(t);
      const { config, tensors } = exportCheckpoint(model, { pruned });
      const shapes = (of) =>
        Object.fromEntries(Object.keys(tensors).map((key) => [key, of[key]?.shape]));
      if (pruned === 'zeroed') assert.deepEqual(shapes(tensors), shapes(read));
      writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
      writeFileSync(join(folder, 'model.safetensors'), saveSafetensors(tensors));
      const { result, unread } = runPython(readExport, folder, '[3,1,4,1,5]');
      const { logits, hidden } = model.forward([3, 1, 4, 1, 5]);
      close(result, [...(logits ?? hidden).data], 1e-5);
      assert.deepEqual(unread, []);
    }
  }
});

test('dropout leaves what is patched as it is', async () => {
  const model = new Transformer({ ...options, dropout: 0.5 });
  const [clean, corrupted] = [draw(17, 1), draw(17, 2)];
  const { captured } = model.forward(clean, { capture: ['pattern', 'z'] });
  const run = (at) => {
    const patch = captured[at].map((value, layer) => ({ at, layer, value }));
    const { hidden } = model.forward(corrupted, { patch, requiresGrad: true });
    model.zeroGradients();
    model.backward(map(hidden, (_, i) => (i % 7) - 3));
    return [hidden, ...Object.values(model.gradients())];
  };
  for (const at of ['pattern', 'z']) {
    const plain = run(at);
    model.train();
    run(at).forEach((tensor, i) => close(tensor, plain[i]));
    await assertRejects(
      () => model.patchHeads(clean, corrupted, { metric: () => 0 }),
      'invalid-option',
      'model: expected one in evaluation mode, got dropout',
    );
    model.eval();
  }
});

// tests/native/models has what models lack, and shapes that do not fit.
test('what cannot be captured or patched is refused', async () => {
  const model = new Transformer({ ...options, ffnHiddens: 0 });
  const refused = (given, message) =>
    assertFails(() => model.forward([1, 2], given), 'invalid-option', message);
  refused({ capture: ['mlpOut'] }, /feed-forward/);
  refused({ capturePositions: 'last' }, /^capturePositions: expected capture beside it, got none$/);
  refused({ capture: ['z', 'pooled'] }, /z twice/);
  refused({ patch: [{ at: 'z', value: 'zero' }] }, /layer: .* from 0 on, got undefined/);
  for (const layer of [-1, 3]) refused({ patch: [{ at: 'z', layer, value: 'zero' }] }, /0 to 2/);
  const signal = AbortSignal.abort(new Error('enough'));
  await assert.rejects(model.patchHeads([1], [2], { metric: () => 0, signal }), /enough/);
  const prunes = () => (model.pruneHeads({ 2: [0] }), 0);
  const trains = () => model.trainStep([1, 2], [2, 1]);
  const layer = model.attention(0);
  const loads = () => (layer.loadStateDict(layer.stateDict()), 0);
  for (const metric of [prunes, trains, loads]) {
    await assertRejects(
      () => model.patchHeads([1], [2], { metric }),
      'invalid-option',
      'model: expected one that stays as it is during the call, got one that was changed',
    );
  }
  for (const value of [undefined, '1', 1n]) {
    await assertRejects(
      () => model.patchHeads([1], [2], { metric: () => value }),
      'invalid-type',
      /metric: expected a function that returns a number/,
    );
  }
});

test('runs on embeddings are patched as those on their tokens', async () => {
  const model = new Transformer(options);
  const runs = [
    [1, 2, 3],
    [1, 4, 3],
  ];
  const embeddings = runs.map((tokens) => ({
    embeddings: model.forward(tokens, { capture: ['embeddings'] }).captured.embeddings,
  }));
  const metric = ({ data }) => data.at(-1);
  const expected = await model.patchHeads(...runs, { metric });
  for (const clean of [runs[0], embeddings[0]]) {
    close(await model.patchHeads(clean, embeddings[1], { metric }), expected, 0);
  }
  await assertRejects(
    () => model.patchHeads([1, 2], embeddings[1], { metric }),
    'invalid-shape',
    'corrupted: expected (2,), got (3,)',
  );
});
