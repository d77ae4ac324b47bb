// headwise/worker: the same interface, in a worker of its own.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as here from 'headwise';
import * as there from 'headwise/worker';
import { readCheckpoint } from '../lib/checkpoints.mjs';
import { ggufFile } from '../lib/gguf.mjs';
import { converted } from '../lib/gguf-models.mjs';
import { inNewProcess } from '../lib/in-new-process.mjs';
import { replay } from '../lib/replay.mjs';

const { HeadwiseError, init, MultiHeadAttention, Tensor, transferred } = there;

before(async () => {
  await here.init({ threads: 1 });
  await init({ threads: 1 });
});
after(() => there.dispose());

const options = { numHiddens: 24, numHeads: 3, seed: 1 };
const X = () => here.Tensor.randn([2, 7, 24], 3);

const fails = (call, code, message) =>
  assert.rejects(call, (error) => {
    assert.ok(error instanceof HeadwiseError, error.stack);
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return true;
  });

test('it exports every name of the package except ResidentTensor', () => {
  const names = Object.keys(here).filter((name) => name !== 'ResidentTensor');
  // Abstract classes, and those that a layer or a model creates, are only types.
  const types = ['KeyValueCache', 'ModelCache', 'Optimizer', 'Task'];
  assert.deepEqual(
    Object.keys(there).sort(),
    [...names.filter((name) => !types.includes(name)), 'transferred'].sort(),
  );
});

for (const [name, most] of [
  ['layers', 100],
  ['models', Infinity],
  ['functions', Infinity],
]) {
  test(`what ${name} give is what they give in C++`, (context) =>
    replay(context, name, { entry: there, most }));
}

test('state dicts, optimizers, layers of models and files live there', async () => {
  const remote = await new MultiHeadAttention(options);
  await remote.forward(X(), X(), X());
  const dict = await remote.stateDict();
  const copy = await MultiHeadAttention.fromStateDict(dict, { numHeads: 3 });
  assert.deepEqual(await copy.stateDict(), dict);
  assert.equal(await (await copy.train()).training, true);
  await copy.dispose();
  await fails(copy.stateDict(), 'disposed', /disposed/);

  const sizes = { vocabularySize: 5, maxLength: 6, numHiddens: 8, numHeads: 2, seed: 1 };
  const model = await new there.AttentionOnlyTransformer(sizes);
  const adam = await new there.Adam([model]);
  adam.learningRate = 0;
  assert.equal(await adam.learningRate, 0);
  const tokens = [1, 2, 3];
  const before = await model.stateDict();
  await model.trainStep(tokens, tokens, adam);
  assert.deepEqual(await model.stateDict(), before);
  const attention = await model.attention(0);
  assert.equal(await attention.numHeads, 2);
  const ofOther = await new there.SGD(remote);
  const message = /^optimizer: expected one that trains this model or layers of it alone, got /;
  await fails(model.trainStep(tokens, tokens, ofOther), 'invalid-option', message);
  await model.trainStep(tokens, tokens, await new there.SGD(attention));
  const tensors = {
    read: Tensor.ones([2]),
    ids: { dtype: 'I64', data: new BigInt64Array(3), shape: [3] },
  };
  const saved = await there.loadSafetensors(await there.saveSafetensors(tensors));
  assert.deepEqual((await saved.read()).ids, tensors.ids);
  assert.deepEqual((await saved.tensors).read.data, tensors.read.data);
  const file = await there.loadSafetensors(await there.saveSafetensors(await model.stateDict()));
  await (await new there.AttentionOnlyTransformer(sizes)).loadStateDict(file.tensors);
  const bytes = ggufFile(...converted(readCheckpoint('llama-a')));
  for (const given of [bytes, new Blob([bytes])]) {
    const gguf = await there.loadGguf(given);
    assert.equal((await gguf.metadata)['general.architecture'], 'llama');
    const made = await there.Transformer.fromPretrained({ gguf, weights: 'int8' });
    assert.deepEqual(await made.numHeads, [2, 2]);
  }
});

test('callbacks run before the answer arrives, and a signal stops a call', async () => {
  const sizes = { vocabularySize: 5, maxLength: 40, numHiddens: 8, numHeads: 2, seed: 1 };
  const model = await new there.AttentionOnlyTransformer(sizes);
  const told = [];
  const tokens = await model.generate([1, 2], {
    maxNewTokens: 30,
    onToken: (token) => told.push(token),
  });
  assert.equal(told.length, 30);
  assert.deepEqual(told, tokens);
  const controller = new AbortController();
  const reason = new Error('enough');
  const call = model.generate([1], {
    maxNewTokens: 39,
    signal: controller.signal,
    onToken: () => controller.abort(reason),
  });
  await assert.rejects(call, reason);
});

test('inputs are copied, or moved if they are marked', async () => {
  const remote = await new MultiHeadAttention(options);
  const [kept, moved] = [X(), transferred(X())];
  const { output } = await remote.forward(kept, kept, kept);
  assert.equal(kept.data.length, 2 * 7 * 24);
  assert.deepEqual((await remote.forward(moved, moved, moved)).output.data, output.data);
  assert.equal(moved.data.length, 0);
  await fails(remote.forward(moved, moved, moved), 'invalid-type', /^arguments: .*detached/);
});

test('tensors of other libraries are sent as the package takes them', async () => {
  const remote = await new MultiHeadAttention(options);
  const { data, shape } = X();
  class Foreign {
    dims = [...shape];
    get data() {
      return data;
    }
  }
  const expected = (await remote.forward(X(), X(), X())).output.data;
  for (const input of [new Foreign(), X().toArray(), { data: [...data], shape }]) {
    assert.deepEqual((await remote.forward(input, input, input)).output.data, expected);
  }
});

test('errors of the call, and of what a worker cannot do', async () => {
  await fails(new MultiHeadAttention({ numHiddens: 7, numHeads: 2 }), 'invalid-option', /^num/);
  const remote = await new MultiHeadAttention(options);
  for (const [given, code, message] of [
    [{ validLen: [1] }, 'unknown-option', /did you mean validLens\?$/],
    [{ out: { output: new Float32Array(336) } }, 'unsupported', /^out: expected none/],
  ]) {
    await fails(remote.forward(X(), X(), X(), given), code, message);
  }
  const loss = { value: () => 0, gradient: () => X() };
  await fails(
    there.measureHeadImportance(remote, { batches: [], loss }),
    'invalid-type',
    /^value: expected no function/,
  );
  const unsendable = /^arguments: expected awaited values .* got (#<Promise>|Symbol)/;
  for (const queries of [Symbol('queries'), Tensor.randn([2, 7, 24])]) {
    await fails(remote.forward(queries, X(), X()), 'invalid-type', unsendable);
  }
  assert.throws(() => `${remote.numHeads}`, /^HeadwiseError: handle: expected an awaited value/);
  await assert.rejects(remote.forwards(), new TypeError('forwards is not a function'));
  // The worker still answers.
  assert.equal(await remote.numHeads, 3);
});

test('what users send is never read as a message, whatever it is called', async () => {
  const place = { form: 'place', id: 0, path: ['Tensor', 'constructor'] };
  const names = ['$', 'form', 'forms', 'value', 'path', 'out', 'onToken', 'signal', 'toJSON'];
  const base = { model_type: 'gpt2', n_embd: 8, n_head: 2, n_layer: 1, n_positions: 4 };
  const reason = async (call) => await call().catch(({ code, message }) => ({ code, message }));
  for (const value of [
    place,
    { $: 'place', content: place },
    [{ $: 'signal', content: {} }],
    'x',
    null,
  ]) {
    const odd = Object.fromEntries([...names, '__proto__'].map((name) => [name, value]));
    const given = { config: { ...base, ...odd, more: odd, vocab_size: 5 }, tensors: {} };
    assert.deepEqual(
      await reason(() => there.Transformer.fromPretrained(given)),
      await reason(async () => here.Transformer.fromPretrained(given)),
    );
  }
  const tensors = Object.fromEntries(
    [...names, '__proto__'].map((name) => [name, Tensor.ones([2])]),
  );
  const metadata = { out: 'text', signal: 'text' };
  const saved = await there.saveSafetensors(tensors, metadata);
  assert.deepEqual(saved, here.saveSafetensors(tensors, metadata));
});

inNewProcess(
  'an error thrown by a callback rejects the call; the worker goes on, but does not keep the program alive',
  `
  const there = await import('headwise/worker');
  await there.init({ threads: 2 });
  const sizes = { vocabularySize: 5, maxLength: 40, numHiddens: 8, numHeads: 4, seed: 1 };
  const model = await new there.Transformer(sizes);
  const layer = await new there.MultiHeadAttention({ numHiddens: 8, numHeads: 2, seed: 1 });
  const X = there.Tensor.ones([1, 3, 8]);
  const batches = [1, 2, 3].map(() => ({ queries: X, keys: X, values: X }));
  class Own extends Error {}
  const reason = new Own('mine');
  for (const count of [1, 3]) {
    let left = count;
    const tell = () => {
      if (--left === 0) throw reason;
      return 0;
    };
    for (const call of [
      () => model.generate([1, 2], { maxNewTokens: 30, onToken: tell }),
      () => model.patchHeads([1, 2], [3, 4], { metric: ({ data }) => data[0], onProgress: tell }),
      () => model.patchHeads([1, 2], [3, 4], { metric: tell }),
      () => there.measureHeadImportance(layer, { batches, measure: 'confidence', onProgress: tell }),
    ]) {
      left = count;
      await assert.rejects(call(), (error) => error === reason);
    }
  }
  assert.equal((await model.generate([1, 2], { maxNewTokens: 30 })).length, 30);
  const shapes = [];
  const metric = async (logits) => shapes.push(logits.shape.join());
  assert.deepEqual([...(await model.patchHeads([1, 2], [3, 4], { metric })).data], [1, 2, 3, 4]);
  assert.deepEqual(shapes, Array(4).fill('2,5'));
  assert.equal(await layer.numHeads, 2);
`,
);

inNewProcess(
  'a worker that never answers is waited for until a signal, dispose or init({ threads: 1 })',
  `
  const own = process.getBuiltinModule('node:worker_threads');
  const { Worker } = own;
  const silent = class extends Worker {
    constructor() {
      super(new URL('data:text/javascript,setInterval(() => undefined, 1000)'));
    }
  };
  const there = await import('headwise/worker');
  own.Worker = silent;
  const disposed = [there.init(), there.init(), new there.Transformer({})];
  there.dispose();
  for (const each of disposed) {
    await assert.rejects(each, { code: 'load-failed', message: /got dispose\\(\\)$/ });
  }
  const [controller, reason] = [new AbortController(), new Error('enough')];
  const aborted = there.init({ signal: controller.signal });
  controller.abort(reason);
  await assert.rejects(aborted, (error) => error === reason);
  await assert.rejects(there.init({ signal: controller.signal }), (error) => error === reason);
  const replaced = there.init({ threads: 2 });
  own.Worker = Worker;
  const one = there.init({ threads: 1 });
  await assert.rejects(replaced, { code: 'load-failed', message: /got init\\(\\{ threads: 1 \\}\\)$/ });
  assert.equal((await one).threads, 1);
  assert.equal((await there.init({ threads: 1 })).threads, 1);
`,
);

test('calls before init and after dispose say so; init starts anew', async () => {
  const remote = await new MultiHeadAttention(options);
  const pending = remote.stateDict();
  there.dispose();
  await fails(pending, 'load-failed', /^worker: .*got dispose\(\)$/);
  await fails(new MultiHeadAttention(options), 'not-initialized', /init\(\)/);
  await init({ threads: 1 });
  await fails(
    (await new MultiHeadAttention(options)).createCache({ batchSize: remote }),
    'disposed',
    /^worker: expected an object of the worker that runs/,
  );
  await fails(remote.numHeads, 'disposed', /^worker: /);
  assert.equal(await (await new MultiHeadAttention(options)).numHeads, 3);
});

inNewProcess(
  'the worker releases objects that were collected here, but not while one of their methods is held',
  `
  const { Worker } = await import('node:worker_threads');
  const { postMessage } = Worker.prototype;
  const released = new Set();
  Worker.prototype.postMessage = function (message, transfer) {
    if (message.path?.[0] === 'release') released.add(message.argumentList[0].value);
    return postMessage.call(this, message, transfer);
  };
  const there = await import('headwise/worker');
  await there.init({ threads: 1 });
  const make = () => new there.MultiHeadAttention({ numHiddens: 8, numHeads: 2 });
  const { stateDict } = await make();
  for (let i = 0; i < 3; i++) await make();
  while (released.size < 3) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await assert.rejects(stateDict(), { code: 'sizes-unknown' });
  assert.equal(released.size, 3);
`,
  { flags: ['--expose-gc'] },
);
