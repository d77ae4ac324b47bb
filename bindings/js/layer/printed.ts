import type { InputSizes, LayerSettings } from './layer-options.js';
import { parametersOf } from './parameters.js';

/** Node's `console.log` prints what the method of this name returns. */
export const inspect = Symbol.for('nodejs.util.inspect.custom');

/** A module as PyTorch prints one: its options in a line, then its parts. */
export const printed = (
  name: string,
  options: object,
  parts: readonly (readonly [name: string, text: string])[],
): string =>
  [
    `${name}(`,
    `  ${Object.entries(options)
      .map((option) => option.join('='))
      .join(', ')}`,
    ...parts.map(([part, text]) => `  (${part}): ${text.replaceAll('\n', '\n  ')}`),
    ')',
  ].join('\n');

/** A layer with its linear maps and other parameters; sizes that are still to be inferred have their names. */
export function printedLayer(settings: LayerSettings, sizes: InputSizes): string {
  const { numHiddens, numHeads, numKvHeads, dropout } = settings;
  const parameters = parametersOf(settings, sizes);
  const options = {
    ...{ numHiddens, numHeads },
    ...(numKvHeads !== numHeads && { numKvHeads }),
    ...(dropout > 0 && { dropout }),
  };
  const parts = parameters.flatMap(({ name, shape: [rows, columns] }) => {
    const [map, bias] = [name.replace(/\.weight$/, ''), name.replace(/weight$/, 'bias')];
    const hasBias = parameters.some((other) => other.name === bias);
    const features = `in_features=${columns}, out_features=${rows}, bias=${hasBias}`;
    return map === name ? [] : [[map, `Linear(${features})`] as const];
  });
  return printed('MultiHeadAttention', options, parts);
}
