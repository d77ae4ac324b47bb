import { format } from 'd3-format';

/** Four decimals: enough to tell 1/3 from 0.33, and as many as float32 is trusted for here. */
export const formatWeight = format('.4f');

/** Two decimals, where there is little room. */
export const formatShort = format('.2f');

/** Two decimals, and no zero before them: `−.37`. */
export const formatTight = (value: number): string => formatShort(value).replace(/(?<!\d)0\./, '.');

/** What fits into a cell: `.33`, and `1` where rounding leaves nothing else. */
export function formatCell(weight: number): string {
  const rounded = formatShort(weight);
  return rounded === '1.00' ? '1' : rounded.replace(/^0/, '');
}

/** A shape as the chapter writes it: (2, 4, 100). */
export function formatShape(shape: readonly number[]): string {
  return `(${shape.join(', ')})`;
}

/** A difference or a number of any sign, with a true minus. */
export const formatSigned = format('+.2f');

/** A number among others in a formula or a table. */
export function formatNumber(value: number): string {
  if (value === -Infinity) return '−∞';
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.001 || size >= 100_000)) return exponent(value);
  return Number.isInteger(value) ? whole(value) : formatWeight(value);
}

/** A setting: as short as it is exact. */
export const formatSetting = format('.4~f');

const whole = format('d');
const exponent = format('.2~e');

/** `12 %` */
export const formatShare = (share: number): string => `${format('.1~f')(100 * share)}\u00a0%`;

/** `12 %`, where a tenth of a percent says nothing. */
export const formatPercent = (share: number): string => `${format('.0f')(100 * share)}\u00a0%`;

/** A loss: two digits that say something, however small it is. */
export const formatLoss = format('.2~g');

/** `1.9 MB`; powers of ten, as files are told. */
export const formatBytes = (bytes: number): string => `${format('.2~r')(bytes / 1e6)}\u00a0MB`;
