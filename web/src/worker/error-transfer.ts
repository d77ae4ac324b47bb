import { type TransferHandler, transferHandlers } from 'comlink';
import { type ErrorCode, HeadwiseError } from 'headwise';

import { CheckpointError } from './checkpoint-error.js';

interface Thrown {
  readonly value: unknown;
}

interface SerializedError {
  readonly code: ErrorCode;
  readonly message: string;
}

type SerializedRefusal = Pick<CheckpointError, 'reason' | 'args'>;

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
        return [{ reason, args } satisfies SerializedRefusal, []];
      }
      if (!(value instanceof HeadwiseError)) return usual.serialize(thrown);
      const { code, message } = value;
      return [{ code, message } satisfies SerializedError, []];
    },
    deserialize(received) {
      if (isSerializedRefusal(received)) {
        throw new CheckpointError(received.reason, received.args);
      }
      if (!isSerializedError(received)) return usual.deserialize(received) as Thrown;
      throw new HeadwiseError(received.code, received.message);
    },
  };
  transferHandlers.set('throw', handler);
}

const isSerializedError = (value: unknown): value is SerializedError =>
  typeof value === 'object' && value !== null && 'code' in value;

const isSerializedRefusal = (value: unknown): value is SerializedRefusal =>
  typeof value === 'object' && value !== null && 'reason' in value;
