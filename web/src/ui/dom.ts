import { headColour } from 'headwise/view';

import type { Origin } from '../address/store.js';

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
type Child = Node | string;

const svgNamespace = 'http://www.w3.org/2000/svg';

/**
 * Sets attributes; `true` stands for an empty one, `false` and `undefined` take it away. What stays the same is not
 * written again at every frame of a run.
 */
export function setAttributes(target: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) target.removeAttribute(name);
    else {
      const next = value === true ? '' : String(value);
      if (target.getAttribute(name) !== next) target.setAttribute(name, next);
    }
  }
}

/** What an element is created with: attributes, if any, and children. */
type Content = readonly (Attributes | Child)[];

/** @param selector name and classes, such as `div.control` */
export function element<Name extends keyof HTMLElementTagNameMap>(
  selector: Name | `${Name}.${string}`,
  ...content: Content
): HTMLElementTagNameMap[Name] {
  const [name, ...classes] = selector.split('.');
  return fill(document.createElement(name as Name), classes, content);
}

/** @param selector name and classes, such as `rect.cell` */
export function svg<Name extends keyof SVGElementTagNameMap>(
  selector: Name | `${Name}.${string}`,
  ...content: Content
): SVGElementTagNameMap[Name] {
  const [name, ...classes] = selector.split('.');
  return fill(document.createElementNS(svgNamespace, name as Name), classes, content);
}

function fill<Target extends Element>(
  target: Target,
  classes: readonly string[],
  content: Content,
): Target {
  if (classes.length > 0) target.setAttribute('class', classes.join(' '));
  for (const part of content) {
    if (typeof part === 'string' || part instanceof Node) target.append(part);
    else setAttributes(target, part);
  }
  return target;
}

/** Sets a text where it is another than before: what stays the same is not written again at every frame of a run. */
export function setText(target: Element, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

/** A paragraph of the words, with their marks. */
export function paragraph(content: string, attributes: Attributes = {}): HTMLParagraphElement {
  return element('p', attributes, ...marked(content));
}

/**
 * The only marks that words may use: `*…*` is emphasised, `[term]`, or `[shown|term]` where the text has it in other words,
 * opens a definition (glossary.ts), and the letter of `W_o` is a subscript.
 */
export function marked(content: string): Child[] {
  const pieces = content.split(/(\*[^*]+\*|\[[^\]]+\]|_[jkoqv]\b)/);
  return pieces.map((piece, index) => {
    if (index % 2 === 0) return piece;
    if (piece.startsWith('_')) return element('sub', piece.slice(1));
    const inner = piece.slice(1, -1);
    if (piece.startsWith('*')) return element('em', inner);
    const [shown = '', term = shown.toLowerCase()] = inner.split('|');
    return element('button.term', { 'data-term': term }, shown);
  });
}

/** Origins of what a field changes: all that is written or dragged in one go is one step back in the history. */
export function originsOf(field: HTMLElement): () => Origin {
  let isFirst = true;
  field.addEventListener('change', () => {
    isFirst = true;
  });
  return () => {
    const origin = isFirst ? 'push' : 'replace';
    isFirst = false;
    return origin;
  };
}

let lastId = 0;

/** An id of its own for each call, to tie labels and descriptions to what they describe. */
export function newId(prefix: string): string {
  lastId += 1;
  return `${prefix}-${lastId}`;
}

/** A control with its name above it: `content` is what the name is of, or what it stands in. */
export function labelled(label: string, input: HTMLElement, ...content: Child[]): HTMLElement {
  input.id ||= newId('control');
  const name = element('label.control-label', { for: input.id }, label);
  return element('div.control', name, ...(content.length === 0 ? [input] : content));
}

/** Gives an element the colour of a head, counted from 0, as `--head-colour`. */
export function withHeadColour<Target extends HTMLElement | SVGElement>(
  target: Target,
  head: number,
): Target {
  target.style.setProperty('--head-colour', headColour(head));
  return target;
}

/** The same as the property `style` of an element of a template: the page's policy allows no such attributes. */
export const headStyle = (head: number): string => `--head-colour: ${headColour(head)}`;
