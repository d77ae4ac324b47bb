import { type TransferHandler, transferHandlers } from 'comlink';
import { HeadwiseError } from 'headwise';

import { CheckpointError } from './checkpoint-error.js';

interface Thrown {
  readonly value: unknown;
}

/** What is sent of an error that keeps more than its name and message. */
interface Sent {
  readonly refusal?: Pick<CheckpointError, 'reason' | 'args'>;
  readonly error?: Pick<HeadwiseError, 'code' | 'message'>;
}

/**
 * Lets errors of headwise keep their code on the way from the worker to the page, and refusals their reason; Comlink alone
 * sends names and messages. To be called on both sides before anything is sent.
 */
export function transferErrors(): void {
  const usual = transferHandlers.get('throw');
  if (usual === undefined) return;
  const handler: TransferHandler<Thrown, unknown> = {
    canHandle: (value): value is Thrown => usual.canHandle(value),
    serialize(thrown) {
      const { value } = thrown;
      if (value instanceof CheckpointError) {
        const { reason, args } = value;
        return [{ refusal: { reason, args } } satisfies Sent, []];
      }
      if (!(value instanceof HeadwiseError)) return usual.serialize(thrown);
      const { code, message } = value;
      return [{ error: { code, message } } satisfies Sent, []];
    },
    deserialize(received) {
      const { refusal, error } = received as Sent;
      if (refusal !== undefined) throw new CheckpointError(refusal.reason, refusal.args);
      if (error !== undefined) throw new HeadwiseError(error.code, error.message);
      return usual.deserialize(received) as Thrown;
    },
  };
  transferHandlers.set('throw', handler);
}
