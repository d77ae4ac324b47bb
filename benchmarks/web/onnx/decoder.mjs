// The language model as two ONNX graphs, as exporters make them: one reads the prompt, one a token
// and the keys and values of those before it. Both give the logits of the last position and all keys
// and values. `plain` is of plain operators, which the runtime fuses where it can; `fused` is of
// Microsoft's operators for such models, as its own model builder has it.
import { columns, epsilon, rotation, wholeRotation } from '../language-model.mjs';
import { GraphBuilder } from './builder.mjs';

const integers = (...values) => BigInt64Array.from(values, BigInt);
const microsoft = { domain: 'com.microsoft' };

/** What both kinds of graphs are made of. `length` is that of the call, any if it is undefined. */
export class DecoderGraph extends GraphBuilder {
  constructor(problem, length) {
    super();
    this.problem = problem;
    this.length = length;
    this.tokens = this.input('tokens', [1, length], 'int64');
  }

  weight(name) {
    const { data, shape } = this.problem.weights[`${name}.weight`];
    return this.constant(`${name}.weight`, shape, data);
  }

  linear(input, output, ...names) {
    const { data, shape } = columns(this.problem, ...names.map((name) => `${name}.weight`));
    const weight = this.constant(`${names.join('_')}.transposed`, shape, data);
    return this.node('MatMul', [input, weight], {}, { output });
  }

  embed() {
    return this.node('Gather', [this.weight('embedding'), this.tokens]);
  }

  past(name) {
    const { numHiddens, numHeads } = this.problem;
    return this.input(name, [1, numHeads, undefined, numHiddens / numHeads]);
  }

  /** The last row of (1, length, D). */
  last(rows) {
    if (this.length === 1) return rows;
    const index = this.constant('last_index', [1], integers(-1));
    return this.node('Gather', [rows, index], { axis: 1 });
  }

  complete(options) {
    const { numLayers, numHeads, numHiddens, vocabularySize } = this.problem;
    const outputs = { logits: [1, 1, vocabularySize] };
    for (let i = 0; i < numLayers; i++) {
      for (const name of ['keys', 'values']) {
        outputs[`${name}.${i}`] = [1, numHeads, undefined, numHiddens / numHeads];
      }
    }
    return this.finish(outputs, options);
  }
}

function plainGraph(problem, length) {
  const { numLayers, numHeads, numHiddens: D, maxLength } = problem;
  const graph = new DecoderGraph(problem, length);
  const size = D / numHeads;
  const isPrefill = length > 1;
  const headShape = graph.constant('head_shape', [4], integers(1, length, numHeads, size));
  const joinedShape = graph.constant('joined_shape', [3], integers(1, length, D));
  const one = graph.constant('one', [], Float32Array.of(1));
  const two = graph.constant('two', [], Float32Array.of(2));
  const small = graph.constant('epsilon', [], Float32Array.of(epsilon));
  const lastAxis = graph.constant('last_axis', [1], integers(-1));
  const scale = graph.constant('scale', [], Float32Array.of(1 / Math.sqrt(size)));

  const norm = (x, name) => {
    const mean = graph.node('ReduceMean', [graph.node('Pow', [x, two]), lastAxis]);
    const inverse = graph.node('Div', [
      one,
      graph.node('Sqrt', [graph.node('Add', [mean, small])]),
    ]);
    return graph.node('Mul', [graph.node('Mul', [x, inverse]), graph.weight(name)]);
  };
  const heads = (x, name) => {
    const projected = graph.linear(x, undefined, name);
    return graph.node('Transpose', [graph.node('Reshape', [projected, headShape])], {
      perm: [0, 2, 1, 3],
    });
  };

  const table = wholeRotation(problem, isPrefill ? length : maxLength);
  const rows = table.cos.length / size;
  const position = isPrefill ? undefined : graph.input('position', [1], 'int64');
  const [cos, sin] = ['cos', 'sin'].map((name) => {
    const all = graph.constant(name, [rows, size], table[name]);
    return isPrefill ? all : graph.node('Gather', [all, position]);
  });
  const rotate = (x) => {
    const name = `halves_of_${x}`;
    const outputs = [`${name}_0`, `${name}_1`];
    const halves = graph.nodes('Split', [x], { axis: -1, num_outputs: 2 }, { outputs });
    const swapped = graph.node('Concat', halves.toReversed(), { axis: -1 });
    return graph.node('Add', [graph.node('Mul', [x, cos]), graph.node('Mul', [swapped, sin])]);
  };
  const hidden = Float32Array.from({ length: length ** 2 }, (_, i) =>
    i % length > Math.floor(i / length) ? -1e30 : 0,
  );
  const mask = isPrefill && graph.constant('mask', [1, 1, length, length], hidden);
  const append = (x, name) =>
    isPrefill
      ? graph.node('Identity', [x], {}, { output: name })
      : graph.node('Concat', [graph.past(`past_${name}`), x], { axis: 2 }, { output: name });

  let x = graph.embed();
  for (let i = 0; i < numLayers; i++) {
    const of = (name) => `layers.${i}.${name}`;
    const normed = norm(x, of('norm'));
    const q = rotate(heads(normed, of('attention.W_q')));
    const k = append(rotate(heads(normed, of('attention.W_k'))), `keys.${i}`);
    const v = append(heads(normed, of('attention.W_v')), `values.${i}`);
    const transposed = graph.node('Transpose', [k], { perm: [0, 1, 3, 2] });
    let scores = graph.node('Mul', [graph.node('MatMul', [q, transposed]), scale]);
    if (mask) scores = graph.node('Add', [scores, mask]);
    const weights = graph.node('Softmax', [scores], { axis: -1 });
    const pooled = graph.node('Transpose', [graph.node('MatMul', [weights, v])], {
      perm: [0, 2, 1, 3],
    });
    const joined = graph.node('Reshape', [pooled, joinedShape]);
    x = graph.node('Add', [x, graph.linear(joined, undefined, of('attention.W_o'))]);
    const y = norm(x, of('ffn_norm'));
    const gate = graph.linear(y, undefined, of('ffn.gate'));
    const activated = graph.node('Mul', [gate, graph.node('Sigmoid', [gate])]);
    const gated = graph.node('Mul', [activated, graph.linear(y, undefined, of('ffn.dense1'))]);
    x = graph.node('Add', [x, graph.linear(gated, undefined, of('ffn.dense2'))]);
  }
  graph.linear(norm(graph.last(x), 'norm'), 'logits', 'embedding');
  return graph.complete({ opset: 18 });
}

const fusedGraph = (problem, length) => fused(problem, new DecoderGraph(problem, length));

/** Completes a graph whose class says how to embed and to multiply by weights. */
export function fused(problem, graph) {
  const { numLayers, numHeads, maxLength } = problem;
  const { half, cos, sin } = rotation(problem, maxLength);
  const cosines = graph.constant('cos', [maxLength, half], cos);
  const sines = graph.constant('sin', [maxLength, half], sin);
  const before = graph.input('before', [1], 'int32');
  const total = graph.input('total', [1], 'int32');
  const normAttributes = { epsilon };

  /** The sum of the residual stream and what a layer adds, and its norm. */
  const addAndNorm = (x, added, name) => {
    const outputs = [`${name}.normed`, '', '', `${name}.sum`];
    const given = [x, added, graph.weight(name)];
    const [normed, , , sum] = graph.nodes(
      'SkipSimplifiedLayerNormalization',
      given,
      normAttributes,
      {
        ...microsoft,
        outputs,
      },
    );
    return [normed, sum];
  };

  let x = graph.embed();
  let normed = graph.node('SimplifiedLayerNormalization', [x, graph.weight('layers.0.norm')], {
    axis: -1,
    ...normAttributes,
  });
  for (let i = 0; i < numLayers; i++) {
    const of = (name) => `layers.${i}.${name}`;
    const packed = graph.linear(
      normed,
      undefined,
      ...['W_q', 'W_k', 'W_v'].map((name) => of(`attention.${name}`)),
    );
    const past = ['keys', 'values'].map((name) => graph.past(`past_${name}.${i}`));
    const [pooled] = graph.nodes(
      'GroupQueryAttention',
      [packed, '', '', ...past, before, total, cosines, sines],
      { num_heads: numHeads, kv_num_heads: numHeads, do_rotary: 1 },
      { ...microsoft, outputs: [`pooled.${i}`, `keys.${i}`, `values.${i}`] },
    );
    const attended = graph.linear(pooled, undefined, of('attention.W_o'));
    const [y, sum] = addAndNorm(x, attended, of('ffn_norm'));
    const gate = graph.linear(y, undefined, of('ffn.gate'));
    const activated = graph.node('QuickGelu', [gate], { alpha: { float: 1 } }, microsoft);
    const gated = graph.node('Mul', [activated, graph.linear(y, undefined, of('ffn.dense1'))]);
    const down = graph.linear(gated, undefined, of('ffn.dense2'));
    const next = i + 1 < numLayers ? `layers.${i + 1}.norm` : 'norm';
    [normed, x] = addAndNorm(sum, down, next);
  }
  graph.linear(graph.last(normed), 'logits', 'embedding');
  return graph.complete({ opset: 18, microsoft: true });
}

const graphs = { plain: plainGraph, fused: fusedGraph };

/** The bytes of both models; undefined where there are none of this kind. */
export function decoderGraphs(kind, problem) {
  const make = graphs[kind];
  return make && { prefill: make(problem, problem.promptLength), decode: make(problem, 1) };
}
