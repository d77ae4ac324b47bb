// Loading the package, each time in a process that has not done so yet.
import assert from 'node:assert/strict';
import test from 'node:test';
import { runModule } from './lib/child.mjs';

const prelude = `
  import assert from 'node:assert/strict';
  import { readFileSync } from 'node:fs';
  import { availableParallelism } from 'node:os';
  import * as headwise from 'headwise';
  const { init, MultiHeadAttention, Tensor, HeadwiseError } = headwise;
  const wasm = new URL('headwise-simd.wasm', import.meta.resolve('headwise'));
  // A module with one relaxed multiply-add.
  const isRelaxed = WebAssembly.validate(new Uint8Array([
    0, 97, 115, 109, 1, 0, 0, 0, 1, 8, 1, 96, 3, 123, 123, 123, 1, 123, 3, 2, 1, 0, 10,
    13, 1, 11, 0, 32, 0, 32, 1, 32, 2, 253, 133, 2, 11,
  ]));
  const works = () => {
    const X = Tensor.ones([1, 2, 4]);
    const layer = new MultiHeadAttention({ numHiddens: 4, numHeads: 2 });
    assert.deepEqual(layer.forward(X, X, X).output.shape, [1, 2, 4]);
  };
  const fails = (promise, code, message) =>
    assert.rejects(promise, (error) => {
      assert.ok(error instanceof HeadwiseError, error.stack);
      assert.equal(error.code, code);
      assert.match(error.message, message);
      return true;
    });
`;

const inNewProcess = (name, text) =>
  test(name, () => {
    assert.equal(runModule(`${prelude}${text}; console.log('done')`), 'done\n');
  });

inNewProcess(
  'everything but plain tensors needs init, and says so',
  `
  const X = Tensor.ones([1, 2, 4]);
  assert.deepEqual(new Tensor([1, 2], [2]).toArray(), [1, 2]);
  const heads = Tensor.zeros([1, 1, 2, 4]);
  const calls = [
    () => new MultiHeadAttention({ numHiddens: 4, numHeads: 2 }),
    () => headwise.scaledDotProductAttention(heads, heads, heads),
    () => headwise.additiveAttention(X, X, X, { W_q: X.toArray()[0], W_k: X.toArray()[0], w_v: [[1, 1]] }),
    () => headwise.maskedSoftmax(X),
    () => headwise.transposeQkv(X, 2),
    () => headwise.transposeOutput(X, 1),
    () => headwise.splitHeads(X, 2),
    () => Tensor.randn([2], 1),
  ];
  for (const call of calls) {
    assert.throws(call, (error) => {
      assert.ok(error instanceof HeadwiseError);
      assert.equal(error.code, 'not-initialized');
      assert.equal(error.message, 'headwise: expected init() to have been awaited, got a call before it');
      return true;
    });
  }
  const loading = init();
  assert.throws(calls[0], { code: 'not-initialized' });
  await loading;
  calls.forEach((call) => call());
  `,
);

inNewProcess(
  'init is idempotent and tells what it chose',
  `
  const { Instance } = WebAssembly;
  let instances = 0;
  WebAssembly.Instance = function (...args) {
    instances++;
    return new Instance(...args);
  };
  const chosen = {
    variant: isRelaxed ? 'relaxed-simd' : 'simd',
    threads: Math.min(availableParallelism(), 8),
  };
  assert.deepEqual(await Promise.all([init(), init()]), [chosen, chosen]);
  const layer = new MultiHeadAttention({ numHiddens: 4, numHeads: 2 });
  assert.deepEqual(await init({ variant: 'auto', threads: 'auto' }), chosen);
  assert.deepEqual(await init(chosen), chosen);
  const other = isRelaxed ? 'simd' : 'relaxed-simd';
  await fails(init({ variant: other }), 'unsupported', /^variant: expected '.*', which is loaded, got /);
  await fails(init({ threads: chosen.threads + 1 }), 'unsupported', /^threads: expected \\d+, for which it is loaded, got \\d+$/);
  assert.equal(instances, 1);
  // A layer made before the second call lives on.
  layer.forward(Tensor.ones([1, 2, 4]), Tensor.ones([1, 2, 4]), Tensor.ones([1, 2, 4]));
  `,
);

inNewProcess(
  'bad options of init are errors and do not keep it from working',
  `
  await fails(init({ simd: true }), 'unknown-option', /^options: expected only variant, threads, wasm, got simd$/);
  await fails(init(null), 'invalid-type', /^options: expected an object, got null$/);
  await fails(init({ variant: 'fast' }), 'invalid-option', /^variant: expected .*, got "fast"$/);
  await fails(init({ variant: null }), 'invalid-option', /^variant: expected .*, got null$/);
  if (!isRelaxed) await fails(init({ variant: 'relaxed-simd' }), 'unsupported', /^variant: /);
  for (const threads of [0, 1.5, '2', NaN, 65, null]) {
    await fails(init({ threads }), 'invalid-option', /^threads: expected 'auto' or an integer from 1 to 64, got /);
  }
  await init();
  works();
  `,
);

inNewProcess(
  'a WebAssembly file that cannot be had is an error, and the next init works',
  `
  await fails(init({ wasm: new URL('nothing.wasm', wasm) }), 'load-failed', /^wasm: expected a WebAssembly module at .*nothing\\.wasm, got /);
  await fails(init({ wasm: new Uint8Array([1, 2, 3]) }), 'load-failed', /^wasm: expected a WebAssembly module at the given bytes, got /);
  await fails(init({ wasm: new URL('index.js', wasm).href }), 'load-failed', /^wasm: .*index\\.js, got /);
  await fails(init({ wasm: 3 }), 'load-failed', /^wasm: /);
  await init();
  works();
  `,
);

const sources = {
  'a URL': 'wasm',
  'a URL as text': 'wasm.href',
  bytes: 'readFileSync(wasm)',
  'an ArrayBuffer': 'new Uint8Array(readFileSync(wasm)).buffer',
};
for (const [name, source] of Object.entries(sources)) {
  inNewProcess(
    `the WebAssembly file may be given as ${name}`,
    `await init({ wasm: ${source} }); works()`,
  );
}

inNewProcess(
  'an engine without WebAssembly SIMD is told so',
  `
  // What such an engine answers to any module with SIMD in it.
  WebAssembly.validate = () => false;
  await fails(init(), 'unsupported', /^engine: expected WebAssembly SIMD .*, got an engine without it$/);
  `,
);
