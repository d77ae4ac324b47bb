// headwise, as built in dist/. A call copies the inputs in and writes the result to an array that is
// used again, or with `fresh` to a new one.
import { init, maskedSoftmax, MultiHeadAttention } from '../../../dist/index.js';

export async function load({ threads, variant = 'auto', fresh = false }) {
  const chosen = await init({ variant, threads });
  return {
    about: chosen,
    prepare: (problem) =>
      problem.kind === 'softmax' ? softmax(problem, fresh) : layer(problem, fresh),
  };
}

function softmax({ batch, queries, keys, validLens, data }, fresh) {
  const scores = { data: data.scores, shape: [batch, queries, keys] };
  const options = fresh ? {} : { out: new Float32Array(data.scores.length) };
  return () => maskedSoftmax(scores, validLens, options).data;
}

function layer(problem, fresh) {
  const { kind, batch, queries, keys, numHiddens, numHeads, validLens, data, weights } = problem;
  const square = [numHiddens, numHiddens];
  const dict = {};
  for (const [name, weight] of Object.entries(weights)) {
    dict[`${name}.weight`] = { data: weight, shape: square };
  }
  const attention = MultiHeadAttention.fromStateDict(dict, { numHeads });
  const x = { data: data.queries, shape: [batch, queries, numHiddens] };
  const y = kind === 'self' ? x : { data: data.keys, shape: [batch, keys, numHiddens] };
  const options = {
    ...(validLens && { validLens }),
    ...(!fresh && { out: { output: new Float32Array(data.queries.length) } }),
  };
  if (kind !== 'cached') return () => attention.forward(x, y, y, options).output.data;

  // The query attends to what the cache holds and adds nothing to it: two projections and the
  // pooling are timed, as in the peers, whose projected keys and values are constants.
  const cache = attention.createCache({ batchSize: batch, maxLength: keys });
  const last = { data: data.keys.subarray(0, batch * numHiddens), shape: [batch, 1, numHiddens] };
  attention.forward(last, y, y, { cache });
  return () => attention.forward(x, null, null, { cache, ...options }).output.data;
}
