import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { init, MultiHeadAttention } from 'headwise';
import { indexFile, oracleIndex } from '../data/make_oracle_index.mjs';
import { maxDifference } from './lib/compare.mjs';
import { dataFile } from './lib/records.mjs';
import { readSafetensors } from './lib/safetensors.mjs';

await init();

const { cases } = JSON.parse(readFileSync(dataFile('oracle/cases.json'), 'utf8'));

function assertWithinTolerance(context, { expect }, name, actual, expected) {
  const largest = maxDifference(actual.data, expected.data);
  const { atol, shape } = expect[name];
  context.diagnostic(`${name}: largest difference ${largest.toExponential(2)} of ${atol}`);
  assert.deepEqual(actual.shape, shape);
  assert.ok(largest <= atol, `${name}: largest difference ${largest} > ${atol}`);
}

function runCase({ attrs, file }, training) {
  const tensors = readSafetensors(`oracle/${file}`);
  const parameters = Object.entries(tensors)
    .filter(([name]) => name.startsWith('param.'))
    .map(([name, tensor]) => [name.slice('param.'.length), tensor]);
  const layer = new MultiHeadAttention({
    numHiddens: attrs.num_hiddens,
    numHeads: attrs.num_heads,
    dropout: attrs.dropout,
    bias: attrs.bias,
  });
  layer.loadStateDict(Object.fromEntries(parameters));
  if (training) layer.train();
  const { 'in.queries': queries, 'in.keys': keys, 'in.values': values } = tensors;
  const options = { validLens: tensors['in.valid_lens'], returnWeights: true };
  const result = layer.forward(queries, keys, values, options);
  layer.dispose();
  return { result, tensors };
}

const ofOp = (op) => cases.filter((each) => each.op === op);

test('there are cases', () => assert.equal(ofOp('d2l_mha').length, 5));

for (const each of ofOp('d2l_mha')) {
  test(`${each.name}: the layer agrees with PyTorch`, (context) => {
    const { result, tensors } = runCase(each, false);
    assertWithinTolerance(context, each, 'out.output', result.output, tensors['out.output']);
    const { attentionWeights } = result;
    assertWithinTolerance(
      context,
      each,
      'out.attention',
      attentionWeights,
      tensors['out.attention'],
    );
  });
}

for (const each of ofOp('d2l_mha_dropout_mask')) {
  test(`${each.name}: the weights are those before dropout`, (context) => {
    const { result, tensors } = runCase(each, true);
    const { attentionWeights } = result;
    assertWithinTolerance(
      context,
      each,
      'out.attention',
      attentionWeights,
      tensors['out.attention'],
    );
    assert.ok(maxDifference(result.output.data, tensors['out.output'].data) > 0.01);
  });
}

test('the native tests read the same cases', () => {
  assert.equal(readFileSync(indexFile, 'utf8'), oracleIndex());
});
