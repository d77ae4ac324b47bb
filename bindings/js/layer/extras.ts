import { writeIntegers, type Address } from '../runtime/memory.js';
import type { Tensor } from '../tensor/tensor.js';
import { captureShapes, type Captured, type CaptureName } from './capture.js';
import type { CheckedWeights } from './chosen-weights.js';
import type { LayerSettings } from './layer-options.js';
import type { CheckedPositions } from './positions.js';
import { readResult, resultIn, type Result } from './results.js';

/** Rarely used inputs and outputs, checked. */
export interface ExtraOptions {
  readonly positions: CheckedPositions;
  readonly weights: CheckedWeights;
  readonly keyMass: boolean;
  readonly capture: ReadonlySet<CaptureName> | undefined;
}

export interface ExtraSizes {
  readonly batchAxis: readonly number[];
  readonly settings: LayerSettings;
  readonly numQueries: number;
  readonly numKeys: number;
  readonly numExtraSlots: number;
}

/** Sizes and memory of the rarely used inputs and outputs. */
export interface Extras {
  /** Sizes of the allocations in working memory, in floats. */
  readonly sizes: readonly number[];
  readonly options: ExtraOptions;
  readonly keyMass: Result | undefined;
  readonly captured: readonly (readonly [CaptureName, Result])[] | undefined;
}

/** Returns undefined if the pass uses none of them. */
export function extrasOf(options: ExtraOptions, sizes: ExtraSizes): Extras | undefined {
  const { positions, weights, keyMass, capture } = options;
  const { places: heads } = weights.heads;
  const { places: queries } = weights.queries;
  const isPlain = positions.positions.length === 0 && heads === undefined && queries === undefined;
  if (isPlain && !keyMass && capture === undefined) {
    return undefined;
  }
  const { batchAxis, settings, numQueries, numKeys, numExtraSlots } = sizes;
  const result = (name: string, shape: readonly number[]): Result =>
    resultIn(name, undefined, [...batchAxis, ...shape]);
  const shapes = captureShapes({ ...settings, numQueries, numKeys, numExtraSlots });
  const mass = keyMass
    ? result('keyMass', [settings.numHeads, numKeys + numExtraSlots])
    : undefined;
  const captured =
    capture && [...capture].map((name) => [name, result(name, shapes[name])] as const);
  return {
    sizes: [
      positions.positions.length,
      heads?.length ?? 0,
      queries?.length ?? 0,
      mass?.count ?? 0,
      ...(captured ?? []).map(([, { count }]) => count),
    ],
    options,
    keyMass: mass,
    captured,
  };
}

/** Addresses in working memory. */
export interface ExtraAddresses {
  readonly positions?: Address | undefined;
  readonly weightHeads?: Address | undefined;
  readonly weightQueries?: Address | undefined;
  readonly keyMass?: Address | undefined;
  readonly captured: Readonly<Partial<Record<CaptureName, Address>>>;
}

export const noExtras: ExtraAddresses = { captured: {} };

/** Writes the inputs to working memory. */
export function writeExtras(
  { options, captured, keyMass }: Extras,
  [positions, heads, queries, mass, ...rest]: readonly Address[],
): ExtraAddresses {
  const writeAt = (address: Address, data: ArrayLike<number> = []): Address | undefined => {
    writeIntegers(address, data);
    return data.length > 0 ? address : undefined;
  };
  return {
    positions: writeAt(positions, options.positions.positions),
    weightHeads: writeAt(heads, options.weights.heads.places),
    weightQueries: writeAt(queries, options.weights.queries.places),
    keyMass: keyMass && mass,
    captured: Object.fromEntries((captured ?? []).map(([name], i) => [name, rest[i]])),
  };
}

/** Copies the outputs out of WebAssembly memory. */
export function readExtras(
  { keyMass, captured }: Extras,
  at: ExtraAddresses,
): { keyMass?: Tensor; captured?: Captured } {
  return {
    ...(keyMass && { keyMass: readResult(keyMass, at.keyMass) }),
    ...(captured && {
      captured: Object.fromEntries(
        captured.map(([name, result]) => [name, readResult(result, at.captured[name])]),
      ),
    }),
  };
}
