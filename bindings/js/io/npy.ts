import { headerBytes, headerText, npyHeader, tensorShape } from 'headwise-records';
import { fail } from '../runtime/errors.js';
import { read, reserve, write, writeIntegers } from '../runtime/memory.js';
import { modelsCore } from '../runtime/models-build.js';
import { receive, send } from '../runtime/records.js';
import type { OwnBytes } from '../runtime/typed-arrays.js';
import { toFloats } from '../tensor/arrays.js';
import type { TensorInput } from '../tensor/inputs.js';
import { checkFileShape } from '../tensor/shapes.js';
import { Tensor } from '../tensor/tensor.js';
import { checkHeader, readFloats, toBytes, toFile } from './files.js';

const largestHeader = 65_536;
const mostAxes = 64;

/**
 * Reads a .npy file, versions 1 to 3, of floats, integers or booleans in either byte order and either order of axes.
 * Source: NumPy's documentation, numpy.lib.format.
 *
 * @param bytes the file: a typed array, a view or a buffer
 * @throws HeadwiseError `invalid-file` for a malformed file; `invalid-type`, `not-initialized`, `out-of-memory`
 */
export function loadNpy(bytes: ArrayBufferView | ArrayBufferLike): Tensor {
  const loaded = modelsCore();
  const file = toBytes(bytes);
  const bytesOfHeader = file.subarray(0, largestHeader);
  const request = send(headerBytes, { fileSize: file.length, bytes: bytesOfHeader });
  const header = receive(npyHeader, loaded.readNpyHeader(request));
  checkHeader(header);
  const { size, format, fortranOrder, shape } = header;
  const data = readFloats(format, file.subarray(size));
  if (fortranOrder) {
    const [axes, from, to] = reserve(shape.length, data.length, data.length);
    writeIntegers(axes, shape);
    write(from, { data, count: data.length });
    loaded.toRowMajor(axes, shape.length, from, to);
    read(to, data);
  }
  return new Tensor(data, shape);
}

/**
 * Makes a .npy file of float32 numbers.
 *
 * @throws HeadwiseError `invalid-shape` for more than 64 axes, NumPy's limit; `invalid-type`, `not-initialized`,
 *   `out-of-memory`
 */
export function saveNpy(tensor: TensorInput): OwnBytes {
  modelsCore();
  const { data, shape } = toFloats('tensor', tensor);
  if (shape.length > mostAxes) {
    fail('invalid-shape', 'tensor', `at most ${mostAxes} axes`, String(shape.length));
  }
  checkFileShape('tensor', shape);
  // Reading the tensor may have run the caller's code, which may have entered another core.
  const loaded = modelsCore();
  const { bytes } = receive(headerText, loaded.writeNpyHeader(send(tensorShape, { shape })));
  return toFile(bytes, [data]);
}
