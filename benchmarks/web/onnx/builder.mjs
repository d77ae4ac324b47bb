// Writes ONNX models.
import { messages } from './messages.mjs';

const Model = messages.lookupType('Model');

const attributeTypes = { float: 1, int: 2, ints: 7 };
const dataTypes = { float32: 1, uint8: 2, int8: 3, int32: 6, int64: 7 };

const typeOf = (data) =>
  ({
    Float32Array: 'float32',
    Uint8Array: 'uint8',
    Int8Array: 'int8',
    Int32Array: 'int32',
    BigInt64Array: 'int64',
  })[data.constructor.name];

const bytesOf = ({ buffer, byteOffset, byteLength }) =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Whole numbers are integers, unless they are given as `{ float }`. */
function attribute(name, value) {
  if (typeof value === 'object' && 'float' in value) {
    return { name, f: value.float, type: attributeTypes.float };
  }
  if (Array.isArray(value)) return { name, ints: value, type: attributeTypes.ints };
  if (Number.isInteger(value)) return { name, i: value, type: attributeTypes.int };
  return { name, f: value, type: attributeTypes.float };
}

export class GraphBuilder {
  #nodes = [];
  #initializers = [];
  #inputs = [];

  input(name, dims, type = 'float32') {
    this.#inputs.push(valueInfo(name, dims, type));
    return name;
  }

  constant(name, dims, data) {
    const type = typeOf(data);
    this.#initializers.push({ name, dims, data_type: dataTypes[type], raw_data: bytesOf(data) });
    return name;
  }

  /** Adds a node and returns its output's name. */
  node(opType, inputs, attributes = {}, { domain, output } = {}) {
    return this.nodes(opType, inputs, attributes, {
      domain,
      outputs: [output ?? `${opType}_${this.#nodes.length}`],
    })[0];
  }

  /** Adds a node with several outputs, of which those named '' are left out, and returns the names. */
  nodes(opType, inputs, attributes, { domain = '', outputs }) {
    this.#nodes.push({
      name: `node_${this.#nodes.length}`,
      op_type: opType,
      domain,
      input: inputs,
      output: outputs,
      attribute: Object.entries(attributes).map(([key, value]) => attribute(key, value)),
    });
    return outputs;
  }

  /** The model's bytes; the result is what a node called `output` makes, or several by their names. */
  finish(outputDims, { opset, microsoft = false }) {
    const outputs = Array.isArray(outputDims) ? { output: outputDims } : outputDims;
    return Model.encode({
      ir_version: 10,
      producer_name: 'headwise-benchmarks',
      opset_import: [
        { domain: '', version: opset },
        ...(microsoft ? [{ domain: 'com.microsoft', version: 1 }] : []),
      ],
      graph: {
        name: 'attention',
        node: this.#nodes,
        initializer: this.#initializers,
        input: this.#inputs,
        output: Object.entries(outputs).map(([name, dims]) => valueInfo(name, dims, 'float32')),
      },
    }).finish();
  }
}

/** Undefined dimensions are those of the call. */
function valueInfo(name, dims, type) {
  const dim = dims.map((dim_value) => (dim_value === undefined ? {} : { dim_value }));
  return { name, type: { tensor_type: { elem_type: dataTypes[type], shape: { dim } } } };
}
