// Arguments that act while a call reads them: getters with side effects or changing values, arrays whose memory grows,
// shrinks or is detached, wrong lengths.

const isPlain = (value) =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** A path to each value inside arguments that a getter can replace: properties, and the ends of arrays. */
export function placesIn(value, path = []) {
  const isList = Array.isArray(value);
  // The arguments themselves cannot be getters.
  const isTop = path.length === 0;
  const keys = isList ? [...value.keys()] : isPlain(value) ? Object.keys(value) : [];
  const chosen = isList && !isTop && keys.length > 1 ? [0, keys.length - 1] : keys;
  return chosen.flatMap((key) => [
    ...(isTop ? [] : [[...path, key]]),
    ...placesIn(value[key], [...path, key]),
  ]);
}

/** Paths to what `isWanted` inside arguments. */
export function pathsTo(isWanted, value, path = []) {
  if (isWanted(value)) return [path];
  return Array.isArray(value) || isPlain(value)
    ? Object.keys(value).flatMap((key) => pathsTo(isWanted, value[key], [...path, key]))
    : [];
}

export const at = (value, path) => path.reduce((inner, key) => inner[key], value);

const copied = (value) =>
  Array.isArray(value)
    ? [...value]
    : Object.defineProperties({}, Object.getOwnPropertyDescriptors(value));

/** A copy of the arguments with `descriptor` at the path. */
function withProperty(value, [key, ...rest], descriptor) {
  const copy = copied(value);
  const property =
    rest.length === 0
      ? descriptor
      : { value: withProperty(value[key], rest, descriptor), writable: true };
  return Object.defineProperty(copy, key, { ...property, enumerable: true, configurable: true });
}

export const withValue = (args, path, value) => withProperty(args, path, { value, writable: true });

/** A copy of the arguments with a getter at the path, which gets the true value and the number of earlier reads. */
export function withGetter(args, path, get) {
  const value = at(args, path);
  let reads = 0;
  return withProperty(args, path, { get: () => get(value, reads++) });
}

/** Values that a getter may return on a second read. */
export function othersThan(value) {
  if (ArrayBuffer.isView(value)) {
    const other = (length) => new value.constructor(length).fill(1);
    return [other(value.length), other(1000 * value.length + 1), other(0), null];
  }
  if (Array.isArray(value)) return [[], [...value, ...value, ...value], null];
  if (typeof value === 'number') return [value + 1, 2 ** 31 - 1, -1, 'text'];
  if (typeof value === 'boolean') return [!value, 'yes'];
  if (typeof value === 'string') return ['nonsense', 1];
  if (typeof value === 'function') return [() => NaN, null];
  return [null, {}, undefined];
}

/** A copy of the numbers in a resizable buffer, and a function that resizes it. */
function resizable(numbers, factor) {
  const { BYTES_PER_ELEMENT: size, length, constructor: Kind } = numbers;
  const maxByteLength = Math.max(1, 1000 * length) * size;
  const buffer = new ArrayBuffer(length * size, { maxByteLength });
  const array = new Kind(buffer);
  array.set(numbers);
  return { array, change: () => buffer.resize(Math.floor(length * factor) * size) };
}

function detachable(numbers) {
  const array = numbers.slice();
  // A buffer can be transferred only once.
  const change = () =>
    array.length > 0 && structuredClone(array.buffer, { transfer: [array.buffer] });
  return { array, change };
}

/** Copies of numbers whose memory changes. */
export const losses = {
  grows: (numbers) => resizable(numbers, 1000),
  'is halved': (numbers) => resizable(numbers, 0.5),
  'is emptied': (numbers) => resizable(numbers, 0),
  'is detached': detachable,
};

/** A typed array of a subclass with these properties. */
function subclassed(numbers, properties) {
  const Class = class extends numbers.constructor {};
  Object.defineProperties(Class.prototype, Object.getOwnPropertyDescriptors(properties));
  return new Class(numbers);
}

function lengthened(numbers, count) {
  const longer = new numbers.constructor(count);
  longer.set(numbers.subarray(0, count));
  return longer;
}

const lying = (numbers, lengthAt) => {
  let reads = 0;
  return subclassed(numbers, {
    get length() {
      return lengthAt(reads++);
    },
  });
};

/** An array behind a proxy with another length. */
const proxied = (numbers, lengthAt) => {
  let reads = 0;
  // Bytes are booleans, which an array of numbers would not be.
  const elements =
    numbers instanceof Uint8Array ? Array.from(numbers, Boolean) : Array.from(numbers);
  return new Proxy(elements, {
    get: (target, key) => (key === 'length' ? lengthAt(reads++) : Reflect.get(target, key)),
  });
};

const { prototype: bytes } = Uint8Array;

/**
 * Arrays that are not what they seem, made of a valid array. A call may accept them, but may use only numbers that
 * exist.
 */
export const impostors = {
  'a detached array': (numbers) => {
    const { array, change } = detachable(numbers);
    change();
    return array;
  },
  'an array that follows its memory': (numbers) => resizable(numbers, 1).array,
  'an array outside of its memory': (numbers) => {
    const { array, change } = resizable(numbers, 0.5);
    const fixed = new array.constructor(array.buffer, 0, array.length);
    change();
    return fixed;
  },
  'an array in shared memory': (numbers) => {
    const array = new numbers.constructor(new SharedArrayBuffer(numbers.byteLength));
    array.set(numbers);
    return array;
  },
  ...Object.fromEntries(
    [0, -1, 0.5, NaN, 100_000, '4', null, undefined].flatMap((length) => [
      [`a typed array that tells the length ${length}`, (numbers) => lying(numbers, () => length)],
      [`an array that tells the length ${length}`, (numbers) => proxied(numbers, () => length)],
    ]),
  ),
  'a longer array that tells the right length': (numbers) =>
    lying(lengthened(numbers, 2000 + numbers.length), () => numbers.length),
  'a shorter array that tells the right length': (numbers) =>
    lying(lengthened(numbers, Math.floor(numbers.length / 2)), () => numbers.length),
  'an array that tells a larger length the second time': (numbers) =>
    lying(
      lengthened(numbers, 2000 + numbers.length),
      (reads) => numbers.length + (reads > 0 ? 2000 : 0),
    ),
  'a proxy that tells a larger length the second time': (numbers) =>
    proxied(numbers, (reads) => numbers.length + (reads > 0 ? 2000 : 0)),
  'a proxy that tells a smaller length the second time': (numbers) =>
    proxied(numbers, (reads) => (reads > 0 ? 0 : numbers.length)),
  'a proxy of a typed array': (numbers) => new Proxy(numbers, {}),
  'an array with a length of its own': (numbers) =>
    Object.defineProperty(lengthened(numbers, 2000 + numbers.length), 'length', {
      value: numbers.length,
    }),
  'a typed array with other memory': (numbers) =>
    subclassed(numbers, {
      get buffer() {
        return new ArrayBuffer(1);
      },
    }),
  'a typed array with another offset': (numbers) =>
    subclassed(numbers, {
      get byteOffset() {
        return 3;
      },
    }),
  'a typed array with another size': (numbers) =>
    subclassed(numbers, {
      get byteLength() {
        return 2 ** 20;
      },
    }),
  'a typed array with methods of its own': (numbers) => {
    const methods = ['subarray', 'slice', 'set', 'fill', 'map', 'every', 'filter', 'at', 'values'];
    const other = () => new Float32Array(5000).fill(7);
    return subclassed(numbers, {
      ...Object.fromEntries(methods.map((name) => [name, other])),
      *[Symbol.iterator]() {
        for (let i = 0; i < 5000; i++) yield 7;
      },
    });
  },
  'a typed array whose parts are of another class': (numbers) => {
    const Class = class extends numbers.constructor {
      static get [Symbol.species]() {
        return Float64Array;
      }
    };
    return new Class(numbers);
  },
  'a typed array without a class': (numbers) => Object.setPrototypeOf(numbers.slice(), null),
  'bytes that say they are others': (numbers) =>
    Object.setPrototypeOf(Uint8Array.from(numbers, Math.abs), numbers.constructor.prototype),
  'others that say they are bytes': (numbers) => Object.setPrototypeOf(numbers.slice(), bytes),
};
