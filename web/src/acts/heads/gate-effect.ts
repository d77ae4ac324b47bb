import { range, sum } from 'd3-array';

import { type AttentionView, gatedOutput } from '../../attention/attention-view.js';
import type { LayerSettings } from '../../attention/layer.js';

/** How far gates move the output. */
export interface GateEffect {
  /** For each query of each sample: length of the difference, in parts of the output's. */
  readonly queries: readonly (readonly number[])[];
  /** The same of the whole output. */
  readonly share: number;
}

export function gateEffect(
  { input, output }: AttentionView,
  settings: LayerSettings,
  gates: readonly number[],
): GateEffect {
  const [batch = 0, queries = 0, size = 0] = output.shape;
  const isOpen = gates.every((gate) => gate === 1);
  const gated = isOpen ? output : gatedOutput(input, settings, gates);
  const share = (start: number, end: number): number => {
    const before = output.data.subarray(start, end);
    const moved = before.map((value, at) => (gated.data[start + at] ?? NaN) - value);
    const whole = lengthOf(before);
    return whole === 0 ? 0 : lengthOf(moved) / whole;
  };
  return {
    queries: range(batch).map((sample) =>
      range(queries).map((query) => {
        const start = (sample * queries + query) * size;
        return share(start, start + size);
      }),
    ),
    share: share(0, output.data.length),
  };
}

/** For each head, how far the output would move without it, all other gates open. */
export function ablationEffects(view: AttentionView, settings: LayerSettings): readonly number[] {
  const heads = range(view.numHeads);
  return heads.map(
    (silent) =>
      gateEffect(
        view,
        settings,
        heads.map((head) => (head === silent ? 0 : 1)),
      ).share,
  );
}

function lengthOf(vector: Float32Array): number {
  return Math.sqrt(sum(vector, (value) => value * value));
}
