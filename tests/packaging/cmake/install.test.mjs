// What `cmake --install` and `cpack` leave of build/native, used by projects that know nothing else, as the README and
// docs/native.md say. Needs build/native.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { install, toolchain } from '../installed.mjs';
import { guideCode, printed, program } from '../native-guide.mjs';

const run = promisify(execFile);

const { scratch, prefix } = await install();
const { version } = JSON.parse(await readFile(fromRoot('package.json'), 'utf8'));

const cmakePath = (...folders) =>
  `-DCMAKE_PREFIX_PATH=${[...folders, ...(existsSync(toolchain) ? [toolchain] : [])].join(';')}`;

const pkgConfigPath = (folder) =>
  [path.join(folder, 'lib/pkgconfig'), path.join(toolchain, 'share/pkgconfig')].join(':');

const filesOf = async (folder) =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();

/** A new folder with these files. */
async function project(name, files) {
  const folder = path.join(scratch, name);
  await mkdir(folder);
  for (const [file, text] of Object.entries(files)) await writeFile(path.join(folder, file), text);
  return folder;
}

test('find_package: a project and the program of the README build without a warning, and run', async () => {
  const build = path.join(scratch, 'build');
  const readme = await readFile(fromRoot('README.md'), 'utf8');
  const [, readmeProgram] = /```cpp\n(.*?)```/s.exec(readme) ?? [];
  assert.ok(readmeProgram, 'the README has a program in C++');
  const readmeExample = path.join(scratch, 'readme.cpp');
  await writeFile(readmeExample, readmeProgram);

  await run('cmake', [
    ...['-G', 'Ninja', '-S', fromRoot('tests/packaging/cmake/consumer'), '-B', build],
    ...[cmakePath(prefix), `-DREADME_EXAMPLE=${readmeExample}`],
  ]);
  await run('cmake', ['--build', build]);
  const { stdout } = await run(path.join(build, 'consumer'));
  assert.equal(stdout, '0.333333 0.5\n');
  const example = await run(path.join(build, 'readme'));
  assert.match(example.stdout, /^6 keys, -?\d+(\.\d+)?(e-\d+)?\n$/);
});

/** Documents with fragments in C++, and what each takes for given. */
const givens = {
  'docs/head-importance.md':
    'headwise::Transformer& model, headwise::Tokens tokens, headwise::Tokens targets, headwise::Tokens source, headwise::ValidLens lens',
  'docs/models.md': 'const std::string& config_json',
  'docs/options.md': '',
};

test('fragments in C++ of the documents compile without a warning', async () => {
  const fragments = {};
  for (const [document, given] of Object.entries(givens)) {
    const text = await readFile(fromRoot(document), 'utf8');
    const codes = [...text.matchAll(/```cpp\n(.*?)```/gs)].map(([, code]) => code);
    assert.equal(codes.length, 1, document);
    fragments[`${path.basename(document, '.md')}.cpp`] =
      `#include <headwise/headwise.hpp>\n#include <string>\nvoid fragment(${given});\nvoid fragment(${given}) {\n${codes[0]}}\n`;
  }
  const folder = await project('fragments', {
    ...fragments,
    'CMakeLists.txt': `cmake_minimum_required(VERSION 3.25)
project(fragments CXX)
find_package(headwise CONFIG REQUIRED)
add_library(fragments OBJECT ${Object.keys(fragments).join(' ')})
target_link_libraries(fragments PRIVATE headwise::headwise)
# What a fragment makes and leaves is for its reader.
target_compile_options(fragments PRIVATE -Wall -Wextra -Werror -Wno-unused-variable)
`,
  });
  const build = path.join(folder, 'build');
  await run('cmake', ['-G', 'Ninja', '-S', folder, '-B', build, cmakePath(prefix)]);
  await run('cmake', ['--build', build]).catch(({ stdout }) => assert.fail(stdout));
});

/** Whether a project finds headwise by the version that it asks for; if not, what CMake says. */
async function findsVersion(wanted) {
  const asking = guideCode('Installed, with CMake', 'cmake')
    .replace(/(?<=find_package\(headwise )\S+/, wanted)
    // What follows would be built, not found.
    .replace(/^add_executable.*/ms, '');
  assert.match(asking, new RegExp(`^find_package\\(headwise ${wanted} CONFIG REQUIRED\\)$`, 'm'));
  const folder = await project(`asks-for-${wanted}`, { 'CMakeLists.txt': asking });
  const configured = run('cmake', [
    ...['-G', 'Ninja', '-S', folder, '-B', path.join(folder, 'build'), cmakePath(prefix)],
  ]);
  return configured.then(
    () => true,
    ({ stderr }) => stderr,
  );
}

test('versions are compatible as SemVer has them: until 1.0, of the same minor version and not older', async () => {
  const [major, minor, patch] = version.split('.').map(Number);
  assert.equal(await findsVersion(`${major}.${minor}`), true);
  const others = [
    `${major}.${minor}.${patch + 1}`,
    `${major}.${minor + 1}`,
    `${major + 1}.0`,
    minor > 0 ? `${major}.${minor - 1}` : `${major - 1}.0`,
  ];
  for (const other of others) {
    const told = await findsVersion(other);
    assert.match(String(told), /compatible with requested\s+version/, other);
    assert.ok(told.includes(`version: ${version}`), told);
  }
});

test('docs/native.md asks for this version', () => {
  const [, asked] = /find_package\(headwise (\S+)/.exec(
    guideCode('Installed, with CMake', 'cmake'),
  );
  assert.equal(asked, version.split('.').slice(0, 2).join('.'));
  const [, tag] = /GIT_TAG (\S+)/.exec(guideCode('As a part of your build', 'cmake', 1));
  assert.equal(tag, `v${version}`);
});

test('cpack: the archive, unpacked as docs/native.md says, holds what is installed and finds its files there', async () => {
  const folder = await project('archive', {});
  await mkdir(path.join(folder, 'build'));
  const unpacked = path.join(folder, 'un packed');
  const lines = guideCode('As an archive', 'sh').replace(
    'build/headwise/CPackConfig.cmake',
    fromRoot('build/native/CPackConfig.cmake'),
  );
  await run('bash', ['-euc', lines], { cwd: folder, env: { ...process.env, PREFIX: unpacked } });

  const held = await filesOf(unpacked);
  assert.deepEqual(held, await filesOf(prefix));
  for (const file of [
    ...['include/headwise/headwise.hpp', 'lib/libheadwise.a', 'lib/pkgconfig/headwise.pc'],
    ...['share/doc/headwise/LICENSE', 'share/doc/headwise/THIRD_PARTY.md'],
  ]) {
    assert.ok(held.includes(file), `${file} is not in the archive`);
  }
  for (const file of held.filter((name) => /\.(cmake|pc|hpp)$/.test(name))) {
    const text = await readFile(path.join(unpacked, file), 'utf8');
    assert.ok(!text.includes(fromRoot()), `${file} names the folder that it was built in`);
  }

  const source = await project('from-archive', {
    'CMakeLists.txt': `${guideCode('Installed, with CMake', 'cmake')}
get_target_property(library headwise::headwise LOCATION)
message(STATUS "library: \${library}")`,
    'main.cpp': '',
  });
  const { stdout } = await run('cmake', [
    ...['-G', 'Ninja', '-S', source, '-B', path.join(source, 'build'), cmakePath(unpacked)],
  ]);
  assert.match(stdout, new RegExp(`library: ${unpacked}/lib/libheadwise\\.a`));
});

test("pkg-config: the lines of docs/native.md build and run, the folder's place notwithstanding", async () => {
  const moved = path.join(scratch, 'moved');
  await run('cmake', ['--install', fromRoot('build/native'), '--prefix', `${moved}-from`]);
  await rename(`${moved}-from`, moved);
  const folder = await project('pkg-config', { 'main.cpp': program() });
  const env = { ...process.env, PREFIX: moved };
  // Where set-up has put xtensor, its package says that it lies in /usr.
  const lines = guideCode('Installed, with pkg-config', 'sh')
    .replace('"$PREFIX/lib/pkgconfig"', `"${pkgConfigPath(moved)}"`)
    .replace(/^c\+\+/m, existsSync(toolchain) ? `c++ -isystem ${toolchain}/include` : 'c++')
    .replace('-O2', '-O0');
  const { stdout } = await run('bash', ['-euc', lines], { cwd: folder, env });
  assert.equal(stdout, printed);

  const asked = { env: { ...process.env, PKG_CONFIG_PATH: pkgConfigPath(moved) } };
  assert.equal(
    (await run('pkg-config', ['--modversion', 'headwise'], asked)).stdout,
    `${version}\n`,
  );
  const requires = await run('pkg-config', ['--print-requires', 'headwise'], asked);
  assert.deepEqual(requires.stdout.trim().split('\n'), ['xtensor >= 0.25', 'xtl']);
});

test('pkg-config: the prefix that CMake takes by itself', async () => {
  const root = path.join(scratch, 'root');
  await run('cmake', ['--install', fromRoot('build/native')], {
    env: { ...process.env, DESTDIR: root },
  });
  const usual = path.join(root, 'usr/local');
  const { stdout } = await run('pkg-config', ['--variable=includedir', 'headwise'], {
    env: { ...process.env, PKG_CONFIG_PATH: pkgConfigPath(usual) },
  });
  assert.equal(path.resolve(stdout.trim()), path.join(usual, 'include'));
  assert.deepEqual(await filesOf(usual), await filesOf(prefix));
});

test('pkg-config: a library folder of another depth and an absolute one lead to the same headers', async () => {
  for (const [name, folder] of [
    ['deep', 'lib/x86_64-linux-gnu'],
    ['absolute', path.join(scratch, 'absolute/elsewhere/lib')],
  ]) {
    const to = path.join(scratch, name);
    const source = await project(`${name}-source`, {
      'CMakeLists.txt': `cmake_minimum_required(VERSION 3.25)
project(headwise VERSION ${version} LANGUAGES NONE)
file(WRITE "\${PROJECT_BINARY_DIR}/headwise.cpp" "")
set(CMAKE_INSTALL_LIBDIR "${folder}")
set(CMAKE_INSTALL_INCLUDEDIR include)
set(CMAKE_INSTALL_DOCDIR share/doc/headwise)
include("${fromRoot('cmake/pkg_config.cmake')}")`,
    });
    const build = path.join(source, 'build');
    await run('cmake', ['-S', source, '-B', build, `-DCMAKE_INSTALL_PREFIX=${to}`]);
    await run('cmake', ['--install', build]);
    const lies = [path.resolve(to, folder, 'pkgconfig'), path.join(toolchain, 'share/pkgconfig')];
    const env = { ...process.env, PKG_CONFIG_PATH: lies.join(':') };
    const folderOf = async (variable) => {
      const asked = await run('pkg-config', [`--variable=${variable}`, 'headwise'], { env });
      return path.resolve(asked.stdout.trim());
    };
    assert.equal(await folderOf('includedir'), path.join(to, 'include'));
    assert.equal(await folderOf('libdir'), path.resolve(to, folder));
  }
});
