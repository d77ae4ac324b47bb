// Each header that `cmake --install` leaves, compiled alone. Needs build/native.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { findProgram, toolchain as locate } from '../../../scripts/lib/toolchain.mjs';
import { install, toolchain } from '../installed.mjs';

const run = promisify(execFile);

const { scratch, prefix } = await install();

const compilers = {
  'g++': { program: findProgram(['g++-12', 'g++']) },
  // What g++ shows need not be shown twice: whether a header includes all that it takes from others.
  'clang 19': { program: locate().sanitizingClang, parsesTensorsOnce: true },
};

for (const [name, { program, parsesTensorsOnce }] of Object.entries(compilers)) {
  const skip = !program && `there is no ${name}`;
  test(`each installed header compiles alone with ${name}`, { skip }, async () => {
    const include = path.join(prefix, 'include');
    const files = await readdir(include, { recursive: true });
    const headers = files.filter((file) => file.endsWith('.hpp'));
    assert.ok(headers.includes('headwise/headwise.hpp'));
    const folder = await mkdtemp(path.join(scratch, 'alone-'));
    const options = [
      ...['-std=c++20', '-I', include],
      ...['-Wall', '-Wextra', '-Wpedantic', '-Wconversion', '-Wno-sign-conversion', '-Werror'],
      ...(existsSync(toolchain) ? ['-isystem', path.join(toolchain, 'include')] : []),
    ];
    const more = [];
    if (parsesTensorsOnce) {
      const source = path.join(include, 'headwise/tensor.hpp');
      const parsed = path.join(folder, 'tensor.pch');
      await run(program, [...options, '-x', 'c++-header', source, '-o', parsed]);
      more.push('-include-pch', parsed);
    }
    const faults = [];
    const compileInTurn = async () => {
      for (let header = headers.pop(); header; header = headers.pop()) {
        const source = path.join(folder, `${header.replaceAll('/', '-')}.cpp`);
        await writeFile(source, `#include <${header}>\n`);
        const compiled = run(program, [...options, ...more, '-fsyntax-only', source]);
        await compiled.catch(({ stderr }) => faults.push(stderr));
      }
    };
    await Promise.all([compileInTurn(), compileInTurn()]);
    assert.equal(faults.join('\n'), '');
  });
}
