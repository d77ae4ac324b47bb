// Each header that `cmake --install` leaves, compiled alone. Needs build/native.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { filesIn } from '../lib/project.mjs';
import { compilers, installNative, run, scratch, toolchain } from './users.mjs';

const include = join(await installNative(), 'include');
const all = filesIn(include).filter(
  (file) => file.endsWith('.hpp') && !file.startsWith('headwise/dependencies/'),
);
assert.ok(all.includes('headwise/headwise.hpp'));

for (const [name, program] of Object.entries(compilers)) {
  const skip = !program && `there is no ${name}`;
  test(`each installed header compiles alone with ${name}`, { skip }, async () => {
    const folder = join(scratch, name);
    mkdirSync(folder);
    const options = [
      ...['-std=c++20', '-I', include, '-isystem', join(include, 'headwise/dependencies')],
      ...['-Wall', '-Wextra', '-Wpedantic', '-Wconversion', '-Wno-sign-conversion', '-Werror'],
      ...(toolchain ? ['-isystem', join(toolchain, 'include')] : []),
    ];
    // GCC already shows whether a header includes all that it needs, so Clang may parse xtensor once.
    if (name === 'clang') {
      const parsed = join(folder, 'tensor.pch');
      const source = join(include, 'headwise/tensor.hpp');
      await run(program, [...options, '-x', 'c++-header', source, '-o', parsed]);
      options.push('-include-pch', parsed);
    }
    const headers = [...all];
    const faults = [];
    const compileInTurn = async () => {
      for (let header = headers.pop(); header; header = headers.pop()) {
        const source = join(folder, `${header.replaceAll('/', '-')}.cpp`);
        writeFileSync(source, `#include <${header}>\n`);
        const compiled = run(program, [...options, '-fsyntax-only', source]);
        await compiled.catch(({ stderr }) => faults.push(stderr));
      }
    };
    await Promise.all([compileInTurn(), compileInTurn()]);
    assert.equal(faults.join('\n'), '');
  });
}
