import { createArcs } from './arcs.js';
import { createBar } from './bar.js';
import { compose, type Inputs } from './compose.js';
import { element, setAttributes } from './dom.js';
import { defineElement, DrawnElement } from './drawn-element.js';
import { createMap, sayCell } from './map.js';
import { createModel } from './model.js';
import { readOneOf, readTexts } from './read.js';
import {
  type Choice,
  type Scene,
  shownHeads,
  twoDigits,
  type AttentionHeadsView,
  views,
  visible,
} from './scene.js';
import { type AttentionWeightsLike, readLayers } from './weights.js';
import type { AttentionHeadsWords } from './words.js';

declare global {
  interface HTMLElementTagNameMap {
    'attention-heads': AttentionHeadsElement;
  }
}

/** What is shown after a reader's choice: the `detail` of `attention-select`. */
export interface AttentionSelection {
  readonly view: AttentionHeadsView;
  readonly layer: number;
  /** Undefined if all heads are shown. */
  readonly head: number | undefined;
  readonly query: number;
  /** The key of the map's focused cell. */
  readonly key: number | undefined;
}

/** The events of `<attention-heads>` by type. */
export interface AttentionHeadsEventMap {
  'attention-select': CustomEvent<AttentionSelection>;
}

const properties: readonly (keyof AttentionHeadsProps)[] = [
  ...(['weights', 'tokens', 'keyTokens', 'names', 'words'] as const),
  ...(['view', 'layer', 'head', 'query', 'sample', 'mean'] as const),
];

/**
 * The element `<attention-heads>`, which draws attention weights. Call `defineAttentionHeads()` first.
 *
 * ```js
 * const view = document.createElement('attention-heads');
 * view.weights = attentionWeights; // (heads, queries, keys)
 * view.tokens = ['the', 'cat', 'sat'];
 * document.body.append(view);
 * ```
 *
 * Changes are drawn together after your script, so set properties in any order. Setting an invalid value throws a
 * TypeError or a RangeError. If valid values contradict each other, the element keeps its last drawing until they
 * agree, and warns after a second.
 */
export class AttentionHeadsElement extends DrawnElement<AttentionHeadsEventMap> {
  static readonly observedAttributes = ['view', 'layer', 'head', 'query', 'sample', 'mean'];

  #given: AttentionWeightsLike | readonly AttentionWeightsLike[] | undefined;
  #inputs: Inputs = {};
  /** The last inputs that agreed. */
  #fitting: Inputs = {};

  /** What the pointer is on. */
  #pointed: Choice | undefined;
  /** The map's key; undefined until the reader selects a cell. */
  #key: number | undefined;
  #cameFromModel = false;
  #shownView: AttentionHeadsView | undefined;
  #scene: Scene | undefined;

  readonly #reader = {
    point: (at: Choice | undefined): void => {
      this.#pointed = at;
      this.#tell();
    },
    choose: (choice: Choice): void => {
      this.#choose(choice);
    },
  };
  readonly #bar = createBar(this.#reader);
  readonly #arcs = createArcs(this.#reader);
  readonly #map = createMap(this.#reader);
  readonly #model = createModel(this.#reader);
  /** @internal */
  protected override readonly drawnProperty = 'weights';
  readonly #figure = element('div', { class: 'figure' });
  /** jsdom has no layout and no ResizeObserver. */
  readonly #resizes =
    typeof ResizeObserver === 'undefined'
      ? undefined
      : new ResizeObserver(() => {
          this.#arcs.layOut();
        });

  constructor() {
    super();
    this.frame.append(this.#bar.root, this.#figure);
    this.upgrade(properties);
  }

  /**
   * One layer or a list of layers. A layer is (heads, queries, keys), or (queries, keys) for a single head, or (batch,
   * heads, queries, keys); `sample` then selects one sample. Nested arrays are one layer.
   */
  get weights(): AttentionWeightsLike | readonly AttentionWeightsLike[] | undefined {
    return this.#given;
  }
  set weights(given) {
    this.#set({ layers: given === undefined ? undefined : readLayers(given) });
    this.#given = given;
    this.#key = undefined;
    this.#pointed = undefined;
  }

  /** The words of the queries, and of the keys if `keyTokens` is not set. */
  get tokens(): readonly string[] | undefined {
    return this.#inputs.tokens;
  }
  set tokens(given) {
    this.#set({ tokens: given === undefined ? undefined : readTexts('tokens', given) });
  }

  /** The words of the keys, for cross-attention. */
  get keyTokens(): readonly string[] | undefined {
    return this.#inputs.keyTokens;
  }
  set keyTokens(given) {
    this.#set({ keyTokens: given === undefined ? undefined : readTexts('keyTokens', given) });
  }

  /** Names of the heads: one for each head of a layer, or one for each head of all layers. */
  get names(): readonly string[] | undefined {
    return this.#inputs.names;
  }
  set names(given) {
    this.#set({ names: given === undefined ? undefined : readTexts('names', given) });
  }

  /** The element's texts in another language. Missing texts are English. */
  get words(): Partial<AttentionHeadsWords> | undefined {
    return this.#inputs.words;
  }
  set words(given) {
    this.#set({ words: given });
  }

  /** Which view is shown: each head's arcs from one word, one head's map, or all heads of all layers. */
  get view(): AttentionHeadsView {
    const given = this.getAttribute('view');
    return views.find((name) => name === given) ?? 'arcs';
  }
  set view(given) {
    this.setAttribute('view', readOneOf('view', views, given));
  }

  /** The shown layer, from 0. */
  get layer(): number {
    return this.index('layer') ?? 0;
  }
  set layer(given) {
    this.setIndex('layer', given);
  }

  /** The only shown head, from 0; undefined if all are shown. */
  get head(): number | undefined {
    return this.index('head');
  }
  set head(given) {
    this.setIndex('head', given);
  }

  /**
   * The word whose weights are shown, from 0: the word under the pointer, otherwise the one chosen last. Undefined
   * means the last word.
   */
  get query(): number | undefined {
    return this.#pointed?.query ?? this.index('query');
  }
  set query(given) {
    this.setIndex('query', given);
  }

  /** The shown sample of a batch, from 0. */
  get sample(): number {
    return this.index('sample') ?? 0;
  }
  set sample(given) {
    this.setIndex('sample', given);
  }

  /** Whether each layer shows the mean of its heads instead of the heads. */
  get mean(): boolean {
    return this.hasAttribute('mean');
  }
  set mean(given) {
    setAttributes(this, { mean: given });
  }

  override connectedCallback(): void {
    this.#resizes?.observe(this.#figure);
    super.connectedCallback();
  }

  disconnectedCallback(): void {
    this.#resizes?.disconnect();
  }

  override attributeChangedCallback(name: string): void {
    if (name === 'view') this.#cameFromModel = false;
    super.attributeChangedCallback(name);
  }

  #set(some: Inputs): void {
    this.#inputs = { ...this.#inputs, ...some };
    this.schedule();
  }

  /** @internal */
  protected override draw(inputs = this.#inputs): void {
    if (!this.beginDrawing(inputs === this.#inputs)) return;
    const { sample, mean, layer, head, query } = this;
    const asked = { sample, mean, layer, head, query, key: this.#pointed?.key ?? this.#key };
    const scene = compose(inputs, asked, this.#scene);
    this.#fitting = inputs;
    this.#scene = scene;
    this.frame.hidden = scene === undefined;
    this.frame.style.setProperty('--attention-head-1', mean ? 'var(--_ink)' : '');
    if (scene === undefined) return;
    const { view } = this;
    this.#bar.root.hidden = view === 'model';
    this.#bar.draw(scene, { canGoBack: this.#cameFromModel, isOneShown: view === 'map' });
    const shown = { arcs: this.#arcs, map: this.#map, model: this.#model }[view];
    if (shown.root.parentNode === null) this.#figure.replaceChildren(shown.root);
    this.#shownView = view;
    shown.draw(scene);
  }

  #choose(choice: Choice): void {
    this.#pointed = undefined;
    const isKept = this.shadowRoot?.activeElement === null;
    if (choice.view !== undefined) {
      this.view = choice.view;
      this.#cameFromModel = choice.view === 'arcs';
    }
    if (choice.layer !== undefined) this.layer = choice.layer;
    if ('head' in choice) this.head = choice.head;
    if (choice.query !== undefined) this.query = choice.query;
    if (choice.key !== undefined) this.#key = choice.key;
    const said = this.#tell();
    if (said !== undefined) this.said.textContent = said;
    // Changing the view hid the focused element, so focus a new one.
    if (choice.view === undefined || isKept) return;
    if (choice.view === 'model') this.#model.focus();
    else this.#bar.focus();
  }

  /**
   * Draws a reader's choice. If it changes anything, dispatches `attention-select` and returns a description in words.
   */
  #tell(): string | undefined {
    const [before, viewBefore] = [this.#scene, this.#shownView];
    this.draw(this.#fitting);
    const scene = this.#scene;
    if (scene === undefined) return undefined;
    const { view } = this;
    const { layer, head, query, key } = scene;
    if (
      viewBefore === view &&
      before?.layer === layer &&
      before.head === head &&
      before.query === query &&
      before.key === key
    ) {
      return undefined;
    }
    const detail: AttentionSelection = { view, layer, head, query, key };
    this.dispatchEvent(
      new CustomEvent('attention-select', { detail, bubbles: true, composed: true }),
    );
    if (view === 'model') return '';
    return view === 'map' && key !== undefined
      ? sayCell(scene, head ?? 0, query, key)
      : sayFan(scene);
  }
}

/** The largest weights of each shown head: "dog, Head 2: the 0.62, quick 0.20". */
function sayFan(scene: Scene): string {
  const { weights, query, queryTokens, keyTokens, names, layer } = scene;
  const heads = shownHeads(scene);
  const count = heads.length === 1 ? 3 : 1;
  const fans = heads.map((head) => {
    const largest = keyTokens
      .map((token, key) => ({ token, weight: weights.at(head, query, key) }))
      .sort((a, b) => b.weight - a.weight)
      .slice(0, count)
      .map(({ token, weight }) => `${visible(token)} ${twoDigits(weight)}`);
    return `${names[layer]?.[head]}: ${largest.join(', ')}`;
  });
  return `${visible(queryTokens[query] ?? '')}, ${fans.join('; ')}`;
}

/**
 * Properties for JSX and templates. After a file imports `headwise/view`, React, Preact and Vue know the type of
 * `<attention-heads>`.
 */
export type AttentionHeadsProps = Partial<
  Pick<
    AttentionHeadsElement,
    | ('weights' | 'tokens' | 'keyTokens' | 'names' | 'words')
    | ('view' | 'layer' | 'head' | 'query' | 'sample' | 'mean')
  >
>;

/**
 * Defines `<attention-heads>` in the document, under this or another name. Does nothing without a document, or if this
 * or another copy of the package has already defined the name: the first one keeps it.
 * @throws TypeError if the name belongs to another custom element
 */
export function defineAttentionHeads(name = 'attention-heads'): void {
  defineElement(name, 'attention-heads', AttentionHeadsElement);
}
