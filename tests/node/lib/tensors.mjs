// Tensors cut and passed in other forms.
import { Tensor } from 'headwise';

/** Nested arrays of a `{ data, shape }`. */
export function nested({ data, shape }) {
  const build = (axis, first, size) =>
    axis === shape.length
      ? data[first]
      : Array.from({ length: shape[axis] }, (_, i) =>
          build(axis + 1, first + (i * size) / shape[axis], size / shape[axis]),
        );
  return build(0, 0, data.length);
}

/** Positions [begin, end) of (batch, length, size). */
export function positions({ data, shape: [batch, length, size] }, begin, end) {
  const part = new Float32Array(batch * (end - begin) * size);
  for (let b = 0; b < batch; b++) {
    const rows = data.subarray((b * length + begin) * size, (b * length + end) * size);
    part.set(rows, b * (end - begin) * size);
  }
  return new Tensor(part, [batch, end - begin, size]);
}
