import type { HeadWeights } from './weights.js';
import type { AttentionHeadsWords } from './words.js';

/** The views of the element. */
export type AttentionHeadsView = 'arcs' | 'map' | 'model';
export const views: readonly AttentionHeadsView[] = ['arcs', 'map', 'model'];

/** The state of the drawing: checked, and with defaults for missing values. */
export interface Scene {
  /** The shown sample's weights of each layer. */
  readonly layers: readonly HeadWeights[];
  readonly layer: number;
  /** The shown layer's weights. */
  readonly weights: HeadWeights;
  readonly queryTokens: readonly string[];
  readonly keyTokens: readonly string[];
  /** Whether the keys are other words than the queries. */
  readonly isCross: boolean;
  /** Whether each layer's only head is the mean of its heads. */
  readonly isMean: boolean;
  /** The names of the heads of each layer. */
  readonly names: readonly (readonly string[])[];
  /** The only shown head; undefined if all are shown. */
  readonly head: number | undefined;
  readonly query: number;
  readonly key: number | undefined;
  readonly words: AttentionHeadsWords;
}

/** A reader's choice. Missing members do not change. */
export interface Choice {
  readonly view?: AttentionHeadsView;
  readonly layer?: number;
  readonly head?: number | undefined;
  readonly query?: number;
  readonly key?: number;
}

/** The callbacks of a view for its reader's actions. */
export interface Reader {
  /** The pointer moved to something, which is shown until it leaves; undefined when it leaves. */
  readonly point: (at: Choice | undefined) => void;
  /** The reader pressed or focused something, which then stays shown. */
  readonly choose: (choice: Choice) => void;
}

export interface View {
  readonly root: HTMLElement;
  readonly draw: (scene: Scene) => void;
}

/** The shown heads: one or all. */
export const shownHeads = ({ weights, head }: Scene): number[] =>
  head === undefined ? Array.from({ length: weights.heads }, (_, i) => i) : [head];

/** The token, or visible symbols in place of white space. */
export const visible = (token: string): string =>
  token.trim() === '' ? token.replaceAll(/\n/g, '↵').replaceAll(/\s/g, '␣') || '∅' : token;

export const twoDigits = (weight: number): string => (weight < 0.005 ? '0' : weight.toFixed(2));

/** "Layer 3 (of 12), Head 5" */
export const sayHead = ({ words, layers, names }: Scene, layer: number, head: number): string =>
  `${words.layer(layer, layers.length)}, ${names[layer]?.[head]}`;
