// A problem's call made on the package, and on the reference.
import {
  additiveAttention,
  maskedSoftmax,
  MultiHeadAttention,
  scaledDotProductAttention,
  Tensor,
} from 'headwise';
import * as reference from './attention-reference.mjs';
import { allKeys } from './configuration.mjs';
import { Random } from './random.mjs';

/** A layer with the problem's parameters. */
export function makeLayer({ configuration, layer: options, parameters }) {
  const sizes = { querySize: undefined, keySize: undefined, valueSize: undefined };
  const layer = new MultiHeadAttention({ ...options, ...(configuration.sizesInferred && sizes) });
  layer.loadStateDict(parameters);
  return layer;
}

/** Positions [begin, end) of (batch, length, size). */
export function positions({ data, shape: [batch, length, size] }, begin, end) {
  const part = new Float32Array(batch * (end - begin) * size);
  for (let b = 0; b < batch; b++) {
    const rows = data.subarray((b * length + begin) * size, (b * length + end) * size);
    part.set(rows, b * (end - begin) * size);
  }
  return new Tensor(part, [batch, end - begin, size]);
}

/** A tensor in one of the ways in which it may be passed. */
export function pass({ given, batchAxis }, tensor) {
  const { data } = tensor;
  const shape = batchAxis ? tensor.shape : tensor.shape.slice(1);
  if (given === 'nested') return reference.nested({ data, shape });
  return given === 'doubles'
    ? { data: Float64Array.from(data), dims: shape }
    : new Tensor(data, shape);
}

/** Fills a cache with the first positions, in chunks. */
function fillCache(layer, { configuration: c, keys, values }, cache) {
  const random = new Random(c.numbers);
  for (let begin = 0; begin < c.cached;) {
    const end = Math.min(c.cached, begin + 1 + random.below(5));
    const queries = Tensor.ones([c.batch, random.below(2), c.querySize]);
    const tensors = [queries, positions(keys, begin, end), positions(values, begin, end)];
    layer.forward(...tensors.map((each) => pass({ ...c, given: 'tensors' }, each)), { cache });
    begin = end;
  }
}

function layerResult(problem, options) {
  const c = problem.configuration;
  const layer = makeLayer(problem);
  const cache =
    c.cache === 'none'
      ? undefined
      : layer.createCache({ batchSize: c.batch, maxLength: allKeys(c) + 1 });
  try {
    if (cache) fillCache(layer, problem, cache);
    const given = cache ? { ...options, cache } : options;
    const rest = (tensor) => pass(c, positions(tensor, c.cached, allKeys(c)));
    const [keys, values] =
      c.cache === 'fixed' ? [null, null] : [rest(problem.keys), rest(problem.values)];
    const result = layer.forward(pass(c, problem.queries), keys, values, given);
    if (cache && cache.length !== allKeys(c)) {
      throw new Error(`the cache holds ${cache.length} of ${allKeys(c)}`);
    }
    return result;
  } finally {
    cache?.dispose();
    layer.dispose();
  }
}

/** Makes the call on the package: `{ output, attentionWeights? }`. */
export function packageResult(problem, more) {
  const { configuration: c, parameters } = problem;
  const options = { ...problem.options, ...more };
  const inputs = () => [problem.queries, problem.keys, problem.values].map((x) => pass(c, x));
  switch (c.call) {
    case 'layer':
      return layerResult(problem, options);
    case 'scaledDotProductAttention':
      return scaledDotProductAttention(...inputs(), options);
    case 'additiveAttention':
      return additiveAttention(...inputs(), parameters, options);
    default: {
      const { validLens, emptyRows } = options;
      const given = { emptyRows, out: options.out?.output };
      return { output: maskedSoftmax(pass(c, problem.queries), validLens, given) };
    }
  }
}

/** What it should give, in float64: nested arrays `{ output, weights }`. */
export function referenceResult({ configuration: c, layer, parameters, options, ...inputs }) {
  const [queries, keys, values] = [inputs.queries, inputs.keys, inputs.values].map(
    (tensor) => tensor && reference.nested(tensor),
  );
  const { headSize, valueSize } = c;
  switch (c.call) {
    case 'layer':
      return reference.multiHeadAttention(
        layer,
        parameters,
        { queries, keys, values },
        options,
        c.cached,
      );
    case 'scaledDotProductAttention':
      return reference.scaledDotProductAttention(queries, keys, values, {
        ...options,
        headSize,
        valueSize,
      });
    case 'additiveAttention':
      return reference.additiveAttention(queries, keys, values, parameters, {
        ...options,
        valueSize,
      });
    default: {
      const output = reference.maskedSoftmax(queries, { ...options, weightsStage: 'softmax' });
      return { output, weights: output };
    }
  }
}

/** Shapes of output and weights. */
export function resultShapes(c) {
  const slots = Number(c.biasKv) + Number(c.zeroAttention);
  const columns = allKeys(c) + slots;
  switch (c.call) {
    case 'layer': {
      const shapes = [
        [c.batch, c.queries, c.outputSize || c.heads * c.headSize],
        [c.batch, c.heads, c.queries, columns],
      ];
      return c.batchAxis ? shapes : shapes.map((shape) => shape.slice(1));
    }
    case 'scaledDotProductAttention':
      return [
        [c.batch, c.heads, c.queries, c.valueSize],
        [c.batch, c.heads, c.queries, columns],
      ];
    case 'additiveAttention':
      return [
        [c.batch, c.queries, c.valueSize],
        [c.batch, c.queries, columns],
      ];
    default:
      return [[c.batch, c.queries, c.keys], []];
  }
}
