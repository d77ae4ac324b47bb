import { rampOf, shade } from './cells.js';
import { CellsElement } from './cells-element.js';
import { element, range } from './dom.js';
import { defineElement } from './drawn-element.js';
import type { AttentionHeadsElement } from './element.js';
import type { Place } from './grid.js';
import { isList, isObject, type NumbersLike, outOfRange, readTensor, wrongType } from './read.js';
import { englishScores, type HeadScoresWords } from './words.js';
import { show } from '../runtime/errors.js';

declare global {
  interface HTMLElementTagNameMap {
    'head-scores': HeadScoresElement;
  }
}

/** The selected head: the `detail` of `head-select`. */
export interface HeadSelection {
  readonly layer: number;
  readonly head: number;
  readonly score: number;
}

/** The events of `<head-scores>` by type. */
export interface HeadScoresEventMap {
  'head-select': CustomEvent<HeadSelection>;
}

/** A checked copy of the scores, row-major (layers, heads). */
interface Scores {
  readonly layers: number;
  readonly heads: number;
  readonly data: readonly number[];
}

const properties: readonly (keyof HeadScoresProps)[] = [
  ...(['scores', 'heads', 'words', 'layer', 'head'] as const),
];

/** Nested arrays whose rows may differ in length: layers of a pruned model. Fills them with NaN. */
function fillRows(given: unknown): unknown {
  if (!Array.isArray(given) || !given.every((row) => isList(row) && !isList(row[0]))) return given;
  const rows = given as readonly ArrayLike<unknown>[];
  const heads = Math.max(...rows.map(({ length }) => length));
  return rows.map((row) => range(heads).map((head) => (head < row.length ? row[head] : NaN)));
}

function readScores(given: unknown): Scores {
  const { data, shape } = readTensor('scores', fillRows(given), '(layers, heads)', [2, 2]);
  const numbers = Array.from(data, (score) => {
    if (typeof score !== 'number') return wrongType('scores', 'numbers', show(score));
    if (Math.abs(score) === Infinity) {
      return outOfRange('scores', 'finite numbers, or NaN for missing heads', String(score));
    }
    return score;
  });
  const [layers = 0, heads = 0] = shape;
  return { layers, heads, data: numbers };
}

/** Three significant digits, with a minus sign. */
const shorten = (score: number): string =>
  String(Number(score.toPrecision(3))).replaceAll('-', '−');

/** A box in the colour of a score, on a scale from −`limit` to `limit`. NaN is left empty. */
function createBox(score: number, limit: number): HTMLElement {
  const isEmpty = Number.isNaN(score);
  const sign = score < 0 ? 'minus' : 'plus';
  const box = element('span', { class: 'box', 'data-box': !isEmpty, 'data-sign': sign });
  const part = limit > 0 && !isEmpty ? Math.abs(score) / limit : 0;
  shade(box, part);
  return box;
}

/**
 * The element `<head-scores>`: a map of one number for each head of each layer, such as its importance or what it adds
 * to a logit. Colours diverge from 0. Call `defineHeadScores()` first.
 *
 * ```js
 * const map = document.createElement('head-scores');
 * map.scores = model.attributeLogits(tokens, { target }).heads; // (layers, heads)
 * document.body.append(map);
 * ```
 *
 * Setting an invalid value throws a TypeError or a RangeError.
 */
export class HeadScoresElement extends CellsElement<HeadScoresEventMap> {
  static readonly observedAttributes = ['layer', 'head'];

  #given: NumbersLike | undefined;
  #scores: Scores | undefined;
  /** The scores and words of the drawn boxes. */
  #made: readonly [Scores, HeadScoresWords] | undefined;
  #words: Partial<HeadScoresWords> | undefined;
  #allWords = englishScores;
  #heads: AttentionHeadsElement | undefined;
  /** @internal */
  protected override readonly drawnProperty = 'scores';

  constructor() {
    super('scores');
    this.upgrade(properties);
  }

  /**
   * One number for each head, (layers, heads). NaN marks a head that a layer lacks; nested arrays may also have
   * shorter rows.
   */
  get scores(): NumbersLike | undefined {
    return this.#given;
  }
  set scores(given) {
    this.#scores = given === undefined ? undefined : readScores(given);
    this.#given = given;
    this.schedule();
  }

  /** An `<attention-heads>` that shows the selected head, or its id. */
  get heads(): AttentionHeadsElement | string | undefined {
    return this.#heads ?? this.getAttribute('heads') ?? undefined;
  }
  set heads(given) {
    if (given !== undefined && typeof given !== 'string' && !isObject(given)) {
      wrongType('heads', 'an <attention-heads> or its id', show(given));
    }
    this.#heads = typeof given === 'string' ? undefined : given;
    if (typeof given === 'string') this.setAttribute('heads', given);
    else this.removeAttribute('heads');
  }

  /** The element's texts in another language. Missing texts are English. */
  get words(): Partial<HeadScoresWords> | undefined {
    return this.#words;
  }
  set words(given) {
    this.#words = given;
    this.#allWords = { ...englishScores, ...given };
    this.schedule();
  }

  /** The layer of the selected head, from 0. Without `layer` and `head` none is selected. */
  get layer(): number | undefined {
    return this.index('layer');
  }
  set layer(given) {
    this.setIndex('layer', given);
  }

  /** The selected head, from 0. */
  get head(): number | undefined {
    return this.index('head');
  }
  set head(given) {
    this.setIndex('head', given);
  }

  #scoreAt([layer, head]: Place): number {
    const { heads = 0, layers = 0, data } = this.#scores ?? {};
    return (layer < layers && head < heads ? data?.[layer * heads + head] : undefined) ?? NaN;
  }

  /**
   * "Layer 3, Head 5: −0.12"
   * @internal
   */
  protected override say(at: Place): string {
    const { layer, head, none } = this.#allWords;
    const score = this.#scoreAt(at);
    const told = Number.isNaN(score) ? none : shorten(score);
    return `${layer} ${at[0]}, ${head} ${at[1]}: ${told}`;
  }

  /** @internal */
  protected override select(at: Place): void {
    const score = this.#scoreAt(at);
    if (Number.isNaN(score)) return;
    const [layer, head] = at;
    Object.assign(this, { layer, head });
    this.draw();
    this.#open(layer, head);
    const detail: HeadSelection = { layer, head, score };
    this.dispatchEvent(new CustomEvent('head-select', { detail, bubbles: true, composed: true }));
  }

  #open(layer: number, head: number): void {
    const given = this.heads;
    if (given === undefined) return;
    const id = typeof given === 'string' ? given : undefined;
    const found = id === undefined ? given : (this.getRootNode() as Document).getElementById(id);
    if (found === null) {
      const expected = 'the id of an <attention-heads> in the same document';
      console.warn(`<${this.localName}> heads: expected ${expected}, got ${show(id)}`);
      return;
    }
    const view = found as AttentionHeadsElement;
    Object.assign(view, { layer, head });
    if (view.view === 'model') view.view = 'arcs';
  }

  /** @internal */
  protected override draw(): void {
    if (!this.beginDrawing()) return;
    const [scores, words] = [this.#scores, this.#allWords];
    this.frame.hidden = scores === undefined;
    if (scores === undefined) return;
    const { layers, heads } = scores;
    if (this.#made?.[0] !== scores || this.#made[1] !== words) {
      this.#made = [scores, words];
      this.#make(scores, words);
    }
    const { layer, head } = this;
    const at: Place | undefined =
      layer === undefined || head === undefined ? undefined : [layer, head];
    const isHead = at !== undefined && !Number.isNaN(this.#scoreAt(at));
    this.cells.show(words.map(layers, heads), isHead ? at : undefined);
  }

  #make({ layers, heads, data }: Scores, words: HeadScoresWords): void {
    const known = data.filter((score) => !Number.isNaN(score));
    const low = known.reduce((least, score) => Math.min(least, score), 0);
    const high = known.reduce((most, score) => Math.max(most, score), 0);
    const limit = Math.max(-low, high);
    const largest = data.findIndex((score) => Math.abs(score) === limit);
    const at = Math.max(largest, 0);
    this.cells.make({
      rows: range(layers).map(String),
      columns: range(heads).map(String),
      titles: [words.layer, words.head],
      mostLabels: 24,
      boxes: data.map((score) => createBox(score, limit)),
      scale: [shorten(low), rampOf(low, high, (score) => createBox(score, limit)), shorten(high)],
      start: [Math.floor(at / heads), at % heads],
    });
  }
}

/** Properties of `<head-scores>` for JSX and templates, as `AttentionHeadsProps` are those of `<attention-heads>`. */
export type HeadScoresProps = Partial<
  Pick<HeadScoresElement, 'scores' | 'heads' | 'words' | 'layer' | 'head'>
>;

/**
 * Defines `<head-scores>` in the document, under this or another name. Does nothing without a document, or if this or
 * another copy of the package has already defined the name: the first one keeps it.
 * @throws TypeError if the name belongs to another custom element
 */
export function defineHeadScores(name = 'head-scores'): void {
  defineElement(name, 'head-scores', HeadScoresElement);
}
