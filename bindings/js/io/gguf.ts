import { modelsCore } from '../runtime/models-build.js';
import { isIntegerDtype, type IntegerTensor } from '../tensor/integers.js';
import type { Tensor } from '../tensor/tensor.js';
import {
  toFileSource,
  type BlobLike,
  type ByteSource,
  type FileHandleLike,
} from './byte-sources.js';
import { convertFloats, toBytes, unnamed } from './files.js';
import { checkReadable, convertBlocks, floatFormats } from './gguf-blocks.js';
import { ggufCheckpoint } from './gguf-checkpoint.js';
import {
  ggufHeaderOf,
  readGgufHeader,
  type GgufHeader,
  type GgufMetadata,
  type GgufTensor,
} from './gguf-header.js';
import { ggufTokenizer, type GgufTokenizer } from './gguf-tokenizer.js';
import {
  contentsOf,
  decodeFrom,
  decodeIn,
  floatDecoder,
  integerDecoder,
  type Contents,
  type Decoder,
  type StoredTensor,
} from './safetensors-contents.js';
import { registerCheckpoint } from './stored-checkpoints.js';

/** The contents of a GGUF file. `Transformer.fromPretrained({ gguf })` makes its model. */
interface GgufContents<Member> extends Contents<Member, GgufMetadata> {
  /**
   * The tokenizer in the form that `@huggingface/tokenizers` takes: `new Tokenizer(tokenizer, config)`.
   * @throws HeadwiseError `unsupported` for a tokenizer of another kind than byte-level BPE and SentencePiece's BPE, or
   *   with an unknown `tokenizer.ggml.pre`; `invalid-file` for malformed values
   */
  readonly tokenizer: () => GgufTokenizer;
}

/** A GGUF file in memory. Its bytes must not change as long as you read tensors. */
export type Gguf = GgufContents<Tensor | IntegerTensor>;

/** A GGUF file with only its header in memory. The file must not change as long as you read tensors. */
export type GgufFile = GgufContents<Promise<Tensor | IntegerTensor>>;

function decoderOf({ name, type, shape, begin, end }: GgufTensor, file: string): Decoder {
  const [dtype, count, size] = type;
  checkReadable(file, name, dtype);
  if (isIntegerDtype(dtype)) {
    return integerDecoder(dtype, end - begin, shape);
  }
  const format = floatFormats[dtype];
  return floatDecoder(shape, (piece, floats, first) => {
    if (format === undefined) {
      convertBlocks(type, piece, floats, first);
    } else {
      convertFloats(format, piece, floats, first);
    }
    return (piece.length / size) * count;
  });
}

/** The contents of a file whose tensors `read` reads. */
function ggufOf<Member extends Tensor | IntegerTensor | Promise<Tensor | IntegerTensor>>(
  { metadata, tensors }: GgufHeader,
  name: string,
  isInMemory: boolean,
  read: (entry: GgufTensor) => Member,
): GgufContents<Member> {
  const stored = new Map<string, StoredTensor<Member>>(
    tensors.map((entry) => {
      const [dtype] = entry.type;
      return [entry.name, { dtype, shape: entry.shape, read: () => read(entry) }];
    }),
  );
  const contents: GgufContents<Member> = {
    ...contentsOf(stored, metadata),
    tokenizer: () => ggufTokenizer(metadata, name),
  };
  const checkpoint = (): ReturnType<typeof ggufCheckpoint> =>
    ggufCheckpoint(metadata, stored, name);
  registerCheckpoint(contents, isInMemory ? checkpoint : async () => checkpoint());
  return contents;
}

async function loadFrom(opened: Promise<ByteSource>): Promise<GgufFile> {
  modelsCore();
  const source = await opened;
  const header = await readGgufHeader(source);
  return ggufOf(header, source.name, false, (entry) => {
    const [, , size] = entry.type;
    const decoder = (): Decoder => decoderOf(entry, source.name);
    return decodeFrom(source, [entry.begin, entry.end], decoder, size);
  });
}

/**
 * Reads a GGUF file, version 2 or 3, little-endian: its header now, a tensor when it is first accessed. Floats and
 * quantized numbers (Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K to Q6_K, IQ4_NL, IQ4_XS) become float32 tensors; F64 and quantized numbers are
 * rounded once, the others are exact. Integers become `{ dtype, data, shape }`. All results are copies. Shapes are
 * row-major: `(rows, columns)` of a weight, the reverse of the file's order. Accessing a tensor of another type is an
 * error that names it; the other tensors can be read.
 *
 * ```js
 * const gguf = loadGguf(bytes);
 * const model = Transformer.fromPretrained({ gguf });
 * const { tokenizer, config } = gguf.tokenizer();
 * ```
 *
 * Source: ggml's docs/gguf.md; `dequantize_row_*` in ggml-quants.c.
 *
 * @param bytes the file: a typed array, a view or a buffer. The bytes are not copied and must not change as long as you
 *   read tensors.
 * @throws HeadwiseError `invalid-file` for a malformed file: a header that exceeds the file or 100 MB, counts for which
 *   the file has no room, unknown types, duplicate names, texts that are not UTF-8, tensors that overlap, exceed the
 *   file or are not aligned; also for a big-endian file; `invalid-type`, `not-initialized`, `out-of-memory`
 */
export function loadGguf(bytes: ArrayBufferView | ArrayBufferLike): Gguf;
/**
 * Reads a GGUF file that is not in memory: its header now, a tensor's bytes when the tensor is first accessed. The
 * members of `tensors` are Promises. `Transformer.fromPretrained({ gguf })` then reads one tensor after another.
 *
 * @param file a `Blob` or `File`, or a `FileHandle` of Node's `fs/promises`, which must stay open as long as you read
 *   tensors
 * @throws HeadwiseError as for a file in memory; also `invalid-file` if the file cannot be read or its size has changed
 */
export function loadGguf(file: BlobLike | FileHandleLike): Promise<GgufFile>;
export function loadGguf(
  given: ArrayBufferView | ArrayBufferLike | BlobLike | FileHandleLike,
): Gguf | Promise<GgufFile> {
  const opened = toFileSource(given, unnamed);
  if (opened !== undefined) {
    return loadFrom(opened);
  }
  modelsCore();
  const file = toBytes(given);
  const size = file.length;
  return ggufOf(ggufHeaderOf(file, unnamed), unnamed, true, (entry) =>
    decodeIn(file, size, [entry.begin, entry.end], () => decoderOf(entry, unnamed)),
  );
}
