import { setAttributes, svg } from '../dom.js';

/** What CSS may say of a drawing, and a file of its own must say itself. */
const properties = [
  'dominant-baseline',
  'fill',
  'fill-opacity',
  'font-family',
  'font-size',
  'font-style',
  'font-weight',
  'opacity',
  'stroke',
  'stroke-dasharray',
  'stroke-linecap',
  'stroke-linejoin',
  'stroke-width',
  'text-anchor',
  'visibility',
] as const;

/** What only a page has a use for. */
const pageAttributes = /^(?:class|tabindex|role|style|id|aria-.*|data-.*)$/;

/** A drawing that needs nothing around it, with its size in units of the drawing. */
export interface Standalone {
  readonly drawing: SVGSVGElement;
  readonly width: number;
  readonly height: number;
}

/**
 * A copy of a drawing on the page with the styles that it has there; one that is not on the page
 * must have its own. What is not displayed is left out; patterns and gradients it refers to come
 * with it, wherever on the page they are.
 */
export function resolveStyles(original: SVGSVGElement): Standalone {
  const { width, height } = original.viewBox.baseVal;
  const drawing = (
    original.isConnected ? copyOf(original) : original.cloneNode(true)
  ) as SVGSVGElement;
  setAttributes(drawing, { width, height });
  for (const id of outsideReferences(drawing)) {
    const target = document.getElementById(id);
    if (target !== null) drawing.prepend(svg('defs', {}, copyOf(target)));
  }
  return { drawing, width, height };
}

function copyOf(original: Element): Element {
  const copy = original.cloneNode(false) as Element;
  const styles = getComputedStyle(original);
  for (const { name } of [...copy.attributes]) {
    const isUsed = name === 'id' && original.closest('defs') !== null;
    if (pageAttributes.test(name) && !isUsed) copy.removeAttribute(name);
  }
  for (const property of properties) copy.setAttribute(property, styles.getPropertyValue(property));
  if (original.localName === 'stop') {
    copy.setAttribute('stop-color', styles.getPropertyValue('stop-color'));
  }
  for (const child of original.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) copy.append(child.cloneNode());
    else if (child instanceof Element && isDisplayed(child)) copy.append(copyOf(child));
  }
  return copy;
}

function isDisplayed(candidate: Element): boolean {
  // Definitions are never displayed, and are needed all the same.
  if (candidate.closest('defs') !== null) return true;
  return getComputedStyle(candidate).display !== 'none';
}

function outsideReferences(drawing: Element): Set<string> {
  const ids = new Set<string>();
  for (const found of drawing.querySelectorAll('*')) {
    for (const { value } of found.attributes) {
      const id = /^url\(["']?#([^"')]+)["']?\)$/.exec(value)?.[1];
      if (id !== undefined && drawing.querySelector(`#${CSS.escape(id)}`) === null) ids.add(id);
    }
  }
  return ids;
}
