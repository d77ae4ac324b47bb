import { median, sort } from 'd3-array';

/** Two ways to do one thing, timed in turn: what else the machine does slows both alike. */
export interface Timing {
  readonly pairs: number;
  /** Of one forward. */
  readonly tokens: number;
  /** Medians, milliseconds for one forward. */
  readonly whole: number;
  readonly pruned: number;
  /** Pruned ÷ whole within each pair: the median, and between which numbers it lies with a probability of 95 %. */
  readonly ratio: number;
  readonly lower: number;
  readonly upper: number;
}

export interface TimingOptions {
  readonly onProgress: (done: number, total: number) => void;
  readonly signal: AbortSignal;
}

const numPairs = 41;

/** So many ratios lie below the interval of their median, and as many above: the binomial distribution's, nearly. */
const outside = Math.floor((numPairs - 1.96 * Math.sqrt(numPairs)) / 2);

/** Of one measurement: some browsers' clocks tick once a millisecond. */
const leastMs = 24;

/** Rejects with the signal's reason once it is aborted. */
export async function timePairs(
  whole: () => void,
  pruned: () => void,
  { onProgress, signal }: TimingOptions,
): Promise<Omit<Timing, 'tokens'>> {
  const times = repetitionsFor(whole);
  const once = (act: () => void): number => {
    const began = performance.now();
    for (let i = 0; i < times; i += 1) act();
    return (performance.now() - began) / times;
  };
  once(pruned);
  const ofWhole: number[] = [];
  const ofPruned: number[] = [];
  for (let pair = 0; pair < numPairs; pair += 1) {
    // Which one goes first changes: the second finds the caches as the first left them.
    if (pair % 2 === 0) ofWhole.push(once(whole));
    ofPruned.push(once(pruned));
    if (pair % 2 === 1) ofWhole.push(once(whole));
    onProgress(pair + 1, numPairs);
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
  }
  const ratios = ofPruned.map((each, pair) => each / (ofWhole[pair] ?? NaN));
  const sorted = sort(ratios);
  return {
    pairs: numPairs,
    whole: median(ofWhole) ?? NaN,
    pruned: median(ofPruned) ?? NaN,
    ratio: median(ratios) ?? NaN,
    lower: sorted[outside - 1] ?? NaN,
    upper: sorted[numPairs - outside] ?? NaN,
  };
}

/** So many that they take as long as a clock can tell. */
function repetitionsFor(act: () => void): number {
  let times = 1;
  for (;;) {
    const began = performance.now();
    for (let i = 0; i < times; i += 1) act();
    const took = performance.now() - began;
    if (took >= leastMs) return times;
    times *= 2;
  }
}
