/**
 * What the caller and the worker tell each other: values as structured clones take them, with what these do not take in
 * a form of its own. Which values these are is said beside them, by position: what users send may look like anything.
 */
import { HeadwiseError, type ErrorCode } from '../runtime/errors.js';
import { isObject } from '../runtime/options.js';
import { Tensor } from '../tensor/tensor.js';

/** Where a value is: an object of the worker by its number, 0 for the package, and the members that lead from there. */
export interface Place {
  readonly id: number;
  readonly path: readonly string[];
}

/** A value that travels in a form of its own. */
export interface Formed {
  readonly form: 'tensor' | 'place' | 'function' | 'signal';
  readonly content: unknown;
}

/** Names of members and numbers of elements that lead to a value from the message on, which is `value` itself. */
export type Path = readonly string[];

/** A value on its way, with the forms in it. */
export interface Message {
  readonly value: unknown;
  readonly forms: readonly { readonly path: Path; readonly form: Formed['form'] }[];
}

/** A tensor's parts. */
export interface TensorParts {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

/** How one side sends what only it has: undefined if a value is nothing of the kind. */
export type Send = (value: unknown, path: Path) => Formed | undefined;
/** How one side reads what the other sent. */
export type Receive = (formed: Formed) => unknown;

/** What is posted, and which memory goes with it, so that the sender no longer has it. */
export interface Packed {
  readonly message: Message;
  readonly transfer: Transferable[];
}

/** Whether a typed array is all of its memory, and memory that can be given away. */
const isWhole = ({ buffer, byteLength }: ArrayBufferView): boolean =>
  buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;

/** Plain objects, whose members are looked at. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** @param gives whether the memory of an array is given away */
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
    // Whosever class it is, and whatever of it is a getter.
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
      // Nested numbers may be many, and are what they are.
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

/** The value of a message, which has become this side's own. */
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

/** What a call came to: its value, what headwise had to say of it, or whatever else was thrown. */
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

/** The value of an answer, or its error thrown. */
export function valueOf(answer: Answer): Message {
  if ('value' in answer) {
    return answer.value;
  }
  throw 'code' in answer ? new HeadwiseError(answer.code, answer.message) : answer.thrown;
}

/** What the worker does. Arguments and answers are packed. */
export interface Host {
  construct(place: Place, args: Message): Promise<Answer>;
  call(place: Place, args: Message): Promise<Answer>;
  get(place: Place): Promise<Answer>;
  set(place: Place, value: Message): Promise<Answer>;
  release(id: number): void;
}
