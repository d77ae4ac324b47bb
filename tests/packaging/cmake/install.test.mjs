// `cmake --install`, then a project that knows only find_package(headwise), built and run. Needs
// build/native.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { install, toolchain } from '../installed.mjs';

const run = promisify(execFile);

const { scratch, prefix } = await install();

test("an installed headwise is found by CMake, links and runs, the README's program too", async () => {
  const build = path.join(scratch, 'build');
  const prefixes = existsSync(toolchain) ? [prefix, toolchain] : [prefix];

  const readme = await readFile(fromRoot('README.md'), 'utf8');
  const [, program] = /```cpp\n(.*?)```/s.exec(readme) ?? [];
  assert.ok(program, 'the README has a program in C++');
  const readmeExample = path.join(scratch, 'readme.cpp');
  await writeFile(readmeExample, program);

  await run('cmake', [
    ...['-G', 'Ninja', '-S', fromRoot('tests/packaging/cmake/consumer'), '-B', build],
    `-DCMAKE_PREFIX_PATH=${prefixes.join(';')}`,
    `-DREADME_EXAMPLE=${readmeExample}`,
  ]);
  await run('cmake', ['--build', build]);
  const { stdout } = await run(path.join(build, 'consumer'));
  assert.equal(stdout, '0.333333 0.5\n');
  const example = await run(path.join(build, 'readme'));
  assert.match(example.stdout, /^6 keys, -?\d+(\.\d+)?(e-\d+)?\n$/);
});
