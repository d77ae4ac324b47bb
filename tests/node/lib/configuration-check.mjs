import { isDeepStrictEqual } from 'node:util';
import { smallerConfigurations, toJson } from './configuration.mjs';
import { checkGradients } from './gradient-check.mjs';
import { makeProblem, poison } from './problem.mjs';
import {
  makeLayer,
  packageResult,
  positions,
  referenceResult,
  resultShapes,
} from './problem-results.mjs';
import { Random } from './random.mjs';
import { roundingOf } from './rounding.mjs';

/** Throws where two lists differ by more than `tolerance`, or in what is not finite. */
function checkNumbers(name, got, expected, tolerance) {
  if (got.length !== expected.length) {
    throw new Error(`${name}: ${got.length} numbers, expected ${expected.length}`);
  }
  for (let i = 0; i < got.length; i++) {
    const [x, y] = [got[i], expected[i]];
    if (!(Object.is(x, y) || x === y || Math.abs(x - y) <= tolerance)) {
      throw new Error(`${name} at flat index ${i}: got ${x}, expected ${y} within ${tolerance}`);
    }
  }
}

function checkTensor(name, got, shape, expected, tolerance) {
  if (`${got.shape}` !== `${shape}`) {
    throw new Error(`${name}: shape (${got.shape}), expected (${shape})`);
  }
  checkNumbers(name, got.data, expected, tolerance);
}

const bytesOf = ({ queries, keys, values }) =>
  [queries, keys, values].map((tensor) => tensor && Buffer.from(tensor.data.slice().buffer));

/** Memory for the results, if the configuration asks for it. */
function memoryFor(c, shapes) {
  if (!c.into) return {};
  const [output, attentionWeights] = shapes.map((shape) =>
    new Float32Array(shape.reduce((product, size) => product * size, 1)).fill(7),
  );
  return { out: c.call === 'maskedSoftmax' ? { output } : { output, attentionWeights } };
}

function checkCall(name, problem, rounding) {
  const c = problem.configuration;
  const expected = referenceResult(problem);
  const shapes = resultShapes(c);
  const [outputShape, weightsShape] = shapes;
  const before = bytesOf(problem);
  const memory = memoryFor(c, shapes);
  const whole = packageResult(problem, { returnWeights: true, ...memory });
  const output = expected.output.flat(Infinity);
  checkTensor(`${name}: output`, whole.output, outputShape, output, rounding.output);
  if (c.call !== 'maskedSoftmax') {
    const weights = expected.weights.flat(Infinity);
    const got = whole.attentionWeights;
    checkTensor(`${name}: weights`, got, weightsShape, weights, rounding.weights);
  }
  if (memory.out && whole.output.data !== memory.out.output) {
    throw new Error(`${name}: the output is not in the memory given`);
  }
  const plain = packageResult(problem, {});
  if (plain.attentionWeights) throw new Error(`${name}: weights that nobody asked for`);
  const without = `${name} without weights: output`;
  checkTensor(without, plain.output, outputShape, whole.output.data, rounding.output);
  if (!isDeepStrictEqual(bytesOf(problem), before)) {
    throw new Error(`${name}: inputs were changed`);
  }
}

/** The first positions [.., begin to end, 0 to end] of a mask, where it has axes of its own. */
function maskPart({ data, shape }, begin, end) {
  const rank = shape.length;
  const part = shape.map((size, axis) =>
    size === 1 ? 1 : axis === rank - 1 ? end : axis === rank - 2 ? end - begin : size,
  );
  const numbers = [];
  const visit = (axis, offset) => {
    if (axis === rank) {
      numbers.push(data[offset]);
      return;
    }
    const first = axis === rank - 2 && shape[axis] > 1 ? begin : 0;
    for (let i = 0; i < part[axis]; i++) visit(axis + 1, offset * shape[axis] + first + i);
  };
  visit(0, 0);
  return { data: data.constructor.from(numbers), shape: part };
}

/** The options of the whole pass for the queries [begin, end), which see keys up to `end`. */
function optionsPart({ validLens, mask, ...options }, begin, end) {
  const part = { ...options };
  if (validLens?.shape.length === 1) {
    part.validLens = [...validLens.data].map((length) => Math.min(length, end));
  } else if (validLens) {
    const [batch, queries] = validLens.shape;
    part.validLens = Array.from({ length: batch }, (_, b) =>
      [...validLens.data.subarray(b * queries + begin, b * queries + end)].map((length) =>
        Math.min(length, end),
      ),
    );
  }
  if (mask) part.mask = maskPart(mask, begin, end);
  return part;
}

/** Feeds the sequence in chunks; each must give its rows of the whole pass. */
function checkDecoding(problem, rounding) {
  const { configuration: c, queries, keys, values, options } = problem;
  const whole = referenceResult(problem).output;
  const layer = makeLayer(problem);
  const cache = layer.createCache({ batchSize: c.batch, maxLength: c.keys + 1 });
  const random = new Random(c.numbers);
  try {
    for (let begin = 0; begin < c.keys;) {
      const end = Math.min(c.keys, begin + random.pick(1, 1, 2, 3, 8));
      const inputs = [queries, keys, values].map((tensor) => positions(tensor, begin, end));
      const part = optionsPart(options, begin, end);
      const { output } = layer.forward(...inputs, { ...part, cache });
      const expected = whole.map((rows) => rows.slice(begin, end)).flat(Infinity);
      const name = `decoding positions ${begin} to ${end}`;
      checkNumbers(name, output.data, expected, rounding.output);
      begin = end;
    }
  } finally {
    cache.dispose();
    layer.dispose();
  }
}

/**
 * Whether some weight is 0 in float32 but not in float64: its product with an infinite value then
 * differs in kind.
 */
function underflows({ configuration, options, ...rest }) {
  const smallestSafelyHeld = 1e-35;
  const problem = { configuration, ...rest, options: { ...options, weightsStage: 'softmax' } };
  return referenceResult(problem)
    .weights.flat(Infinity)
    .some((weight) => weight > 0 && weight < smallestSafelyHeld);
}

/**
 * Makes the configuration's call and holds it against the reference, in every way that a call can be
 * wrong. Returns what is wrong; undefined if nothing is.
 */
export function faultOf(configuration) {
  try {
    const problem = makeProblem(configuration);
    const rounding = roundingOf(problem);
    const check = (name) => {
      checkCall(name, problem, rounding);
      if (configuration.decoded) checkDecoding(problem, rounding);
    };
    check('the call');
    if (configuration.call === 'layer' && configuration.cache === 'none') {
      const [outputShape] = resultShapes(configuration);
      checkGradients(
        problem,
        outputShape.reduce((a, b) => a * b, 1),
        rounding,
      );
    }
    if (configuration.poisoned) {
      poison(problem);
      if (!underflows(problem)) check('with NaN and infinities');
    }
    return undefined;
  } catch (error) {
    return error.message;
  }
}

/** The smallest configuration that still has a fault, one step at a time. */
export function shrunk(configuration) {
  const smaller = smallerConfigurations(configuration).find((candidate) => faultOf(candidate));
  return smaller ? shrunk(smaller) : configuration;
}

/** What to print of a configuration with a fault, so that it can be made again. */
export const report = (configuration) => `${toJson(configuration)}\n  ${faultOf(configuration)}`;
