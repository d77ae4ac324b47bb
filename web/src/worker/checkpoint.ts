import { loadSafetensors, type PretrainedModelOptions } from 'headwise/models';

import { refusal } from './checkpoint-error.js';

/** A model's files, of whatever folder they are. */
export interface Checkpoint {
  /** The page's own model has none. */
  readonly name: string | undefined;
  readonly config: PretrainedModelOptions['config'];
  readonly tokenizer: object;
  readonly tokenizerConfig: object;
  /** Read anew for each model that is made of them: they are not kept. */
  readonly readTensors: () => Promise<PretrainedModelOptions['tensors']>;
  /** Put before a text, as within a longer one; of other people's models nothing. */
  readonly prefix: string;
}

/** What readers open: files that they choose. */
export type ModelSource = readonly File[];

/** More than that a page's memory rarely has room for, twice over in float32. */
export const maxCheckpointBytes = 800_000_000;

const needed = ['config.json', 'tokenizer.json'] as const;

/**
 * What a reader opened: config.json, tokenizer.json, one safetensors file, and tokenizer_config.json where there is one.
 *
 * @throws CheckpointError, which says what is missing, too large or not JSON
 */
export async function openCheckpoint(files: readonly File[]): Promise<Checkpoint> {
  const byName = new Map(nearestLast(files).map((file) => [file.name, file]));
  const weights = byName.get('model.safetensors') ?? onlyOne(files);
  const missing: string[] = needed.filter((name) => !byName.has(name));
  if (weights === undefined) missing.push('model.safetensors');
  if (weights === undefined || missing.length > 0) {
    const isSharded = byName.has('model.safetensors.index.json');
    throw isSharded ? refusal('sharded') : refusal('missing', missing);
  }
  if (weights.size > maxCheckpointBytes) {
    throw refusal('large', weights.size, maxCheckpointBytes);
  }
  const read = async (name: string): Promise<object> => parse(name, await byName.get(name)?.text());
  const config = (await read('config.json')) as Checkpoint['config'];
  return {
    name: nameOf(weights),
    config,
    tokenizer: await read('tokenizer.json'),
    tokenizerConfig: byName.has('tokenizer_config.json') ? await read('tokenizer_config.json') : {},
    readTensors: async () => (await loadSafetensors(weights)).read(),
    prefix: '',
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

/** Of files of one name in several folders the outermost comes last, and so counts. */
const nearestLast = (files: readonly File[]): File[] =>
  [...files].sort((a, b) => depthOf(b) - depthOf(a));

const depthOf = ({ webkitRelativePath }: File): number => webkitRelativePath.split('/').length;

function onlyOne(files: readonly File[]): File | undefined {
  const found = files.filter(({ name }) => name.endsWith('.safetensors'));
  return found.length === 1 ? found[0] : undefined;
}

/** The folder's name, if one was opened. */
const nameOf = ({ name, webkitRelativePath }: File): string =>
  webkitRelativePath.split('/').at(-2) ?? name;
