import type { Axis } from '../tensor/shapes.js';
import type { LayerSettings } from './layer-options.js';
import type { Parameter } from './parameters.js';

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

/** The input sizes, by the weight that has them as an axis. */
const inputSizes: Readonly<Partial<Record<string, string>>> = {
  'W_q.weight': 'querySize',
  'W_k.weight': 'keySize',
  'W_v.weight': 'valueSize',
};

/** A parameter's shape, with names for sizes that are still to be inferred. */
const axesOf = ({ name, shape }: Parameter, { projection }: LayerSettings): Axis[] =>
  shape.map(
    (size) =>
      size || (inputSizes[name] ?? '') + (projection === 'convolution' ? ' / numHeads' : ''),
  );

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
