import type { HeadWeights } from './weights.js';
import type { AttentionHeadsWords } from './words.js';

/** The views that the element has. */
export type AttentionHeadsView = 'arcs' | 'map' | 'model';
export const views: readonly AttentionHeadsView[] = ['arcs', 'map', 'model'];

/** What is shown: checked, with defaults in place of what was not given. */
export interface Scene {
  /** The shown sample's weights, a layer each. */
  readonly layers: readonly HeadWeights[];
  readonly layer: number;
  /** Those of the shown layer. */
  readonly weights: HeadWeights;
  readonly queryTokens: readonly string[];
  readonly keyTokens: readonly string[];
  /** Whether keys are other words than queries. */
  readonly isCross: boolean;
  /** Whether each layer has the mean of its heads as its only head. */
  readonly isMean: boolean;
  /** What each head of a layer is called. */
  readonly names: readonly (readonly string[])[];
  /** The one that is shown alone. */
  readonly head: number | undefined;
  readonly query: number;
  readonly key: number | undefined;
  readonly words: AttentionHeadsWords;
}

/** What a reader asks for; members that are left out stay as they are. */
export interface Choice {
  readonly view?: AttentionHeadsView;
  readonly layer?: number;
  readonly head?: number | undefined;
  readonly query?: number;
  readonly key?: number;
}

/** What a view tells of its reader. */
export interface Reader {
  /** The pointer is at something, or at nothing any more: shown until it leaves. */
  readonly point: (at: Choice | undefined) => void;
  /** Something was pressed, or has the focus: stays. */
  readonly choose: (choice: Choice) => void;
}

export interface View {
  readonly root: HTMLElement;
  readonly draw: (scene: Scene) => void;
}

/** The heads that are shown: one or all. */
export const shownHeads = ({ weights, head }: Scene): number[] =>
  head === undefined ? Array.from({ length: weights.heads }, (_, i) => i) : [head];

/** A token that would not be seen, by a sign for it. */
export const visible = (token: string): string =>
  token.trim() === '' ? token.replaceAll(/\n/g, '↵').replaceAll(/\s/g, '␣') || '∅' : token;

export const twoDigits = (weight: number): string => (weight < 0.005 ? '0' : weight.toFixed(2));

/** "Layer 3 (of 12), Head 5" */
export const sayHead = ({ words, layers, names }: Scene, layer: number, head: number): string =>
  `${words.layer(layer, layers.length)}, ${names[layer]?.[head]}`;
