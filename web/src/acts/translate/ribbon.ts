/** Lighter ones would only be dust. */
export const leastShown = 0.04;

/** A curve between an output character at `x` and the input character above it that it attends to. */
export interface Ribbon {
  readonly x: number;
  readonly from: number;
  readonly top: number;
  readonly bottom: number;
}

export function ribbonOf({ x, from, top, bottom }: Ribbon): string {
  const middle = (top + bottom) / 2;
  return `M${x},${bottom}C${x},${middle} ${from},${middle} ${from},${top}`;
}
