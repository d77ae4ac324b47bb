import { format } from 'd3-format';

/** Four decimals: enough to tell 1/3 from 0.33, and as many as float32 is trusted for here. */
export const formatWeight = format('.4f');

const twoDecimals = format('.2f');

/** What fits into a cell: `.33`, and `1` where rounding leaves nothing else. */
export function formatCell(weight: number): string {
  const rounded = twoDecimals(weight);
  return rounded === '1.00' ? '1' : rounded.replace(/^0/, '');
}

/** A shape as the chapter writes it: (2, 4, 100). */
export function formatShape(shape: readonly number[]): string {
  return `(${shape.join(', ')})`;
}

/** `1/3` for a weight that is a whole part of one, else its decimals. */
export function formatFraction(weight: number): string {
  const parts = Math.round(1 / weight);
  const isWholePart = Number.isFinite(parts) && Math.abs(weight * parts - 1) < 1e-6;
  if (!isWholePart) return formatWeight(weight);
  return parts === 1 ? '1' : `1/${parts}`;
}

/** A share of one, in whole parts of a hundred. */
export const formatShare = format('.0%');

/** A loss: two digits that say something, however small it is. */
export const formatLoss = format('.2~g');

/** Two digits: what else the machine does changes the third. */
export const formatMilliseconds = format('.2r');
