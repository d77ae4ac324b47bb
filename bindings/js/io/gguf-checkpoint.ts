/** The checkpoint in a GGUF file: Transformers' config, names and layout. Undoes llama.cpp's convert_hf_to_gguf.py. */
import { fail, failOption, show } from '../runtime/errors.js';
import { allocate } from '../runtime/memory.js';
import type { IntegerTensor } from '../tensor/integers.js';
import { Tensor } from '../tensor/tensor.js';
import { checkReadable } from './gguf-blocks.js';
import type { GgufMetadata, GgufValue } from './gguf-header.js';
import type { StoredTensor } from './safetensors-contents.js';
import type { StoredCheckpoint } from './stored-checkpoints.js';

type Contents = Tensor | IntegerTensor;
type Stored = StoredTensor<Contents | Promise<Contents>>;

/** How `general.architecture` becomes a `model_type`. */
interface Architecture {
  /** Keys of required config fields, behind the architecture and a dot. */
  readonly required: Readonly<Record<string, string>>;
  readonly optional: Readonly<Record<string, string>>;
  /** Names without `.weight` and `.bias`. `#` is the number of a layer. */
  readonly names: Readonly<Record<string, string>>;
  /** Fields that no key has. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Weights that the converter transposes. */
  readonly transposed?: readonly string[];
  /** Whether the converter interleaves the halves of the heads of queries and keys, for rotary positions. */
  readonly interleaved?: boolean;
  /** Whether the converter adds 1 to the weights of norms. */
  readonly normsPlusOne?: boolean;
}

const llama: Architecture = {
  required: {
    max_position_embeddings: 'context_length',
    hidden_size: 'embedding_length',
    num_hidden_layers: 'block_count',
    intermediate_size: 'feed_forward_length',
    num_attention_heads: 'attention.head_count',
    rms_norm_eps: 'attention.layer_norm_rms_epsilon',
  },
  optional: {
    num_key_value_heads: 'attention.head_count_kv',
    head_dim: 'attention.key_length',
    rope_theta: 'rope.freq_base',
    is_causal: 'attention.causal',
  },
  names: {
    token_embd: 'model.embed_tokens',
    output_norm: 'model.norm',
    output: 'lm_head',
    'blk.#.attn_norm': 'model.layers.#.input_layernorm',
    'blk.#.attn_q': 'model.layers.#.self_attn.q_proj',
    'blk.#.attn_k': 'model.layers.#.self_attn.k_proj',
    'blk.#.attn_v': 'model.layers.#.self_attn.v_proj',
    'blk.#.attn_q_norm': 'model.layers.#.self_attn.q_norm',
    'blk.#.attn_k_norm': 'model.layers.#.self_attn.k_norm',
    'blk.#.attn_output': 'model.layers.#.self_attn.o_proj',
    'blk.#.ffn_norm': 'model.layers.#.post_attention_layernorm',
    'blk.#.ffn_gate': 'model.layers.#.mlp.gate_proj',
    'blk.#.ffn_up': 'model.layers.#.mlp.up_proj',
    'blk.#.ffn_down': 'model.layers.#.mlp.down_proj',
  },
};

const gpt2: Architecture = {
  required: {
    n_positions: 'context_length',
    n_embd: 'embedding_length',
    n_layer: 'block_count',
    n_inner: 'feed_forward_length',
    n_head: 'attention.head_count',
    layer_norm_epsilon: 'attention.layer_norm_epsilon',
  },
  optional: { is_causal: 'attention.causal' },
  names: {
    token_embd: 'transformer.wte',
    position_embd: 'transformer.wpe',
    output_norm: 'transformer.ln_f',
    output: 'lm_head',
    'blk.#.attn_norm': 'transformer.h.#.ln_1',
    'blk.#.attn_qkv': 'transformer.h.#.attn.c_attn',
    'blk.#.attn_output': 'transformer.h.#.attn.c_proj',
    'blk.#.ffn_norm': 'transformer.h.#.ln_2',
    'blk.#.ffn_up': 'transformer.h.#.mlp.c_fc',
    'blk.#.ffn_down': 'transformer.h.#.mlp.c_proj',
  },
  fields: { activation_function: 'gelu_new' },
  transposed: ['blk.#.attn_qkv', 'blk.#.attn_output', 'blk.#.ffn_up', 'blk.#.ffn_down'],
};

const slidingWindow = 'attention.sliding_window';

/** A function, so that bundlers can remove it: they keep copies of objects, because a getter might run. */
const createArchitectures = (): Readonly<Partial<Record<string, Architecture>>> => {
  const gemma = { ...llama, normsPlusOne: true };
  return {
    gpt2,
    llama: { ...llama, interleaved: true },
    qwen2: llama,
    qwen3: llama,
    gemma,
    gemma2: {
      ...gemma,
      optional: {
        ...llama.optional,
        sliding_window: slidingWindow,
        attn_logit_softcapping: 'attn_logit_softcapping',
        final_logit_softcapping: 'final_logit_softcapping',
      },
      names: {
        ...llama.names,
        'blk.#.post_attention_norm': 'model.layers.#.post_attention_layernorm',
        'blk.#.ffn_norm': 'model.layers.#.pre_feedforward_layernorm',
        'blk.#.post_ffw_norm': 'model.layers.#.post_feedforward_layernorm',
      },
    },
  };
};

/** Keys that change results, unless an architecture takes them, with the values that change nothing. */
const unsupported: Readonly<Record<string, readonly GgufValue[]>> = {
  expert_count: [0],
  logit_scale: [0, 1],
  residual_scale: [0, 1],
  embedding_scale: [0, 1],
  attn_logit_softcapping: [0],
  final_logit_softcapping: [0],
  use_parallel_residual: [false],
  'attention.scale': [0],
  'attention.clamp_kqv': [0],
  'attention.max_alibi_bias': [0],
  'attention.temperature_scale': [0],
  'rope.scaling.attn_factor': [1],
  'rope.scaling.alpha': [0],
  'rope.scaling.yarn_log_multiplier': [0],
  'rope.scaling.yarn_ext_factor': [-1, 1],
  'rope.scaling.yarn_attn_factor': [1],
  [slidingWindow]: [0],
};

/** The shortest decimal that float32 rounds to the same number: 1e-5, not 0.000009999999747378752. */
function shortest(value: number): number {
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === Math.fround(value)) {
      return short;
    }
  }
  return value;
}

/** A value as JSON holds it. */
function toField(value: GgufValue | undefined): unknown {
  switch (typeof value) {
    case 'bigint':
      return Number(value);
    case 'number':
      return Number.isInteger(value) ? value : shortest(value);
    case 'object':
      return value.map(toField);
    default:
      return value;
  }
}

const isFloats = (tensor: Contents): tensor is Tensor => tensor instanceof Tensor;

/** Converts floats when they are read, now or later. */
function converted(
  { dtype, read }: Stored,
  shape: readonly number[],
  convert: (data: Float32Array) => Float32Array,
): Stored {
  const now = (tensor: Contents): Contents =>
    isFloats(tensor) ? new Tensor(convert(tensor.data), shape) : tensor;
  return {
    ...{ dtype, shape },
    read: () => {
      const tensor = read();
      return tensor instanceof Promise ? tensor.then(now) : now(tensor);
    },
  };
}

/** Norms' weights without the 1 that models of Gemma add. */
const minusOne = (stored: Stored): Stored =>
  converted(stored, stored.shape, (data) => data.map((weight) => weight - 1));

function transposed(stored: Stored): Stored {
  const [rows = 1, columns = 1] = stored.shape;
  return converted(stored, [columns, rows], (data) => {
    const result = allocate(data.length);
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        result[column * rows + row] = data[row * columns + column];
      }
    }
    return result;
  });
}

/** Puts the rows of each head, which alternate between its halves, back into halves. */
function inHalves(stored: Stored, heads: number): Stored {
  const [rows = 1] = stored.shape;
  const half = rows / heads / 2;
  return converted(stored, stored.shape, (data) => {
    const columns = data.length / rows;
    const result = allocate(data.length);
    for (let row = 0; row < rows; row++) {
      const inHead = row % (2 * half);
      const to = row - inHead + (inHead % 2) * half + Math.floor(inHead / 2);
      result.set(data.subarray(row * columns, (row + 1) * columns), to * columns);
    }
    return result;
  });
}

/** Reads values of a file's metadata, those of the model behind its architecture. */
class Metadata {
  readonly #metadata: GgufMetadata;
  readonly #architecture: string;
  readonly #file: string;

  constructor(metadata: GgufMetadata, architecture: string, file: string) {
    this.#metadata = metadata;
    this.#architecture = architecture;
    this.#file = file;
  }

  /** A list that has the same value for each layer counts as that value. */
  get(key: string): GgufValue | undefined {
    const value = this.#own(key);
    return typeof value === 'object' &&
      value.length === Number(this.#own('block_count')) &&
      value.every((each) => each === value[0])
      ? value[0]
      : value;
  }

  #own(key: string): GgufValue | undefined {
    const full = `${this.#architecture}.${key}`;
    return Object.hasOwn(this.#metadata, full) ? this.#metadata[full] : undefined;
  }

  /** The config's fields of these keys. */
  fields(keys: Readonly<Record<string, string>>): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(keys).flatMap(([field, key]) => {
        const value = toField(this.get(key));
        return value === undefined ? [] : [[field, value] as const];
      }),
    );
  }

  /** Fails if a key is there and has none of these values. */
  checkNeutral(key: string, neutral: readonly unknown[]): void {
    const value = this.get(key);
    if (value !== undefined && !neutral.includes(toField(value))) {
      const expected = `${this.#architecture}.${key} to be ${neutral.join(' or ')}, or missing`;
      failOption(this.#file, expected, value);
    }
  }

  checkRequired(keys: Readonly<Record<string, string>>): void {
    const missing = Object.values(keys).filter((key) => this.get(key) === undefined);
    if (missing.length > 0) {
      const names = missing.map((key) => `${this.#architecture}.${key}`).join(', ');
      fail('invalid-file', this.#file, `${names} in the metadata`, 'none');
    }
  }
}

/** The `rope_scaling` of the metadata, with llama.cpp's defaults: linear, and a factor of 0 that stands for 1. */
function scalingOf(values: Metadata): Record<string, unknown> | undefined {
  const type = values.get('rope.scaling.type') ?? 'linear';
  const given = toField(values.get('rope.scaling.factor') ?? values.get('rope.scale_linear') ?? 0);
  const factor = given === 0 ? 1 : given;
  if (type === 'none' || (factor === 1 && (type === 'linear' || type === 'yarn'))) {
    return undefined;
  }
  return {
    ...{ rope_type: toField(type), factor },
    ...values.fields({
      original_max_position_embeddings: 'rope.scaling.original_context_length',
      beta_fast: 'rope.scaling.yarn_beta_fast',
      beta_slow: 'rope.scaling.yarn_beta_slow',
    }),
  };
}

/**
 * The `rope_scaling` of `rope_freqs.weight`, which divides the frequencies. All models of Llama 3 have these parameters
 * and differ in the factor, that of the lowest frequency. Undefined if others were used.
 */
function llama3Scaling(divisors: Float32Array, base: number): Record<string, unknown> | undefined {
  const factor = shortest(divisors[divisors.length - 1]);
  const [low, high, length] = [1, 4, 8192];
  const isOfLlama3 = divisors.every((divisor, i) => {
    const wavelength = 2 * Math.PI * base ** (i / divisors.length);
    const smooth = (length / wavelength - low) / (high - low);
    const part = Math.min(Math.max(smooth, 0), 1);
    return Math.abs(divisor * ((1 - part) / factor + part) - 1) < 1e-4;
  });
  return isOfLlama3
    ? {
        ...{ rope_type: 'llama3', factor, low_freq_factor: low, high_freq_factor: high },
        original_max_position_embeddings: length,
      }
    : undefined;
}

const frequencies = 'rope_freqs.weight';

/** Tokens of the metadata that configs name. */
const tokens = { bos_token_id: 'bos', eos_token_id: 'eos', pad_token_id: 'padding' };

/**
 * The checkpoint of a file: a Promise if reading a tensor is one and the config depends on it.
 *
 * @internal
 */
export function ggufCheckpoint(
  metadata: GgufMetadata,
  stored: ReadonlyMap<string, Stored>,
  file: string,
): StoredCheckpoint | Promise<StoredCheckpoint> {
  const parts = metadata['split.count'] ?? 0;
  if (parts !== 0 && parts !== 1) {
    const expected = 'a whole model; merge the parts by llama-gguf-split --merge';
    fail('invalid-option', file, expected, `split.count ${show(parts)}`);
  }
  const type = metadata['general.architecture'];
  const architectures = createArchitectures();
  const known = Object.keys(architectures);
  const architecture =
    typeof type === 'string' && known.includes(type) ? architectures[type] : undefined;
  if (architecture === undefined) {
    const expected = `'general.architecture' to be one of ${known.join(', ')}`;
    return failOption(file, expected, type);
  }
  for (const [name, { dtype }] of stored) {
    checkReadable(file, name, dtype);
  }

  const values = new Metadata(metadata, type as string, file);
  values.checkRequired(architecture.required);
  const numberOf = (key: string): number => Number(toField(values.get(key)));
  const taken = Object.values(architecture.optional);
  // A window as long as the context hides nothing.
  if (numberOf(slidingWindow) >= numberOf('context_length')) {
    taken.push(slidingWindow);
  }
  for (const [key, neutral] of Object.entries(unsupported)) {
    if (!taken.includes(key)) {
      values.checkNeutral(key, neutral);
    }
  }
  const has = (bias: string): boolean => stored.has(`blk.0.${bias}.bias`);
  const config: Record<string, unknown> = {
    // Transformers' Llama has biases of all projections or of none.
    model_type: type === 'llama' && has('attn_q') && !has('attn_output') ? 'qwen2' : type,
    vocab_size: stored.get('token_embd.weight')?.shape[0],
    ...architecture.fields,
    ...values.fields({ ...architecture.required, ...architecture.optional }),
    tie_word_embeddings: architecture === gpt2 || !stored.has('output.weight'),
  };
  for (const [field, token] of Object.entries(tokens)) {
    config[field] = toField(metadata[`tokenizer.ggml.${token}_token_id`]);
  }
  if (architecture === gpt2) {
    return { config, tensors: renamed(stored, architecture, [1, 1]) };
  }

  const heads = Number(config.num_attention_heads);
  const headSize = Number(config.head_dim ?? Number(config.hidden_size) / heads);
  // Models report sizes that are no numbers.
  if (Number.isFinite(headSize)) {
    values.checkNeutral('attention.value_length', [headSize]);
    values.checkNeutral('rope.dimension_count', [headSize]);
    // Without the key, Transformers would take 128 for Qwen3.
    config.head_dim = headSize;
  }
  config.attention_bias = has('attn_output');
  config.mlp_bias = has('ffn_up');
  config.rope_scaling = scalingOf(values);
  // The scale of the scores is in no key. Only the largest Gemma 2, which has 46 layers, divides by another number.
  if (type === 'gemma2') {
    const isLargest = config.num_hidden_layers === 46;
    config.query_pre_attn_scalar = isLargest ? Number(config.hidden_size) / heads : headSize;
  }
  const keyHeads = Number(config.num_key_value_heads ?? heads);
  const tensors = renamed(stored, architecture, [heads, keyHeads]);

  const withFrequencies = (tensor: Contents | undefined): StoredCheckpoint => {
    if (tensor !== undefined && isFloats(tensor) && tensor.data.some((each) => each !== 1)) {
      const base = Number(config.rope_theta ?? 10000);
      config.rope_scaling =
        llama3Scaling(tensor.data, base) ??
        fail('invalid-option', file, `'${frequencies}' as in Llama 3`, 'other frequencies');
    }
    return { config, tensors };
  };
  const divisors = stored.get(frequencies)?.read();
  return divisors instanceof Promise ? divisors.then(withFrequencies) : withFrequencies(divisors);
}

/** The tensors by the checkpoint's names and in its layout. Unknown ones keep their names, which models report. */
function renamed(
  stored: ReadonlyMap<string, Stored>,
  { names, transposed: turned = [], interleaved = false, normsPlusOne = false }: Architecture,
  [heads, keyHeads]: readonly [number, number],
): Map<string, Stored> {
  const headsOf: Readonly<Record<string, number>> = interleaved
    ? { 'blk.#.attn_q': heads, 'blk.#.attn_k': keyHeads }
    : {};
  const inLayout = (part: string, kind: string, tensor: Stored): Stored => {
    if (turned.includes(part) && kind === 'weight' && tensor.shape.length === 2) {
      return transposed(tensor);
    }
    if (normsPlusOne && part.endsWith('norm')) {
      return minusOne(tensor);
    }
    // Models report rows that the heads do not divide.
    const divides = Object.hasOwn(headsOf, part) && tensor.shape[0] % (2 * headsOf[part]) === 0;
    return divides ? inHalves(tensor, headsOf[part]) : tensor;
  };
  const result = new Map<string, Stored>();
  for (const [name, tensor] of stored) {
    const [, layer = '', own = '', kind = ''] =
      /^(?:blk\.(\d+)\.)?(\w+)\.(weight|bias)$/.exec(name) ?? [];
    const part = layer === '' ? own : `blk.#.${own}`;
    if (Object.hasOwn(names, part)) {
      const theirs = names[part].replace('#', layer);
      result.set(`${theirs}.${kind}`, inLayout(part, kind, tensor));
    } else if (name !== frequencies) {
      result.set(name, tensor);
    }
  }
  return result;
}
