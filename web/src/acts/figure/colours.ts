import { type MapColours, signedColours, weightColours } from '../../attention/colour.js';
import type { Pass } from './pass.js';
import type { Part } from './steps.js';

/** Weights on the scale of every map, other numbers from violet to green. */
export const coloursOf = (pass: Pass, part: Part, head: number): MapColours =>
  part === 'weights' ? weightColours(head) : signedColours(pass.largestOf(part));

/** Masked scores and weights, which are hatched. */
export const isMaskedCell = (pass: Pass, part: Part, row: number, column: number): boolean =>
  (part === 'masked' || part === 'weights') && pass.isMasked(row, column);

/** Whether bars of heads stand above a part. */
export const hasColumnBands = (part: Part): boolean =>
  ['queries', 'keys', 'values', 'concat', 'W_o'].includes(part);

/** The head that a row of W_q, W_k or W_v belongs to, or a column of what holds all heads. */
export function bandOf(pass: Pass, part: Part, row: number, column: number): number | undefined {
  if (hasColumnBands(part)) return Math.floor(column / pass.headSize);
  return part.startsWith('W_') ? Math.floor(row / pass.headSize) : undefined;
}
