// The fused graph of the language model with quantized weights, for calls of any length.
import { converted, quantizedWeights } from '../quantized-model.mjs';
import { DecoderGraph, fused } from './decoder.mjs';

const microsoft = { domain: 'com.microsoft' };

class QuantizedGraph extends DecoderGraph {
  constructor(problem) {
    super({ ...problem, weights: quantizedWeights(problem) });
  }

  /** Matrices that share a scale, their rows one after another. */
  rowsOf(names) {
    const weights = names.map((name) => this.problem.weights[`${name}.weight`]);
    const [{ shape, scale }] = weights;
    const codes = new Int8Array(weights.reduce((sum, weight) => sum + weight.codes.length, 0));
    weights.reduce((at, weight) => {
      codes.set(weight.codes, at);
      return at + weight.codes.length;
    }, 0);
    return { codes, scale, from: shape[1], to: codes.length / shape[1] };
  }

  embed() {
    const { codes, shape, scale } = this.problem.weights['embedding.weight'];
    const table = this.constant('table', shape, codes);
    const factor = this.constant('table_scale', [], Float32Array.of(scale));
    const rows = this.node('Gather', [table, this.tokens]);
    return this.node('Mul', [this.node('Cast', [rows], { to: 1 }), factor]);
  }
}

/** Codes of 4 bits, two in a byte. */
function pairs(codes) {
  const bytes = new Uint8Array(codes.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = codes[2 * i] | (codes[2 * i + 1] << 4);
  return bytes;
}

/** Weights in blocks of 32 with a scale each, as the runtime's model builder writes them. */
class BlockGraph extends QuantizedGraph {
  linear(input, output, ...names) {
    const { codes, scale, from: K, to: N } = this.rowsOf(names);
    const bits = this.problem.weightType === 'Q8_0' ? 8 : 4;
    // The zero of unsigned codes is in their middle.
    const unsigned = converted(Uint8Array, codes, (code) => code + 2 ** (bits - 1));
    const packed = bits === 8 ? unsigned : pairs(unsigned);
    const name = names.join('_');
    const weight = this.constant(name, [N, K / 32, 4 * bits], packed);
    const scales = new Float32Array((N * K) / 32).fill(scale);
    const given = [input, weight, this.constant(`${name}_scales`, [N, K / 32], scales)];
    // Level 4 lets the runtime round activations to 8 bits. In WebAssembly it multiplies floats all the same.
    const attributes = { K, N, bits, block_size: 32, accuracy_level: 4 };
    return this.node('MatMulNBits', given, attributes, { ...microsoft, output });
  }
}

/** Weights of 8 bits with one scale, activations rounded at run time, as `quantize_dynamic` makes them. */
class DynamicGraph extends QuantizedGraph {
  linear(input, output, ...names) {
    const { codes, scale, from, to } = this.rowsOf(names);
    const columns = new Int8Array(codes.length);
    for (let out = 0; out < to; out++) {
      for (let i = 0; i < from; i++) columns[i * to + out] = codes[out * from + i];
    }
    const name = names.join('_');
    const given = [
      input,
      this.constant(name, [from, to], columns),
      this.constant(`${name}_scale`, [], Float32Array.of(scale)),
    ];
    return this.node('DynamicQuantizeMatMul', given, {}, { ...microsoft, output });
  }
}

/** The bytes of the model; undefined where there is none of this kind. */
export function quantizedDecoder(kind, problem) {
  if (kind === 'blocks') return fused(problem, new BlockGraph(problem));
  const isDynamic = kind === 'dynamic' && problem.weightType === 'Q8_0';
  return isDynamic ? fused(problem, new DynamicGraph(problem)) : undefined;
}
