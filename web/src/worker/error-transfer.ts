import { type TransferHandler, transferHandlers } from 'comlink';
import { type ErrorCode, HeadwiseError } from 'headwise';

interface Thrown {
  readonly value: unknown;
}

interface SerializedError {
  readonly code: ErrorCode;
  readonly message: string;
}

/**
 * Lets errors of headwise keep their code on the way from the worker to the page; Comlink alone
 * sends names and messages. To be called on both sides before anything is sent.
 */
export function transferErrors(): void {
  const usual = transferHandlers.get('throw');
  if (usual === undefined) return;
  const handler: TransferHandler<Thrown, unknown> = {
    canHandle: (value): value is Thrown => usual.canHandle(value),
    serialize(thrown) {
      if (!(thrown.value instanceof HeadwiseError)) return usual.serialize(thrown);
      const { code, message } = thrown.value;
      return [{ code, message } satisfies SerializedError, []];
    },
    deserialize(received) {
      if (!isSerializedError(received)) return usual.deserialize(received) as Thrown;
      throw new HeadwiseError(received.code, received.message);
    },
  };
  transferHandlers.set('throw', handler);
}

const isSerializedError = (value: unknown): value is SerializedError =>
  typeof value === 'object' && value !== null && 'code' in value;
