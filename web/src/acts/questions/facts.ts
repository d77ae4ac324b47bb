import { max, range } from 'd3-array';
import { MultiHeadAttention, type Projection, Tensor } from 'headwise';

import { chapterSizes, numHiddens } from '../../attention/input.js';
import { weightOf } from '../../attention/intermediates.js';
import { createSmallLayer, smallInput, smallSizes } from '../../attention/small-layer.js';

const heads = 3;

/** Of the small layer with its first seed, as the figure has it. */
const shown = { seed: 1, head: 1, query: 0 } as const;

/** What the queries of a layer differ by from those of a layer for each head. */
export function projectionDifference(): { readonly heads: number; readonly difference: number } {
  const { hiddens, length } = smallSizes;
  const size = hiddens / heads;
  const X = smallInput(shown.seed);
  const layer = createSmallLayer(heads, shown.seed);
  try {
    const parameters = layer.stateDict();
    const { queries } = layer.forward(X, X, X, { capture: ['queries'] }).captured;
    const differences = range(heads).map((head) => {
      const names = ['W_q.weight', 'W_k.weight', 'W_v.weight'];
      const blocks = Object.fromEntries(
        names.map((name) => [name, rowsOf(parameters[name], head * size, size)]),
      );
      const small = new MultiHeadAttention({
        ...{ numHiddens: size, numHeads: 1, outputProjection: false },
      });
      try {
        small.loadStateDict(blocks);
        const own = small.forward(X, X, X, { capture: ['queries'] }).captured.queries;
        return max(range(length * size), (at) =>
          Math.abs((own.data[at] ?? NaN) - (queries.data[head * length * size + at] ?? NaN)),
        );
      } finally {
        small.dispose();
      }
    });
    return { heads, difference: max(differences, (value) => value ?? NaN) ?? NaN };
  } finally {
    layer.dispose();
  }
}

/** Some rows of a matrix. */
function rowsOf({ data, shape: [, columns = 0] }: Tensor, from: number, rows: number): Tensor {
  return new Tensor(data.slice(from * columns, (from + rows) * columns), [rows, columns]);
}

/** The chapter's layer with all its sizes. */
function createChapterLayer(numHeads: number, projection: Projection): MultiHeadAttention {
  return new MultiHeadAttention({
    ...{ numHiddens, numHeads, projection, seed: 1 },
    ...{ querySize: numHiddens, keySize: numHiddens, valueSize: numHiddens },
  });
}

/** How many parameters W_q, W_k and W_v have together. */
export function countProjections(projection: Projection): number {
  const layer = createChapterLayer(5, projection);
  try {
    return countIn(layer, /^W_[qkv]\./);
  } finally {
    layer.dispose();
  }
}

/** What a layer of so many heads has: parameters, and for a query weights (heads, keys). */
export function layerCounts(numHeads: number): {
  readonly parameters: number;
  readonly weights: readonly [heads: number, keys: number];
} {
  const layer = createChapterLayer(numHeads, 'linear');
  const { keys } = chapterSizes;
  try {
    const X = Tensor.ones([1, keys, numHiddens]);
    const { attentionWeights } = layer.forward(X, X, X, { returnWeights: true });
    const [, weightHeads = 0, , weightKeys = 0] = attentionWeights.shape;
    return { parameters: countIn(layer, /./), weights: [weightHeads, weightKeys] };
  } finally {
    layer.dispose();
  }
}

function countIn(layer: MultiHeadAttention, names: RegExp): number {
  return Object.entries(layer.stateDict())
    .filter(([name]) => names.test(name))
    .reduce((sum, [, { data }]) => sum + data.length, 0);
}

/** What a key contributes to the output for a query through one head. */
export interface Contribution {
  readonly weight: number;
  /** ‖v W_o‖, with the columns of W_o that belong to the head. */
  readonly norm: number;
  readonly product: number;
}

/** For one query of one head, both counted from 1, its keys. */
export function contributions(): {
  readonly head: number;
  readonly query: number;
  readonly keys: readonly Contribution[];
} {
  const { hiddens, length } = smallSizes;
  const { head, query, seed } = shown;
  const size = hiddens / heads;
  const X = smallInput(seed);
  const layer = createSmallLayer(heads, seed);
  try {
    const { attentionWeights, captured } = layer.forward(X, X, X, {
      returnWeights: true,
      capture: ['values'],
    });
    const W_o = weightOf(layer.stateDict(), 'W_o');
    const keys = range(length).map((key) => {
      const projected = range(hiddens).map((row) =>
        range(size).reduce(
          (sum, at) => sum + W_o.at(row, head * size + at) * captured.values.at(0, head, key, at),
          0,
        ),
      );
      const weight = attentionWeights.at(0, head, query, key);
      const norm = Math.hypot(...projected);
      return { weight, norm, product: weight * norm };
    });
    return { head: head + 1, query: query + 1, keys };
  } finally {
    layer.dispose();
  }
}
