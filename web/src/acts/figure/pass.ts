import { max, range } from 'd3-array';
import { MultiHeadAttention, type Tensor, transposeOutput } from 'headwise';

import { weightOf } from '../../attention/intermediates.js';
import { createSmallLayer, smallInput, smallSizes } from '../../attention/small-layer.js';
import type { FigureState, MaskName } from './state.js';
import type { Part } from './steps.js';

export const sizes = { ...smallSizes, validLen: 3 } as const;

type Rows = readonly (readonly number[])[];

/** One forward pass of the layer, with all that stands inside of it. */
export interface Pass {
  readonly heads: number;
  /** d, columns of a head. */
  readonly headSize: number;
  readonly mask: MaskName;
  /** The shape of a part for all heads, as the chapter's code has it. */
  readonly shapeOf: (part: Part) => readonly number[];
  /** The numbers of a part; of what every head has a copy of, those of `head`, counted from 0. */
  readonly rowsOf: (part: Part, head: number) => Rows;
  readonly isMasked: (query: number, key: number) => boolean;
  /** The largest magnitude among the parts that share a part's scale of colours, in all heads. */
  readonly largestOf: (part: Part) => number;
}

/** Parts on one scale, so that their colours can be compared. */
const scales: readonly (readonly Part[])[] = [
  ['X'],
  ['W_q', 'W_k', 'W_v', 'W_o'],
  ['queries', 'keys', 'values', 'q', 'k', 'v', 'pooled', 'concat'],
  ['scores', 'scaled', 'masked'],
  ['output'],
];

const captured = ['queries', 'keys', 'values', 'scores', 'pooled'] as const;

function maskOptions(mask: MaskName): { validLens?: number[]; causal?: boolean } {
  if (mask === 'length') return { validLens: [sizes.validLen] };
  return { causal: mask === 'causal' };
}

export function runPass({ heads, mask, seed }: Omit<FigureState, 'step' | 'head'>): Pass {
  const X = smallInput(seed);
  const headSize = sizes.hiddens / heads;
  const layer = createSmallLayer(heads, seed);
  const unscaled = MultiHeadAttention.fromStateDict(layer.stateDict(), {
    numHeads: heads,
    scale: 1,
  });
  try {
    const parameters = layer.stateDict();
    const result = layer.forward(X, X, X, {
      ...maskOptions(mask),
      returnWeights: true,
      capture: captured,
    });
    const scoresOf = (of: MultiHeadAttention): Tensor =>
      of.forward(X, X, X, { capture: ['scores'] }).captured.scores;
    const { queries, keys, values, scores, pooled } = result.captured;
    /** (batch, heads, length, d) → (batch · heads, length, d) */
    const folded = (tensor: Tensor): Tensor =>
      tensor.reshape([heads, tensor.shape[2] ?? 0, tensor.shape[3] ?? 0]);
    const tensors: Readonly<Record<Part, Tensor>> = {
      X,
      W_q: weightOf(parameters, 'W_q'),
      W_k: weightOf(parameters, 'W_k'),
      W_v: weightOf(parameters, 'W_v'),
      queries: transposeOutput(folded(queries), heads),
      keys: transposeOutput(folded(keys), heads),
      values: transposeOutput(folded(values), heads),
      q: folded(queries),
      k: folded(keys),
      v: folded(values),
      scores: folded(scoresOf(unscaled)),
      scaled: folded(scoresOf(layer)),
      masked: folded(scores),
      weights: folded(result.attentionWeights),
      pooled: folded(pooled),
      concat: transposeOutput(folded(pooled), heads),
      W_o: weightOf(parameters, 'W_o'),
      output: result.output,
    };
    const largest = new Map(
      scales.flatMap((parts) => {
        const shared = max(parts, (part) =>
          max(tensors[part].data, (value) => (Number.isFinite(value) ? Math.abs(value) : 0)),
        );
        return parts.map((part): [Part, number] => [part, shared ?? 0]);
      }),
    );
    return {
      heads,
      headSize,
      mask,
      shapeOf: (part) => tensors[part].shape,
      rowsOf: (part, head) => matrix(tensors[part], head),
      isMasked: (query, key) =>
        mask === 'length' ? key >= sizes.validLen : mask === 'causal' && key > query,
      largestOf: (part) => largest.get(part) ?? 1,
    };
  } finally {
    layer.dispose();
    unscaled.dispose();
  }
}

/** The last two axes of a tensor: of the only sample, or of a head where there is one for each. */
function matrix({ data, shape }: Tensor, head: number): number[][] {
  const [rows = 0, columns = 0] = shape.slice(-2);
  const outer = shape.length === 3 && shape[0] !== 1 ? head : 0;
  return range(rows).map((row) => {
    const start = (outer * rows + row) * columns;
    return Array.from(data.subarray(start, start + columns));
  });
}
