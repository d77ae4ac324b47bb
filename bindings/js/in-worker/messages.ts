/**
 * What the caller and the worker tell each other: values as structured clones take them, with what these do not take in
 * a form of its own.
 */
import { HeadwiseError, type ErrorCode } from '../runtime/errors.js';
import { isObject } from '../runtime/options.js';
import { Tensor } from '../tensor/tensor.js';

/** Where a value is: an object of the worker by its number, 0 for the package, and the members that lead from there. */
export interface Place {
  readonly id: number;
  readonly path: readonly string[];
}

/** What a value is that travels in a form of its own. */
const forms = ['tensor', 'place', 'function', 'signal'] as const;
type Form = (typeof forms)[number];

/** A value on its way: `$` says which form it has, if it has one. */
export interface Formed {
  readonly $: Form;
  readonly content: unknown;
}

/** A tensor's parts. */
export interface TensorParts {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

/** How one side sends what only it has: undefined if a value is nothing of the kind. */
export type Send = (value: unknown, key: string) => Formed | undefined;
/** How one side reads what the other sent. */
export type Receive = (formed: Formed) => unknown;

/** What is posted, and which memory goes with it, so that the sender no longer has it. */
export interface Packed {
  readonly message: unknown;
  readonly transfer: Transferable[];
}

/** Whether a typed array is all of its memory, and memory that can be given away. */
const isWhole = ({ buffer, byteLength }: ArrayBufferView): boolean =>
  buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;

const isFormed = (value: object): value is Formed =>
  '$' in value && forms.includes(value.$ as Form);

/** Plain objects, whose members are looked at. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** @param gives whether the memory of an array is given away */
export function pack(value: unknown, send: Send, gives: (array: object) => boolean): Packed {
  const transfer = new Set<Transferable>();
  const give = (owner: object, data: ArrayBufferView): void => {
    if (isWhole(data) && gives(owner)) {
      transfer.add(data.buffer as ArrayBuffer);
    }
  };
  const walk = (each: unknown, key: string): unknown => {
    const formed = send(each, key);
    if (formed !== undefined) {
      if (formed.content instanceof MessagePort) {
        transfer.add(formed.content);
      }
      return formed;
    }
    if (!isObject(each)) {
      return each;
    }
    // Whosever class it is, and whatever of it is a getter.
    if ('data' in each && ('shape' in each || 'dims' in each) && ArrayBuffer.isView(each.data)) {
      const { data } = each;
      const shape: unknown = 'shape' in each ? each.shape : each.dims;
      give(each, data);
      if (each instanceof Tensor) {
        return { $: 'tensor', content: { data, shape } };
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
      // Nested numbers may be many, and are what they are.
      return each.some((element) => isObject(element) || typeof element === 'function')
        ? each.map((element) => walk(element, key))
        : each;
    }
    return isPlain(each)
      ? Object.fromEntries(Object.entries(each).map(([name, member]) => [name, walk(member, name)]))
      : each;
  };
  return { message: walk(value, ''), transfer: [...transfer] };
}

export function unpack(message: unknown, receive: Receive): unknown {
  if (!isObject(message) || ArrayBuffer.isView(message)) {
    return message;
  }
  if (Array.isArray(message)) {
    return message.some(isObject) ? message.map((each) => unpack(each, receive)) : message;
  }
  if (isFormed(message)) {
    return receive(message);
  }
  return isPlain(message)
    ? Object.fromEntries(
        Object.entries(message).map(([name, member]) => [name, unpack(member, receive)]),
      )
    : message;
}

/** What a call came to: its value, what headwise had to say of it, or whatever else was thrown. */
export type Answer =
  | { readonly value: unknown }
  | { readonly code: ErrorCode; readonly message: string }
  | { readonly thrown: Error };

export function toError(error: unknown): Answer {
  if (error instanceof HeadwiseError) {
    const { code, message } = error;
    return { code, message };
  }
  return { thrown: error instanceof Error ? error : new Error(String(error)) };
}

/** The value of an answer, or its error thrown. */
export function valueOf(answer: Answer): unknown {
  if ('value' in answer) {
    return answer.value;
  }
  throw 'code' in answer ? new HeadwiseError(answer.code, answer.message) : answer.thrown;
}

/** What the worker does. Arguments and answers are packed. */
export interface Host {
  construct(place: Place, args: unknown): Promise<Answer>;
  call(place: Place, args: unknown): Promise<Answer>;
  get(place: Place): Promise<Answer>;
  set(place: Place, value: unknown): Promise<Answer>;
  release(id: number): void;
}
