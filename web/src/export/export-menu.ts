import { element } from '../dom.js';
import { text } from '../text/index.js';
import { hideable } from '../state/hidden.js';
import { jsonFile, pngFile, saveFile, svgFile } from './files.js';

interface Options {
  /** In words, `the maps of weights`; the file is called after it. */
  readonly name: string;
  /** The drawing, on the page or composed of drawings on it. */
  readonly figure: () => SVGSVGElement;
  /** What JSON can say, and typed arrays. */
  readonly data: () => unknown;
}

/** Buttons that save a figure as SVG or PNG, and its numbers as JSON. */
export function createExportMenu({ name, figure, data }: Options): HTMLElement {
  const status = element('span', { class: 'export-status', role: 'status' });
  const formats = {
    svg: () => svgFile(figure()),
    png: () => pngFile(figure()),
    json: () => jsonFile(data()),
  };
  const save = async (format: keyof typeof formats): Promise<void> => {
    const file = `headwise-${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.${format}`;
    try {
      saveFile(file, await formats[format]());
      status.textContent = text.exports.saved(file);
    } catch (error) {
      status.textContent = text.exports.failed(error instanceof Error ? error.message : '');
    }
  };
  const buttons = (['svg', 'png', 'json'] as const).map((format) => {
    const button = element(
      'button',
      { type: 'button', 'aria-label': text.exports.formatLabels[format](name) },
      text.exports.formats[format],
    );
    button.addEventListener('click', () => void save(format));
    return button;
  });
  return hideable(
    'export',
    element(
      'div',
      { class: 'export', role: 'group', 'aria-label': text.exports.label(name) },
      element('span', { class: 'export-intro', 'aria-hidden': 'true' }, text.exports.intro),
      ...buttons,
      status,
    ),
  );
}
