// The same bad calls as in tests/native/errors_test.cpp, with the same codes and texts.
import test from 'node:test';
import * as headwise from 'headwise';
import { assertFails, assertFailsAndChangesNothing } from './lib/compare.mjs';
import { optionsOf, readRecords, validLensOf } from './lib/records.mjs';

const { init, MultiHeadAttention, Tensor } = headwise;

await init();

/** words_like_this become wordsLikeThis; W_q and its kin stay as they are. */
const camelCase = (text) =>
  text.replace(/\b[a-z]+(_[a-z]+)+\b/g, (words) =>
    words.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()),
  );

const tensorOf = (record, name) => Tensor.randn(record.numbers(name), 1);
const inputsOf = (record) => ['queries', 'keys', 'values'].map((name) => tensorOf(record, name));

function stateDictOf(record) {
  const parameters = record.all('parameter').map((line) => {
    const [name, ...shape] = line.split(' ');
    return [name, Tensor.ones(shape.map(Number))];
  });
  return Object.fromEntries(parameters);
}

const layerCalls = {
  forward: (record, layer) =>
    layer.forward(...inputsOf(record), { validLens: validLensOf(record), returnWeights: true }),
  state_dict: (record, layer) => layer.stateDict(),
  load_state_dict: (record, layer) => layer.loadStateDict(stateDictOf(record)),
};

const otherCalls = {
  construct: (record) => new MultiHeadAttention(optionsOf(record)),
  masked_softmax: (record) =>
    headwise.maskedSoftmax(tensorOf(record, 'scores'), validLensOf(record)),
  scaled_dot_product_attention: (record) =>
    headwise.scaledDotProductAttention(...inputsOf(record), { validLens: validLensOf(record) }),
  transpose_qkv: (record) =>
    headwise.transposeQkv(tensorOf(record, 'X'), record.number('num_heads')),
  transpose_output: (record) =>
    headwise.transposeOutput(tensorOf(record, 'X'), record.number('num_heads')),
};

for (const record of readRecords('errors.txt')) {
  test(`${record.text('call')}: ${record.text('name')}`, () => {
    const name = record.text('call');
    const code = record.text('code');
    const message = camelCase(record.text('message'));
    if (name in layerCalls) {
      const call = (layer) => layerCalls[name](record, layer);
      assertFailsAndChangesNothing(optionsOf(record), call, code, message);
    } else {
      assertFails(() => otherCalls[name](record), code, message);
    }
  });
}
