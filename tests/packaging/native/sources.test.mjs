// The ways from headwise's sources to a program that runs, in the lines of docs/native.md, with the warnings of GCC and
// Clang as errors.
import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { compilers, exampleTargets, guide, packagesIn, run, scratch, shell } from './users.mjs';
import { strict, writeProject, writeProjectWithSources } from './users.mjs';

test('add_subdirectory, with Clang', { skip: !compilers.clang && 'no clang 19' }, async () => {
  const files = { 'CMakeLists.txt': guide.subdirectory, 'main.cpp': guide.program };
  const folder = writeProjectWithSources('subdirectory', files);
  const env = { CXX: compilers.clang, CXXFLAGS: strict };
  // Without optimization it builds in a third of the time.
  const printed = await shell(guide.build.replace('=Release', '=Debug'), folder, env);
  assert.ok(printed.endsWith(guide.prints), printed);
});

test('installed, with GCC: find_package builds the program and every example', async () => {
  const prefix = join(scratch, 'installed');
  const folder = writeProjectWithSources('installing', {});
  const env = { CXXFLAGS: strict, ...(compilers.gcc && { CXX: compilers.gcc }) };
  await shell(guide.install, folder, { ...env, PREFIX: prefix });
  // Only what is installed is left.
  renameSync(folder, `${folder}-away`);
  const user = writeProject('examples', {
    'CMakeLists.txt': `${guide.find}\n${exampleTargets}`,
    'main.cpp': guide.program,
  });
  const given = { ...env, CMAKE_PREFIX_PATH: packagesIn(prefix) };
  const printed = await shell(guide.build, user, given);
  assert.ok(printed.endsWith(guide.prints), printed);
  const { stdout } = await run(join(user, 'build/toy'));
  assert.match(stdout, /^output: \(2, 4, 100\)$/m);
});
