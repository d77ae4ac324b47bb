// Gradients are as exact as those of a plain program in float32, where softmax saturates, too.
import assert from 'node:assert/strict';
import test from 'node:test';
import { init, MultiHeadAttention, Tensor } from 'headwise';
import { plainGradients } from '../lib/plain-gradients.mjs';

await init();

const [batch, length, size, numHeads] = [2, 48, 32, 4];
const shape = [batch, length, size];

/**
 * Small integers: of these alone, float32 has every score exactly, so that what is measured is how gradients are
 * computed and not how far two scores lie apart.
 */
const randomIntegers = (sizes, seed) =>
  new Tensor(
    Tensor.randn(sizes, seed).data.map((x) => Math.round(2 * x)),
    sizes,
  );

/** What dropout multiplies the weights of the layer's first pass in training mode by: (batch, heads, queries, keys). */
function dropoutFactors(dropout, seed) {
  // All weights are 1 / length, and values such that each weight is an element of the output.
  const numHiddens = numHeads * length;
  const layer = new MultiHeadAttention({
    ...{ numHiddens, numHeads, dropout, seed },
    projection: 'none',
  });
  const zeros = Tensor.zeros([batch, length, numHiddens]);
  const values = new Tensor(zeros.data.slice(), zeros.shape);
  for (let row = 0; row < batch * length; row++) {
    for (let h = 0; h < numHeads; h++) {
      values.data[row * numHiddens + h * length + (row % length)] = 1;
    }
  }
  const { output } = layer.train().forward(zeros, zeros, values);
  layer.dispose();
  return Float64Array.from({ length: batch * numHeads * length * length }, (_, at) => {
    const [j, i] = [at % length, Math.floor(at / length) % length];
    const [h, b] = [
      Math.floor(at / length ** 2) % numHeads,
      Math.floor(at / length ** 2 / numHeads),
    ];
    return output.at(b, i, h * length + j) > 0 ? 1 / (1 - dropout) : 0;
  });
}

const allowed = {
  data: Uint8Array.from({ length: numHeads * length * length }, (_, i) => Number(i % 3 !== 0)),
  shape: [numHeads, length, length],
};

const cases = {
  bias: { layer: { bias: true } },
  dropout: { layer: { dropout: 0.4 } },
  softcap: { layer: { softcap: 1e4 } },
  'lengths and empty rows': {
    options: { validLens: { data: Int32Array.of(27, 0), shape: [batch] } },
  },
  'a causal window': { layer: { dropout: 0.2 }, options: { causal: true, window: [6, Infinity] } },
  'a mask': { options: { mask: allowed } },
  gates: { options: { headGate: [0.5, -2, 0, 1] } },
};

/** Gradients by name: the package's, plain ones in float32 and exact ones. */
function gradientsOf({ layer: more, options }, scale, seed) {
  const layer = new MultiHeadAttention({
    ...{ numHiddens: size, numHeads, scale, seed },
    ...{ querySize: size, keySize: size, valueSize: size },
    ...more,
  });
  const parameters = layer.stateDict();
  for (const [i, name] of ['W_q.weight', 'W_k.weight', 'W_q.bias', 'W_k.bias'].entries()) {
    if (parameters[name]) {
      parameters[name] = randomIntegers(parameters[name].shape, 10 * seed + i);
    }
  }
  layer.loadStateDict(parameters);
  const inputs = {
    queries: randomIntegers(shape, 10 * seed + 5),
    keys: randomIntegers(shape, 10 * seed + 6),
    values: Tensor.randn(shape, 10 * seed + 7),
  };
  const gradOutput = Tensor.randn(shape, 10 * seed + 8);
  layer.train().forward(...Object.values(inputs), { ...options, requiresGrad: true });
  const ofInputs = layer.backward(gradOutput);
  const library = { ...ofInputs, ...layer.gradients() };
  layer.dispose();
  const problem = {
    ...{ ...inputs, gradOutput, parameters, numHeads, scale, options: options ?? {} },
    softcap: more?.softcap,
    dropoutFactors: more?.dropout && dropoutFactors(more.dropout, seed),
  };
  return {
    library: Object.fromEntries(Object.entries(library).map(([name, { data }]) => [name, data])),
    plain: plainGradients(problem, Math.fround),
    exact: plainGradients(problem, (x) => x),
  };
}

// Rounding errors are as good as random, so that the ratio of two programs that are equally exact stays near 1. Where few
// pairs of keys tell, it is that of the exponentials, of which a plain program's have half the rounding error.
const largestRatio = 2;

function checkExactness(given, scale) {
  const squares = {};
  for (const seed of [1, 2]) {
    const { exact, ...tried } = gradientsOf(given, scale, seed);
    for (const [program, gradients] of Object.entries(tried)) {
      for (const [name, numbers] of Object.entries(exact)) {
        assert.equal(gradients[name].length, numbers.length);
        squares[name] ??= { library: 0, plain: 0 };
        squares[name][program] += numbers.reduce(
          (sum, x, i) => sum + (gradients[name][i] - x) ** 2,
          0,
        );
      }
    }
  }
  assert.ok(Object.keys(squares).length >= 8);
  for (const [name, { library, plain }] of Object.entries(squares)) {
    const [error, ofPlain] = [Math.sqrt(library), Math.sqrt(plain)];
    assert.ok(error <= largestRatio * ofPlain, `${name}: error ${error}, plain ${ofPlain}`);
  }
}

for (const [name, given] of Object.entries(cases)) {
  test(`gradients are as exact as plain float32's: ${name}, ordinary scores`, () =>
    checkExactness(given, 1 / 1024));
  test(`gradients are as exact as plain float32's: ${name}, scores of 10,000`, () =>
    checkExactness(given, 4));
}
