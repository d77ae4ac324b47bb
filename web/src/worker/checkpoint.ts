import { type BlobLike, loadGguf, loadSafetensors, Transformer } from 'headwise/models';

import { CheckpointError, refusal } from './checkpoint-error.js';

/** A model's files, wherever they are. */
export interface Checkpoint {
  /** The page's own model has none. */
  readonly name: string | undefined;
  readonly tokenizer: object;
  readonly tokenizerConfig: object;
  /** Reads the weights each time, so that they are not kept. */
  readonly makeModel: (reading?: Reading) => Promise<Transformer>;
  /** Put before a text, as within a longer one; nothing for other people's models. */
  readonly prefix: string;
}

/** Follows and stops the reading of a large file. */
export interface Reading {
  readonly signal: AbortSignal;
  /** Bytes that have been read, and those of the file. */
  readonly onProgress: (done: number, total: number) => void;
}

/** What readers open: files that they choose, or an address. */
export type ModelSource = readonly File[] | string;

/** More than that a page's memory rarely has room for, twice over in float32. */
export const maxCheckpointBytes = 800_000_000;

/** The files of a model by name. */
interface Place {
  readonly name: string;
  /** Undefined if there is no such file. */
  readonly text: (name: string) => Promise<string | undefined>;
  readonly weights: () => Promise<BlobLike>;
}

/**
 * Reads all but the weights of what a reader opens: one GGUF file, or config.json, tokenizer.json, one safetensors file,
 * and tokenizer_config.json where there is one. An address is that of the GGUF file, of the folder, or of a file in it.
 *
 * @throws CheckpointError, which says what is missing, too large, not found or not JSON
 */
export async function openCheckpoint(
  source: ModelSource,
  signal?: AbortSignal,
): Promise<Checkpoint> {
  if (typeof source === 'string') {
    const url = addressOf(source);
    const name = decodeURIComponent(lastPart(url.pathname) ?? url.host);
    return name.endsWith('.gguf')
      ? ofGguf(name, await openRemote(url, signal))
      : ofFolder(folderAt(url, signal));
  }
  const gguf = source.filter(({ name }) => name.endsWith('.gguf'));
  return gguf.length === 1 ? ofGguf(gguf[0].name, gguf[0]) : ofFolder(folderOf(source));
}

const lastPart = (path: string): string | undefined => path.split('/').filter(Boolean).at(-1);

function addressOf(written: string): URL {
  try {
    return new URL(written);
  } catch {
    throw refusal('address', written);
  }
}

async function ofGguf(name: string, file: BlobLike): Promise<Checkpoint> {
  checkSize(file);
  const { tokenizer, config } = (await loadGguf(file)).tokenizer();
  return {
    name,
    tokenizer,
    tokenizerConfig: config,
    makeModel: async (reading) =>
      Transformer.fromPretrained({
        gguf: await loadGguf(followed(file, reading)),
        weights: 'int8',
      }),
    prefix: '',
  };
}

async function ofFolder({ name, text, weights }: Place): Promise<Checkpoint> {
  const config = parse('config.json', await text('config.json')) as Record<string, unknown>;
  const tokenizer = parse('tokenizer.json', await text('tokenizer.json'));
  const options = await text('tokenizer_config.json');
  const file = await weights();
  checkSize(file);
  return {
    name,
    tokenizer,
    tokenizerConfig: options === undefined ? {} : parse('tokenizer_config.json', options),
    makeModel: async (reading) =>
      Transformer.fromPretrained({
        config,
        tensors: await (await loadSafetensors(followed(file, reading))).read(),
      }),
    prefix: '',
  };
}

/** Of files of one name in several folders, the outermost counts. */
function folderOf(files: readonly File[]): Place {
  const depthOf = ({ webkitRelativePath }: File): number => webkitRelativePath.split('/').length;
  const outermostLast = [...files].sort((a, b) => depthOf(b) - depthOf(a));
  const byName = new Map(outermostLast.map((file) => [file.name, file]));
  const all = files.filter(({ name }) => name.endsWith('.safetensors'));
  const weights = byName.get('model.safetensors') ?? (all.length === 1 ? all[0] : undefined);
  const missing: string[] = ['config.json', 'tokenizer.json'].filter((name) => !byName.has(name));
  if (weights === undefined) missing.push('model.safetensors');
  if (weights === undefined || missing.length > 0) {
    const isSharded = byName.has('model.safetensors.index.json');
    throw isSharded ? refusal('sharded') : refusal('missing', missing);
  }
  return {
    name: weights.webkitRelativePath.split('/').at(-2) ?? weights.name,
    text: async (name) => byName.get(name)?.text(),
    weights: () => Promise.resolve(weights),
  };
}

function folderAt(url: URL, signal?: AbortSignal): Place {
  const path = url.pathname.replace(/[^/]*\.(?:json|safetensors)$/, '').replace(/\/*$/, '/');
  const given = url.pathname.split('/').at(-1) ?? '';
  const at = (name: string): URL => {
    const file = new URL(url);
    file.pathname = path + name;
    return file;
  };
  return {
    name: lastPart(path) ?? url.host,
    async text(name) {
      try {
        return await (await readRemote(at(name), signal)).text();
      } catch (error) {
        if (name === 'tokenizer_config.json' && isGone(error)) return undefined;
        throw error;
      }
    },
    weights: () =>
      openRemote(at(given.endsWith('.safetensors') ? given : 'model.safetensors'), signal),
  };
}

function checkSize({ size }: BlobLike): void {
  if (size > maxCheckpointBytes) throw refusal('large', size, maxCheckpointBytes);
}

/** The same file, which says how much of it has been read, and reads no more after the signal. */
function followed(file: BlobLike, reading?: Reading): BlobLike {
  if (reading === undefined) return file;
  let done = 0;
  return {
    size: file.size,
    slice: (begin, end) => ({
      async arrayBuffer() {
        reading.signal.throwIfAborted();
        const bytes = await file.slice(begin, end).arrayBuffer();
        done += bytes.byteLength;
        reading.onProgress(Math.min(done, file.size), file.size);
        return bytes;
      },
    }),
  };
}

export function parse(name: string, written = ''): object {
  try {
    const parsed: unknown = JSON.parse(written);
    if (typeof parsed === 'object' && parsed !== null) return parsed;
  } catch {
    // Told below.
  }
  throw refusal('malformed', name);
}

/**
 * Fetches a file, or a part of it.
 *
 * @throws CheckpointError if the server cannot be reached or refuses; AbortError
 */
export async function readRemote(
  url: URL | string,
  signal?: AbortSignal,
  range?: { readonly begin: number; readonly end: number },
): Promise<Response> {
  const name = lastPart(String(url).replace(/[?#].*$/, '')) ?? '';
  const headers = range && { Range: `bytes=${range.begin}-${range.end - 1}` };
  const response = await fetch(url, {
    ...(signal && { signal }),
    ...(headers && { headers }),
  }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error instanceof TypeError ? refusal('unreachable', name) : error;
  });
  if (!response.ok) throw refusal('download', name, response.status);
  return response;
}

/** Whether a file was not there. */
export const isGone = (error: unknown): boolean =>
  error instanceof CheckpointError && error.reason === 'download' && error.args[1] === 404;

/** A file at an address. It is read by ranges if the server knows them and tells the size; otherwise as a whole. */
export async function openRemote(url: URL, signal?: AbortSignal): Promise<BlobLike> {
  const first = await readRemote(url, signal, { begin: 0, end: 1 });
  const size = Number(/\/(\d+)$/.exec(first.headers.get('Content-Range') ?? '')?.[1]);
  if (first.status !== 206) return first.blob();
  if (!Number.isFinite(size)) return (await readRemote(url, signal)).blob();
  return {
    size,
    slice: (begin, end) => ({
      async arrayBuffer() {
        const part = await readRemote(url, signal, { begin, end });
        return part.arrayBuffer();
      },
    }),
  };
}
