// The arguments of a configuration's call, their numbers drawn.
import { MultiHeadAttention, Tensor } from 'headwise';
import { allKeys } from './configuration.mjs';
import { Random } from './random.mjs';

// Every tensor draws from a stream of its own, so that an option left out changes no other.
const streams = ['queries', 'keys', 'values', 'lens', 'mask', 'gate', 'poison', 'parameters'];
const seedOf = (c, stream, number = 0) => c.numbers * 64 + streams.indexOf(stream) + number;

const sizeOf = (shape) => shape.reduce((product, size) => product * size, 1);

function normal(shape, seed, deviation) {
  const tensor = Tensor.randn(shape, seed);
  tensor.data.forEach((x, i) => {
    tensor.data[i] = x * deviation;
  });
  return tensor;
}

const fill = (Data, shape, draw) => ({ data: Data.from({ length: sizeOf(shape) }, draw), shape });

function layerOptions(c) {
  const options = {
    numHiddens: c.heads * c.headSize,
    numHeads: c.heads,
    numKvHeads: c.kvHeads,
    bias: c.bias,
    querySize: c.querySize,
    keySize: c.keySize,
    valueSize: c.valueSize,
    outputProjection: c.outputProjection,
    pooling: c.pooling,
    projection: c.projection,
    softcap: c.softcap,
    biasKv: c.biasKv,
    zeroAttention: c.zeroAttention,
    seed: c.numbers,
  };
  if (c.outputSize > 0) options.outputSize = c.outputSize;
  if (c.attentionHiddens > 0) options.attentionHiddens = c.attentionHiddens;
  if (c.scale !== null) options.scale = c.scale;
  return options;
}

/**
 * Weights that keep the size of numbers, or let them grow a little: scores then differ enough to
 * tell one rule from another.
 */
function drawParameters(c, shapes) {
  const draw = ([name, shape], i) => {
    const deviation = /weight$|^W_|^w_/.test(name) ? 1.5 / Math.sqrt(shape[1] ?? 9) : 0.5;
    return [name, normal(shape, seedOf(c, 'parameters', i), deviation)];
  };
  return Object.fromEntries(Object.entries(shapes).map(draw));
}

function layerParameters(c, options) {
  const layer = new MultiHeadAttention(options);
  const shapes = Object.entries(layer.stateDict()).map(([name, { shape }]) => [name, shape]);
  layer.dispose();
  return drawParameters(c, Object.fromEntries(shapes));
}

function drawLens(c) {
  if (c.lens === 'none') return undefined;
  const random = new Random(seedOf(c, 'lens'));
  const draw = () => {
    const any = random.below(allKeys(c) + 1);
    return random.pick(any, any, any, any, 0, allKeys(c));
  };
  return fill(Int32Array, c.lens === 'sample' ? [c.batch] : [c.batch, c.queries], draw);
}

function drawMask(c) {
  if (c.mask === 'none') return undefined;
  const random = new Random(seedOf(c, 'mask'));
  const heads = c.call === 'additiveAttention' ? [] : [c.heads];
  const shape = [c.batch, ...heads, c.queries, allKeys(c)]
    .slice(c.maskMissingAxes)
    .map((size, axis, sizes) => ((c.maskRepeats >> (sizes.length - 1 - axis)) & 1 ? 1 : size));
  const kept = random.pick(0.2, 0.6, 0.9);
  if (c.mask === 'boolean') return fill(Uint8Array, shape, () => Number(random.chance(kept)));
  const added = normal(shape, seedOf(c, 'mask'), 2);
  // −1e4 is what many programs write for minus infinity; a row whose keys all have it is not empty.
  const hasLarge = random.chance(0.1);
  added.data.forEach((_, i) => {
    if (!random.chance(kept)) added.data[i] = hasLarge && random.chance(0.5) ? -1e4 : -Infinity;
  });
  return added;
}

function drawGate(c) {
  if (c.gate === 'none') return undefined;
  const random = new Random(seedOf(c, 'gate'));
  const draw = () => random.pick(0, 1, -0.5, 2, 0.25);
  return fill(Float32Array, c.gate === 'head' ? [c.heads] : [c.batch, c.heads], draw);
}

export function makeProblem(c) {
  const byHead = c.call === 'scaledDotProductAttention';
  const draw = (stream, heads, length, size) =>
    normal([c.batch, ...(byHead ? [heads] : []), length, size], seedOf(c, stream), 1);
  const problem = { configuration: c, parameters: {} };
  if (c.call === 'maskedSoftmax') {
    problem.queries = draw('queries', 1, c.queries, c.keys);
  } else {
    problem.queries = draw('queries', c.heads, c.queries, c.querySize);
    problem.keys = draw('keys', c.kvHeads, allKeys(c), c.keySize);
    problem.values = draw('values', c.kvHeads, allKeys(c), c.valueSize);
  }
  if (c.call === 'layer') {
    problem.layer = layerOptions(c);
    problem.parameters = layerParameters(c, problem.layer);
  }
  if (c.call === 'additiveAttention') {
    problem.parameters = drawParameters(c, {
      W_q: [c.attentionHiddens, c.querySize],
      W_k: [c.attentionHiddens, c.keySize],
      w_v: [1, c.attentionHiddens],
    });
  }
  problem.options = Object.fromEntries(
    Object.entries({
      validLens: drawLens(c),
      mask: drawMask(c),
      causal: c.causal || undefined,
      window: c.window?.map((side) => side ?? Infinity),
      headGate: drawGate(c),
      emptyRows: c.emptyRows,
      weightsStage: c.stage,
      queryOffset: c.queryOffset || undefined,
      ...(byHead && { scale: c.scale ?? undefined, softcap: c.softcap }),
    }).filter(([, value]) => value !== undefined),
  );
  return problem;
}

/** Puts NaN and infinities into some queries, keys and values. */
export function poison({ configuration, queries, keys, values }) {
  const random = new Random(seedOf(configuration, 'poison'));
  const spoil = ({ data, shape }, probability) => {
    const size = shape.at(-1);
    for (let first = 0; first < data.length; first += size) {
      const bad = random.pick(NaN, Infinity, -Infinity);
      const element = random.below(size);
      if (random.chance(probability)) data[first + element] = bad;
    }
  };
  const probability = random.pick(0.05, 0.3);
  spoil(queries, 0.05);
  if (keys) spoil(keys, probability);
  if (values) spoil(values, probability);
}
