import { toFloats, type TensorInput } from './arrays.js';
import { core, read, reserve, write, writeIntegers } from './core.js';
import { fail } from './errors.js';
import { checkHeader, formatIn, readFloats, toBytes, toFile } from './files.js';
import { Question } from './questions.js';
import { Tensor } from './tensor.js';

const largestHeader = 65_536;
const mostAxes = 64;

/**
 * Reads a .npy file, versions 1 to 3, of floats, integers or booleans in either byte order and either order of axes.
 * Source: NumPy's documentation, numpy.lib.format.
 *
 * @param bytes the file: a typed array, a view or a buffer
 * @throws HeadwiseError `invalid-file` for whatever breaks the format's rules; `invalid-type`, `not-initialized`,
 *   `out-of-memory`
 */
export function loadNpy(bytes: ArrayBufferView | ArrayBufferLike): Tensor {
  const loaded = core();
  const file = toBytes(bytes);
  const answer = new Question()
    .wide(file.length)
    .text(file.subarray(0, largestHeader))
    .ask(loaded, 'readNpyHeader');
  checkHeader(answer);
  const begin = answer.wide();
  const format = formatIn(answer);
  const fortranOrder = answer.flag();
  const shape = answer.shape();
  const data = readFloats(loaded, format, file.subarray(begin));
  if (fortranOrder) {
    const [record = 0, from = 0, to = 0] = reserve(loaded, shape.length, data.length, data.length);
    writeIntegers(loaded, record, Int32Array.from(shape));
    write(loaded, from, data, data.length);
    loaded.toRowMajor(record, shape.length, from, to);
    read(loaded, to, data, data.length);
  }
  return new Tensor(data, shape);
}

/**
 * A .npy file of float32 numbers.
 *
 * @throws HeadwiseError `invalid-shape` for more than 64 axes, which is NumPy's limit; `invalid-type`,
 *   `not-initialized`, `out-of-memory`
 */
export function saveNpy(tensor: TensorInput): Uint8Array {
  const loaded = core();
  const { data, shape } = toFloats('tensor', tensor);
  if (shape.length > mostAxes) {
    fail('invalid-shape', 'tensor', `at most ${mostAxes} axes`, String(shape.length));
  }
  const header = new Question().shape('tensor', shape).ask(loaded, 'writeNpyHeader').bytes();
  return toFile(header, [data]);
}
