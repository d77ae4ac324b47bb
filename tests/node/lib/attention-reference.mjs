// Attention in float64, as the rules have it, over nested arrays: one loop over samples, heads,
// queries and keys, with no block, no vector and no shortcut. What the package's results are held
// against where there is no oracle. tests/native has the same in C++.

const range = (count) => [...Array(count).keys()];
const sum = (numbers) => numbers.reduce((total, x) => total + x, 0);

function dot(x, y) {
  let total = 0;
  for (let i = 0; i < x.length; i++) total += x[i] * y[i];
  return total;
}

/** Nested arrays of a `{ data, shape }`. */
export function nested({ data, shape }) {
  const build = (axis, first, size) =>
    axis === shape.length
      ? data[first]
      : range(shape[axis]).map((i) =>
          build(axis + 1, first + (i * size) / shape[axis], size / shape[axis]),
        );
  return build(0, 0, data.length);
}

/** The entry of `mask` that broadcasting puts at `index`: axes align at the last one. */
function broadcastAt({ data, shape }, index) {
  const missing = index.length - shape.length;
  let offset = 0;
  shape.forEach((size, axis) => {
    offset = offset * size + (size === 1 ? 0 : index[missing + axis]);
  });
  return data[offset];
}

const isBoolean = (mask) => mask.data instanceof Uint8Array || typeof mask.data[0] === 'boolean';

/** What the float mask adds to a score; 0 without one. */
const added = ({ mask }, index) => (mask && !isBoolean(mask) ? broadcastAt(mask, index) : 0);

function validLen({ validLens }, sample, query, numKeys) {
  if (!validLens) return numKeys;
  const { data, shape } = validLens;
  return shape.length === 1 ? data[sample] : data[sample * shape[1] + query];
}

/** Whether lengths, causality, window and mask together leave the query this key. */
export function sees(options, numQueries, numKeys, index) {
  const [sample, , query, key] = index;
  const { mask, causal, window: [left, right] = [Infinity, Infinity] } = options;
  const position =
    causal === 'bottom-right' ? numKeys - numQueries + query : (options.queryOffset ?? 0) + query;
  if (key >= validLen(options, sample, query, numKeys)) return false;
  if (causal && key > position) return false;
  if (position - key > left) return false;
  if (key - position > right) return false;
  if (!mask) return true;
  const at = maskIndex(options, index);
  return isBoolean(mask) ? Boolean(broadcastAt(mask, at)) : broadcastAt(mask, at) !== -Infinity;
}

// A mask without heads has its samples where heads stand.
const maskIndex = ({ maskHasNoHeads }, [sample, head, query, key]) =>
  maskHasNoHeads ? [0, sample, query, key] : [sample, head, query, key];

/** x Wᵀ + b for every x; x itself where there is no such weight. */
export function project(parameters, name, X) {
  const weight = parameters[`${name}.weight`];
  if (!weight) return X;
  const [out, inOfGroup] = weight.shape;
  const W = nested({ data: weight.data, shape: [out, inOfGroup] });
  const bias = parameters[`${name}.bias`]?.data;
  const linear = (x) => {
    const groups = x.length / inOfGroup;
    return W.map((w, o) => {
      const first = Math.floor(o / (out / groups)) * inOfGroup;
      return dot(w, x.slice(first, first + inOfGroup)) + (bias ? bias[o] : 0);
    });
  };
  return X.map((rows) => rows.map(linear));
}

/** (batch, length, heads · d) → (batch, heads, length, d) */
export const split = (X, numHeads) =>
  X.map((rows) =>
    range(numHeads).map((h) =>
      rows.map((x) => x.slice((h * x.length) / numHeads, ((h + 1) * x.length) / numHeads)),
    ),
  );

/** scores[b][h][i][j] = score(Q[b][h][i], K[b][h's key-value head][j]) */
const scoresOf = (Q, K, score) =>
  Q.map((heads, b) =>
    heads.map((queries, h) =>
      queries.map((q) =>
        K[b][Math.floor(h / (heads.length / K[b].length))].map((k) => score(q, k)),
      ),
    ),
  );

/** scale · q · k */
export const dotProductScores = (Q, K, scale) => scoresOf(Q, K, (q, k) => scale * dot(q, k));

/** W x for every row x of every head */
export function features(W, X) {
  const weights = nested(W);
  return X.map((heads) => heads.map((rows) => rows.map((x) => weights.map((w) => dot(w, x)))));
}

/** w_v · tanh(W_q q + W_k k) */
export const additiveScores = (Q, K, { W_q, W_k, w_v }) =>
  scoresOf(features(W_q, Q), features(W_k, K), (q, k) =>
    dot(
      w_v.data,
      q.map((x, u) => Math.tanh(x + k[u])),
    ),
  );

/** softmax over the visible scores; the others weigh 0. */
function softmaxOfVisible(scores, visible) {
  const maximum = Math.max(...scores.filter((s, j) => visible[j] && !Number.isNaN(s)));
  const exponentials = scores.map((s, j) => (visible[j] ? Math.exp(s - maximum) : 0));
  const total = sum(exponentials);
  return exponentials.map((x, j) => (visible[j] ? x / total : 0));
}

/**
 * From scores (batch, heads, queries, keys + slots) and V (batch, key-value heads, keys + slots, v)
 * on: softcap, masks, softmax, weighted sum. `options` are those of the call.
 */
export function pool(scores, V, options) {
  const { softcap = 0, numExtraSlots = 0, valueSize, weightsStage = 'softmax' } = options;
  const row = (s, b, h, i) => {
    const numKeys = s.length - numExtraSlots;
    const at = (j) => maskIndex(options, [b, h, i, j]);
    const capped = s.map((x) => (softcap > 0 ? softcap * Math.tanh(x / softcap) : x));
    const visible = s.map(
      (_, j) => j >= numKeys || sees(options, scores[b][h].length, numKeys, [b, h, i, j]),
    );
    const masked = capped.map((x, j) =>
      visible[j] ? x + (j < numKeys ? added(options, at(j)) : 0) : -Infinity,
    );
    const uniform = options.emptyRows === 'uniform' && !visible.includes(true);
    const weights = uniform ? s.map(() => 1 / numKeys) : softmaxOfVisible(masked, visible);
    const values = V[b][Math.floor(h / (scores[b].length / V[b].length))];
    // What is masked is not read: even 0 times infinity would be NaN.
    const read = range(s.length).filter((j) => visible[j] || uniform);
    return {
      pooled: range(valueSize).map((e) =>
        read.reduce((total, j) => total + weights[j] * values[j][e], 0),
      ),
      weights: { raw: s, softcap: capped, masked, softmax: weights }[weightsStage],
    };
  };
  const rows = scores.map((heads, b) =>
    heads.map((queries, h) => queries.map((s, i) => row(s, b, h, i))),
  );
  const every = (name) =>
    rows.map((heads) => heads.map((queries) => queries.map((each) => each[name])));
  return { output: every('pooled'), weights: every('weights') };
}

/** Queries, keys with the extra slots and values with them, by head. */
export function projectHeads(layer, parameters, queries, keys, values) {
  const { numHeads, numKvHeads = numHeads, biasKv, zeroAttention } = layer;
  const withSlots = (X, bias) =>
    X.map((heads) =>
      heads.map((rows, h) => {
        const size = layer.numHiddens / numHeads;
        return [
          ...rows,
          ...(biasKv ? [[...parameters[bias].data.slice(h * size, (h + 1) * size)]] : []),
          ...(zeroAttention ? [Array(size).fill(0)] : []),
        ];
      }),
    );
  return {
    Q: split(project(parameters, 'W_q', queries), numHeads),
    K: withSlots(split(project(parameters, 'W_k', keys), numKvHeads), 'bias_k'),
    V: withSlots(split(project(parameters, 'W_v', values), numKvHeads), 'bias_v'),
  };
}

/**
 * The whole layer. `keys` and `values` begin with the `numCached` positions that a cache holds.
 * Output (batch, queries, output size), weights (batch, heads, queries, keys + slots).
 */
export function multiHeadAttention(
  layer,
  parameters,
  { queries, keys, values },
  options = {},
  numCached = 0,
) {
  const { Q, K, V } = projectHeads(layer, parameters, queries, keys, values);
  const headSize = layer.numHiddens / layer.numHeads;
  const scores =
    layer.pooling === 'additive'
      ? additiveScores(Q, K, {
          W_q: parameters['attention.W_q.weight'],
          W_k: parameters['attention.W_k.weight'],
          w_v: parameters['attention.w_v.weight'],
        })
      : dotProductScores(Q, K, layer.scale ?? 1 / Math.sqrt(headSize));
  const { output, weights } = pool(scores, V, {
    ...options,
    queryOffset: numCached,
    softcap: layer.softcap,
    numExtraSlots: Number(layer.biasKv ?? false) + Number(layer.zeroAttention ?? false),
    valueSize: headSize,
  });
  const gate = (b, h) => {
    const { data, shape } = options.headGate ?? { data: [1], shape: [] };
    return [data[0], data[h], data[b * layer.numHeads + h]][shape.length];
  };
  const concat = output.map((heads, b) =>
    queries[b].map((_, i) => heads.flatMap((rows, h) => rows[i].map((x) => gate(b, h) * x))),
  );
  return { output: project(parameters, 'W_o', concat), weights };
}

/** The function of the same name. */
export function scaledDotProductAttention(queries, keys, values, options) {
  const scale = options.scale ?? 1 / Math.sqrt(options.headSize);
  return pool(dotProductScores(queries, keys, scale), values, options);
}

/** The function of the same name: (batch, length, size). */
export function additiveAttention(queries, keys, values, parameters, options) {
  const asOneHead = (X) => X.map((rows) => [rows]);
  const scores = additiveScores(asOneHead(queries), asOneHead(keys), parameters);
  const pooled = pool(scores, asOneHead(values), { ...options, maskHasNoHeads: true });
  return { output: pooled.output.flat(1), weights: pooled.weights.flat(1) };
}

/** The function of the same name. */
export function maskedSoftmax(scores, options) {
  const rows = scores.map((sample) => [sample]);
  const noValues = scores.map((sample) => [sample[0]?.map(() => []) ?? []]);
  return pool(rows, noValues, { ...options, valueSize: 0 }).weights.flat(1);
}
