// Caches of whole models, and what is generated with them.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, Transformer } from 'headwise';
import { readCheckpoint } from '../lib/checkpoints.mjs';
import { assertFails, assertRejects, maxDifference } from '../lib/compare.mjs';

await init();

const causal = ['gpt2-a', 'llama-a', 'qwen2-a', 'nanogpt-a', 'bart-a', 'marian-a'];

/** The first row of a tensor of tokens. */
const firstRow = ({ data, shape: [, length] }) => Array.from(data.subarray(0, length), Number);

for (const name of causal) {
  const checkpoint = readCheckpoint(name);
  const source = checkpoint.options.source && firstRow(checkpoint.options.source);
  const prompt = firstRow(checkpoint.input).slice(0, 3);

  /** One token after the other, each from a pass over all before it. */
  const withoutCache = (model, count) => {
    const tokens = [...prompt];
    for (let i = 0; i < count; i++) {
      const { logits } = model.forward(tokens, source && { source });
      const last = logits.data.subarray(-model.vocabularySize);
      tokens.push(last.indexOf(last.reduce((a, b) => Math.max(a, b))));
    }
    return tokens.slice(prompt.length);
  };

  test(`${name}: generating with a cache is generating without`, async () => {
    const model = checkpoint.model();
    const told = [];
    const given = { maxNewTokens: 6, ...(source && { source }) };
    const generated = await model.generate(prompt, {
      ...given,
      onToken: (token) => told.push(token),
    });
    assert.deepEqual(generated, withoutCache(model, 6));
    assert.deepEqual(told, generated);
    // Nothing is left of it: the same again.
    assert.deepEqual(await model.generate([prompt], given), generated);
    const stop = generated[2];
    const stopped = await model.generate(prompt, { ...given, stop: [stop] });
    assert.deepEqual(stopped, generated.slice(0, generated.indexOf(stop) + 1));
    model.dispose();
  });

  test(`${name}: chunks through a cache are one causal pass`, () => {
    const model = checkpoint.model();
    const all = firstRow(checkpoint.input);
    const whole = model.forward(all, source && { source });
    const cache = model.createCache({ batchSize: 1, maxLength: all.length });
    const rows = [];
    for (const [begin, end] of [
      [0, 2],
      [2, 3],
      [3, all.length],
    ]) {
      const given = begin === 0 && source ? { source, cache } : { cache };
      rows.push(...model.forward(all.slice(begin, end), given).logits.data);
      assert.equal(cache.length, end);
    }
    assert.ok(maxDifference(Float32Array.from(rows), whole.logits.data) < 2e-6);
    assert.throws(() => cache.truncate(all.length + 1), { code: 'invalid-value' });
    cache.truncate(2);
    const again = model.forward(all.slice(2), { cache });
    const vocabulary = model.vocabularySize;
    assert.ok(maxDifference(again.logits.data, whole.logits.data.subarray(2 * vocabulary)) < 2e-6);
    cache.reset();
    assert.equal(cache.length, 0);
    model.forward(all, source ? { source, cache } : { cache });
    assertFails(
      () => model.forward([0], { cache }),
      'cache-full',
      `cache: expected room for 1 positions, got 0 of ${all.length}`,
    );
    model.dispose();
  });
}

test('draws follow the seed, the temperature and their limits', async () => {
  const model = readCheckpoint('llama-a').model();
  const draw = (options) => model.generate([1, 2], { maxNewTokens: 8, ...options });
  const greedy = await draw({});
  const one = await draw({ temperature: 2, seed: 5 });
  assert.deepEqual(await draw({ temperature: 2, seed: 5 }), one);
  assert.notDeepEqual(await draw({ temperature: 2, seed: 6 }), one);
  assert.deepEqual(await draw({ temperature: 2, seed: 5, topK: 1 }), greedy);
  assert.deepEqual(await draw({ temperature: 2, seed: 5, topP: 1e-9 }), greedy);
  assert.deepEqual(await draw({ temperature: 1e-6, seed: 5 }), greedy);
  model.dispose();
});

test('the event loop goes on between tokens, and a signal ends them', async () => {
  const model = readCheckpoint('gpt2-a').model();
  const seen = [];
  setTimeout(() => seen.push('timer'), 0);
  const waited = model.generate([1], {
    maxNewTokens: 8,
    onToken: () => {
      // A turn of the loop is as long as it takes the timer to be due.
      const begin = performance.now();
      while (performance.now() - begin < 2);
      seen.push('token');
    },
  });
  await waited;
  assert.ok(seen.indexOf('timer') < seen.lastIndexOf('token'), seen.join());

  const controller = new AbortController();
  const reason = new Error('enough');
  let count = 0;
  const ended = model.generate([1], {
    maxNewTokens: 8,
    signal: controller.signal,
    onToken: () => {
      count++;
      if (count === 3) controller.abort(reason);
    },
  });
  await assert.rejects(ended, (error) => error === reason);
  assert.equal(count, 3);
  model.dispose();
});

test('a model that changes or goes meanwhile ends it with a clear error', async () => {
  const model = readCheckpoint('gpt2-a').model();
  const prune = () => model.pruneHeads({ 0: [0] });
  await assertRejects(
    () => model.generate([1], { maxNewTokens: 4, onToken: prune }),
    'invalid-cache',
    'cache: expected one made since heads were pruned, got an older one',
  );
  await assertRejects(
    () => model.generate([1], { maxNewTokens: 4, onToken: () => model.dispose() }),
    'disposed',
    /^model: expected one in use/,
  );
});

test('what cannot be generated is told', async () => {
  const model = readCheckpoint('gpt2-a').model();
  const bert = readCheckpoint('bert-a').model();
  const bart = readCheckpoint('bart-a').model();
  const rejects = (given, code, message) => assertRejects(given, code, message);
  const few = { maxNewTokens: 1 };
  const most = model.maxLength;
  await rejects(
    () => bert.generate([1], few),
    'invalid-option',
    'generate: expected a causal model with logits, got another',
  );
  await rejects(
    () => model.generate([], few),
    'invalid-shape',
    'tokens: expected at least one, got none',
  );
  await rejects(
    () => model.generate([1], {}),
    'invalid-option',
    'maxNewTokens: expected an integer from 0 on, got undefined',
  );
  await rejects(
    () => model.generate([1], { maxNewTokens: most + 1 }),
    'invalid-option',
    `maxNewTokens: expected at most ${most} behind 1 of maxLength (${most}), got ${most + 1}`,
  );
  await rejects(
    () => bart.generate([1], few),
    'invalid-option',
    "source: expected the encoder's tokens, got none",
  );
  await rejects(
    () => model.generate([1], { ...few, source: [1] }),
    'invalid-option',
    'source: expected none without an encoder, got tokens',
  );
  await rejects(
    () => model.generate([1], { ...few, topP: 0 }),
    'invalid-option',
    'topP: expected a number above 0, at most 1, got 0',
  );
  await rejects(
    () => model.generate([1], { ...few, temperature: -1 }),
    'invalid-option',
    'temperature: expected a finite number from 0 on, got -1',
  );
  await rejects(
    () => model.generate([-1], few),
    'invalid-value',
    `tokens: expected integers from 0 to ${model.vocabularySize - 1}, got -1`,
  );
  await rejects(
    () => model.generate([1], { ...few, maxTokens: 3 }),
    'unknown-option',
    /^options: expected only maxNewTokens, .*, got maxTokens; did you mean maxNewTokens\?$/,
  );
  assert.deepEqual(await model.generate([1], { maxNewTokens: 0 }), []);
  for (const each of [model, bert, bart]) each.dispose();
});

test('a whole context can be filled', async () => {
  const { config, tensors } = readCheckpoint('llama-a');
  const model = Transformer.fromPretrained({ config, tensors });
  const generated = await model.generate([1], { maxNewTokens: model.maxLength });
  assert.equal(generated.length, model.maxLength);
  model.dispose();
});
