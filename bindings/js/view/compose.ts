import { range } from './dom.js';
import { outOfRange } from './read.js';
import type { Scene } from './scene.js';
import { type Layer, weightsOf } from './weights.js';
import { type AttentionHeadsWords, english } from './words.js';

/** The properties that were set. Each is valid by itself. */
export interface Inputs {
  readonly layers?: readonly Layer[] | undefined;
  readonly tokens?: readonly string[] | undefined;
  readonly keyTokens?: readonly string[] | undefined;
  readonly names?: readonly string[] | undefined;
  readonly words?: Partial<AttentionHeadsWords> | undefined;
}

/** The requested state; missing values use defaults. */
export interface Asked {
  readonly sample: number;
  /** Whether each layer shows the mean of its heads instead of the heads. */
  readonly mean: boolean;
  readonly layer: number;
  readonly head: number | undefined;
  readonly query: number | undefined;
  readonly key: number | undefined;
}

const within = (index: number | undefined, count: number): number | undefined =>
  index !== undefined && index < count ? index : undefined;

function checkTokens(
  argument: string,
  role: string,
  count: number,
  tokens: readonly string[] | undefined,
): void {
  if (tokens?.length === count) return;
  outOfRange(argument, `${count} tokens, one for each ${role}`, String(tokens?.length ?? 'none'));
}

function namesOf(
  layers: Scene['layers'],
  given: readonly string[] | undefined,
  words: AttentionHeadsWords,
): Scene['names'] {
  const all = layers.reduce((sum, { heads }) => sum + heads, 0);
  let before = 0;
  return layers.map(({ heads }) => {
    const first = given?.length === all ? before : 0;
    before += heads;
    if (given !== undefined && given.length !== all && given.length !== heads) {
      outOfRange('names', `${heads} names, one for each head`, String(given.length));
    }
    return range(heads).map((head) => given?.at(first + head) ?? words.head(head));
  });
}

/**
 * Combines the inputs into a scene; undefined without weights. `last` is the previous scene, whose lists of token
 * numbers are reused. Throws RangeError if inputs contradict each other.
 */
export function compose(inputs: Inputs, asked: Asked, last: Scene | undefined): Scene | undefined {
  const { tokens, keyTokens } = inputs;
  const first = inputs.layers?.at(0);
  if (inputs.layers === undefined || first === undefined) return undefined;
  const { queries, keys } = first;
  if (tokens !== undefined) checkTokens('tokens', 'query', queries, tokens);
  if (keyTokens !== undefined || (tokens !== undefined && queries !== keys)) {
    checkTokens('keyTokens', 'key', keys, keyTokens);
  }
  const { sample, mean } = asked;
  const layers = inputs.layers.map((layer) => weightsOf(layer, sample, mean));
  const layer = Math.min(asked.layer, layers.length - 1);
  const weights = layers[layer] ?? weightsOf(first, sample, mean);
  const isCross = keyTokens !== undefined || queries !== keys;
  const numbers = (count: number, before: readonly string[] | undefined): readonly string[] => {
    const made = range(count).map(String);
    // Reusing the same list keeps the words' elements.
    return before?.join() === made.join() ? before : made;
  };
  const queryTokens = tokens ?? numbers(queries, last?.queryTokens);
  const words = { ...english, ...inputs.words };
  return {
    layers,
    layer,
    weights,
    queryTokens,
    keyTokens: isCross ? (keyTokens ?? numbers(keys, last?.keyTokens)) : queryTokens,
    isCross,
    isMean: mean,
    names: mean
      ? inputs.layers.map(({ heads }) => [words.mean(heads)])
      : namesOf(layers, inputs.names, words),
    head: within(asked.head, weights.heads),
    query: within(asked.query, queries) ?? queries - 1,
    key: within(asked.key, keys),
    words,
  };
}
