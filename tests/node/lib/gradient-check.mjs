// The layer's gradients, held against slopes of the float64 reference.
import { Tensor } from 'headwise';
import { makeLayer, pass, referenceResult } from './problem-results.mjs';
import { Random } from './random.mjs';

const stepSize = 1e-4;

const product = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);

/** Numbers between −1 and 1. */
const randomNumbers = (random, count) =>
  Float64Array.from({ length: count }, () => random.below(2001) / 1000 - 1);

/** All that a layer's result depends on smoothly, by name. */
const variablesOf = ({ queries, keys, values, options, parameters }) => ({
  ...{ queries, keys, values },
  ...(options.headGate && { headGate: options.headGate }),
  ...parameters,
});

/** The problem at its variables plus `distance` times the direction, in float64. */
function moved(problem, direction, distance) {
  const at = (name, { data, shape }) => ({
    data: Float64Array.from(data, (x, i) => x + distance * direction[name][i]),
    shape,
  });
  const all = Object.fromEntries(
    Object.entries(variablesOf(problem)).map(([name, tensor]) => [name, at(name, tensor)]),
  );
  const { queries, keys, values, headGate, ...parameters } = all;
  const options = headGate ? { ...problem.options, headGate } : problem.options;
  return { ...problem, queries, keys, values, parameters, options };
}

/** Gradients of ⟨cotangent, output⟩ by the variables' names, those of the gate summed over samples that share it. */
function packageGradients(problem, cotangent) {
  const c = problem.configuration;
  const layer = makeLayer(problem);
  try {
    const inputs = [problem.queries, problem.keys, problem.values].map((x) => pass(c, x));
    const { output } = layer.forward(...inputs, { ...problem.options, requiresGrad: true });
    const inputGradients = layer.backward(new Tensor(Float32Array.from(cotangent), output.shape));
    const { headGate, ...others } = { ...inputGradients, ...layer.gradients() };
    const data = Object.fromEntries(
      Object.entries(others).map(([name, tensor]) => [name, [...tensor.data]]),
    );
    if (c.gate === 'sample') data.headGate = [...headGate.data];
    if (c.gate === 'head') {
      data.headGate = Array.from({ length: c.heads }, (_, head) =>
        headGate.data.reduce((sum, x, i) => sum + (i % c.heads === head ? x : 0), 0),
      );
    }
    return data;
  } finally {
    layer.dispose();
  }
}

/**
 * Throws where the slope that the package's gradients tell, along a random direction of one of the variables, is
 * not that of the reference.
 */
export function checkGradients(problem, outputSize, rounding) {
  const random = new Random(problem.configuration.numbers);
  const cotangent = randomNumbers(random, outputSize).map(Math.fround);
  const variables = Object.entries(variablesOf(problem));
  const [moving] = random.pick(...variables);
  const direction = Object.fromEntries(
    variables.map(([name, { data }]) => [
      name,
      name === moving ? randomNumbers(random, data.length) : new Float64Array(data.length),
    ]),
  );
  const value = (distance) =>
    product(cotangent, referenceResult(moved(problem, direction, distance)).output.flat(Infinity));
  const expected = (value(stepSize) - value(-stepSize)) / (2 * stepSize);

  const gradients = packageGradients(problem, cotangent);
  let got = 0;
  let magnitude = 0;
  for (const [name, numbers] of Object.entries(direction)) {
    if (gradients[name].length !== numbers.length) throw new Error(`${name}: wrong size`);
    const terms = gradients[name].map((x, i) => x * numbers[i]);
    got += terms.reduce((sum, x) => sum + x, 0);
    magnitude += terms.reduce((sum, x) => sum + Math.abs(x), 0);
  }
  const cotangents = cotangent.reduce((sum, x) => sum + Math.abs(x), 0);
  const tolerance = 2e-5 * magnitude + rounding.output * cotangents;
  if (!(Math.abs(got - expected) <= tolerance)) {
    throw new Error(`slope: got ${got}, expected ${expected} within ${tolerance}`);
  }
}
