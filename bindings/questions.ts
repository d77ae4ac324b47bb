import type { CoreQuestion } from 'headwise-glue/simd';
import { core, reserve, writeBytes } from './core.js';
import { failOutOfMemory, HeadwiseError, type ErrorCode } from './errors.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What requests are made of: numbers and strings with spaces between. */
export function request(...parts: readonly (number | string)[]): Uint8Array {
  return encoder.encode(
    parts.map((part) => (typeof part === 'number' ? part : JSON.stringify(part))).join(' '),
  );
}

/** A shape as requests have it. */
export function shapeParts(shape: readonly number[]): number[] {
  return [shape.length, ...shape];
}

export function toText(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/**
 * Asks the core about the header of a file or a state dict, see io_calls.hpp.
 *
 * @param room bytes of memory that the core needs for each byte of text, at most
 * @throws HeadwiseError whatever error the core answers with
 */
export function ask(
  question: CoreQuestion,
  text: Uint8Array,
  room: number,
  fileSize = 0,
): Uint8Array {
  const loaded = core();
  const [address = 0] = reserve(loaded, Math.ceil(text.length / 4));
  if (!loaded.canAllocate(room * text.length + 65536)) {
    failOutOfMemory();
  }
  writeBytes(loaded, address, text);
  const answerAt = loaded[question](address, text.length, fileSize);
  const length = loaded.HEAP32[answerAt / 4] ?? 0;
  const answer = loaded.HEAPU8.slice(answerAt + 4, answerAt + 4 + Math.abs(length));
  if (length < 0) {
    const [code, ...message] = toText(answer).split(' ');
    throw new HeadwiseError(code as ErrorCode, message.join(' '));
  }
  return answer;
}
