// `generate`: callbacks, signals and errors. calls.test.mjs checks the tokens.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, Transformer } from 'headwise';
import { assertRejects } from '../lib/compare.mjs';

await init();

const options = {
  ...{ vocabularySize: 13, maxLength: 14, numHiddens: 16, numHeads: 2, numLayers: 2, seed: 1 },
};
const make = (given) => new Transformer({ ...options, ...given });

test('tokens are told one by one, up to the longest length', async () => {
  const model = make({ positions: 'rotary' });
  const draw = (given, prompt = [1, 2]) => model.generate(prompt, { maxNewTokens: 8, ...given });
  const told = [];
  const generated = await draw({ onToken: (token) => told.push(token) });
  assert.deepEqual(told, generated);
  assert.deepEqual(await draw({}, [[1, 2]]), generated);
  assert.deepEqual(await draw({ maxNewTokens: 0 }), []);
  assert.equal((await model.generate([1], { maxNewTokens: 14 })).length, 14);
});

test('the event loop goes on between tokens, and a signal ends them', async (t) => {
  const model = make();
  const seen = [];
  setTimeout(() => seen.push('timer'), 0);
  const waited = model.generate([1], {
    maxNewTokens: 8,
    onToken: () => {
      // Each turn is long enough for the timer to be due.
      const begin = performance.now();
      while (performance.now() - begin < 2);
      seen.push('token');
    },
  });
  await waited;
  assert.ok(seen.slice(0, seen.lastIndexOf('token')).includes('timer'), seen.join());

  const controller = new AbortController();
  const reason = new Error('enough');
  let count = 0;
  t.mock.timers.enable(); // Fake timers do not fire.
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
});

test('pruning or disposing of the model meanwhile is a clear error', async () => {
  const model = make();
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

test('a cache that was reset takes another source', () => {
  const model = make({ encoder: {} });
  const pass = (source, cache) => model.forward([[1, 2]], { source: [source], cache }).hidden;
  const [used, unused] = [0, 1].map(() => model.createCache({ batchSize: 1, maxLength: 4 }));
  pass([3, 4, 5], used);
  used.reset();
  assert.deepEqual(pass([6, 7], used), pass([6, 7], unused));
});

test('bad arguments are errors', async () => {
  const model = make({});
  const few = { maxNewTokens: 1 };
  const most = 'maxNewTokens: expected at most 14 behind 1 of maxLength (14), got';
  const precisions = `expected 'float32', 'float16' or 'int8', got "int4"`;
  for (const [given, message, tokens = [1]] of [
    [few, 'tokens: expected (length,), got (2, 1)', [[1], [2]]],
    [{ ...few, onToken: 1 }, 'onToken: expected a function, got 1'],
    [{ ...few, stop: 13 }, 'stop: expected integers from 0 to 12, got 13'],
    [{}, 'maxNewTokens: expected an integer from 0 on, got undefined'],
    ...[15, 2 ** 53].map((given) => [{ maxNewTokens: given }, `${most} ${given}`]),
    [{ ...few, cachePrecision: 'int4' }, `cachePrecision: ${precisions}`],
    [few, 'tokens: expected integers from 0 to 12, got -1', [-1]],
  ]) {
    const code = /^(invalid-(option|shape|type|value)|unknown-option)$/;
    await assert.rejects(model.generate(tokens, given), { name: 'HeadwiseError', code, message });
  }
});
