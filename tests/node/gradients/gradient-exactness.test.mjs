// Gradients are as exact as those of a plain program in float32, where softmax saturates, too.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, MultiHeadAttention, Tensor } from 'headwise';
import { startingWith } from '../lib/safetensors.mjs';
import { optionsOf } from '../lib/vector-calls.mjs';
import { readVectors } from '../lib/vectors.mjs';

await init();

const problems = readVectors('gradient-exactness');

const asTensor = ({ data, shape }) => new Tensor(data, shape);

/** Gradients by name. */
function gradientsOf({ layer: options, ...problem }) {
  const layer = new MultiHeadAttention(options);
  layer.loadStateDict(startingWith(problem.tensors, 'param.'));
  const { queries, keys, values } = startingWith(problem.tensors, 'in.');
  const inputs = [queries, keys, values].map(asTensor);
  layer.train().forward(...inputs, { ...optionsOf(problem), requiresGrad: true });
  const ofInputs = layer.backward(asTensor(problem.tensors.gradOutput));
  const gradients = { ...ofInputs, ...layer.gradients() };
  layer.dispose();
  return gradients;
}

// Rounding errors are as good as random, so that the ratio of two programs that are equally exact stays near 1. Where few
// pairs of keys tell, it is that of the exponentials, of which a plain program's have half the rounding error.
const largestRatio = 2;

function checkExactness(name) {
  const squares = {};
  for (const problem of problems.filter((each) => each.name === name)) {
    const gradients = gradientsOf(problem);
    for (const [variable, { data }] of Object.entries(startingWith(problem.tensors, 'grad.'))) {
      assert.equal(gradients[variable].data.length, data.length);
      squares[variable] ??= { library: 0, plain: 0 };
      squares[variable].plain += problem.squaredErrorsOfPlain[variable];
      squares[variable].library += data.reduce(
        (sum, x, i) => sum + (gradients[variable].data[i] - x) ** 2,
        0,
      );
    }
  }
  assert.ok(Object.keys(squares).length >= 8);
  for (const [variable, { library, plain }] of Object.entries(squares)) {
    const [error, ofPlain] = [Math.sqrt(library), Math.sqrt(plain)];
    assert.ok(error <= largestRatio * ofPlain, `${variable}: error ${error}, plain ${ofPlain}`);
  }
}

for (const name of new Set(problems.map((problem) => problem.name))) {
  test(`gradients are as exact as plain float32's: ${name}`, () => checkExactness(name));
}
