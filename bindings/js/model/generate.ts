import { generateInputs } from 'headwise-records';
import { numbersOf, readReturnWeights, type GivenWeights } from '../layer/chosen-weights.js';
import {
  checkCachePrecision,
  numberOfPrecision,
  type CachePrecision,
} from '../layer/position-cache.js';
import { fail, show } from '../runtime/errors.js';
import { checkSignal, nextTurn } from '../runtime/event-loop.js';
import { Handle } from '../runtime/handle.js';
import type { Address } from '../runtime/memory.js';
import {
  checkOptions,
  checkSeed,
  isRecord,
  largestInteger,
  number,
  optional,
  readOptions,
  whole,
} from '../runtime/options.js';
import { toWide, toWords, writeRecord } from '../runtime/records.js';
import { commit, core } from '../runtime/wasm.js';
import { toKeyMask, toWholeNumbers, type Numbers } from '../tensor/arrays.js';
import { giveTensors } from '../tensor/given-tensors.js';
import type { KeyMaskInput, TokensInput } from '../tensor/inputs.js';
import type { Tensor } from '../tensor/tensor.js';
import type { PassModel } from './model-inputs.js';
import { ModelResults } from './model-results.js';

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

/** The weights of the last query. */
function readLastWeights(_: string, value: unknown): GivenWeights {
  return readReturnWeights(
    isRecord(value) ? checkOptions(value, ['heads'] as never, 'returnWeights') : value,
  );
}

function readCallback(argument: string, value: unknown): ((token: number) => void) | undefined {
  if (value !== undefined && typeof value !== 'function') {
    fail('invalid-type', argument, 'a function', show(value));
  }
  return value as GenerateOptions['onToken'];
}

/** A function, so that bundlers can remove it. */
const createReaders = () => ({
  maxNewTokens: number('an integer from 0 on'),
  temperature: optional(number('a finite number from 0 on'), 0),
  topK: optional(whole(), largestInteger),
  topP: optional(number('a number above 0, at most 1'), 1),
  seed: (_: string, value: unknown) => checkSeed(value),
  stop: (argument: string, value: unknown = []) =>
    toWholeNumbers(argument, typeof value === 'number' ? [value] : value),
  source: optional(toWholeNumbers),
  keyMask: optional(toKeyMask),
  onToken: readCallback,
  cachePrecision: checkCachePrecision,
  signal: (_: string, value: unknown) => checkSignal(value),
  returnWeights: readLastWeights,
});

/** The arguments of `generate`, read from the caller's objects. C++ checks them. */
export interface GenerateInputs extends Readonly<
  ReturnType<typeof readOptions<ReturnType<typeof createReaders>>>
> {
  readonly tokens: Numbers<Float64Array>;
}

export const readGenerate = (tokens: unknown, options: GenerateOptions): GenerateInputs => ({
  tokens: toWholeNumbers('tokens', tokens),
  ...readOptions(options, createReaders() satisfies Record<keyof GenerateOptions, unknown>),
});

function newGeneration(model: Address, inputs: GenerateInputs): Address {
  const { returnWeights } = inputs;
  const { record, given } = giveTensors(generateInputs.words, [
    ['tokens', inputs.tokens],
    ['source', inputs.source],
    ['keyMask', inputs.keyMask],
    ['stop', inputs.stop],
    [
      'heads',
      typeof returnWeights === 'boolean'
        ? undefined
        : numbersOf('returnWeights.heads', returnWeights.heads),
    ],
  ]);
  const [tokens, source, keyMask, stop, weightHeads] = given;
  writeRecord(record, generateInputs, {
    ...{ tokens, source, keyMask, stop },
    maxNewTokens: toWords(inputs.maxNewTokens),
    temperature: toWords(inputs.temperature),
    topK: toWide(inputs.topK),
    topP: toWords(inputs.topP),
    cachePrecision: toWide(numberOfPrecision({ precision: inputs.cachePrecision })),
    seed: toWide(inputs.seed),
    returnWeights: returnWeights !== false,
    weightHeads,
  });
  return core().newGeneration(model, record);
}

/** The tokens that follow, with their weights. `inUse` returns the model's current state, or throws if it was disposed of. */
export async function generateTokens(
  inUse: () => PassModel,
  inputs: GenerateInputs,
): Promise<GeneratedText> {
  const { onToken, signal: throwIfAborted } = inputs;
  throwIfAborted();
  const { model, settings } = inUse();
  const text: GeneratedText = {
    ...{ tokens: [], attentionWeights: [] },
    ...(settings.hasEncoder && { crossAttentionWeights: [] }),
  };
  const address = newGeneration(model, inputs);
  const generation = new Handle('generation', text, address, 'deleteGeneration');
  const hasEnded = (): boolean => core().generationHasEnded(generation.inUse()) === 1;
  try {
    while (!hasEnded()) {
      inUse();
      const results = new ModelResults(0);
      const token = commit(() => core().nextToken(address), results);
      text.tokens.push(token);
      text.attentionWeights.push(results.list('attentionWeights'));
      text.crossAttentionWeights?.push(results.list('attentionWeights', 'cross'));
      onToken?.(token);
      if (hasEnded()) {
        break;
      }
      await nextTurn();
      throwIfAborted();
    }
    return text;
  } finally {
    generation.dispose();
  }
}
