import { differenceColours, fixedColours, type MapColours } from '../../attention/colour.js';
import type { Pass } from './pass.js';
import type { Part } from './steps.js';

/** Weights on the scale of every map, other numbers from violet to orange. */
export const coloursOf = (pass: Pass, part: Part): MapColours =>
  part === 'weights' ? fixedColours : differenceColours(pass.largestOf(part));

/** Masked scores and weights, which are hatched. */
export const isMaskedCell = (pass: Pass, part: Part, row: number, column: number): boolean =>
  (part === 'masked' || part === 'weights') && pass.isMasked(row, column);

/** The head that a row of W_q, W_k or W_v belongs to, or a column of what holds all heads. */
export function bandOf(pass: Pass, part: Part, row: number, column: number): number | undefined {
  switch (part) {
    case 'W_q':
    case 'W_k':
    case 'W_v':
      return Math.floor(row / pass.headSize);
    case 'queries':
    case 'keys':
    case 'values':
    case 'concat':
    case 'W_o':
      return Math.floor(column / pass.headSize);
    default:
      return undefined;
  }
}
