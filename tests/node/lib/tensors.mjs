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
