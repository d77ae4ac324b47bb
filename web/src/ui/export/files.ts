import { setAttributes, svg } from '../dom.js';
import { words } from '../words.js';
import { resolveStyles } from './drawing.js';

const margin = 16;
/** Pixels a unit: sharp when printed or thrown on a wall. */
const density = 3;
/** Browsers draw no picture that has more pixels a side. */
const maxSide = 8192;

/** The drawing as an SVG file: styles resolved, on the paper of the page. */
export function svgFile(figure: SVGSVGElement): Blob {
  return new Blob([new XMLSerializer().serializeToString(framed(figure))], {
    type: 'image/svg+xml',
  });
}

/** The drawing as a PNG file, drawn by the browser. */
export async function pngFile(figure: SVGSVGElement): Promise<Blob> {
  const address = URL.createObjectURL(svgFile(figure));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const largest = Math.max(image.naturalWidth, image.naturalHeight);
    const pixels = Math.min(density, maxSide / largest);
    const canvas = document.createElement('canvas');
    canvas.width = Math.round(image.naturalWidth * pixels);
    canvas.height = Math.round(image.naturalHeight * pixels);
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => {
        if (blob === null) reject(new Error(words.exports.noPicture));
        else resolve(blob);
      }, 'image/png');
    });
  } catch {
    throw new Error(words.exports.noPicture);
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** Numbers as a JSON file: tensors as `{ shape, data }`, and −∞, which JSON lacks, as text. */
export function jsonFile(data: unknown): Blob {
  const plain = (_name: string, value: unknown): unknown => {
    if (value instanceof Float32Array) return Array.from(value);
    return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
  };
  return new Blob([JSON.stringify(data, plain, 1)], { type: 'application/json' });
}

/** Hands a file to the reader. */
export function saveFile(name: string, file: Blob): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken the file over once the click is done with.
  setTimeout(() => {
    URL.revokeObjectURL(address);
  }, 1000);
}

function framed(figure: SVGSVGElement): SVGSVGElement {
  const { drawing, width, height } = resolveStyles(figure);
  setAttributes(drawing, { x: margin, y: margin, width, height, overflow: 'visible' });
  const size = { width: width + 2 * margin, height: height + 2 * margin };
  return svg(
    'svg',
    { ...size, viewBox: `0 0 ${size.width} ${size.height}` },
    svg('rect', { ...size, fill: getComputedStyle(document.body).backgroundColor }),
    drawing,
  );
}
