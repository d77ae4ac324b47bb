import { MultiHeadAttention, Tensor } from 'headwise';

import type { Store } from '../../address/store.js';
import { languageModel } from '../../reading/model.js';
import { sentence } from '../../reading/sentence.js';
import { coalesce } from '../../worker/connection.js';
import { type Inside, insideOfLayer } from '../../worker/inside.js';
import { type Pass, passOf } from './pass.js';
import type { InsideState } from './state.js';

/** `failed`: the notice of the shared model, or the sentence about the text, says why. */
export type SourceState = 'small' | 'loading' | 'ready' | 'empty' | 'unknown' | 'failed';

const pauseMs = 300;

interface Wish {
  readonly text: string;
  readonly layer: number;
}

/** Where the numbers come from: the small layer that comes with the page, or the shared model on the reader's sentence. */
export class Source {
  readonly #store: Store<InsideState>;
  readonly #onChange: () => void;
  #small: Pass | undefined;
  #read: Pass | undefined;
  #asked = '';

  state: SourceState = 'small';

  /** @param onChange called when `pass` or `state` has changed, after `begin` */
  constructor(store: Store<InsideState>, onChange: () => void) {
    this.#store = store;
    this.#onChange = onChange;
  }

  begin(): void {
    const follow = (): void => this.#follow();
    this.#store.subscribe(follow);
    let timer: number | undefined;
    sentence.subscribe((_state, origin) => {
      window.clearTimeout(timer);
      // While the reader writes, the act can wait.
      if (origin === 'replace') timer = window.setTimeout(follow, pauseMs);
      else follow();
    });
    languageModel().onChange(() => {
      follow();
      // The progress of a load.
      this.#onChange();
    });
    follow();
  }

  /** What is drawn; until the model has read the sentence, what was drawn before. */
  get pass(): Pass {
    if (this.wantsModel && this.#read !== undefined) return this.#read;
    return (this.#small ??= passOf(smallInside(smallTokens), false));
  }

  get wantsModel(): boolean {
    const { input } = this.#store.state;
    return input === 'auto' ? languageModel().description !== undefined : input === 'sentence';
  }

  /** From 0. */
  get layer(): number {
    const count = languageModel().description?.numHeads.length ?? 1;
    return Math.min(this.#store.state.layer, count) - 1;
  }

  #follow(): void {
    const model = languageModel();
    if (!this.wantsModel) {
      this.#become('small');
      return;
    }
    if (model.description === undefined) {
      this.#asked = '';
      // A failed load is tried again by the button of the notice.
      if (this.state !== 'failed' || model.progress !== undefined) this.#become('loading');
      if (this.state === 'loading' && model.progress === undefined) {
        void model.load().catch(() => this.#become('failed'));
      }
      return;
    }
    const wish = { text: sentence.state.text, layer: this.layer };
    const asked = JSON.stringify([wish, model.generation]);
    if (asked === this.#asked) return;
    this.#asked = asked;
    if (this.#read === undefined) this.#become('loading');
    this.#ask(wish);
  }

  readonly #ask = coalesce<Wish>(async ({ text, layer }) => {
    const model = languageModel();
    const { generation } = model;
    if (text.trim() === '') {
      this.#become('empty');
      return;
    }
    try {
      const inside = await model.call((service) => service.inside(text, layer));
      if (generation !== model.generation) return;
      if (inside !== undefined) this.#read = passOf(inside, true);
      this.state = inside === undefined ? 'unknown' : 'ready';
      this.#onChange();
    } catch {
      this.#become('failed');
    }
  });

  #become(state: SourceState): void {
    if (state === this.state) return;
    this.state = state;
    this.#onChange();
  }
}

/** Small enough for every number to be read, in three matrices side by side. */
const smallTokens = ['the', 'cat', 'sat', 'on', 'it'];
const sizes = { length: 5, hiddens: 8, numHeads: 2 } as const;

/** An untrained layer with a causal mask. Standard deviation 2 of the input makes its weights differ visibly. */
export function smallInside(tokens: readonly string[]): Inside {
  const { length, hiddens, numHeads } = sizes;
  const { data } = Tensor.randn([1, length, hiddens], 2);
  const X = new Tensor(
    data.map((value) => 2 * value),
    [1, length, hiddens],
  );
  const layer = new MultiHeadAttention({
    ...{ numHiddens: hiddens, numHeads, seed: 1 },
    ...{ querySize: hiddens, keySize: hiddens, valueSize: hiddens },
  });
  try {
    const { captured, attentionWeights, output } = layer.forward(X, X, X, {
      ...{ causal: true, returnWeights: true },
      capture: ['queries', 'keys', 'values', 'scores', 'pooled'],
    });
    return insideOfLayer(tokens, {
      ...{ parameters: layer.stateDict(), X: X.data, numHeads, numKvHeads: numHeads },
      captured: { ...captured, weights: attentionWeights, output },
    });
  } finally {
    layer.dispose();
  }
}
