import { formatBytes } from '../format/numbers.js';
import { listOf, quoted } from '../format/sentences.js';
import { translatable } from '../format/translation.js';

type Reasons = Omit<typeof words, 'builtInModel'>;
type Reason = keyof Reasons;
type ArgumentsOf<Name extends Reason> = Reasons[Name] extends (...args: infer Args) => string
  ? Args
  : [];

/**
 * Why a checkpoint or a text is refused, for a reader. The worker sends what happened, not a sentence: the reader's
 * language is known to the page alone.
 */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
  readonly reason: Reason;
  readonly args: readonly unknown[];

  constructor(reason: Reason, args: readonly unknown[]) {
    const said: string | ((...args: never[]) => string) = words[reason];
    super(typeof said === 'string' ? said : said(...(args as never[])));
    this.reason = reason;
    this.args = args;
  }
}

/** With the arguments that the sentence needs. */
export const refusal = <Name extends Reason>(
  reason: Name,
  ...args: ArgumentsOf<Name>
): CheckpointError => new CheckpointError(reason, args);

/** The built-in model's name, and errors of opening a model or reading a text. */
export const words = translatable('checkpoint', {
  builtInModel: 'Small language model',

  missing: (names: readonly string[]) =>
    `Missing: ${listOf(names)}. Choose a folder with config.json, model.safetensors and tokenizer.json, or one GGUF file.`,
  sharded:
    'These weights are in several files (model.safetensors.index.json). Save them as one model.safetensors first.',
  large: (bytes: number, most: number) =>
    `The weights are ${formatBytes(bytes)}; this page opens at most ${formatBytes(most)}.`,
  malformed: (name: string) => `${name} is not a JSON object.`,
  noText: 'This model reads no text: expected a decoder or an encoder with tokens.',
  hasEncoder:
    'This is an encoder–decoder, which needs a source beside its text: expected a decoder or an encoder alone.',
  unknown: (token: string) => `The tokenizer has no token for ${quoted(token)}.`,
  tokens: (token: number, size: number) =>
    `tokenizer.json gives token ${token}, but the model has ${size} only: they do not belong together.`,
  download: (name: string, status: number) =>
    status === 404
      ? `The model file ${name} was not found (404).`
      : `The server refused the model file ${name} (${status}).`,
  unreachable: (name: string) =>
    `The model file ${name} did not load. Check the connection; a server of another site must allow this page to read it (CORS).`,
  address: (written: string) =>
    `${quoted(written)} is not an address: expected one that begins with https://.`,
});
