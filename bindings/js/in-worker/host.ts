/** The worker of headwise/worker: it has all of headwise and runs the caller's calls. */
import { expose, transfer, wrap, type Endpoint } from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import * as attention from '../attention.js';
import * as models from '../models.js';
import { node } from '../runtime/node.js';
import { isObject } from '../runtime/options.js';
import {
  pack,
  toError,
  unpack,
  type Answer,
  type Formed,
  type Host,
  type Message,
  type Place,
  type Receive,
  type TensorParts,
} from './messages.js';

/** Classes whose objects stay in the worker. The caller gets their numbers. */
const kept = [
  attention.MultiHeadAttention,
  attention.KeyValueCache,
  models.Transformer,
  models.ModelCache,
  models.Optimizer,
  models.Task,
];

/** Files of tensors stay, too. They are plain objects with functions. */
const stays = (value: unknown): value is object =>
  isObject(value) &&
  (kept.some((kind) => value instanceof kind) ||
    ('read' in value && typeof value.read === 'function'));

const objects = new Map<number, object>([[0, { ...attention, ...models }]]);
let lastId = 0;

function find({ id, path }: Place): { owner: unknown; value: unknown } {
  let [owner, value]: unknown[] = [undefined, objects.get(id)];
  for (const name of path) {
    [owner, value] = [value, (value as Record<string, unknown>)[name]];
  }
  return { owner, value };
}

const send = (value: unknown): Formed | undefined => {
  if (!stays(value)) {
    return undefined;
  }
  objects.set(++lastId, value);
  return { form: 'place', content: { id: lastId, path: [] } satisfies Place };
};

/** Packs a result. Its memory moves to the caller, who owns headwise's results. */
function answer(value: unknown): Answer {
  const { message, transfer: memory } = pack(value, send, () => true);
  return transfer({ value: message }, memory);
}

type Notify = (args: Message) => Promise<unknown>;

/** Runs `act` with the unpacked arguments, and waits until the caller has handled every callback. */
async function withArguments(message: Message, act: (args: unknown[]) => unknown): Promise<Answer> {
  const told: Promise<unknown>[] = [];
  /** Errors that callbacks have thrown. The next call of any callback throws the first, which ends the pass. */
  const thrown: unknown[] = [];
  const ports: MessagePort[] = [];
  const receive: Receive = ({ form, content }) => {
    if (form === 'place') {
      return find(content as Place).value;
    }
    if (form === 'tensor') {
      const { data, shape } = content as TensorParts;
      return new attention.Tensor(data, shape);
    }
    const port = content as MessagePort;
    ports.push(port);
    if (form === 'function') {
      const notify = wrap(port) as unknown as Notify;
      return (...args: unknown[]) => {
        if (thrown.length > 0) {
          throw thrown[0];
        }
        const { message: packed } = pack(
          args,
          () => undefined,
          () => false,
        );
        const answered = notify(packed);
        told.push(answered);
        // Without a handler, Node would end the worker for an unhandled rejection.
        answered.catch((error: unknown) => thrown.push(error));
        return answered;
      };
    }
    const controller = new AbortController();
    port.onmessage = () => {
      controller.abort();
    };
    return controller.signal;
  };
  try {
    const value = await act(unpack(message, receive) as unknown[]);
    await Promise.all(told);
    return answer(value);
  } catch (error) {
    return toError(error);
  } finally {
    ports.forEach((port) => {
      port.close();
    });
  }
}

const host: Host = {
  construct: (place, message) =>
    withArguments(message, (args) =>
      Reflect.construct(find(place).value as new (...args: unknown[]) => object, args),
    ),
  call: (place, message) =>
    withArguments(message, (args) => {
      const { owner, value } = find(place);
      if (typeof value !== 'function') {
        throw new TypeError(`${place.path.join('.')} is not a function`);
      }
      return Reflect.apply(value, owner, args) as unknown;
    }),
  get: (place) => withArguments({ value: [], forms: [] }, () => find(place).value),
  set: (place, message) =>
    withArguments(message, ([value]) => {
      (find({ ...place, path: place.path.slice(0, -1) }).value as Record<string, unknown>)[
        place.path.at(-1) ?? ''
      ] = value;
    }),
  release(id) {
    objects.delete(id);
  },
};

const port = node?.getBuiltinModule('node:worker_threads').parentPort;
// TypeScript types `self` as a page's window.
expose(host, port ? nodeEndpoint(port) : (self as unknown as Endpoint));
