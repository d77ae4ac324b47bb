// The ways into C++ projects that docs/native.md describes, each from the sources to a program that runs, in its own
// lines; under the warnings of GCC and Clang, which end the build.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { findProgram, toolchain as locate } from '../../../scripts/lib/toolchain.mjs';
import { toolchain } from '../installed.mjs';
import { guideCode, printed, program } from '../native-guide.mjs';
import { makeScratch, packagesIn, userProject } from './sources.mjs';

const run = promisify(execFile);

const scratch = await makeScratch();
const gcc = findProgram(['g++-12', 'g++']);
const clang = locate().sanitizingClang;

const strict = '-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror';

/** Runs lines of the guide as a user's shell does; what they print. */
async function shell(lines, cwd, env = {}) {
  const { stdout } = await run('bash', ['-euc', lines], {
    cwd,
    env: { ...process.env, CMAKE_GENERATOR: 'Ninja', CMAKE_PREFIX_PATH: packagesIn(), ...env },
    maxBuffer: 1e8,
  }).catch(({ message, stdout: out, stderr }) => {
    throw new Error(`${message}\n${out}\n${stderr}`);
  });
  return stdout;
}

const partOfBuild = 'As a part of your build';

test('add_subdirectory, with Clang', { skip: !clang && 'there is no clang 19' }, async () => {
  const folder = await userProject(path.join(scratch, 'subdirectory'), {
    'CMakeLists.txt': guideCode(partOfBuild, 'cmake', 0),
    'main.cpp': program(),
  });
  const out = await shell(guideCode(partOfBuild, 'sh'), folder, { CXX: clang, CXXFLAGS: strict });
  assert.ok(out.endsWith(printed), out);
});

test('FetchContent, with GCC', { skip: !gcc && 'there is no g++' }, async () => {
  const text = guideCode(partOfBuild, 'cmake', 1);
  assert.match(text, /GIT_REPOSITORY/);
  const folder = await userProject(path.join(scratch, 'fetched'), {
    'CMakeLists.txt': text,
    'main.cpp': program(),
  });
  // There is no network: CMake is given the folder.
  const elsewhere = path.join(scratch, 'fetched-headwise');
  await rename(path.join(folder, 'headwise'), elsewhere);
  // How headwise is found is what is tried; without optimisation it is built in a third of the time.
  const lines = guideCode(partOfBuild, 'sh')
    .replace('cmake -S', `cmake -DFETCHCONTENT_SOURCE_DIR_HEADWISE=${elsewhere} -S`)
    .replace('=Release', '=Debug');
  const out = await shell(lines, folder, { CXX: gcc, CXXFLAGS: strict });
  assert.ok(out.endsWith(printed), out);
});

test('installed: find_package, pkg-config, an archive, and every example', async () => {
  const prefix = path.join(scratch, 'installed');
  const folder = await userProject(path.join(scratch, 'installing'), { 'main.cpp': program() });
  const section = 'Installed, with CMake';
  await shell(guideCode(section, 'sh'), folder, {
    ...{ PREFIX: prefix, CXXFLAGS: strict },
    ...(gcc && { CXX: gcc }),
  });

  const builds = async (name, from, text) => {
    const user = await userProject(path.join(scratch, name), {
      'CMakeLists.txt': text,
      'main.cpp': program(),
    });
    const env = { CMAKE_PREFIX_PATH: packagesIn(from), CXXFLAGS: strict };
    return { user, out: await shell(guideCode(partOfBuild, 'sh'), user, env) };
  };
  const found = await builds('finding', prefix, guideCode(section, 'cmake'));
  assert.ok(found.out.endsWith(printed), found.out);

  const unpacked = path.join(scratch, 'unpacked');
  await shell(guideCode('As an archive', 'sh'), folder, { PREFIX: unpacked });
  // Only what is in the archive is left.
  await rename(prefix, `${prefix}-away`);
  await rename(folder, `${folder}-away`);

  const everyExample = guideCode(section, 'cmake').replace(
    /^add_executable\(app main\.cpp\)\n.*$/ms,
    `add_executable(app main.cpp)
target_link_libraries(app PRIVATE headwise::headwise)
file(GLOB programs "${fromRoot('examples')}/*.cpp" "${fromRoot('examples')}/*/main.cpp")
foreach(program IN LISTS programs)
  cmake_path(GET program STEM name)
  set(sources "\${program}")
  if(name STREQUAL main)
    cmake_path(GET program PARENT_PATH folder)
    cmake_path(GET folder FILENAME name)
    file(GLOB sources "\${folder}/*.cpp")
  endif()
  add_executable(\${name} \${sources})
  target_link_libraries(\${name} PRIVATE headwise::headwise)
endforeach()
`,
  );
  // Indices come in both signs, as in the library; GCC does not count that among conversions.
  const { user, out } = await builds('examples', unpacked, everyExample);
  assert.ok(out.endsWith(printed), out);
  const runs = (name, ...args) => run(path.join(user, 'build', name), args);
  assert.match((await runs('toy')).stdout, /^output: \(2, 4, 100\)$/m);
  assert.match((await runs('head-importance', '--quick')).stdout, /\d/);
  for (const name of ['language-model', 'prune-a-model']) {
    assert.ok(existsSync(path.join(user, 'build', name)), name);
  }

  const tried = await shell(
    guideCode('Installed, with pkg-config', 'sh')
      .replace(/lib\/pkgconfig"/, `lib/pkgconfig:${toolchain}/share/pkgconfig"`)
      .replace(/^c\+\+/m, existsSync(toolchain) ? `c++ -isystem ${toolchain}/include` : 'c++'),
    user,
    { PREFIX: unpacked },
  );
  assert.equal(tried, printed);
});
