// The call of a random configuration, made on the package.
import {
  additiveAttention,
  maskedSoftmax,
  MultiHeadAttention,
  scaledDotProductAttention,
  Tensor,
} from 'headwise';
import { Random } from './random.mjs';
import { startingWith } from './safetensors.mjs';
import { nested, positions } from './tensors.mjs';

/** How tensors are passed, and whether results go to memory of the caller's: drawn here, as C++ has no such choice. */
export function mannerOf({ seed }) {
  const random = new Random(seed);
  return {
    given: random.pick('tensors', 'tensors', 'nested', 'doubles'),
    into: random.chance(0.2),
  };
}

/** The options of the call, or of one of its parts. */
export const optionsOf = ({ options, tensors }, part = 'option.') => ({
  ...options,
  ...startingWith(tensors, part),
});

/** A layer with the call's parameters. */
export function makeLayer({ layer: options, sizesInferred, tensors }) {
  const sizes = { querySize: undefined, keySize: undefined, valueSize: undefined };
  const layer = new MultiHeadAttention({ ...options, ...(sizesInferred && sizes) });
  layer.loadStateDict(startingWith(tensors, 'param.'));
  return layer;
}

/** A tensor in one of the ways in which it may be passed. */
export function pass({ batchAxis }, given, { data, shape: batched }) {
  const shape = batchAxis ? batched : batched.slice(1);
  // Nested arrays do not tell the axes behind an empty one.
  if (given === 'nested' && !shape.includes(0)) return nested({ data, shape });
  return given === 'doubles'
    ? { data: Float64Array.from(data), dims: shape }
    : new Tensor(data, shape);
}

/** Fills a cache with the first positions, in chunks. */
function fillCache(layer, call, { queries, keys, values }, cache) {
  const random = new Random(call.seed);
  const [batch, , querySize] = queries.shape;
  for (let begin = 0; begin < call.cached;) {
    const end = Math.min(call.cached, begin + 1 + random.below(5));
    const ones = Tensor.ones([batch, random.below(2), querySize]);
    const tensors = [ones, positions(keys, begin, end), positions(values, begin, end)];
    layer.forward(...tensors.map((each) => pass(call, 'tensors', each)), { cache });
    begin = end;
  }
}

function layerResult(call, { queries, keys, values }, options, given) {
  const layer = makeLayer(call);
  const [batch, length] = keys.shape;
  const cache =
    call.cache === 'none'
      ? undefined
      : layer.createCache({ batchSize: batch, maxLength: length + 1 });
  const passed = (tensor) => pass(call, given, tensor);
  try {
    if (!cache) return layer.forward(passed(queries), passed(keys), passed(values), options);
    fillCache(layer, call, { queries, keys, values }, cache);
    const rest = (tensor) =>
      call.cache === 'fixed' ? null : passed(positions(tensor, call.cached, length));
    const result = layer.forward(passed(queries), rest(keys), rest(values), { ...options, cache });
    if (cache.length !== length) {
      throw new Error(`the cache holds ${cache.length} of ${length}`);
    }
    return result;
  } finally {
    cache?.dispose();
    layer.dispose();
  }
}

/** Makes the call: `{ output, attentionWeights? }`. */
export function packageResult(call, inputs, more) {
  const options = { ...optionsOf(call), ...more };
  const { given } = mannerOf(call);
  const passed = () =>
    [inputs.queries, inputs.keys, inputs.values].map((x) => pass(call, given, x));
  switch (call.function) {
    case 'layer':
      return layerResult(call, inputs, options, given);
    case 'scaledDotProductAttention':
      return scaledDotProductAttention(...passed(), options);
    case 'additiveAttention': {
      const [W_q, W_k, w_v] = ['W_q', 'W_k', 'w_v'].map((name) => {
        const { data, shape } = call.tensors[`param.${name}.weight`];
        return new Tensor(data, shape);
      });
      return additiveAttention(...passed(), { W_q, W_k, w_v }, options);
    }
    default: {
      const { validLens, emptyRows, out } = options;
      const scores = pass(call, given, inputs.queries);
      return { output: maskedSoftmax(scores, validLens, { emptyRows, out: out?.output }) };
    }
  }
}
