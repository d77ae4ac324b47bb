// Calls of the package drawn at random, all options crossed, as tests/native/configuration.cpp does.
import { Random } from './random.mjs';

/** One call and all that it depends on, at its smallest. */
const smallest = {
  call: 'layer', // or scaledDotProductAttention, additiveAttention, maskedSoftmax
  numbers: 1, // seed of every number that is not written here
  batch: 1,
  queries: 1,
  keys: 1, // given with the call
  heads: 1,
  kvHeads: 1,
  headSize: 1,
  querySize: 1,
  keySize: 1,
  valueSize: 1,
  batchAxis: true,
  pooling: 'dot-product',
  projection: 'linear',
  attentionHiddens: 0, // 0 is the default
  outputSize: 0, // 0 is the default
  outputProjection: true,
  bias: false,
  biasKv: false,
  zeroAttention: false,
  scale: null,
  softcap: 0,
  sizesInferred: false,
  lens: 'none', // or sample, query
  mask: 'none', // or boolean, added
  maskMissingAxes: 0, // of the first ones
  maskRepeats: 0, // a bit an axis, from the last on: its size is 1
  causal: false,
  window: null, // [left, right], null for Infinity
  queryOffset: 0,
  gate: 'none', // or head, sample
  cache: 'none', // or growing, fixed
  cached: 0, // positions in the cache before the call
  emptyRows: 'zero',
  stage: 'softmax',
  given: 'tensors', // how tensors are passed: or nested, doubles
  into: false, // whether results go to memory of the caller's
  poisoned: false, // whether NaN and infinities are planted in some inputs
  decoded: false, // whether the same is also fed in chunks through a cache
};

export const allKeys = ({ cached, keys }) => cached + keys;

/** Sizes around those at which blocks, vectors and panels end; large ones are dear and rare. */
const randomLength = (random) => random.pick(1, 2, 3, 5, 7, 7, 17, 17, 33);

function drawLayer(random) {
  return {
    pooling: random.chance(0.75) ? 'dot-product' : 'additive',
    projection: random.pick('linear', 'linear', 'linear', 'convolution', 'none'),
    attentionHiddens: random.chance(0.5) ? 0 : 1 + random.below(9),
    outputSize: random.chance(0.7) ? 0 : randomLength(random),
    outputProjection: random.chance(0.8),
    bias: random.chance(0.5),
    biasKv: random.chance(0.2),
    zeroAttention: random.chance(0.2),
    gate: random.chance(0.7) ? 'none' : random.pick('head', 'sample'),
    cache: random.chance(0.7) ? 'none' : random.pick('growing', 'fixed'),
    cached: random.chance(0.2) ? 0 : randomLength(random),
    sizesInferred: random.chance(0.3),
    decoded: random.chance(0.15),
  };
}

function drawMasks(random) {
  const side = () => random.pick(null, 0, 1, 2, 6);
  return {
    lens: random.chance(0.6) ? 'none' : random.pick('sample', 'query'),
    mask: random.chance(0.5) ? 'none' : random.pick('boolean', 'added'),
    maskMissingAxes: random.chance(0.4) ? 0 : random.below(5),
    maskRepeats: random.below(16),
    causal: random.chance(0.6) ? false : random.pick(true, 'bottom-right'),
    window: random.chance(0.75) ? null : [side(), side()],
    queryOffset: random.chance(0.6) ? 0 : random.pick(1, 3, 40),
    emptyRows: random.pick('zero', 'uniform'),
  };
}

export function randomConfiguration(seed) {
  const random = new Random(seed);
  const heads = 1 + random.below(6);
  return settled({
    numbers: random.below(1_000_000),
    call: random.pick(
      ...['layer', 'layer', 'layer', 'scaledDotProductAttention', 'scaledDotProductAttention'],
      ...['additiveAttention', 'maskedSoftmax'],
    ),
    batch: random.chance(0.03) ? 0 : 1 + random.below(3),
    queries: random.chance(0.03) ? 0 : randomLength(random),
    keys: random.chance(0.05) ? 0 : randomLength(random),
    heads,
    kvHeads: random.chance(0.5) ? heads : 1 + random.below(6),
    headSize: 1 + random.below(9),
    querySize: randomLength(random),
    keySize: randomLength(random),
    valueSize: randomLength(random),
    batchAxis: random.chance(0.85),
    ...drawLayer(random),
    ...drawMasks(random),
    scale: random.chance(0.6) ? null : random.pick(0.25, 1, 2, -0.5, 0),
    softcap: random.chance(0.7) ? 0 : random.pick(0.5, 2, 30),
    stage: random.pick('raw', 'softcap', 'masked', 'softmax', 'softmax', 'softmax', 'softmax'),
    given: random.pick('tensors', 'tensors', 'nested', 'doubles'),
    into: random.chance(0.2),
    poisoned: random.chance(0.3),
  });
}

const gcd = (a, b) => (b === 0 ? a : gcd(b, a % b));

const layerOnly = [
  ...['batchAxis', 'pooling', 'projection', 'outputSize', 'outputProjection', 'bias', 'biasKv'],
  ...['zeroAttention', 'sizesInferred', 'decoded', 'gate', 'cache', 'cached'],
];
const notOfMaskedSoftmax = [
  ...['mask', 'causal', 'window', 'queryOffset', 'scale', 'softcap', 'stage', 'headSize'],
  ...['querySize', 'keySize', 'valueSize'],
];

function reset(c, names) {
  for (const name of names) c[name] = smallest[name];
}

function settleFunction(c) {
  reset(c, layerOnly);
  if (c.causal === 'bottom-right') c.queryOffset = 0;
  if (c.call === 'additiveAttention') {
    c.attentionHiddens = Math.max(c.attentionHiddens, 1);
    reset(c, ['scale', 'softcap']);
  } else {
    c.attentionHiddens = 0;
    c.querySize = c.keySize = c.headSize;
  }
  if (c.call !== 'scaledDotProductAttention') {
    reset(c, ['heads', 'kvHeads']);
    c.maskMissingAxes = Math.min(c.maskMissingAxes, 3);
  }
  if (c.call === 'maskedSoftmax') reset(c, notOfMaskedSoftmax);
}

function settleLayer(c) {
  c.queryOffset = 0;
  if (!c.batchAxis) c.batch = 1;
  if (c.projection === 'none') {
    c.querySize = c.keySize = c.valueSize = c.heads * c.headSize;
    c.bias = c.biasKv = c.outputProjection = false;
  }
  if (c.projection === 'convolution') {
    for (const size of ['querySize', 'keySize', 'valueSize']) {
      c[size] = Math.ceil(c[size] / c.heads) * c.heads;
    }
  }
  if (c.projection !== 'linear') c.kvHeads = c.heads;
  if (!c.outputProjection) c.outputSize = 0;
  if (c.pooling === 'additive') {
    reset(c, ['scale', 'softcap']);
  } else {
    c.attentionHiddens = 0;
  }
  if (c.decoded) {
    // Every query its own key, seen from then on.
    Object.assign(c, { keys: c.queries, causal: true });
    reset(c, ['cache', 'emptyRows', 'stage', 'into']);
  }
  if (c.decoded || c.cache !== 'none') c.batch = Math.max(c.batch, 1);
  if (c.cache === 'fixed') c.keys = 0;
}

/** The whole configuration of which some fields are given, without what the package would refuse. */
export function settled(given) {
  const c = { ...smallest, ...given };
  c.kvHeads = gcd(c.heads, c.kvHeads);
  (c.call === 'layer' ? settleLayer : settleFunction)(c);
  if (c.cache === 'none') c.cached = 0;
  if (c.mask === 'none') reset(c, ['maskMissingAxes', 'maskRepeats']);
  // Nested arrays do not tell the axes behind an empty one.
  const hasEmptyAxis = [c.batch, c.queries, c.keys, c.cached || 1].includes(0);
  if (c.given === 'nested' && hasEmptyAxis) c.given = 'tensors';
  return c;
}

/** The configuration as JSON: what differs from the smallest. `settled` takes it back. */
export const toJson = (c) =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(c).filter(
        ([name, value]) => JSON.stringify(value) !== JSON.stringify(smallest[name]),
      ),
    ),
  );

/** Configurations that are a step smaller: one option less, or one size. */
export function smallerConfigurations(c) {
  const candidates = Object.keys(JSON.parse(toJson(c)))
    .filter((name) => name !== 'call' && name !== 'numbers')
    .flatMap((name) => {
      const value = c[name];
      const sizes =
        typeof value === 'number' && typeof smallest[name] === 'number'
          ? [2, Math.floor(value / 2), value - 1].filter((size) => size > 0 && size < value)
          : [];
      return [smallest[name], ...sizes].map((smaller) => settled({ ...c, [name]: smaller }));
    });
  return candidates.filter((candidate) => toJson(candidate) !== toJson(c));
}
