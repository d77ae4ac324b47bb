import { setAttributes, svg } from './dom.js';

const ruler = (): CanvasRenderingContext2D | null => {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  return canvas.getContext('2d', { willReadFrequently: true });
};

/**
 * Converts colours to a form that every SVG program reads. Computed styles may contain others, such as `color(srgb …)`.
 */
function createColours(): (css: string) => string {
  const context = ruler();
  const known = new Map<string, string>();
  return (css) => {
    const found = known.get(css);
    if (found !== undefined || context === null) return found ?? css;
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = css;
    context.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha = 0] = context.getImageData(0, 0, 1, 1).data;
    const colour = alpha === 0 ? 'none' : `rgb(${red},${green},${blue})`;
    known.set(css, colour);
    return colour;
  };
}

/** Margin of the drawing, in CSS pixels. */
const margin = 12;

/** Maximum number of pixels of a map (`data-box`) that become squares. Larger maps become images. */
const mostRects = 4096;

/** Elements that are useful only on the page. */
const notDrawn = '.told, .back, .steps button';

/** Replaces control characters, which XML forbids, by their pictures, such as ␀, and invalid characters by �. */
const inXml = (text: string): string =>
  text.replaceAll(/[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, (sign) =>
    sign < ' ' ? String.fromCharCode(0x2400 + sign.charCodeAt(0)) : '\uFFFD',
  );

const round = (length: number): number => Math.round(100 * length) / 100;

/**
 * The content of `root` as an SVG file: texts, boxes of elements with `data-box`, curves and pixels, in their current
 * colours on the background `paper`.
 */
export function drawSnapshot(root: HTMLElement, paper: string): string {
  const { left, top } = root.getBoundingClientRect();
  const colourOf = createColours();
  const ground = svg('rect', { fill: colourOf(paper) });
  const drawing = svg('svg', { 'font-family': getComputedStyle(root).fontFamily }, ground);
  let [right, bottom] = [0, 0];

  /** The box of a drawn element. The drawing grows to contain it. */
  const boxOf = (part: Element | Range): Record<'x' | 'y' | 'width' | 'height', number> => {
    const box = part.getBoundingClientRect();
    right = Math.max(right, box.right - left);
    bottom = Math.max(bottom, box.bottom - top);
    return {
      x: round(box.left - left),
      y: round(box.top - top),
      width: round(box.width),
      height: round(box.height),
    };
  };

  function addText(node: Node, parent: Element): void {
    const words = node.nodeValue?.trim() ?? '';
    if (words === '') return;
    const range = document.createRange();
    range.selectNodeContents(node);
    const { x, y, width: long, height: high } = boxOf(range);
    const { color, fontSize, fontWeight, writingMode, overflowX } = getComputedStyle(parent);
    const most = overflowX === 'visible' ? Infinity : parent.clientWidth;
    const signs = Array.from(words);
    // As the page cuts off a text that is too long.
    const shown =
      long > most + 1 ? `${signs.slice(0, (signs.length * most) / long - 1).join('')}…` : words;
    const [middle, centre] = [round(x + Math.min(long, most) / 2), round(y + high / 2)];
    const text = svg('text', {
      x: middle,
      y: centre,
      fill: colourOf(color),
      'font-size': fontSize,
      'font-weight': fontWeight,
      'text-anchor': 'middle',
      'dominant-baseline': 'central',
      transform: writingMode.startsWith('vertical') && `rotate(-90 ${middle} ${centre})`,
    });
    text.textContent = inXml(shown);
    drawing.append(text);
  }

  function addBox(part: Element): void {
    const { backgroundColor, borderTopColor, borderTopWidth, borderTopLeftRadius } =
      getComputedStyle(part);
    const border = parseFloat(borderTopWidth);
    const fill = colourOf(backgroundColor);
    if (fill === 'none' && border === 0) return;
    const { x, y, width: wide, height: high } = boxOf(part);
    const radius = borderTopLeftRadius.endsWith('%') ? wide / 2 : parseFloat(borderTopLeftRadius);
    drawing.append(
      svg('rect', {
        x: x + border / 2,
        y: y + border / 2,
        width: Math.max(wide - border, 0),
        height: Math.max(high - border, 0),
        rx: radius > 0 && Math.min(radius, high / 2),
        fill,
        stroke: border > 0 && colourOf(borderTopColor),
        'stroke-width': border > 0 && border,
      }),
    );
  }

  /** Draws each pixel as a square, which is sharp in every program. */
  function addPixels(part: HTMLCanvasElement): void {
    const { x, y, width: wide, height: high } = boxOf(part);
    const { width: columns, height: rows } = part;
    const { data } = part.getContext('2d')?.getImageData(0, 0, columns, rows) ?? { data: [] };
    for (let i = 0; i < columns * rows; i++) {
      const [red, green, blue] = data.slice(4 * i, 4 * i + 3);
      drawing.append(
        svg('rect', {
          x: round(x + ((i % columns) * wide) / columns),
          y: round(y + (Math.floor(i / columns) * high) / rows),
          width: round(wide / columns),
          height: round(high / rows),
          fill: `rgb(${red},${green},${blue})`,
          'shape-rendering': 'crispEdges',
        }),
      );
    }
  }

  function addCurves(part: SVGSVGElement): void {
    // The element's box is not added, because it spans the whole figure and is mostly empty.
    const box = part.getBoundingClientRect();
    const [x, y] = [round(box.left - left), round(box.top - top)];
    const group = svg('g', { transform: `translate(${x} ${y})`, fill: 'none' });
    for (const path of part.querySelectorAll('path')) {
      const copy = path.cloneNode() as SVGPathElement;
      for (const { name } of [...copy.attributes]) {
        if (/^(?:style|data-.*)$/.test(name)) copy.removeAttribute(name);
      }
      const { stroke } = getComputedStyle(path);
      setAttributes(copy, { stroke: colourOf(stroke), 'stroke-linecap': 'round' });
      group.append(copy);
    }
    drawing.append(group);
  }

  function add(part: Element): void {
    const { display, visibility } = getComputedStyle(part);
    if (display === 'none' || visibility === 'hidden' || part.matches(notDrawn)) return;
    if (part instanceof SVGSVGElement) {
      addCurves(part);
      return;
    }
    if (part.hasAttribute('data-box')) addBox(part);
    if (part instanceof HTMLCanvasElement) {
      if (part.hasAttribute('data-box') && part.width * part.height <= mostRects) {
        addPixels(part);
        return;
      }
      const href = part.toDataURL();
      // A data URL makes no request.
      drawing.append(
        svg('image', {
          ...boxOf(part),
          preserveAspectRatio: 'none',
          href,
          'image-rendering': 'pixelated',
        }),
      );
      return;
    }
    for (const child of part.childNodes) {
      if (child instanceof Element) add(child);
      else addText(child, part);
    }
  }

  add(root);
  const size = { width: Math.ceil(right) + 2 * margin, height: Math.ceil(bottom) + 2 * margin };
  setAttributes(ground, { x: -margin, y: -margin, ...size });
  setAttributes(drawing, {
    viewBox: `${-margin} ${-margin} ${size.width} ${size.height}`,
    ...size,
  });
  return new XMLSerializer().serializeToString(drawing);
}
