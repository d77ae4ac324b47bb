import { layerPass, passRecord } from 'headwise-records';
import { readReturnWeights, type GivenWeights } from '../layer/chosen-weights.js';
import {
  checkCachePrecision,
  numberOfPrecision,
  type CachePrecision,
} from '../layer/key-value-cache.js';
import { fail, failOption, show, showShape } from '../runtime/errors.js';
import { checkSignal, nextTurn } from '../runtime/event-loop.js';
import type { Address } from '../runtime/memory.js';
import {
  checkNonNegative,
  checkOptions,
  checkSeed,
  checkSize,
  ifGiven,
  isRecord,
} from '../runtime/options.js';
import { writeRecord } from '../runtime/records.js';
import { core } from '../runtime/wasm.js';
import { WorkingMemory } from '../runtime/working-memory.js';
import { checkKeyMask } from '../layer/masks.js';
import { checkIntegers, toKeyMask, toWholeNumbers } from '../tensor/arrays.js';
import type { KeyMaskInput, TokensInput } from '../tensor/inputs.js';
import type { Tensor } from '../tensor/tensor.js';
import { ModelCache } from './model-cache.js';
import type { PassModel } from './model-inputs.js';
import { layersInOut, weightsOf, writeLayers, type LayerInOut } from './model-pass.js';
import { sides, type Side } from './sides.js';
import type { TransformerSettings } from './transformer-options.js';

export interface GenerateOptions {
  /** Maximum number of tokens to generate. At least 0. The prompt and the new tokens must fit in `maxLength`. */
  maxNewTokens: number;
  /** Divides the logits before a token is drawn. 0: take the token with the largest logit. Default: 0. */
  temperature?: number | undefined;
  /** Draw only among the `topK` largest logits. Default: all. Source: Fan et al. 2018. */
  topK?: number | undefined;
  /**
   * Draw only among the fewest tokens whose probabilities sum to `topP`, above 0 and at most 1. Default: all. Source:
   * Holtzman et al. 2020.
   */
  topP?: number | undefined;
  /** Seed of the draws, an integer from 0 to 2^53 − 1. Default: a random one. */
  seed?: number | undefined;
  /** Tokens that end the text. The result includes the token that ended it. Default: none. */
  stop?: TokensInput | number | undefined;
  /** The encoder's tokens, (length,). Only for models with an encoder. */
  source?: TokensInput | undefined;
  /**
   * The prompt's `attention_mask`, (length,) or (1, length). The last token must not be padding. Default: no padding.
   */
  keyMask?: KeyMaskInput | undefined;
  /** Called with each new token. */
  onToken?: ((token: number) => void) | undefined;
  /** Precision of the cache, as in `CacheOptions`. Default: `'float32'`. */
  cachePrecision?: CachePrecision | undefined;
  /** Whether to return each new token's attention weights, or those of some heads. Default: no. */
  returnWeights?: boolean | { heads: readonly number[] } | undefined;
  /** Checked before each token. If it is aborted, the promise is rejected with its reason, as in `fetch`. */
  signal?: AbortSignal | undefined;
}

const generateOptionNames = [
  ...(['maxNewTokens', 'temperature', 'topK', 'topP', 'seed'] as const),
  ...(['stop', 'source', 'keyMask', 'onToken', 'cachePrecision', 'signal'] as const),
  'returnWeights',
] as const;

/** New tokens, and what the model attended to when it drew each of them. */
export interface GeneratedText {
  tokens: number[];
  /**
   * For each new token, in every layer: the weights on all earlier positions, (heads, 1, keys), as `forward` returns
   * those of the last query.
   */
  attentionWeights: Tensor[][];
  /** The same on the source. Only for models with an encoder. */
  crossAttentionWeights?: Tensor[][] | undefined;
}

/** The options of `generate`, checked against the model. */
export interface CheckedGenerate {
  readonly tokens: Float64Array;
  readonly source: Float64Array | undefined;
  readonly keyMask: Uint8Array | undefined;
  readonly maxNewTokens: number;
  readonly temperature: number;
  readonly topK: number;
  readonly topP: number;
  readonly seed: number;
  readonly stop: ReadonlySet<number>;
  readonly onToken: GenerateOptions['onToken'];
  readonly cachePrecision: CachePrecision;
  readonly throwIfAborted: () => void;
  readonly returnWeights: GivenWeights;
}

/** One sequence: (length,) or (1, length). */
function toSequence(argument: string, value: unknown, vocabularySize: number): Float64Array {
  const { data, shape } = toWholeNumbers(argument, value);
  if (shape.length !== 1 && !(shape.length === 2 && shape[0] === 1)) {
    fail('invalid-shape', argument, '(length,)', showShape(shape));
  }
  checkIntegers(argument, data, 0, vocabularySize - 1);
  return data;
}

/** The weights of the last query. */
function readLastWeights(value: unknown): GivenWeights {
  const given = readReturnWeights(
    isRecord(value) ? checkOptions(value, ['heads'] as never, 'returnWeights') : value,
  );
  const heads = typeof given === 'boolean' ? undefined : given.heads;
  return given === false ? false : { heads, queries: 'last' };
}

function checkTopP(value: unknown): number {
  if (typeof value !== 'number' || !(value > 0 && value <= 1)) {
    failOption('topP', 'a number above 0, at most 1', value);
  }
  return value;
}

export function checkGenerate(
  input: unknown,
  options: GenerateOptions,
  settings: TransformerSettings,
): CheckedGenerate {
  const { causal, head, hasEncoder, vocabularySize, maxLength } = settings;
  const given = checkOptions<GenerateOptions>(options, generateOptionNames);
  if (!causal || !head) {
    fail('invalid-option', 'generate', 'a causal model with logits', 'another');
  }
  const tokens = toSequence('tokens', input, vocabularySize);
  if (tokens.length === 0) {
    fail('invalid-shape', 'tokens', 'at least one', 'none');
  }
  const mask = ifGiven('keyMask', given.keyMask, toKeyMask);
  const keyMask = checkKeyMask(mask, 1, tokens.length);
  if (keyMask?.at(-1) === 0) {
    fail('invalid-value', 'keyMask', '1 for the last token', '0');
  }
  if (hasEncoder !== (given.source !== undefined)) {
    const expected = hasEncoder ? "the encoder's tokens" : 'none without an encoder';
    fail('invalid-option', 'source', expected, hasEncoder ? 'none' : 'tokens');
  }
  const source =
    given.source === undefined ? undefined : toSequence('source', given.source, vocabularySize);
  if (source !== undefined && source.length > maxLength) {
    const most = `(length,), length at most maxLength (${maxLength})`;
    fail('invalid-shape', 'source', most, `(${source.length},)`);
  }
  const { maxNewTokens = NaN, temperature = 0, topK, topP = 1, stop = [], onToken } = given;
  const length = keyMask?.reduce((sum, each) => sum + each, 0) ?? tokens.length;
  const most = Math.max(maxLength - length + 1, 0);
  if (!Number.isInteger(maxNewTokens) || maxNewTokens < 0) {
    failOption('maxNewTokens', 'an integer from 0 on', given.maxNewTokens);
  }
  if (length > maxLength || maxNewTokens > most) {
    const expected = `at most ${most} behind ${length} of maxLength (${maxLength})`;
    failOption('maxNewTokens', expected, maxNewTokens);
  }
  if (onToken !== undefined && typeof onToken !== 'function') {
    fail('invalid-type', 'onToken', 'a function', show(onToken));
  }
  const stops = toWholeNumbers('stop', typeof stop === 'number' ? [stop] : stop).data;
  checkIntegers('stop', stops, 0, vocabularySize - 1);
  return {
    tokens,
    source,
    keyMask,
    maxNewTokens,
    temperature: checkNonNegative('temperature', temperature),
    topK: ifGiven('topK', topK, checkSize) ?? 0,
    topP: checkTopP(topP),
    seed: checkSeed(given.seed),
    stop: new Set(stops),
    onToken,
    cachePrecision: checkCachePrecision('cachePrecision', given.cachePrecision),
    throwIfAborted: checkSignal(given.signal),
    returnWeights: readLastWeights(given.returnWeights),
  };
}

interface NextToken {
  readonly token: number;
  /** Of each layer; empty unless they are returned. */
  readonly attentionWeights: Tensor[];
  readonly crossAttentionWeights: Tensor[];
}

/** Appends tokens to the cache and draws the next token. `number` counts the draws of the seed. */
function nextToken(
  model: PassModel,
  cache: ModelCache,
  tokens: ArrayLike<number>,
  source: Float64Array | undefined,
  number: number,
  { temperature, topK, topP, seed, keyMask: ofPrompt, returnWeights }: CheckedGenerate,
): NextToken {
  const loaded = core();
  const { vocabularySize } = model.settings;
  const held = ModelCache.heldBy(cache, model, 1, tokens.length);
  const sourceLength = source?.length ?? 0;
  const memory = new WorkingMemory();
  const record = memory.add(passRecord.words);
  const tokensAt = memory.integers(tokens);
  const sourceAt = memory.integers(source);
  const numKeys = held.length + tokens.length;
  const keyMask = ofPrompt && new Uint8Array(numKeys).fill(1);
  keyMask?.set(ofPrompt ?? []);
  const keyMaskAt = memory.bytes(keyMask);
  const ranges = memory.add(2);
  const numSourceKeys = source === undefined ? (held.sourceLength ?? 0) : sourceLength;
  const inOut = (side: Side, keys: number): LayerInOut[] =>
    layersInOut(memory, model.layers[side], {
      ...{ batch: 1, batchAxis: [], numQueries: tokens.length, numKeys: keys, gates: [] },
      returnWeights: side !== 'encoder' && returnWeights,
      gateGradients: false,
    });
  const layers = {
    self: inOut('self', numKeys),
    cross: inOut('cross', numSourceKeys),
    encoder: inOut('encoder', sourceLength),
  };
  const layersAt = memory.add(
    layerPass.words * sides.reduce((count, side) => count + layers[side].length, 0),
  );
  const logits = memory.add(vocabularySize);
  const buffers = memory.add(3 * vocabularySize);
  const workspace = memory.add(
    loaded.modelWorkspaceSize(
      model.model,
      0,
      1,
      tokens.length,
      numKeys,
      sourceLength,
      numSourceKeys,
      2 * Number(held.isQuantized),
      0,
    ),
  );
  memory.reserve();
  writeLayers(
    layersAt(),
    sides.flatMap((side) => layers[side]),
  );
  writeRecord(record(), passRecord, {
    kind: 0,
    layers: layersAt(),
    tokens: tokensAt(),
    batch: 1,
    length: tokens.length,
    firstLayer: 0,
    numCaptures: 0,
    numPatches: 0,
    numPositions: 0,
    numLensLayers: 0,
    validLensSampleStride: 0,
    validLensQueryStride: 0,
    keyMask: keyMaskAt(),
    keyRanges: keyMask && ranges(),
    source: sourceAt(),
    sourceLength,
    cache: held.address,
    logits: logits(),
    lastLogits: true,
    requiresGrad: false,
    workspace: workspace(),
  });
  loaded.runModel(model.model, record());
  // Read before the next call, which uses the same memory.
  const [attentionWeights, crossAttentionWeights] = [
    weightsOf(layers.self),
    weightsOf(layers.cross),
  ];
  const token = loaded.drawToken(
    logits(),
    vocabularySize,
    temperature,
    topK,
    topP,
    seed,
    number,
    buffers(),
  );
  return { token, attentionWeights, crossAttentionWeights };
}

/** The tokens that follow, with their weights. `inUse` returns the model's current state, or throws if it was disposed of. */
export async function generateTokens(
  inUse: () => PassModel,
  checked: CheckedGenerate,
): Promise<GeneratedText> {
  const { tokens, maxNewTokens, stop, onToken, throwIfAborted } = checked;
  const generated: number[] = [];
  throwIfAborted();
  const model = inUse();
  const result: GeneratedText = {
    ...{ tokens: generated, attentionWeights: [] },
    ...(model.settings.hasEncoder && { crossAttentionWeights: [] }),
  };
  if (maxNewTokens === 0) {
    return result;
  }
  const maxLength = tokens.length + maxNewTokens - 1;
  const sizes = { batchSize: 1, maxLength, precision: checked.cachePrecision };
  const precision = numberOfPrecision(sizes);
  const address: Address = core().newModelCache(model.model, 1, maxLength, precision);
  const cache = new ModelCache(model, address, sizes);
  try {
    for (let number = 0; number < maxNewTokens; number++) {
      const [next, source] =
        number === 0 ? [tokens, checked.source] : [generated.slice(-1), undefined];
      const drawn = nextToken(inUse(), cache, next, source, number, checked);
      const { token } = drawn;
      generated.push(token);
      result.attentionWeights.push(drawn.attentionWeights);
      result.crossAttentionWeights?.push(drawn.crossAttentionWeights);
      onToken?.(token);
      if (stop.has(token)) {
        break;
      }
      await nextTurn();
      throwIfAborted();
    }
    return result;
  } finally {
    cache.dispose();
  }
}
