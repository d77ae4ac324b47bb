import { failOutOfMemory } from '../runtime/errors.js';
import { allocate, isAbsent, read } from '../runtime/memory.js';
import { whole } from '../runtime/options.js';
import { newestCore } from '../runtime/wasm.js';
import { Tensor } from '../tensor/tensor.js';

/**
 * Sinusoids of positions 0 … length − 1, (length, numHiddens): P[i, 2j] = sin(i / 10000^(2j / numHiddens)),
 * P[i, 2j + 1] = cos of the same angle. Source: Vaswani et al. 2017; d2l, Self-Attention and Positional Encoding,
 * `PositionalEncoding`.
 *
 * @throws HeadwiseError `invalid-option`, `not-initialized`, `out-of-memory`
 */
export function positionalEncoding(length: number, numHiddens: number): Tensor {
  const loaded = newestCore();
  whole('an integer from 0 to 2147483647')('length', length);
  whole()('numHiddens', numHiddens);
  const address = loaded.positionalEncoding(length, numHiddens);
  if (isAbsent(address)) {
    failOutOfMemory();
  }
  const P = allocate(length * numHiddens);
  read(address, P);
  return new Tensor(P, [length, numHiddens]);
}
