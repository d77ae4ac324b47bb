// The cases of tests/data/oracle, computed by PyTorch in float64.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { MultiHeadAttention, Tensor } from 'headwise';
import { maxDifference } from './compare.mjs';
import { dataFile } from './records.mjs';
import { readSafetensors, startingWith } from './safetensors.mjs';

export const { cases } = JSON.parse(readFileSync(dataFile('oracle/cases.json'), 'utf8'));

/** A case with its tensors: `inputs`, `parameters`, what is `expected` and `gradients`, by name without prefix. */
export function readCase({ name, op, attrs, expect, file }) {
  const tensors = readSafetensors(`oracle/${file}`);
  return {
    ...{ name, op, attrs, expect },
    inputs: startingWith(tensors, 'in.'),
    parameters: startingWith(tensors, 'param.'),
    expected: startingWith(tensors, 'out.'),
    cotangent: tensors.cotangent,
    gradients: startingWith(tensors, 'grad.'),
  };
}

export function assertAgrees(context, oracle, name, actual) {
  assertNear(context, name, actual, oracle.expected[name], oracle.expect[`out.${name}`]);
}

/** The same for a gradient, whose name begins with `in.` or `param.`. */
export function assertGradientAgrees(context, oracle, name, actual) {
  assertNear(context, name, actual, oracle.gradients[name], oracle.expect[`grad.${name}`]);
}

function assertNear(context, name, actual, expected, { atol, shape }) {
  const largest = maxDifference(actual.data, expected.data);
  context.diagnostic(`${name}: largest difference ${largest.toExponential(2)} of ${atol}`);
  assert.deepEqual(actual.shape, shape);
  assert.ok(largest <= atol, `${name}: largest difference ${largest} > ${atol}`);
}

/** Runs `use` with a layer of these options and parameters. */
export function withLayer(options, parameters, use) {
  const layer = new MultiHeadAttention(options);
  try {
    layer.loadStateDict(parameters);
    return use(layer);
  } finally {
    layer.dispose();
  }
}

export const inputsOf = ({ inputs }) => [inputs.queries, inputs.keys, inputs.values];
export const selfAttention = ({ inputs }) => [inputs.x, inputs.x, inputs.x];
export const validLensOf = ({ inputs }) => ({ validLens: inputs.valid_lens });

/** Options of the layer that a case's attributes name as PyTorch users would. */
export const optionsOf = ({ attrs }) => ({
  numHiddens: attrs.num_hiddens ?? attrs.embed_dim ?? attrs.out_channels,
  numHeads: attrs.num_heads,
  numKvHeads: attrs.num_kv_heads,
  bias: attrs.bias,
});

/** nn.MultiheadAttention's parameters under d2l's names. */
export function fromTorch(torch, size) {
  const rows = ({ data, shape }, first) =>
    new Tensor(
      data.slice((first * data.length) / shape[0], ((first + size) * data.length) / shape[0]),
      [size, ...shape.slice(1)],
    );
  const projections = ['q', 'k', 'v'].flatMap((name, i) => [
    [`W_${name}.weight`, torch[`${name}_proj_weight`] ?? rows(torch.in_proj_weight, size * i)],
    [`W_${name}.bias`, rows(torch.in_proj_bias, size * i)],
  ]);
  return {
    ...Object.fromEntries(projections),
    'W_o.weight': torch['out_proj.weight'],
    'W_o.bias': torch['out_proj.bias'],
  };
}
