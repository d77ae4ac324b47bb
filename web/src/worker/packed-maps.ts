/** Steps of a weight from 0 to 1 where it is kept: fine enough for four decimals. */
const steps = 65_535;

/** Cells of a causal map of so many tokens that can hold a weight: those on and below the diagonal. */
export const cellsOf = (length: number): number => (length * (length + 1)) / 2;

/**
 * The first sample of causal weights, (batch, heads, length, length) a layer, in two bytes a cell and without what is
 * masked: (layers, heads, cells). An eighth of what double precision would take, so that all of a run can be kept.
 */
export function packMaps(
  layers: readonly { readonly data: Float32Array; readonly shape: readonly number[] }[],
): Uint16Array {
  const [, heads = 0, length = 0] = layers[0]?.shape ?? [];
  const packed = new Uint16Array(layers.length * heads * cellsOf(length));
  let at = 0;
  for (const { data } of layers) {
    for (let row = 0; row < heads * length; row += 1) {
      const query = row % length;
      for (let key = 0; key <= query; key += 1) {
        packed[at] = Math.round(steps * data[row * length + key]);
        at += 1;
      }
    }
  }
  return packed;
}

/** The weights as they were, but for what two bytes cannot tell: (heads, length, length) a layer. */
export function unpackMaps(
  packed: Uint16Array,
  numLayers: number,
  numHeads: number,
  length: number,
): Float32Array[] {
  let at = 0;
  return Array.from({ length: numLayers }, () => {
    const weights = new Float32Array(numHeads * length * length);
    for (let row = 0; row < numHeads * length; row += 1) {
      const query = row % length;
      for (let key = 0; key <= query; key += 1) {
        weights[row * length + key] = packed[at] / steps;
        at += 1;
      }
    }
    return weights;
  });
}
