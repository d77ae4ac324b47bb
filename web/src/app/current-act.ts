/** Where the reader's eyes are taken to be, from the top of the window. */
const lineOfSight = 0.4;

/**
 * The act that is read: the last one that begins above the line of sight; at the end of the page
 * the last one that is in the window at all, which may be too short to come up to that line.
 *
 * @param tops of the acts, from the top of the window; of one that is not shown, Infinity
 * @param height of the window
 * @param below how much of the page there is below the window
 * @returns the number of the act, -1 above the first one
 */
export function currentAct(tops: readonly number[], height: number, below: number): number {
  const line = below <= 1 ? height : lineOfSight * height;
  return tops.reduce((last, top, number) => (top <= line ? number : last), -1);
}
