import { words } from './checkpoint-words.js';

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
