import { median, sort } from 'd3-array';

/** Two ways to do one thing, timed in turn: what else the machine does slows both alike. */
export interface TimedPairs {
  readonly pairs: number;
  /** Medians, milliseconds for one forward. */
  readonly whole: number;
  readonly pruned: number;
  /** Pruned ÷ whole within each pair: the median, and between which numbers it lies with a probability of 95 %. */
  readonly ratio: number;
  readonly lower: number;
  readonly upper: number;
}

/** Forwards of two models. */
export interface Timing extends TimedPairs {
  /** Of one forward. */
  readonly tokens: number;
}

export interface TimingOptions {
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal: AbortSignal;
  readonly pairs?: number;
  /** Of one measurement: some browsers' clocks tick once a millisecond. */
  readonly leastMs?: number;
}

/** Rejects with the signal's reason once it is aborted. */
export async function timePairs(
  whole: () => void,
  pruned: () => void,
  { onProgress, signal, pairs = 41, leastMs = 24 }: TimingOptions,
): Promise<TimedPairs> {
  const times = repetitionsFor(whole, leastMs);
  const once = (act: () => void): number => {
    const began = performance.now();
    for (let i = 0; i < times; i += 1) act();
    return (performance.now() - began) / times;
  };
  once(pruned);
  const ofWhole: number[] = [];
  const ofPruned: number[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    // Which one goes first changes: the second finds the caches as the first left them.
    if (pair % 2 === 0) ofWhole.push(once(whole));
    ofPruned.push(once(pruned));
    if (pair % 2 === 1) ofWhole.push(once(whole));
    onProgress?.(pair + 1, pairs);
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
  }
  const ratios = ofPruned.map((each, pair) => each / (ofWhole[pair] ?? NaN));
  const sorted = sort(ratios);
  // So many lie below the interval of the median, and as many above: the binomial distribution's, nearly.
  const outside = Math.floor((pairs - 1.96 * Math.sqrt(pairs)) / 2);
  return {
    pairs,
    whole: median(ofWhole) ?? NaN,
    pruned: median(ofPruned) ?? NaN,
    ratio: median(ratios) ?? NaN,
    lower: sorted[outside - 1] ?? NaN,
    upper: sorted[pairs - outside] ?? NaN,
  };
}

/** So many that they take as long as a clock can tell. */
function repetitionsFor(act: () => void, leastMs: number): number {
  let times = 1;
  for (;;) {
    const began = performance.now();
    for (let i = 0; i < times; i += 1) act();
    const took = performance.now() - began;
    if (took >= leastMs) return times;
    times *= 2;
  }
}
