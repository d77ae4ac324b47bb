import {
  currentTheme,
  type MapColours,
  rampOfHead,
  rampOfSign,
  signedColours,
  stepOf,
  weightColours,
} from '../../attention/colour.js';
import type { Pass } from './pass.js';
import type { Part } from './steps.js';

/** Weights in their head's hue; other numbers on the scale of signed numbers. */
export const coloursOf = (pass: Pass, part: Part, head: number): MapColours =>
  part === 'weights' ? weightColours(head) : signedColours(pass.largestOf(part, head));

export const isMaskedCell = (pass: Pass, part: Part, row: number, column: number): boolean =>
  (part === 'masked' || part === 'weights') && pass.isMasked(row, column);

/** Draws a part, a pixel for each number. Masked cells stay transparent: a hatch shows behind them. */
export function paint(canvas: HTMLCanvasElement, pass: Pass, part: Part, head: number): void {
  const { rows, columns, data } = pass.matrixOf(part, head);
  canvas.width = columns;
  // More numbers than pixels in the figure: means of them rather than some of them.
  canvas.toggleAttribute('data-wide', columns > 64);
  canvas.height = rows;
  const theme = currentTheme();
  const largest = part === 'weights' ? 1 : pass.largestOf(part, head) || 1;
  const positive = (part === 'weights' ? rampOfHead(head) : rampOfSign(1)).bytes[theme];
  const negative = rampOfSign(-1).bytes[theme];
  const image = new ImageData(columns, rows);
  data.forEach((value, at) => {
    if (isMaskedCell(pass, part, Math.floor(at / columns), at % columns)) return;
    const from = 3 * stepOf(Math.abs(value) / largest);
    image.data.set((value < 0 ? negative : positive).subarray(from, from + 3), 4 * at);
    image.data[4 * at + 3] = 255;
  });
  canvas.getContext('2d')?.putImageData(image, 0, 0);
}
