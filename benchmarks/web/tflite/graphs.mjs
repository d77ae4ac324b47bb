// The layer as a TensorFlow Lite model, with weights, cached keys and values, and the scale (in W_q)
// as constants.
import { projectedCache } from '../problem.mjs';
import { ModelBuilder } from './builder.mjs';

const swapped = Int32Array.of(0, 2, 1, 3);

function attentionModel(problem) {
  const { kind, batch, queries, keys, numHiddens: D, numHeads, validLens, weights } = problem;
  const size = D / numHeads;
  const graph = new ModelBuilder();
  const permutation = graph.constant('permutation', [4], swapped);
  const swap = (input, shape) => graph.node('TRANSPOSE', [input, permutation], shape);
  const reshape = (input, shape) =>
    graph.node(
      'RESHAPE',
      [input, graph.constant('shape', [shape.length], Int32Array.from(shape))],
      shape,
    );
  const linear = (input, name, length, scale = 1) => {
    const weight = weights[name].map((value) => value * scale);
    const constant = graph.constant(name, [D, D], weight);
    return graph.node('FULLY_CONNECTED', [input, constant, -1], [batch * length, D]);
  };
  const heads = (input, name, length, scale) =>
    swap(reshape(linear(input, name, length, scale), [batch, length, numHeads, size]), [
      batch,
      numHeads,
      length,
      size,
    ]);
  const cached = (name) =>
    graph.constant(name, [1, numHeads, keys, size], projectedCache(problem, name, false));

  const x = graph.input('queries', [batch * queries, D]);
  const y = kind === 'cross' ? graph.input('keys', [batch * keys, D]) : x;
  const q = heads(x, 'W_q', queries, 1 / Math.sqrt(size));
  const k = kind === 'cached' ? cached('W_k') : heads(y, 'W_k', keys);
  const v = kind === 'cached' ? cached('W_v') : heads(y, 'W_v', keys);
  const scoresShape = [batch, numHeads, queries, keys];
  let scores = graph.node('BATCH_MATMUL_TRANSPOSED', [q, k], scoresShape);
  if (validLens) {
    scores = graph.node('ADD', [scores, graph.input('mask', [batch, 1, 1, keys])], scoresShape);
  }
  const attention = graph.node('SOFTMAX', [scores], scoresShape);
  const pooled = graph.node('BATCH_MATMUL', [attention, v], [batch, numHeads, queries, size]);
  const joined = reshape(swap(pooled, [batch, queries, numHeads, size]), [batch * queries, D]);
  return graph.finish(linear(joined, 'W_o', queries));
}

function softmaxModel({ batch, queries, keys }) {
  const graph = new ModelBuilder();
  const shape = [batch, queries, keys];
  const inputs = [graph.input('scores', shape), graph.input('mask', [batch, 1, keys])];
  return graph.finish(graph.node('SOFTMAX', [graph.node('ADD', inputs, shape)], shape));
}

/** The model's bytes. */
export const tfliteModel = (problem) =>
  problem.kind === 'softmax' ? softmaxModel(problem) : attentionModel(problem);
