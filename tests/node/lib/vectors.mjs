// What the references of tests/native say of calls: `headwise-test-vectors` writes it there, in float64.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSafetensors } from './safetensors.mjs';

const folder =
  process.env.HEADWISE_VECTORS ?? fileURLToPath(new URL('../../../build/vectors', import.meta.url));

function read(file) {
  const path = join(folder, file);
  if (!existsSync(path)) {
    throw new Error(
      `there is no ${path}: \`npm test -- --only=vectors\` writes it to build/vectors, which HEADWISE_VECTORS names`,
    );
  }
  return readFileSync(path);
}

/** Cases as their JSON tells them, each with its `tensors` by name, `{ data, shape }`. */
export function readVectors(name) {
  const cases = JSON.parse(read(`${name}.json`)).map((each) => ({
    ...each,
    // JSON has no infinity.
    ...(each.options && { options: { ...each.options, ...windowOf(each.options) } }),
    tensors: {},
  }));
  for (const [key, tensor] of Object.entries(parseSafetensors(read(`${name}.safetensors`)))) {
    const [number] = key.split('.', 1);
    cases[number].tensors[key.slice(number.length + 1)] = tensor;
  }
  return cases;
}

const windowOf = ({ window }) => window && { window: window.map((side) => side ?? Infinity) };
