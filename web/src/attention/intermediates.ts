import { range } from 'd3-array';
import { type StateDict, Tensor } from 'headwise';

/** A weight of the layer by its short name, `W_q`. */
export function weightOf(parameters: StateDict, name: string): Tensor {
  const found = tensorOf(parameters, `${name}.weight`);
  if (found === undefined) throw new Error(`the layer has no ${name}`);
  return found;
}

function tensorOf(parameters: Partial<StateDict>, name: string): Tensor | undefined {
  return parameters[name];
}

/**
 * X Wᵀ + b, cut into heads. The layer computes the same and does not return it; these are the numbers
 * that its scores and its output come from.
 *
 * @param X (batch, length, in)
 * @param weight (heads · d, in)
 * @param bias (heads · d,), if the layer has any
 * @returns (batch, heads, length, d)
 */
export function projectHeads(
  X: Tensor,
  weight: Tensor,
  bias: Tensor | undefined,
  numHeads: number,
): Tensor {
  const [batch = 0, length = 0, inSize = 0] = X.shape;
  const size = (weight.shape[0] ?? 0) / numHeads;
  const projected = Tensor.zeros([batch, numHeads, length, size]);
  let next = 0;
  for (const sample of range(batch)) {
    for (const head of range(numHeads)) {
      for (const position of range(length)) {
        const row = (sample * length + position) * inSize;
        for (let unit = head * size; unit < (head + 1) * size; unit++) {
          let sum = bias?.data[unit] ?? 0;
          for (let at = 0; at < inSize; at++) {
            sum += (X.data[row + at] ?? NaN) * (weight.data[unit * inSize + at] ?? NaN);
          }
          projected.data[next] = sum;
          next++;
        }
      }
    }
  }
  return projected;
}
