import { readList, type GivenList } from '../layer/chosen-weights.js';
import { fail, failOption } from '../runtime/errors.js';
import { checkOptions, checkWord, whole } from '../runtime/options.js';
import { elementsOf, toFloats, type Numbers } from '../tensor/arrays.js';
import type { TensorInput } from '../tensor/inputs.js';
import type { Tensor } from '../tensor/tensor.js';
import { sides, type Side } from './sides.js';

/**
 * Activations of a model, named as in TransformerLens:
 * - `queries` and `z` (batch, heads, queries, head size); `keys` and `values` (batch, key-value heads, keys, head
 *   size). Queries and keys are rotated in rotary layers; `z`, or `pooled`, is each head's result before its gate.
 * - `scores`, `pattern` and `droppedWeights` (batch, heads, queries, keys): scores are scaled, capped and masked;
 *   `pattern` is the attention weights, `droppedWeights` the weights after dropout
 * - `headOut` (batch, heads, queries, numHiddens): what each head adds to the residual stream, without the bias
 * - `keyMass` (batch, heads, keys): each head's weight on each key, summed over the queries; `rowEntropy` (batch,
 *   heads, queries): the entropy of each row of weights in nats. Neither stores all weights.
 * - `residPre`, `residMid`, `residPost` (batch, length, numHiddens): the residual stream before a layer's attention,
 *   before its feed-forward layer and after it; if norms come last, after the norm. `attnOut` and `mlpOut` are what the
 *   two sublayers add.
 * - `embeddings` (batch, length, numHiddens): of tokens or patches, before positions and segments are added
 * - `finalNormScale` (batch, length): the standard deviation, or root mean square, by which the final norm divides
 */
export type ActivationName =
  | 'queries'
  | 'keys'
  | 'values'
  | 'scores'
  | 'pattern'
  | 'droppedWeights'
  | 'z'
  | 'pooled'
  | 'headOut'
  | 'keyMass'
  | 'rowEntropy'
  | 'residPre'
  | 'attnOut'
  | 'residMid'
  | 'mlpOut'
  | 'residPost'
  | 'embeddings'
  | 'finalNormScale';

/** In the order of the C++ enumeration. */
const names = [
  ...([
    'queries',
    'keys',
    'values',
    'scores',
    'pattern',
    'droppedWeights',
    'z',
    'headOut',
  ] as const),
  ...(['keyMass', 'rowEntropy', 'residPre', 'attnOut', 'residMid', 'mlpOut', 'residPost'] as const),
  ...(['embeddings', 'finalNormScale'] as const),
] as const satisfies readonly ActivationName[];

/** The numbers of activations in C++. */
export const activations = {
  indexOf: (name: ActivationName): number => names.indexOf(name === 'pooled' ? 'z' : name),
};

/** Captured activations: a tensor for each captured layer, in the order of `captureLayers`. */
export type CapturedActivations<Name extends ActivationName = ActivationName> = {
  [Each in Name]: Each extends 'embeddings' | 'finalNormScale' ? Tensor : Tensor[];
};

/**
 * Replaces an activation during a forward pass. `backward` treats the new value as a constant. Source: activation
 * patching, as in TransformerLens.
 */
export interface Patch {
  /**
   * Any activation except `scores`, `droppedWeights`, `keyMass` and `rowEntropy`. Rows of a replaced pattern need not
   * sum to 1, and dropout leaves them as they are. `pattern` cannot be replaced in a pass with a cache.
   */
  at: Exclude<ActivationName, 'scores' | 'droppedWeights' | 'keyMass' | 'rowEntropy'>;
  /** The layer. Required, except for `embeddings` and `finalNormScale`. */
  layer?: number | undefined;
  /** Which attention layers. Default: `'self'`. */
  side?: Side | undefined;
  /** Which heads to replace, if the activation has heads. Default: all. */
  heads?: readonly number[] | undefined;
  /** Which positions of the call. Default: all. */
  positions?: readonly number[] | undefined;
  /**
   * The new value: numbers of the activation's shape, or only those of the chosen heads and positions; `'zero'`; or
   * `'mean'`, the activation's own mean over batch and positions.
   */
  value: TensorInput | 'zero' | 'mean';
}

export interface ProbeOptions<Names extends readonly ActivationName[] | undefined> {
  /**
   * Activations to return. Cross-attention has no residual streams of its own. The encoder's activations are returned
   * if the call has a source. Default: none.
   */
  capture?: Names;
  /** The layers to capture, in the order of the result. Default: all. */
  captureLayers?: readonly number[] | undefined;
  /**
   * The positions to capture, in the order of the result. The encoder's activations always have all positions, and so
   * do keys and values of a source or in a pass with a cache. Default: all.
   */
  capturePositions?: readonly number[] | 'last' | undefined;
  /** Activations to replace during the pass, in this order. Default: none. */
  patch?: readonly Patch[] | undefined;
}

export const probeOptionNames = ['capture', 'captureLayers', 'capturePositions', 'patch'] as const;

export const isOfModel = (name: ActivationName): boolean =>
  name === 'embeddings' || name === 'finalNormScale';

export interface GivenPatch {
  readonly at: ActivationName;
  readonly layer: number;
  readonly side: Side;
  readonly heads: GivenList;
  readonly positions: GivenList;
  readonly value: Numbers<Float32Array> | 'zero' | 'mean';
}

/** Captures and patches, read from the caller's objects. C++ checks them. */
export interface GivenProbe {
  /** Undefined if captures are not requested. */
  readonly capture: readonly ActivationName[] | undefined;
  readonly layers: GivenList;
  readonly positions: GivenList | 'last';
  readonly patches: readonly GivenPatch[];
}

export const noProbe: GivenProbe = {
  ...{ capture: undefined, layers: undefined, positions: undefined, patches: [] },
};

function checkName(argument: string, value: unknown): ActivationName {
  const known: readonly unknown[] = [...names, 'pooled'];
  if (!known.includes(value)) {
    failOption(argument, `one of ${known.join(', ')}`, value);
  }
  return value as ActivationName;
}

const readCapture = (value: unknown): ActivationName[] =>
  Array.from(elementsOf('capture', 'an array of names', value), (each) =>
    checkName('capture', each),
  );

function readPatch(given: unknown, i: number): GivenPatch {
  const argument = `patch[${i}]`;
  const patch = checkOptions<Patch>(
    given as Patch,
    ['at', 'layer', 'side', 'heads', 'positions', 'value'],
    argument,
  );
  const at = checkName(`${argument}.at`, patch.at);
  const { value } = patch;
  const isWord = value === 'zero' || value === 'mean';
  if (typeof value === 'string' && !isWord) {
    failOption(`${argument}.value`, "a tensor, 'zero' or 'mean'", value);
  }
  return {
    at,
    layer: isOfModel(at) ? 0 : whole('an integer from 0 on')(`${argument}.layer`, patch.layer),
    side: checkWord(`${argument}.side`, patch.side, sides),
    heads: readList(`${argument}.heads`, 'an array of integers', patch.heads),
    positions: readList(`${argument}.positions`, 'an array of integers', patch.positions),
    value: isWord ? value : toFloats(`${argument}.value`, value),
  };
}

export function readPositions(argument: string, value: unknown): GivenList | 'last' {
  return value === 'last' ? value : readList(argument, "an array of integers or 'last'", value);
}

/** Reads the options from the caller's objects. */
export function readProbe(
  options: ProbeOptions<readonly ActivationName[] | undefined>,
): GivenProbe {
  const { capture, patch } = options;
  for (const name of ['captureLayers', 'capturePositions'] as const) {
    if (capture === undefined && options[name] !== undefined) {
      fail('invalid-option', name, 'capture beside it', 'none');
    }
  }
  return {
    capture: capture && readCapture(capture),
    layers: readList('captureLayers', 'an array of integers', options.captureLayers),
    positions: readPositions('capturePositions', options.capturePositions),
    patches:
      patch === undefined
        ? []
        : Array.from(elementsOf('patch', 'an array of patches', patch), readPatch),
  };
}
