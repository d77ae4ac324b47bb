import { show } from '../runtime/errors.js';
import { rampOf, shade } from './cells.js';
import { CellsElement } from './cells-element.js';
import { element, range } from './dom.js';
import { defineElement } from './drawn-element.js';
import type { Place } from './grid.js';
import { type NumbersLike, outOfRange, readIndex, readTexts, wrongType } from './read.js';
import { twoDigits, visible } from './scene.js';
import { mostTop, readLogits, type TokenProbability, type TopTokens } from './top-tokens.js';
import { englishLens, type LogitLensWords } from './words.js';

declare global {
  interface HTMLElementTagNameMap {
    'logit-lens': LogitLensElement;
  }
}

/** The selected cell: the `detail` of `lens-select`. */
export interface LensSelection {
  /** The layer before which the logits are read; the number of layers for the output. */
  readonly layer: number;
  readonly position: number;
  /** The ten most likely tokens, or all of a smaller vocabulary. */
  readonly tokens: readonly TokenProbability[];
}

/** The events of `<logit-lens>` by type. */
export interface LogitLensEventMap {
  'lens-select': CustomEvent<LensSelection>;
}

/** Less likely tokens are rounded to 0.00, and named only if the cell shows them. */
const leastTold = 0.005;

/** How many tokens the line above the table names, if a cell does not show more. */
const mostTold = 5;

const properties: readonly (keyof LogitLensProps)[] = [
  ...(['logits', 'tokens', 'tokenOf', 'words', 'top', 'layer', 'position'] as const),
];

/** A box in the shade of a probability. */
function createBox(probability: number, texts: readonly HTMLElement[] = []): HTMLElement {
  const box = element('span', { class: 'box', 'data-box': true }, ...texts);
  shade(box, probability);
  return box;
}

/** What the drawn boxes depend on. */
interface Inputs {
  readonly table?: TopTokens | undefined;
  readonly tokens?: readonly string[] | undefined;
  readonly tokenOf?: ((token: number) => string) | undefined;
  readonly words?: Partial<LogitLensWords> | undefined;
  readonly top?: number;
}

/**
 * The element `<logit-lens>`: a table of the tokens that each layer would predict. Rows are layers from last to first,
 * columns are positions; a cell is shaded by the probability of its most likely token. Call `defineLogitLens()` first.
 *
 * ```js
 * const lens = document.createElement('logit-lens');
 * lens.logits = model.logitLens(tokens, { positions }); // (layers + 1, positions, vocabulary)
 * lens.tokenOf = (token) => tokenizer.decode([token]);
 * document.body.append(lens);
 * ```
 *
 * Changes are drawn together after your script, so set properties in any order. Setting an invalid value throws a
 * TypeError or a RangeError. If valid values contradict each other, the element keeps its last drawing until they
 * agree, and warns after a second.
 */
export class LogitLensElement extends CellsElement<LogitLensEventMap> {
  static readonly observedAttributes = ['top', 'layer', 'position'];

  #given: NumbersLike | undefined;
  #inputs: Inputs = {};
  /** What is drawn. */
  #made: Inputs = {};
  #texts = new Map<number, string>();
  /** @internal */
  protected override readonly drawnProperty = 'logits';

  constructor() {
    super('lens');
    this.upgrade(properties);
  }

  /**
   * The logits before each layer and after the last one, (layers + 1, positions, vocabulary), as `model.logitLens`
   * returns them for tokens without a batch axis. The element reads them once, when they are set.
   */
  get logits(): NumbersLike | undefined {
    return this.#given;
  }
  set logits(given) {
    this.#set({ table: given === undefined ? undefined : readLogits(given) });
    this.#given = given;
  }

  /** The texts of the positions. Default: their numbers from 0. */
  get tokens(): readonly string[] | undefined {
    return this.#inputs.tokens;
  }
  set tokens(given) {
    this.#set({ tokens: given === undefined ? undefined : readTexts('tokens', given) });
  }

  /** Returns the text of a token of the vocabulary. Default: its number. */
  get tokenOf(): ((token: number) => string) | undefined {
    return this.#inputs.tokenOf;
  }
  set tokenOf(given) {
    if (given !== undefined && typeof given !== 'function') {
      wrongType('tokenOf', 'a function', show(given));
    }
    this.#texts = new Map();
    this.#set({ tokenOf: given });
  }

  /** The element's texts in another language. Missing texts are English. */
  get words(): Partial<LogitLensWords> | undefined {
    return this.#inputs.words;
  }
  set words(given) {
    this.#set({ words: given });
  }

  /** How many tokens each cell shows, from 1 to 10. Default: 1. */
  get top(): number {
    return Math.min(Math.max(this.index('top') ?? 1, 1), mostTop);
  }
  set top(given) {
    const top = readIndex('top', given);
    if (top < 1 || top > mostTop) {
      outOfRange('top', `an integer from 1 to ${mostTop}`, String(top));
    }
    this.setIndex('top', top);
  }

  /** The layer of the selected cell, from 0. Without `layer` and `position` none is selected. */
  get layer(): number | undefined {
    return this.index('layer');
  }
  set layer(given) {
    this.setIndex('layer', given);
  }

  /** The position of the selected cell, from 0. */
  get position(): number | undefined {
    return this.index('position');
  }
  set position(given) {
    this.setIndex('position', given);
  }

  #set(some: Inputs): void {
    this.#inputs = { ...this.#inputs, ...some };
    this.schedule();
  }

  /** The layer of a row. The first row is the last layer. */
  #layerOf(row: number): number {
    return (this.#made.table?.rows ?? 0) - 1 - row;
  }

  #textOf(token: number): string {
    const known = this.#texts.get(token);
    if (known !== undefined) return known;
    const text: unknown = this.#made.tokenOf?.(token) ?? String(token);
    if (typeof text !== 'string') return wrongType('tokenOf', 'strings', show(text));
    this.#texts.set(token, text);
    return text;
  }

  /**
   * "Before layer 3, the: cat 0.62, dog 0.21"
   * @internal
   */
  protected override say([row, position]: Place): string {
    const { table, tokens, top = 1 } = this.#made;
    const words = { ...englishLens, ...this.#made.words };
    const layer = this.#layerOf(row);
    const place = row === 0 ? words.output : words.before(layer);
    const likely = (table?.at(layer, position) ?? [])
      .slice(0, Math.max(top, mostTold))
      .filter(({ probability }, i) => i < top || probability >= leastTold)
      .map(({ token, probability }) => `${visible(this.#textOf(token))} ${twoDigits(probability)}`);
    return `${place}, ${visible(tokens?.[position] ?? String(position))}: ${likely.join(', ')}`;
  }

  /** @internal */
  protected override select([row, position]: Place): void {
    const { table } = this.#made;
    if (table === undefined) return;
    const layer = this.#layerOf(row);
    Object.assign(this, { layer, position });
    const detail: LensSelection = { layer, position, tokens: table.at(layer, position) };
    this.dispatchEvent(new CustomEvent('lens-select', { detail, bubbles: true, composed: true }));
  }

  /** @internal */
  protected override draw(): void {
    if (!this.beginDrawing()) return;
    const inputs: Inputs = { ...this.#inputs, top: this.top };
    const { table, tokens } = inputs;
    if (table !== undefined && tokens !== undefined && tokens.length !== table.positions) {
      const expected = `${table.positions} tokens, one for each position`;
      outOfRange('tokens', expected, String(tokens.length));
    }
    this.frame.hidden = table === undefined;
    if (table === undefined) return;
    const before = this.#made;
    this.#made = inputs;
    const names = ['table', 'tokens', 'tokenOf', 'words', 'top'] as const;
    if (names.some((name) => before[name] !== inputs[name])) this.#make(table, inputs);
    const { layer = Infinity, position = Infinity } = this;
    const isInside = layer < table.rows && position < table.positions;
    const words = { ...englishLens, ...inputs.words };
    this.cells.show(
      words.table(table.rows - 1, table.positions),
      isInside ? [table.rows - 1 - layer, position] : undefined,
    );
  }

  #make({ rows, positions, at }: TopTokens, { tokens, words, top = 1 }: Inputs): void {
    const { layer, out } = { ...englishLens, ...words };
    this.cells.root.style.setProperty('--lines', String(top));
    this.cells.make({
      rows: range(rows).map((row) => (row === 0 ? out : String(this.#layerOf(row)))),
      columns: tokens ?? range(positions).map(String),
      titles: [layer, ''],
      mostLabels: Infinity,
      boxes: range(rows * positions).map((i) => {
        const likely = at(this.#layerOf(Math.floor(i / positions)), i % positions);
        const texts = likely
          .slice(0, top)
          .map(({ token }) => element('span', {}, visible(this.#textOf(token))));
        return createBox(likely[0]?.probability ?? 0, texts);
      }),
      scale: ['0', rampOf(0, 1, createBox), '1'],
      start: [0, positions - 1],
    });
  }
}

/** Properties of `<logit-lens>` for JSX and templates, as `AttentionHeadsProps` are those of `<attention-heads>`. */
export type LogitLensProps = Partial<
  Pick<LogitLensElement, 'logits' | 'tokens' | 'tokenOf' | 'words' | 'top' | 'layer' | 'position'>
>;

/**
 * Defines `<logit-lens>` in the document, under this or another name. Does nothing without a document, or if this or
 * another copy of the package has already defined the name: the first one keeps it.
 * @throws TypeError if the name belongs to another custom element
 */
export function defineLogitLens(name = 'logit-lens'): void {
  defineElement(name, 'logit-lens', LogitLensElement);
}
