// State dicts and options that no layer can be made of. Those that C++ can get wrong too are in
// arguments/errors.test.mjs.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, MultiHeadAttention, Tensor } from 'headwise';

import { assertFails } from '../lib/compare.mjs';
import { layouts, prefixed } from '../lib/state-dicts.mjs';

await init();

const { fromStateDict } = MultiHeadAttention;
const sizes = { querySize: 8, keySize: 8, valueSize: 8 };
const options = { numHiddens: 12, numHeads: 3, outputSize: 5, bias: true, ...sizes };
const dict = new MultiHeadAttention(options).stateDict();
const additive = { pooling: 'additive', attentionHiddens: 7 };
const additiveDict = new MultiHeadAttention({ ...options, ...additive }).stateDict();

const bad = {
  'no options': [
    [dict],
    'invalid-option',
    'numHeads: expected an integer from 1 to 2147483647, got undefined',
  ],
  'null options': [[dict, null], 'invalid-type', 'options: expected an object, got null'],
  'numHeads that is no integer': [
    [dict, { numHeads: 1.5 }],
    'invalid-option',
    'numHeads: expected an integer from 1 to 2147483647, got 1.5',
  ],
  'a prefix that is no text': [
    [dict, { numHeads: 3, prefix: 3 }],
    'invalid-option',
    'prefix: expected a string, got 3',
  ],
  'an unknown option': [
    [dict, { numHeads: 3, head: 1 }],
    'unknown-option',
    'options: expected only numHiddens, numHeads, dropout, bias, outputBias, querySize, keySize, valueSize, outputSize, ' +
      'outputProjection, numKvHeads, pooling, attentionHiddens, projection, scale, softcap, rotary, ' +
      'biasKv, zeroAttention, weights, seed, prefix, got head',
  ],
  'attentionHiddens of dot products': [
    [dict, { numHeads: 3, attentionHiddens: 4 }],
    'invalid-option',
    "attentionHiddens: expected pooling 'additive' beside it, got 'dot-product'",
  ],
  'other attentionHiddens': [
    [additiveDict, { numHeads: 3, attentionHiddens: 4 }],
    'invalid-option',
    'attentionHiddens: expected 7, as the state dict has it, got 4',
  ],
  'a scale of additive pooling': [
    [additiveDict, { numHeads: 3, scale: 1 }],
    'invalid-option',
    "scale: expected pooling 'dot-product' beside it, got 'additive'",
  ],
  'a dropout that is none': [
    [dict, { numHeads: 3, dropout: 2 }],
    'invalid-option',
    'dropout: expected a number from 0 to 1, got 2',
  ],
  'no dict': [
    [null, { numHeads: 3 }],
    'invalid-type',
    'stateDict: expected an object of tensors by name, got null',
  ],
  'a Map': [
    [new Map(Object.entries(dict)), { numHeads: 3 }],
    'invalid-type',
    'stateDict: expected an object of tensors by name, got a Map',
  ],
  'a tensor that is none': [
    [{ ...dict, 'W_k.bias': 3 }, { numHeads: 3 }],
    'invalid-type',
    'W_k.bias: expected a tensor, { data, shape } or nested arrays of numbers, got 3',
  ],
  'a shape beyond 32 bits': [
    [{ ...dict, 'W_k.bias': { data: [], shape: [2 ** 32 + 12, 0] } }, { numHeads: 3 }],
    'invalid-shape',
    'W_k.bias: expected axes of less than 2^32, got 4294967308',
  ],
  'all that is wrong': [
    [
      {
        ...layouts.BERT(dict),
        'output.dense.weight': Tensor.ones([5, 3]),
        'self.key.bias': Tensor.ones([3]),
        é: [1],
      },
      { numHeads: 3 },
    ],
    'invalid-state-dict',
    'stateDict: unexpected é; self.key.bias: expected (12,), got (3,); output.dense.weight: expected (5, 12), got (5, 3)',
  ],
  'parameters of integers': [
    [
      {
        ...dict,
        'W_k.weight': { dtype: 'I8', data: new Int8Array(96), shape: [12, 8] },
        'W_v.bias': { dtype: 'BOOL', data: new Uint8Array(11), shape: [11] },
        step: { dtype: 'I64', data: BigInt64Array.of(3n), shape: [] },
      },
      { numHeads: 3 },
    ],
    'invalid-state-dict',
    'stateDict: unexpected step; W_k.weight: expected floats, got I8; W_v.bias: expected floats, got BOOL; ' +
      'W_v.bias: expected (12,), got (11,)',
  ],
  'integers of a wrong number': [
    [
      { ...dict, 'W_k.bias': { dtype: 'I8', data: new Int8Array(11), shape: [12] } },
      { numHeads: 3 },
    ],
    'invalid-shape',
    'W_k.bias: expected 12 numbers for shape (12,), got 11',
  ],
};

for (const [name, [given, code, message]] of Object.entries(bad)) {
  test(`no layer: ${name}`, () => assertFails(() => fromStateDict(...given), code, message));
}

test('a hundred prefixes are listed, and no more', () => {
  const layers = (count) =>
    Object.assign({}, ...Array.from({ length: count }, (_, i) => prefixed(`${1000 + i}.`, dict)));
  const listed = (count) => Array.from({ length: count }, (_, i) => `'${1000 + i}'`).join(', ');
  const start =
    'stateDict: expected names of d2l, nn.MultiheadAttention, BERT, ViT or GPT-2 behind x., got none; ' +
    'they stand behind ';
  for (const [count, end] of [
    [100, ''],
    [101, ', …'],
  ]) {
    const call = () => fromStateDict(layers(count), { numHeads: 3, prefix: 'x' });
    assertFails(call, 'invalid-state-dict', start + listed(100) + end);
  }
});

test('values behind other prefixes are not looked at', () => {
  const others = {
    get 'b.W_q.weight'() {
      throw new Error('looked at');
    },
  };
  const call = (given, prefix) => fromStateDict(given, { numHeads: 3, prefix });
  const given = Object.defineProperties(
    prefixed('a.', dict),
    Object.getOwnPropertyDescriptors(others),
  );
  call(given, 'a').dispose();
  assertFails(() => call(given, 'c'), 'invalid-state-dict', /got none; they stand behind 'a'$/);
  assert.throws(() => call(given, 'b'), { message: 'looked at' });
});

test('loadStateDict tells integers from what is missing or unexpected', () => {
  const layer = new MultiHeadAttention(options);
  const given = {
    ...dict,
    'W_q.bias': { dtype: 'I32', data: new Int32Array(12), shape: [12] },
    position_ids: { dtype: 'I64', data: new BigInt64Array(3), shape: [1, 3] },
  };
  const message = 'stateDict: unexpected position_ids; W_q.bias: expected floats, got I32';
  assertFails(() => layer.loadStateDict(given), 'invalid-state-dict', message);
  layer.dispose();
});
