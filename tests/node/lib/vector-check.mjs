// A random configuration's call, held against its vectors in every way that a call can be wrong.
import { isDeepStrictEqual } from 'node:util';
import { Tensor } from 'headwise';
import { startingWith } from './safetensors.mjs';
import { nested, positions } from './tensors.mjs';
import { makeLayer, mannerOf, optionsOf, packageResult, pass } from './vector-calls.mjs';

const isNear = (x, y, tolerance) => Object.is(x, y) || x === y || Math.abs(x - y) <= tolerance;

/** Throws where two lists differ by more than `tolerance`, or in what is not finite. */
function checkNumbers(name, got, expected, tolerance, isSame = isNear) {
  if (got.length !== expected.length) {
    throw new Error(`${name}: ${got.length} numbers, expected ${expected.length}`);
  }
  for (let i = 0; i < got.length; i++) {
    if (!isSame(got[i], expected[i], tolerance)) {
      throw new Error(
        `${name} at flat index ${i}: got ${got[i]}, expected ${expected[i]} within ${tolerance}`,
      );
    }
  }
}

function checkTensor(name, got, expected, tolerance) {
  if (`${got.shape}` !== `${expected.shape}`) {
    throw new Error(`${name}: shape (${got.shape}), expected (${expected.shape})`);
  }
  checkNumbers(name, got.data, expected.data, tolerance);
}

const bytesOf = (inputs) =>
  Object.values(inputs).map(({ data }) => Buffer.from(data.slice().buffer));

/** Memory for the results, if they are to go there. */
function memoryFor(call, expected) {
  if (!mannerOf(call).into) return {};
  const memory = Object.entries(expected).map(([name, { data }]) => [
    name,
    new Float32Array(data.length).fill(7),
  ]);
  return { out: Object.fromEntries(memory) };
}

function checkCall(name, call, inputs, expected) {
  const { tolerance } = call;
  const before = bytesOf(inputs);
  const memory = memoryFor(call, expected);
  const whole = packageResult(call, inputs, { returnWeights: true, ...memory });
  for (const [result, tensor] of Object.entries(expected)) {
    checkTensor(`${name}: ${result}`, whole[result], tensor, tolerance[result]);
    if (memory.out && whole[result].data !== memory.out[result]) {
      throw new Error(`${name}: ${result} is not in the memory given`);
    }
  }
  const plain = packageResult(call, inputs, {});
  if (plain.attentionWeights) throw new Error(`${name}: weights that nobody asked for`);
  checkTensor(`${name} without weights: output`, plain.output, whole.output, tolerance.output);
  if (!isDeepStrictEqual(bytesOf(inputs), before)) {
    throw new Error(`${name}: inputs were changed`);
  }
}

const captureNames = ['queries', 'keys', 'values', 'scores', 'pooled', 'droppedWeights'];

/** What a layer's pass gives beside its output agrees with the weights, and chosen weights are rows of all. */
function checkInside(name, call, inputs) {
  const run = (options) => packageResult(call, inputs, options);
  const { heads, queries } = { heads: call.layer.numHeads, queries: inputs.queries.shape[1] };
  const all = run({ returnWeights: true, weightsStage: 'softmax' }).attentionWeights;
  const columns = all.shape.at(-1);
  const chosen = {
    heads: Array.from({ length: heads }, (_, head) => heads - 1 - head).filter(
      (head) => (head + call.seed) % 3 > 0,
    ),
    queries:
      call.seed % 4 === 0
        ? 'last'
        : Array.from({ length: queries }, (_, i) => i).filter((i) => (i * 7 + call.seed) % 5 < 2),
  };
  const inside = run({
    ...{ returnWeights: chosen, weightsStage: 'softmax', keyMass: true, capture: captureNames },
  });
  const rows = chosen.queries === 'last' ? (queries > 0 ? [queries - 1] : []) : chosen.queries;
  const batch = call.batchAxis ? inputs.queries.shape[0] : 1;
  const row = (b, head, i) => {
    const first = ((b * heads + head) * queries + i) * columns;
    return all.data.subarray(first, first + columns);
  };
  const expected = Array.from({ length: batch }, (_, b) =>
    chosen.heads.map((head) => rows.map((i) => [...row(b, head, i)])),
  ).flat(3);
  checkNumbers(`${name}: chosen weights`, inside.attentionWeights.data, expected, 0);
  const sums = new Float64Array(batch * heads * columns);
  for (let b = 0; b < batch; b++)
    for (let head = 0; head < heads; head++)
      for (let i = 0; i < queries; i++)
        row(b, head, i).forEach((weight, j) => (sums[(b * heads + head) * columns + j] += weight));
  checkNumbers(`${name}: keyMass`, inside.keyMass.data, sums, 1e-6 * (queries + 1));
  const masked = run({ returnWeights: true, weightsStage: 'masked' }).attentionWeights;
  checkTensor(`${name}: scores`, inside.captured.scores, masked, 0);
  checkTensor(`${name}: droppedWeights`, inside.captured.droppedWeights, all, 0);
  if (`${Object.keys(inside.captured)}` !== `${captureNames}`) {
    throw new Error(`${name}: captured ${Object.keys(inside.captured)}`);
  }
}

/** Feeds the sequence in chunks; each must give its rows of the whole pass. */
function checkDecoding(name, call, { queries, keys, values }, { output: whole }) {
  const [batch, length] = keys.shape;
  const size = whole.shape.at(-1);
  const layer = makeLayer(call);
  const cache = layer.createCache({ batchSize: batch, maxLength: length + 1 });
  try {
    for (const [number, { begin, end }] of call.chunks.entries()) {
      const inputs = [queries, keys, values].map((tensor) => positions(tensor, begin, end));
      const { validLens, ...options } = optionsOf(call, `chunk.${number}.`);
      if (validLens) options.validLens = nested(validLens);
      const { output } = layer.forward(...inputs, { ...options, cache });
      const expected = Array.from({ length: batch }, (_, b) => [
        ...whole.data.subarray((b * length + begin) * size, (b * length + end) * size),
      ]).flat();
      const rows = `${name}, decoding positions ${begin} to ${end}`;
      checkNumbers(rows, output.data, expected, call.tolerance.output);
    }
  } finally {
    cache.dispose();
    layer.dispose();
  }
}

/** What NaN or infinities reach may be any number that is not finite. */
const isNearOrNotFinite = (x, y, tolerance) =>
  Number.isFinite(y) ? Math.abs(x - y) <= tolerance : !Number.isFinite(x);

function checkGradients(name, call, inputs, expected) {
  const layer = makeLayer(call);
  try {
    if (call.layer.dropout > 0) layer.train();
    const { given } = mannerOf(call);
    const passed = [inputs.queries, inputs.keys, inputs.values].map((x) => pass(call, given, x));
    const { output } = layer.forward(...passed, { ...optionsOf(call), requiresGrad: true });
    const gradOutput = Float32Array.from(call.tensors.gradOutput.data);
    const ofInputs = layer.backward(new Tensor(gradOutput, output.shape));
    const got = { ...ofInputs, ...layer.gradients() };
    if (`${Object.keys(got).sort()}` !== `${Object.keys(expected).sort()}`) {
      throw new Error(`${name}: gradients of ${Object.keys(got)}`);
    }
    for (const [variable, { data }] of Object.entries(expected)) {
      const gradient = `${name}: gradient of ${variable}`;
      const tolerance = call.tolerance.gradients[variable];
      checkNumbers(gradient, got[variable].data, data, tolerance, isNearOrNotFinite);
    }
  } finally {
    layer.dispose();
  }
}

function check(name, call, variant) {
  const inputs = startingWith(call.tensors, `${variant}in.`);
  const expected = startingWith(call.tensors, `${variant}out.`);
  const gradients = startingWith(call.tensors, `${variant}grad.`);
  checkCall(name, call, inputs, expected);
  if (call.function === 'layer') checkInside(name, call, inputs);
  if (call.chunks) checkDecoding(name, call, inputs, expected);
  if (call.tensors.gradOutput) checkGradients(name, call, inputs, gradients);
}

/** What is wrong with the call; undefined if nothing is. */
export function faultOf(call) {
  try {
    check('the call', call, '');
    if (call.tensors['poisoned.in.queries']) check('with NaN and infinities', call, 'poisoned.');
    return undefined;
  } catch (error) {
    return error.message;
  }
}
