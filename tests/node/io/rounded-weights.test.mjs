// Files of weights in 16 and 8 bits.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, loadSafetensors, MultiHeadAttention, saveSafetensors, Tensor } from 'headwise';
import { assertFails } from '../lib/compare.mjs';

await init();

const sizes = { querySize: 7, keySize: 5, valueSize: 12 };
const options = { numHiddens: 12, numHeads: 3, bias: true, ...sizes, seed: 1 };
const make = (weights) => new MultiHeadAttention({ ...options, weights });
const plain = (dict) =>
  Object.fromEntries(Object.entries(dict).map(([name, { data, shape }]) => [name, [data, shape]]));

const files = { float16: 'F16', int8: 'I8' };

for (const [precision, dtype] of Object.entries(files)) {
  test(`${precision} weights survive a file of their precision`, () => {
    const layer = make(precision);
    const dict = layer.stateDict();
    const bytes = saveSafetensors(dict, {}, { precision });
    assert.ok(bytes.length < saveSafetensors(dict).length);
    const file = loadSafetensors(bytes);
    assert.equal(file.dtype('W_k.weight'), dtype);
    assert.equal(file.dtype('W_k.bias'), 'F32');
    const copy = new MultiHeadAttention({ ...options, seed: 2, weights: precision });
    copy.loadStateDict(file.tensors);
    assert.deepEqual(plain(copy.stateDict()), plain(dict));
    const whole = MultiHeadAttention.fromStateDict(file.tensors, { numHeads: 3 });
    assert.deepEqual(plain(whole.stateDict()), plain(dict));
  });
}

test('int8 weights are integers, with a factor for each row beside them', () => {
  const dict = make('int8').stateDict();
  const { tensors, names } = loadSafetensors(saveSafetensors(dict, {}, { precision: 'int8' }));
  assert.equal(names.length, Object.keys(dict).length + 4);
  const scale = tensors['W_q.weight_scale'];
  assert.deepEqual(scale.shape, [12, 1]);
  const { data } = tensors['W_q.weight'];
  assert.ok(data instanceof Int8Array);
  for (const [i, integer] of data.entries()) {
    assert.ok(Math.abs(integer) <= 127);
    assert.equal(integer * scale.data[Math.floor(i / 7)], dict['W_q.weight'].data[i]);
  }
});

test('integers without fitting factors are an error', () => {
  const dict = make('int8').stateDict();
  const { tensors } = loadSafetensors(saveSafetensors(dict, {}, { precision: 'int8' }));
  const { 'W_q.weight_scale': scale, ...others } = tensors;
  const problem = /W_q\.weight: expected floats, got I8/;
  assertFails(() => make('int8').loadStateDict(others), 'invalid-state-dict', problem);
  const short = { ...others, 'W_q.weight_scale': Tensor.zeros([scale.shape[0] - 1, 1]) };
  assertFails(() => make('int8').loadStateDict(short), 'invalid-state-dict', problem);
});

test('a tensor may not have the name of a factor', () => {
  const dict = { ...make('float32').stateDict(), 'W_q.weight_scale': Tensor.zeros([2]) };
  saveSafetensors(dict);
  assertFails(
    () => saveSafetensors(dict, {}, { precision: 'int8' }),
    'invalid-value',
    "tensors: expected every name once, got 'W_q.weight_scale' twice",
  );
});
