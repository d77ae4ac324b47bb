// headwise in C++, in a process of its own (benchmarks/native/peer.cpp), which times its calls.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { nativeProgram } from '../../native/build.mjs';

/** Reads what a program prints, so many bytes or a line at a time. */
class Reader {
  #child;
  #buffer = Buffer.alloc(0);
  #said = '';
  #ended = false;

  constructor(child) {
    this.#child = child;
    child.stdout.on('data', (bytes) => (this.#buffer = Buffer.concat([this.#buffer, bytes])));
    child.stderr.setEncoding('utf8').on('data', (text) => (this.#said += text));
    child.on('close', () => (this.#ended = true));
    // A program that ended says why on its standard error; writing to it fails besides.
    child.stdin.on('error', () => {});
  }

  async #take(lengthOf) {
    for (;;) {
      const length = lengthOf(this.#buffer);
      if (length > 0 && this.#buffer.length >= length) {
        const taken = this.#buffer.subarray(0, length);
        this.#buffer = this.#buffer.subarray(length);
        return taken;
      }
      if (this.#ended) throw new Error(this.#said.trim() || 'the native program ended');
      await Promise.race([once(this.#child.stdout, 'data'), once(this.#child, 'close')]);
    }
  }

  bytes(count) {
    return this.#take(() => count);
  }

  async number() {
    return Number(await this.#take((buffer) => buffer.indexOf('\n') + 1));
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }) =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** The problem as benchmarks/native/peer_problem.hpp reads it. */
function write(stream, { kind, batch, queries, keys, numHiddens = 0, numHeads = 0, ...problem }) {
  const { data, weights = {}, validLens = [] } = problem;
  stream.write(`${[kind, batch, queries, keys, numHiddens, numHeads, ...validLens].join(' ')}\n`);
  const inputs = kind === 'self' ? [data.queries] : Object.values(data);
  for (const numbers of [...inputs, ...Object.values(weights)]) stream.write(bytesOf(numbers));
}

const resultLength = ({ kind, batch, queries, keys, numHiddens }) =>
  batch * queries * (kind === 'softmax' ? keys : numHiddens);

export async function load({ threads, architecture }) {
  const child = spawn(nativeProgram('headwise-peer'), [String(threads)], {
    env: { ...process.env, HEADWISE_ARCHITECTURE: architecture },
  });
  const reader = new Reader(child);
  return {
    about: { threads: await reader.number() },
    async prepare(problem) {
      write(child.stdin, problem);
      const bytes = await reader.bytes(4 * resultLength(problem));
      const first = new Float32Array(Uint8Array.from(bytes).buffer);
      return {
        first,
        time(count) {
          child.stdin.write(`${count}\n`);
          return reader.number();
        },
      };
    },
  };
}
