// The weights of a model in 8 or 4 bits: random codes, with one scale for each matrix. Every peer gets
// the same codes, in a file of its own kind.
import { parametersOf } from './language-model.mjs';
import { uniform } from './uniform.mjs';

/** The largest code of each type of GGUF files; codes of both signs are equally likely. */
const largestCodes = { Q8_0: 127, Q4_0: 7 };

/** As `Type.from(numbers, convert)`, which takes ten times as long for so many numbers. */
export function converted(Type, numbers, convert) {
  const result = new Type(numbers.length);
  for (let i = 0; i < numbers.length; i++) result[i] = convert(numbers[i]);
  return result;
}

function newParameter({ name, shape, scale, offset, seed }, largest) {
  const length = shape.reduce((product, size) => product * size);
  if (shape.length === 1) {
    return [name, { shape, data: uniform(length, seed, scale).map((number) => offset + number) }];
  }
  const codes = converted(Int8Array, uniform(length, seed, largest + 0.499), Math.round);
  // A power of two is exact in any format.
  return [name, { shape, codes, scale: 2 ** Math.round(Math.log2(scale / largest)) }];
}

/** The weights made last: making them takes seconds, and every file needs them. */
let made = {};

/** Matrices as `{ shape, codes, scale }`, vectors as `{ shape, data }`, by headwise's names. */
export function quantizedWeights(problem) {
  const { weightType } = problem;
  if (made.weightType !== weightType) {
    const largest = largestCodes[weightType];
    const parameters = parametersOf(problem).map((each) => newParameter(each, largest));
    made = { weightType, weights: Object.fromEntries(parameters) };
  }
  return made.weights;
}

/** The problem with its weights as floats. */
export function withFloats(problem) {
  const weights = Object.entries(quantizedWeights(problem)).map(([name, weight]) => {
    const { shape, codes, scale, data } = weight;
    return [name, { shape, data: data ?? converted(Float32Array, codes, (code) => code * scale) }];
  });
  return { ...problem, weights: Object.fromEntries(weights) };
}
