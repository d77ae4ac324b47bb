import { element } from './dom.js';
import { readIndex } from './read.js';
import { drawSnapshot } from './snapshot.js';
import { applyStyle } from './style.js';

/**
 * Milliseconds before an element warns of values that contradict each other. Frameworks may set them in several
 * renders.
 */
const patience = 1000;

/** Adds and removes listeners of an element's own events, whose types are in `Events`. */
interface Listeners<Events> {
  addEventListener<Type extends keyof Events>(
    type: Type,
    listener: (this: this, event: Events[Type]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  removeEventListener<Type extends keyof Events>(
    type: Type,
    listener: (this: this, event: Events[Type]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void;
}

/** Without a document, the classes can be imported, but no element can be created. */
const Base = (typeof HTMLElement === 'undefined' ? Object : HTMLElement) as unknown as new <
  Events,
>() => Listeners<Events> & HTMLElement;

/**
 * An element that draws its properties. Changes are drawn together after the script that makes them. If valid values
 * contradict each other, the element keeps its last drawing until they agree, and warns after a second.
 */
export abstract class DrawnElement<Events> extends Base<Events> {
  /**
   * What is drawn, also by `toSVG`.
   * @internal
   */
  protected readonly frame = element('div', { class: 'frame' });
  /**
   * Tells screen readers what a reader's action has changed.
   * @internal
   */
  protected readonly said = element('div', { class: 'said', role: 'status' });
  readonly #style: string;
  #isDue = false;
  #warning: ReturnType<typeof setTimeout> | undefined;

  /** @param style what the element needs besides the style of all elements */
  constructor(style = '') {
    super();
    this.#style = style;
    const root = this.attachShadow({ mode: 'open' });
    applyStyle(root, style);
    root.append(this.frame, this.said);
    this.frame.hidden = true;
  }

  /**
   * Draws the properties. Throws RangeError if they contradict each other.
   * @internal
   */
  protected abstract draw(): void;

  /**
   * Returns the current drawing as an SVG file, in the current light or dark colours.
   * @throws RangeError if values contradict each other; Error if the element is not visible
   */
  toSVG(): string {
    if (this.#isDue) this.draw();
    if (this.frame.getClientRects().length === 0) {
      throw new Error(
        `toSVG: expected ${this.drawnProperty} that are shown in a document, got none`,
      );
    }
    // What has scrolled away is drawn, too.
    const scrolled = Array.from(this.frame.querySelectorAll('.scroller'), (part) => {
      const left = part.scrollLeft;
      part.scrollLeft = 0;
      return { part, left };
    });
    const drawing = drawSnapshot(this.frame, getComputedStyle(this.frame).outlineColor);
    for (const { part, left } of scrolled) part.scrollLeft = left;
    return drawing;
  }

  /**
   * The property without which nothing is drawn.
   * @internal
   */
  protected abstract readonly drawnProperty: string;

  connectedCallback(): void {
    this.schedule();
  }

  /** The element moved to another document, such as that of a frame or a popup. */
  adoptedCallback(): void {
    if (this.shadowRoot !== null) applyStyle(this.shadowRoot, this.#style);
  }

  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- for classes that override it
  attributeChangedCallback(_name: string): void {
    this.schedule();
  }

  /**
   * Properties set before the element was defined are own properties, which hide the accessors. Sets them again.
   * @internal
   */
  protected upgrade(properties: readonly string[]): void {
    for (const name of properties) {
      if (!Object.hasOwn(this, name)) continue;
      const value: unknown = Reflect.get(this, name);
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, value);
    }
  }

  /**
   * An attribute that is an integer from 0; undefined for others.
   * @internal
   */
  protected index(name: string): number | undefined {
    const given = this.getAttribute(name)?.trim() ?? '';
    return /^\d+$/.test(given) ? Number(given) : undefined;
  }

  /** @internal */
  protected setIndex(name: string, given: number | undefined): void {
    if (given === undefined) this.removeAttribute(name);
    else this.setAttribute(name, String(readIndex(name, given)));
  }

  /**
   * Draws once the current script has run.
   * @internal
   */
  protected schedule(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      if (!this.#isDue) return;
      try {
        this.draw();
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        this.#warning = setTimeout(() => {
          console.warn(`<${this.localName}> ${error.message}`);
        }, patience);
      }
    });
  }

  /**
   * Starts a drawing, in place of a scheduled one. Returns whether the element is in a document.
   * @param isLatest whether it draws the current properties, so that no warning is due
   * @internal
   */
  protected beginDrawing(isLatest = true): boolean {
    this.#isDue = false;
    if (isLatest) clearTimeout(this.#warning);
    return this.isConnected;
  }
}

/**
 * Defines an element of the package in the document. Does nothing without a document, or if this or another copy of the
 * package has already defined the name: the first one keeps it.
 * @param standard the element's usual name, which marks its class in every copy of the package, whatever its version
 * @throws TypeError if the name belongs to another custom element
 */
export function defineElement(
  name: string,
  standard: string,
  Element: new () => HTMLElement,
): void {
  if (typeof customElements === 'undefined') return;
  const mark = Symbol.for(`headwise.${standard}`);
  const known = customElements.get(name);
  if (known !== undefined) {
    if (mark in known) return;
    throw new TypeError(
      `name: expected one that no other element has, got ${JSON.stringify(name)}`,
    );
  }
  // A class can be defined under one name only, so a further name gets a subclass. jsdom lacks `getName`.
  const isTaken = !('getName' in customElements) || customElements.getName(Element) !== null;
  Object.assign(Element, { [mark]: true });
  customElements.define(name, isTaken ? class extends Element {} : Element);
}
