import { allocate, allocateBytes, reserve, write } from '../runtime/memory.js';
import { modelsCore } from '../runtime/models-build.js';
import { filePrecisions, type FilePrecision } from '../runtime/precisions.js';
import type { OwnBytes } from '../runtime/typed-arrays.js';

/** Rounded rows as bytes of a file and, for int8, a factor for each row. */
export interface RoundedRows {
  readonly bytes: OwnBytes;
  readonly scales: Float32Array;
}

/** Rounds rows of weights. `data` must not change meanwhile. */
export function roundRows(data: Float32Array, rows: number, precision: FilePrecision): RoundedRows {
  const loaded = modelsCore();
  const size = precision === 'float16' ? 2 : 1;
  const bytes = allocateBytes(data.length * size);
  const scales = allocate(rows);
  const columns = data.length / Math.max(rows, 1);
  for (let row = 0; row < rows; row++) {
    const [from, to] = reserve(columns, Math.ceil((columns * size) / 4));
    write(from, { data: data.subarray(row * columns, (row + 1) * columns), count: columns });
    scales[row] = loaded.roundRow(filePrecisions.indexOf(precision), from, columns, to);
    bytes.set(loaded.HEAPU8.subarray(to, to + columns * size), row * columns * size);
  }
  return { bytes, scales };
}
