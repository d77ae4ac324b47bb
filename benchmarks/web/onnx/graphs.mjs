// The layer as ONNX graphs: of plain operators, with Microsoft's fused operator, and with ONNX's own
// Attention. Weights, and the cached keys and values, are constants of the graph, which the runtime
// may lay out once as it likes.
import { projectedCache, transposed } from '../problem.mjs';
import { GraphBuilder } from './builder.mjs';
import { decoderGraphs } from './decoder.mjs';

const integers = (...values) => BigInt64Array.from(values, BigInt);

function linear(graph, problem, input, name, output) {
  const { numHiddens: D, weights } = problem;
  const weight = graph.constant(name, [D, D], transposed(weights[name], D));
  return graph.node('MatMul', [input, weight], {}, { output });
}

function inputs(graph, { kind, batch, queries, keys, numHiddens }) {
  const x = graph.input('queries', [batch, queries, numHiddens]);
  return [x, kind === 'cross' ? graph.input('keys', [batch, keys, numHiddens]) : x];
}

/** Projected keys or values as constants, with the batch's axis. */
function cached(graph, problem, name, keysLast) {
  const { keys, numHiddens, numHeads } = problem;
  const size = numHiddens / numHeads;
  const dims = keysLast ? [1, numHeads, size, keys] : [1, numHeads, keys, size];
  return graph.constant(`cached_${name}`, dims, projectedCache(problem, name, keysLast));
}

const outputDims = ({ batch, queries, numHiddens }) => [batch, queries, numHiddens];

function plainGraph(problem) {
  const { kind, batch, keys, numHiddens, numHeads, validLens } = problem;
  const graph = new GraphBuilder();
  const size = numHiddens / numHeads;
  const headShape = graph.constant('head_shape', [4], integers(0, 0, numHeads, size));
  const heads = (input, name, perm) => {
    const projected = linear(graph, problem, input, name);
    return graph.node('Transpose', [graph.node('Reshape', [projected, headShape])], { perm });
  };
  const [x, y] = inputs(graph, problem);
  const q = heads(x, 'W_q', [0, 2, 1, 3]);
  const isCached = kind === 'cached';
  const k = isCached ? cached(graph, problem, 'W_k', true) : heads(y, 'W_k', [0, 2, 3, 1]);
  const v = isCached ? cached(graph, problem, 'W_v', false) : heads(y, 'W_v', [0, 2, 1, 3]);
  const scale = graph.constant('scale', [], Float32Array.of(1 / Math.sqrt(size)));
  let scores = graph.node('Mul', [graph.node('MatMul', [q, k]), scale]);
  if (validLens) scores = graph.node('Add', [scores, graph.input('mask', [batch, 1, 1, keys])]);
  const attention = graph.node('Softmax', [scores], { axis: -1 });
  const pooled = graph.node('Transpose', [graph.node('MatMul', [attention, v])], {
    perm: [0, 2, 1, 3],
  });
  const joined = graph.constant('joined_shape', [3], integers(0, 0, numHiddens));
  linear(graph, problem, graph.node('Reshape', [pooled, joined]), 'W_o', 'output');
  return graph.finish(outputDims(problem), { opset: 17 });
}

function fusedGraph(problem) {
  const { kind, batch, numHeads, validLens } = problem;
  const graph = new GraphBuilder();
  const [x, y] = inputs(graph, problem);
  const isCached = kind === 'cached';
  const keyOrValue = (name) =>
    isCached ? cached(graph, problem, name, false) : linear(graph, problem, y, name);
  const given = [linear(graph, problem, x, 'W_q'), keyOrValue('W_k'), keyOrValue('W_v')];
  if (validLens) given.push('', graph.input('valid_lens', [batch], 'int32'));
  const domain = 'com.microsoft';
  const pooled = graph.node('MultiHeadAttention', given, { num_heads: numHeads }, { domain });
  linear(graph, problem, pooled, 'W_o', 'output');
  return graph.finish(outputDims(problem), { opset: 17, microsoft: true });
}

function standardGraph(problem) {
  const { kind, batch, queries, keys, numHiddens, numHeads, validLens } = problem;
  const graph = new GraphBuilder();
  const [x, y] = inputs(graph, problem);
  const isCached = kind === 'cached';
  let q = linear(graph, problem, x, 'W_q');
  if (isCached) {
    // With keys of four axes, queries have four as well; with one query that is a view.
    const size = numHiddens / numHeads;
    const shape = graph.constant('head_shape', [4], integers(1, numHeads, 1, size));
    q = graph.node('Reshape', [q, shape]);
  }
  const keyOrValue = (name) =>
    isCached ? cached(graph, problem, name, false) : linear(graph, problem, y, name);
  const given = [q, keyOrValue('W_k'), keyOrValue('W_v')];
  if (validLens) given.push(graph.input('full_mask', [batch, 1, queries, keys]));
  const heads = isCached ? {} : { q_num_heads: numHeads, kv_num_heads: numHeads };
  let pooled = graph.node('Attention', given, heads);
  if (isCached) {
    const joined = graph.constant('joined_shape', [3], integers(1, 1, numHiddens));
    pooled = graph.node('Reshape', [pooled, joined]);
  }
  linear(graph, problem, pooled, 'W_o', 'output');
  return graph.finish(outputDims(problem), { opset: 23 });
}

function softmaxGraph({ batch, queries, keys }) {
  const graph = new GraphBuilder();
  const scores = graph.input('scores', [batch, queries, keys]);
  const masked = graph.node('Add', [scores, graph.input('mask', [batch, 1, keys])]);
  graph.node('Softmax', [masked], { axis: -1 }, { output: 'output' });
  return graph.finish([batch, queries, keys], { opset: 17 });
}

const attentionGraphs = { plain: plainGraph, fused: fusedGraph, standard: standardGraph };

/** The models' bytes by name; undefined where this graph has nothing to say about the problem. */
export function onnxModels(graph, problem) {
  if (problem.kind === 'generation') return decoderGraphs(graph, problem);
  const layer = onnxModel(graph, problem);
  return layer && { layer };
}

function onnxModel(graph, problem) {
  if (problem.kind === 'softmax') return graph === 'plain' ? softmaxGraph(problem) : undefined;
  return attentionGraphs[graph](problem);
}
