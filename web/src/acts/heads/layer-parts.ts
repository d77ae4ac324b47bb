import { range } from 'd3-array';
import type { Tensor } from 'headwise';

import type { AttentionView } from '../../attention/attention-view.js';
import { weightOf } from '../../attention/intermediates.js';
import type { LayerPart } from './state.js';

/** The numbers of a part, for one sample and head. */
export interface PartNumbers {
  /** Of the whole tensor, for all samples and heads. */
  readonly shape: readonly number[];
  /** A matrix of them. */
  readonly rows: readonly (readonly number[])[];
}

/** What belongs to the selected head alone. */
export const isOfHead = (part: LayerPart): boolean =>
  !['queries', 'keys', 'values', 'concat', 'output'].includes(part);

/** Shapes of all parts, as the layer has them. */
export function shapeOf(view: AttentionView, part: LayerPart): readonly number[] {
  const { input, projected, parameters, weights, pooled, output, numHeads, headSize } = view;
  const [batch = 0, , queries = 0] = pooled.shape;
  switch (part) {
    case 'queries':
    case 'keys':
    case 'values':
      return input[part].shape;
    case 'W_q':
    case 'W_k':
    case 'W_v':
    case 'W_o':
      return weightOf(parameters, part).shape;
    case 'q':
      return projected.queries.shape;
    case 'k':
      return projected.keys.shape;
    case 'v':
      return projected.values.shape;
    case 'weights':
      return weights.shape;
    case 'pooled':
      return pooled.shape;
    case 'concat':
      return [batch, queries, numHeads * headSize];
    case 'output':
      return output.shape;
  }
}

/**
 * The numbers of a part for one sample and head.
 *
 * @param gates one a head: the concatenation comes after them
 * @param gated the output with these gates
 */
export function numbersOf(
  view: AttentionView,
  part: LayerPart,
  { sample, head }: { readonly sample: number; readonly head: number },
  gates: readonly number[],
  gated: Tensor,
): PartNumbers {
  const { projected, weights, pooled, parameters, input, numHeads, headSize } = view;
  const shape = shapeOf(view, part);
  const ofSample = (tensor: Tensor): number[][] => matrix(tensor, [sample]);
  const ofHead = (tensor: Tensor): number[][] => matrix(tensor, [sample, head]);
  const headRows = range(head * headSize, (head + 1) * headSize);
  const rows = (): readonly (readonly number[])[] => {
    switch (part) {
      case 'queries':
      case 'keys':
      case 'values':
        return ofSample(input[part]);
      case 'W_q':
      case 'W_k':
      case 'W_v':
        return matrix(weightOf(parameters, part)).slice(headRows[0], (headRows.at(-1) ?? 0) + 1);
      case 'W_o':
        return matrix(weightOf(parameters, part)).map((row) =>
          headRows.map((unit) => row[unit] ?? NaN),
        );
      case 'q':
        return ofHead(projected.queries);
      case 'k':
        return ofHead(projected.keys);
      case 'v':
        return ofHead(projected.values);
      case 'weights':
        return ofHead(weights);
      case 'pooled':
        return ofHead(pooled);
      case 'concat': {
        const heads = range(numHeads).map((each) =>
          matrix(pooled, [sample, each]).map((row) =>
            row.map((value) => (gates[each] ?? 1) * value),
          ),
        );
        return (heads[0] ?? []).map((_row, query) => heads.flatMap((each) => each[query] ?? []));
      }
      case 'output':
        return ofSample(gated);
    }
  };
  return { shape, rows: rows() };
}

/** The last two axes of a tensor, at an index of those before. */
function matrix({ data, shape }: Tensor, index: readonly number[] = []): number[][] {
  const [rows = 0, columns = 0] = shape.slice(-2);
  const outer = index.reduce((flat, at, axis) => flat * (shape[axis] ?? 1) + at, 0);
  return range(rows).map((row) => {
    const start = (outer * rows + row) * columns;
    return Array.from(data.subarray(start, start + columns));
  });
}
