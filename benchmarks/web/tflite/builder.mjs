// Writes TensorFlow Lite models. Numbers of fields, operators and options are those of the format's
// schema (schema.fbs in TensorFlow).
import { Builder } from 'flatbuffers';

const schemaVersion = 3;
const tensorTypes = { float32: 0, int32: 2 };

/** By operator: its code, the kind of its options, and the options that are not 0. */
const operators = {
  ADD: { code: 0, kind: 11 },
  FULLY_CONNECTED: { code: 9, kind: 8 },
  RESHAPE: { code: 22, kind: 17 },
  SOFTMAX: { code: 25, kind: 9, options: [[0, 'Float32', 1]] },
  TRANSPOSE: { code: 39, kind: 26 },
  BATCH_MATMUL: { code: 126, kind: 101 },
  BATCH_MATMUL_TRANSPOSED: { code: 126, kind: 101, options: [[1, 'Int8', 1]] },
};

export class ModelBuilder {
  #b = new Builder(1 << 20);
  // The first buffer is the empty one of tensors that are computed.
  #buffers = [undefined];
  #tensors = [];
  #nodes = [];
  #inputs = [];

  #tensor(name, shape, type = 'float32', buffer = 0) {
    this.#tensors.push({ name, shape, type: tensorTypes[type], buffer });
    return this.#tensors.length - 1;
  }

  input(name, shape) {
    const tensor = this.#tensor(name, shape);
    this.#inputs.push(tensor);
    return tensor;
  }

  constant(name, shape, data) {
    this.#buffers.push(data);
    const type = data instanceof Int32Array ? 'int32' : 'float32';
    return this.#tensor(name, shape, type, this.#buffers.length - 1);
  }

  /** Adds an operator and returns the tensor that it makes. */
  node(operator, inputs, shape) {
    const output = this.#tensor(`${operator}_${this.#nodes.length}`, shape);
    this.#nodes.push({ ...operators[operator], inputs, output });
    return output;
  }

  #offsets(items) {
    this.#b.startVector(4, items.length, 4);
    for (const item of items.toReversed()) this.#b.addOffset(item);
    return this.#b.endVector();
  }

  #integers(numbers) {
    this.#b.startVector(4, numbers.length, 4);
    for (const number of numbers.toReversed()) this.#b.addInt32(number);
    return this.#b.endVector();
  }

  /** A table whose fields are [number, type as the builder names it, value]. */
  #table(fields) {
    const size = Math.max(0, ...fields.map(([number]) => number + 1));
    this.#b.startObject(size);
    for (const [number, type, value] of fields) this.#b[`addField${type}`](number, value, 0);
    return this.#b.endObject();
  }

  /** Bytes, which the format wants aligned to 16. */
  #buffer(data) {
    if (!data) return this.#table([]);
    const words = new Int32Array(data.buffer, data.byteOffset, data.length);
    this.#b.startVector(1, data.byteLength, 16);
    for (let i = words.length - 1; i >= 0; i--) this.#b.addInt32(words[i]);
    return this.#table([[0, 'Offset', this.#b.endVector()]]);
  }

  #graph(output) {
    const tensors = this.#tensors.map(({ name, shape, type, buffer }) => {
      const offsets = [this.#integers(shape), this.#b.createString(name)];
      return this.#table([
        [0, 'Offset', offsets[0]],
        [1, 'Int8', type],
        [2, 'Int32', buffer],
        [3, 'Offset', offsets[1]],
      ]);
    });
    const nodes = this.#nodes.map(({ kind, options = [], inputs, output: made }, index) => {
      const offsets = [this.#integers(inputs), this.#integers([made]), this.#table(options)];
      return this.#table([
        [0, 'Int32', index],
        [1, 'Offset', offsets[0]],
        [2, 'Offset', offsets[1]],
        [3, 'Int8', kind],
        [4, 'Offset', offsets[2]],
      ]);
    });
    const parts = [
      this.#offsets(tensors),
      this.#integers(this.#inputs),
      this.#integers([output]),
      this.#offsets(nodes),
    ];
    return this.#table(parts.map((part, number) => [number, 'Offset', part]));
  }

  /** The model's bytes. */
  finish(output) {
    const buffers = this.#offsets(this.#buffers.map((data) => this.#buffer(data)));
    // One entry a node, which repeats codes and spares a table of them.
    const codes = this.#offsets(
      this.#nodes.map(({ code }) =>
        this.#table([
          [0, 'Int8', code],
          [2, 'Int32', 1],
          [3, 'Int32', code],
        ]),
      ),
    );
    const graphs = this.#offsets([this.#graph(output)]);
    const model = this.#table([
      [0, 'Int32', schemaVersion],
      [1, 'Offset', codes],
      [2, 'Offset', graphs],
      [4, 'Offset', buffers],
    ]);
    this.#b.finish(model, 'TFL3');
    return this.#b.asUint8Array();
  }
}
