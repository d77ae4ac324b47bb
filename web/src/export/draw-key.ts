import { setAttributes, svg } from '../dom.js';
import type { Piece } from './compose.js';
import { resolveStyles } from './resolve-styles.js';

/** A key or a scale, which the page lays out in words and small drawings, as it stands there. */
export function drawKey(root: Element): Piece {
  const { left, top, height } = root.getBoundingClientRect();
  let width = 0;
  const placeOf = (part: Element | Range): Record<'x' | 'y' | 'width' | 'height', number> => {
    const box = part.getBoundingClientRect();
    width = Math.max(width, box.right - left);
    return { x: box.left - left, y: box.top - top, width: box.width, height: box.height };
  };
  const drawing = svg('svg');
  for (const part of root.querySelectorAll('svg')) {
    const { drawing: copy } = resolveStyles(part);
    setAttributes(copy, placeOf(part));
    drawing.append(copy);
  }
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const { parentElement } = node;
    if (parentElement?.closest('svg') !== null) continue;
    const range = document.createRange();
    range.selectNode(node);
    const { x, y, height: line } = placeOf(range);
    const { color, fontFamily, fontSize } = getComputedStyle(parentElement);
    const style = { fill: color, 'font-family': fontFamily, 'font-size': fontSize };
    const at = { x, y: y + line / 2, 'dominant-baseline': 'central' };
    drawing.append(svg('text', { ...at, ...style }, node.nodeValue ?? ''));
  }
  setAttributes(drawing, { viewBox: `0 0 ${width} ${height}`, width, height });
  return { drawing, title: '' };
}
