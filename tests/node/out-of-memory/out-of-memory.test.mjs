// Too little WebAssembly memory, by degrees, for every call that allocates: it is an error that changes nothing. Each
// group of calls in a process of its own, whose memory is spoilt if one of them does worse.
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { CopyTask, MultiHeadAttention, Tensor } from 'headwise';
import { checkBystanders } from '../lib/bystanders.mjs';
import { output } from '../lib/child.mjs';
import { assertFails } from '../lib/compare.mjs';

const program = fileURLToPath(new URL('../lib/short-of-memory.mjs', import.meta.url));

for (const group of [
  'new layers',
  'forward',
  'forward with requiresGrad',
  'backward',
  'caches',
  'state dicts',
  'pruning',
  'optimizers',
  'clipGradientNorm',
  'models',
  'training models',
  'transformers',
  'passes of transformers',
  'training transformers',
  'measureHeadImportance',
  'functions',
  'scores',
  'tasks',
  'files',
]) {
  test(`too little memory: ${group}`, () => {
    output(process.execPath, [program, group]);
  });
}

const outOfMemory = ['out-of-memory', 'memory: not enough for tensors of these sizes'];

test('caches and batches of whatever sizes are errors where they cannot be had', () => {
  const sizes = { querySize: 4, keySize: 4, valueSize: 4 };
  const layer = new MultiHeadAttention({ numHiddens: 8, numHeads: 2, ...sizes });
  const task = new CopyTask({ numSymbols: 3, length: 8 });
  for (const call of [
    ...[2 ** 14, 2 ** 16, 2 ** 24, 2 ** 31 - 1].map(
      (size) => () => layer.createCache({ batchSize: size, maxLength: 2 ** 31 - 1 }),
    ),
    () => layer.createCache({ batchSize: 2 ** 16, maxLength: 2 ** 16 }),
    ...[2 ** 29, 2 ** 30, 2 ** 32 + 1, 2 ** 53 - 1].map((size) => () => task.batch(1, size)),
    ...[2 ** 32, 2 ** 53 - 1].map((size) => () => Tensor.randn([size], 1)),
    () => Tensor.randn([2 ** 33, 2 ** 33], 1),
    () => Tensor.zeros([2 ** 33, 2 ** 33]),
  ]) {
    assertFails(call, ...outOfMemory);
    checkBystanders();
  }
  layer.dispose();
});

test('a layer of whatever sizes is an error where it cannot be had', () => {
  const [huge, largest] = [30_000, 2 ** 31 - 1];
  const sizes = { querySize: 30_000, keySize: 30_000, valueSize: 30_000 };
  for (const options of [
    { numHiddens: huge, projection: 'none', pooling: 'additive', attentionHiddens: huge },
    { numHiddens: 8, projection: 'none', pooling: 'additive', attentionHiddens: largest },
    { numHiddens: largest, projection: 'none', pooling: 'additive' },
    { numHiddens: 65_536, projection: 'none', pooling: 'additive', attentionHiddens: 65_536 },
    { numHiddens: huge, ...sizes },
    { numHiddens: 2 * huge, projection: 'convolution', ...sizes, biasKv: true },
    { numHiddens: 2 ** 16, outputSize: 2 ** 16, querySize: 1, keySize: 1, valueSize: 1 },
    { numHiddens: 1, outputSize: 1, querySize: largest, keySize: largest, valueSize: largest },
  ]) {
    assertFails(() => new MultiHeadAttention({ numHeads: 1, ...options }), ...outOfMemory);
    checkBystanders();
  }
});
