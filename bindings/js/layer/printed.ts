import type { LayerSettings } from './layer-options.js';
import { axesOf, type Parameter } from './parameters.js';

/** The name of the method whose result Node's `console.log` prints. */
export const inspect = Symbol.for('nodejs.util.inspect.custom');

/** Formats a module as PyTorch prints it: its options on one line, then its parts. */
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

/** Formats a layer with its linear maps and other parameters. A size that is not inferred yet is shown by its name. */
export function printedLayer(settings: LayerSettings, parameters: readonly Parameter[]): string {
  const { numHiddens, numHeads, numKvHeads, dropout } = settings;
  const options = {
    ...{ numHiddens, numHeads },
    ...(numKvHeads !== numHeads && { numKvHeads }),
    ...(dropout > 0 && { dropout }),
  };
  const parts = parameters.flatMap((parameter) => {
    const { name } = parameter;
    const [rows, columns] = axesOf(parameter, settings);
    const [map, bias] = [name.replace(/\.weight$/, ''), name.replace(/weight$/, 'bias')];
    const hasBias = parameters.some((other) => other.name === bias);
    const features = `in_features=${columns}, out_features=${rows}, bias=${hasBias}`;
    return map === name ? [] : [[map, `Linear(${features})`] as const];
  });
  return printed('MultiHeadAttention', options, parts);
}
