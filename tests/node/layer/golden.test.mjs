// The native library wrote golden.txt: what agrees with it agrees with the native library.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, MultiHeadAttention, Tensor } from 'headwise';
import { maxDifference } from '../lib/compare.mjs';
import { optionsOf, readRecords, validLensOf } from '../lib/records.mjs';

await init();

const hexadecimal = (data) =>
  Array.from(new Uint32Array(data.slice().buffer), (word) => word.toString(16).padStart(8, '0'));

for (const record of readRecords('golden.txt')) {
  test(`native and WebAssembly agree: ${record.text('name')}`, () => {
    const seed = record.number('inputs_seed');
    const [queries, keys, values] = ['queries', 'keys', 'values'].map((name, i) =>
      Tensor.randn(record.numbers(name), seed + i),
    );
    assert.ok(maxDifference(queries.data, record.numbers('input_queries')) <= 1e-6);

    const layer = new MultiHeadAttention(optionsOf(record));
    const options = { validLens: validLensOf(record), returnWeights: true };
    const result = layer.forward(queries, keys, values, options);
    const dropped = layer.train().forward(queries, keys, values, options);

    const bits = Object.entries(layer.stateDict()).map(([name, { data }]) =>
      [name, ...hexadecimal(data)].join(' '),
    );
    assert.deepEqual(bits.sort(), record.all('bits'));
    const difference = (name, { data }) => maxDifference(data, record.numbers(name));
    assert.ok(difference('output', result.output) <= 2e-6);
    assert.ok(difference('attention_weights', result.attentionWeights) <= 1e-6);
    assert.ok(difference('dropped_output', dropped.output) <= 4e-6);
    layer.dispose();
  });
}
