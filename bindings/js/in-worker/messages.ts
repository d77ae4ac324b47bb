/**
 * Messages between the caller and the worker. Structured clones carry most values; a message lists the others by their
 * paths, so that no value of a user can imitate them.
 */
import { HeadwiseError, type ErrorCode } from '../runtime/errors.js';
import { isObject } from '../runtime/options.js';
import { Tensor } from '../tensor/tensor.js';

/**
 * Where a value is: the number of an object in the worker, 0 for the package, and the names of the members that lead to
 * the value.
 */
export interface Place {
  readonly id: number;
  readonly path: readonly string[];
}

/** A value that structured clones cannot carry, in another form. */
export interface Formed {
  readonly form: 'tensor' | 'place' | 'function' | 'signal';
  readonly content: unknown;
}

/** Names of members and indices of elements that lead from the message to a value. The first is `value`. */
export type Path = readonly string[];

/** A packed value, and the paths of its values in another form. */
export interface Message {
  readonly value: unknown;
  readonly forms: readonly { readonly path: Path; readonly form: Formed['form'] }[];
}

/** A tensor's parts. */
export interface TensorParts {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

/** Packs a value that structured clones cannot carry; returns undefined for all others. */
export type Send = (value: unknown, path: Path) => Formed | undefined;
/** Unpacks a value that `Send` has packed. */
export type Receive = (formed: Formed) => unknown;

/** A message and the memory to transfer with it. */
export interface Packed {
  readonly message: Message;
  readonly transfer: Transferable[];
}

/** Whether a typed array spans its whole buffer, and the buffer can be transferred. */
const isWhole = ({ buffer, byteLength }: ArrayBufferView): boolean =>
  buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;

/** Whether it is a plain object, whose members are packed one by one. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** @param gives whether to transfer the memory of an array */
export function pack(value: unknown, send: Send, gives: (array: object) => boolean): Packed {
  const transfer = new Set<Transferable>();
  const forms: { path: Path; form: Formed['form'] }[] = [];
  const give = (owner: object, data: ArrayBufferView): void => {
    if (isWhole(data) && gives(owner)) {
      transfer.add(data.buffer as ArrayBuffer);
    }
  };
  const inForm = (path: Path, { form, content }: Formed): unknown => {
    forms.push({ path, form });
    return content;
  };
  const walk = (each: unknown, path: Path): unknown => {
    const formed = send(each, path);
    if (formed !== undefined) {
      if (formed.content instanceof MessagePort) {
        transfer.add(formed.content);
      }
      return inForm(path, formed);
    }
    if (!isObject(each)) {
      return each;
    }
    // Tensors of any class, even if their members are getters.
    if ('data' in each && ('shape' in each || 'dims' in each) && ArrayBuffer.isView(each.data)) {
      const { data } = each;
      const shape: unknown = 'shape' in each ? each.shape : each.dims;
      give(each, data);
      if (each instanceof Tensor) {
        return inForm(path, { form: 'tensor', content: { data, shape } });
      }
      if (!isPlain(each)) {
        return { data, shape };
      }
    }
    if (each instanceof URL) {
      return each.href;
    }
    if (ArrayBuffer.isView(each)) {
      give(each, each);
      return each;
    }
    if (Array.isArray(each)) {
      // Nested numbers may be many and need no packing.
      return each.some((element) => isObject(element) || typeof element === 'function')
        ? each.map((element, i) => walk(element, [...path, `${i}`]))
        : each;
    }
    return isPlain(each)
      ? Object.fromEntries(
          Object.entries(each).map(([name, member]) => [name, walk(member, [...path, name])]),
        )
      : each;
  };
  return { message: { value: walk(value, ['value']), forms }, transfer: [...transfer] };
}

/** Unpacks a message. It changes the message in place. */
export function unpack(message: Message, receive: Receive): unknown {
  for (const { path, form } of message.forms) {
    const last = path.at(-1) ?? '';
    let owner = message as unknown as Record<string, unknown>;
    for (const name of path.slice(0, -1)) {
      owner = owner[name] as Record<string, unknown>;
    }
    owner[last] = receive({ form, content: owner[last] });
  }
  return message.value;
}

/** The result of a call: a value, a headwise error, or another error. */
export type Answer =
  | { readonly value: Message }
  | { readonly code: ErrorCode; readonly message: string }
  | { readonly thrown: Error };

export function toError(error: unknown): Answer {
  if (error instanceof HeadwiseError) {
    const { code, message } = error;
    return { code, message };
  }
  return { thrown: error instanceof Error ? error : new Error(String(error)) };
}

/** The value of an answer. Throws its error. */
export function valueOf(answer: Answer): Message {
  if ('value' in answer) {
    return answer.value;
  }
  throw 'code' in answer ? new HeadwiseError(answer.code, answer.message) : answer.thrown;
}

/** The worker's functions. Arguments and answers are packed. */
export interface Host {
  construct(place: Place, args: Message): Promise<Answer>;
  call(place: Place, args: Message): Promise<Answer>;
  get(place: Place): Promise<Answer>;
  set(place: Place, value: Message): Promise<Answer>;
  release(id: number): void;
}
