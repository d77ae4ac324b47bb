/** The worker of headwise/worker: it has all of headwise, and does what the caller's functions and objects are told. */
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

/** What stays here: objects with state, of which the caller has the number. */
const kept = [
  attention.MultiHeadAttention,
  attention.KeyValueCache,
  models.Transformer,
  models.ModelCache,
  models.Optimizer,
  models.Task,
];

/** Files of tensors are plain objects of functions. */
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

/** What is given back belongs to the caller alone, as what headwise returns does. */
function answer(value: unknown): Answer {
  const { message, transfer: memory } = pack(value, send, () => true);
  return transfer({ value: message }, memory);
}

type Notify = (...args: unknown[]) => Promise<unknown>;

/** Runs `act` with arguments as they were before they were sent; functions among them have been told all when it is done. */
async function withArguments(message: Message, act: (args: unknown[]) => unknown): Promise<Answer> {
  const told: Promise<unknown>[] = [];
  /** What a function has thrown, which ends the call with the next that it is told. */
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
        const answered = notify(...args);
        told.push(answered);
        // Nobody may be waiting for it, and Node ends a worker for what is thrown unheard.
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
      return Reflect.apply(value as (...args: unknown[]) => unknown, owner, args);
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
// TypeScript takes it for a page.
expose(host, port ? nodeEndpoint(port) : (self as unknown as Endpoint));
