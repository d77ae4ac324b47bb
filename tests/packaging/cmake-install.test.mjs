// `cmake --install`, then a project that knows only find_package(headwise), built and run.
// Needs build/native.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

test("an installed headwise is found by CMake, links and runs, the README's program too", async (t) => {
  const scratch = await mkdtemp(path.join(tmpdir(), 'headwise-install-'));
  t.after(() => rm(scratch, { recursive: true, force: true }));
  const prefix = path.join(scratch, 'prefix');
  const build = path.join(scratch, 'build');

  // The consumer brings its own xtensor; here it lies where set-up has put it, or where CMake looks.
  const prefixes = [prefix];
  const toolchain = path.join(root, '.toolchain/prefix');
  if (existsSync(toolchain)) prefixes.push(toolchain);

  const readme = await readFile(path.join(root, 'README.md'), 'utf8');
  const [, program] = /```cpp\n(.*?)```/s.exec(readme) ?? [];
  assert.ok(program, 'the README has a program in C++');
  const readmeExample = path.join(scratch, 'readme.cpp');
  await writeFile(readmeExample, program);

  await run('cmake', ['--install', path.join(root, 'build/native'), '--prefix', prefix]);
  await run('cmake', [
    ...['-G', 'Ninja', '-S', path.join(root, 'tests/packaging/consumer'), '-B', build],
    `-DCMAKE_PREFIX_PATH=${prefixes.join(';')}`,
    `-DREADME_EXAMPLE=${readmeExample}`,
  ]);
  await run('cmake', ['--build', build]);
  const { stdout } = await run(path.join(build, 'consumer'));
  assert.equal(stdout, '0.333333 0.5\n');
  const example = await run(path.join(build, 'readme'));
  assert.match(example.stdout, /^6 keys, -?\d+(\.\d+)?(e-\d+)?\n$/);
});
