// `cmake --install`, then a project that knows only find_package(headwise), built and run, and each
// header compiled alone. Needs build/native.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findProgram, toolchain as locate } from '../../../scripts/lib/toolchain.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));

// The consumer brings its own xtensor; here it lies where set-up has put it, or where CMake looks.
const toolchain = path.join(root, '.toolchain/prefix');

let scratch = '';
let prefix = '';

before(async () => {
  scratch = await mkdtemp(path.join(tmpdir(), 'headwise-install-'));
  prefix = path.join(scratch, 'prefix');
  await run('cmake', ['--install', path.join(root, 'build/native'), '--prefix', prefix]);
});

after(() => rm(scratch, { recursive: true, force: true }));

test("an installed headwise is found by CMake, links and runs, the README's program too", async () => {
  const build = path.join(scratch, 'build');
  const prefixes = existsSync(toolchain) ? [prefix, toolchain] : [prefix];

  const readme = await readFile(path.join(root, 'README.md'), 'utf8');
  const [, program] = /```cpp\n(.*?)```/s.exec(readme) ?? [];
  assert.ok(program, 'the README has a program in C++');
  const readmeExample = path.join(scratch, 'readme.cpp');
  await writeFile(readmeExample, program);

  await run('cmake', [
    ...['-G', 'Ninja', '-S', path.join(root, 'tests/packaging/cmake/consumer'), '-B', build],
    `-DCMAKE_PREFIX_PATH=${prefixes.join(';')}`,
    `-DREADME_EXAMPLE=${readmeExample}`,
  ]);
  await run('cmake', ['--build', build]);
  const { stdout } = await run(path.join(build, 'consumer'));
  assert.equal(stdout, '0.333333 0.5\n');
  const example = await run(path.join(build, 'readme'));
  assert.match(example.stdout, /^6 keys, -?\d+(\.\d+)?(e-\d+)?\n$/);
});

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
