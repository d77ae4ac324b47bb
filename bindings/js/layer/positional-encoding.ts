import { checkInteger, checkSize } from '../runtime/options.js';
import { Tensor } from '../tensor/tensor.js';

/**
 * Sinusoids of positions 0 … length − 1, (length, numHiddens): P[i, 2j] = sin(i / 10000^(2j / numHiddens)),
 * P[i, 2j + 1] = cos of the same angle. Source: Vaswani et al. 2017; d2l, Self-Attention and Positional Encoding,
 * `PositionalEncoding`.
 *
 * @throws HeadwiseError `invalid-option`
 */
export function positionalEncoding(length: number, numHiddens: number): Tensor {
  checkInteger('length', length, 0);
  const columns = checkSize('numHiddens', numHiddens);
  const P = Tensor.zeros([length, columns]);
  for (let i = 0; i < length; i++) {
    for (let column = 0; column < columns; column++) {
      const angle = i / 10000 ** ((column - (column % 2)) / columns);
      P.data[i * columns + column] = column % 2 === 0 ? Math.sin(angle) : Math.cos(angle);
    }
  }
  return P;
}
