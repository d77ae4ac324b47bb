import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkSpace } from '../../scripts/setup/disk.mjs';
import {
  debianKeyring,
  findDebianMirror,
  parseDeb822Sources,
  parseOneLineSources,
  readDistribution,
} from '../../scripts/setup/distribution.mjs';
import { Interrupted, SetupError, explainFailure } from '../../scripts/setup/errors.mjs';
import {
  findBrowser,
  findNumPy,
  locateToolchain,
  toolchainFolder,
} from '../../scripts/setup/locate.mjs';
import { tryLock } from '../../scripts/setup/lock.mjs';
import { parsePrintedUris } from '../../scripts/setup/private-apt.mjs';
import { checkPossible } from '../../scripts/setup/set-up.mjs';
import { isDone, runStep } from '../../scripts/setup/steps.mjs';
import { rootPrefix } from '../../scripts/setup/system-packages.mjs';
import {
  choosePackageVersion,
  isAtLeast,
  matchesPin,
  parseVersion,
} from '../../scripts/setup/versions.mjs';
import { browserPackages, fakeMachine, readIfThere } from './setup-fakes.mjs';

function temporaryFolder(t) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'headwise-setup-'));
  t.after(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('versions', () => {
  test('are found in what tools print', () => {
    const emcc = 'emcc (Emscripten gcc/clang-like replacement) 3.1.69 (abc123)';
    assert.deepEqual(parseVersion(emcc), [3, 1, 69]);
    assert.deepEqual(parseVersion('cmake version 3.25.1\n'), [3, 25, 1]);
    assert.deepEqual(parseVersion('Debian clang-format version 19.1.7 (3~deb12u1)'), [19, 1, 7]);
    assert.equal(parseVersion(''), null);
  });

  test('compare by number, not by letter', () => {
    assert.ok(isAtLeast([3, 1, 69], '3.1.69'));
    assert.ok(isAtLeast([3, 1, 100], '3.1.69'));
    assert.ok(isAtLeast([4, 0], '3.1.69'));
    assert.ok(!isAtLeast([3, 1, 6], '3.1.69'));
    assert.ok(!isAtLeast([3, 1], '3.1.69'));
    assert.ok(!isAtLeast(null, '3.1.69'));
  });

  test('match a pin up to a whole number', () => {
    assert.ok(matchesPin('3.1.69+dfsg-3', '3.1.69'));
    assert.ok(matchesPin('0.25.0-2', '0.25'));
    assert.ok(!matchesPin('3.1.690-1', '3.1.69'));
    assert.ok(!matchesPin('0.24.3-1', '0.25'));
  });

  test('are chosen from the suite of the pin', () => {
    const madison = `
 libcatch2-dev | 3.7.1-0.5 | http://mirror.invalid/debian trixie/main amd64 Packages
 libcatch2-dev | 3.7.1-0.4~bpo12+1 | http://mirror.invalid/debian bookworm-backports/main amd64 Packages
 libcatch2-dev | 2.13.10-1 | http://mirror.invalid/debian bookworm/main amd64 Packages`;
    const pin = { package: 'libcatch2-dev', version: '3.7', suite: 'bookworm-backports' };
    assert.equal(choosePackageVersion(madison, pin).chosen, '3.7.1-0.4~bpo12+1');
    assert.deepEqual(choosePackageVersion(madison, { ...pin, suite: 'bookworm' }), {
      chosen: null,
      offered: ['2.13.10-1'],
    });
  });

  test('of files to download have their sizes with them', () => {
    const text =
      "Reading package lists...\n'http://mirror.invalid/e.deb' e_1%3a2_all.deb 237 SHA256:00\n";
    assert.deepEqual(parsePrintedUris(text), [{ file: 'e_1%3a2_all.deb', size: 237 }]);
  });
});

describe('the distribution', () => {
  const debian = { id: 'debian', codename: 'bookworm', usesApt: true };

  test('is read from os-release', () => {
    assert.deepEqual(readDistribution('ID=debian\nVERSION_CODENAME=bookworm\n'), debian);
    assert.ok(readDistribution('ID=linuxmint\nID_LIKE="ubuntu debian"\n').usesApt);
    assert.ok(!readDistribution('ID=fedora\n').usesApt);
    assert.ok(!readDistribution('').usesApt);
  });

  test('has sources in two styles', () => {
    const expected = [
      {
        uri: 'http://mirror.invalid/debian',
        suites: ['bookworm'],
        components: ['main', 'contrib'],
        signedBy: '/usr/share/keyrings/debian-archive-keyring.gpg',
      },
    ];
    const oneLine = `# deb http://old.invalid/debian bookworm main
deb-src http://mirror.invalid/debian bookworm main
deb [arch=amd64 signed-by=${debianKeyring}] http://mirror.invalid/debian bookworm main contrib # x
`;
    assert.deepEqual(parseOneLineSources(oneLine), expected);
    const deb822 = `Types: deb
# a comment
URIs: http://mirror.invalid/debian
Suites: bookworm
Components: main
 contrib
Signed-By: ${debianKeyring}

Types: deb
Enabled: no
URIs: http://off.invalid/debian
Suites: bookworm
Components: main
`;
    assert.deepEqual(parseDeb822Sources(deb822), expected);
  });

  test("tells Debian's mirror from other archives of the same suite", (t) => {
    const etc = temporaryFolder(t);
    fs.mkdirSync(path.join(etc, 'sources.list.d'));
    fs.writeFileSync(
      path.join(etc, 'sources.list.d', 'a.list'),
      'deb [signed-by=/k.gpg] http://tools.invalid/apt bookworm main\n',
    );
    fs.writeFileSync(
      path.join(etc, 'sources.list'),
      'deb http://mirror.invalid/debian-security bookworm-security main\n' +
        'deb http://mirror.invalid/debian/ bookworm main\n',
    );
    assert.equal(findDebianMirror(debian, {}, etc), 'http://mirror.invalid/debian/');
    const env = { HEADWISE_DEBIAN_MIRROR: 'http://chosen.invalid/debian' };
    assert.equal(findDebianMirror(debian, env, etc), 'http://chosen.invalid/debian');
  });
});

describe('a failure is told in one line', () => {
  const cases = [
    ["Temporary failure resolving 'mirror.invalid'", /^no network: apt-get/],
    ['npm error code ENOTFOUND\nnpm error errno ENOTFOUND', /^no network/],
    ['E: Write error (28: No space left on device)', /^the disk is full/],
    ['W: GPG error: ... NO_PUBKEY 0123', /^a signature does not hold/],
    ['E: Failed to fetch x  Hash Sum mismatch', /^a download is not what was announced/],
    ['npm error code EINTEGRITY', /^a download is not what was announced/],
    ['E: Could not open lock file (13: Permission denied)', /^no rights/],
    ['E: Could not get lock /var/lib/dpkg/lock', /^another package manager/],
    ['W: x\nE: Unable to locate package clang-19', /failed \(exit code 100\): E: Unable to locate/],
    ['npm error code E404\nnpm error 404 Not Found', /: npm error 404 Not Found$/],
    ['', /^apt-get failed \(exit code 100\)$/],
  ];
  for (const [output, expected] of cases) {
    test(String(expected), () => {
      const line = explainFailure('apt-get', 'exit code 100', output);
      assert.match(line, expected);
      assert.ok(!line.includes('\n'));
    });
  }

  test('when nobody may install packages', () => {
    const env = { PATH: '/nowhere' };
    assert.deepEqual(rootPrefix(['ninja-build'], env, 0), []);
    assert.throws(() => rootPrefix(['ninja-build'], env, 1000), {
      name: 'SetupError',
      message: /^no rights .* apt-get install --no-install-recommends ninja-build$/,
    });
  });

  test('when there is no room, per device', () => {
    const wishes = [
      { folder: '/a', bytes: 1e9 },
      { folder: '/b', bytes: 1e9 },
    ];
    const apart = { free: () => 1.5e9, device: (folder) => folder.length };
    assert.throws(() => checkSpace(wishes, { ...apart, device: () => 1 }), {
      message: /the disk is full: .* 1\.5 GB free of 2\.0 GB/,
    });
    checkSpace([wishes[0]], apart);
  });

  test('where the set-up cannot install anything, with a list of what to install', () => {
    const need = { what: 'Ninja', found: null, package: 'ninja-build' };
    checkPossible({ missing: [need], distribution: { usesApt: true } });
    assert.throws(() => checkPossible({ missing: [need], distribution: { usesApt: false } }), {
      name: 'SetupError',
      details: ['- Ninja'],
    });
  });
});

describe('a step', () => {
  const progress = { during: (name, work) => work(() => {}) };
  const contextOf = (folder, controller = new AbortController()) => ({
    folder,
    progress,
    signal: controller.signal,
  });
  const stepOf = (text, build = () => {}) => ({
    name: 'one',
    label: 'one',
    recipe: text,
    outputs: ['made'],
    async build(work) {
      fs.writeFileSync(path.join(work, 'made'), text);
      await build(work);
    },
  });
  const madeIn = (folder) => readIfThere(path.join(folder, 'made'));

  test('is done once, and again for another recipe', async (t) => {
    const folder = temporaryFolder(t);
    let builds = 0;
    const count = () => void builds++;
    assert.ok(!isDone(folder, stepOf('a')));
    await runStep(contextOf(folder), stepOf('a', count));
    await runStep(contextOf(folder), stepOf('a', count));
    assert.equal(builds, 1);
    assert.ok(isDone(folder, stepOf('a')));
    assert.ok(!isDone(folder, stepOf('b')));
    await runStep(contextOf(folder), stepOf('b', count));
    assert.equal(builds, 2);
    assert.equal(madeIn(folder), 'b');
  });

  test('is due again when what it made is gone', async (t) => {
    const folder = temporaryFolder(t);
    await runStep(contextOf(folder), stepOf('a'));
    fs.rmSync(path.join(folder, 'made'));
    assert.ok(!isDone(folder, stepOf('a')));
  });

  test('that fails or is interrupted leaves what was there and no trace of itself', async (t) => {
    const folder = temporaryFolder(t);
    await runStep(contextOf(folder), stepOf('a'));
    const failing = stepOf('b', () => Promise.reject(new SetupError('no')));
    await assert.rejects(runStep(contextOf(folder), failing), { message: 'no' });
    const controller = new AbortController();
    const interrupted = stepOf('c', () => controller.abort(new Interrupted()));
    await assert.rejects(runStep(contextOf(folder, controller), interrupted), Interrupted);
    assert.equal(madeIn(folder), 'a');
    assert.ok(isDone(folder, stepOf('a')));
    assert.deepEqual(fs.readdirSync(path.join(folder, 'partial')), []);
  });
});

describe('the lock', () => {
  test('is held by one', (t) => {
    const folder = temporaryFolder(t);
    const first = tryLock(folder);
    assert.equal(tryLock(folder).heldBy, String(process.pid));
    first.release();
    tryLock(folder).release();
    assert.deepEqual(fs.readdirSync(folder), []);
  });

  test('of a dead process is taken over', (t) => {
    const folder = temporaryFolder(t);
    fs.writeFileSync(path.join(folder, 'lock'), '4194305 77');
    tryLock(folder).release();
  });

  test('is not kept by a process that has the number of a dead one', (t) => {
    const folder = temporaryFolder(t);
    fs.writeFileSync(path.join(folder, 'lock'), `${process.pid} 1`);
    tryLock(folder).release();
  });
});

describe('tools', () => {
  test('include a Python only if it has NumPy', (t) => {
    const bin = temporaryFolder(t);
    const env = { PATH: bin };
    const [bare, full] = ['bare', 'full'].map((name) => path.join(bin, name));
    fs.writeFileSync(bare, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    fs.writeFileSync(full, '#!/bin/sh\n[ "$*" = "-c import numpy" ]\n', { mode: 0o755 });
    assert.equal(findNumPy(env, ['/nowhere/python3', 'bare', 'full']), full);
    assert.equal(findNumPy(env, ['/nowhere/python3', bare]), null);
  });

  test('stand in a folder that clones share', () => {
    const folder = toolchainFolder({ HOME: '/home/ada' });
    assert.match(folder, /^\/home\/ada\/\.cache\/headwise\/toolchain-\d+$/);
    assert.match(toolchainFolder({ XDG_CACHE_HOME: '/c', HOME: '/h' }), /^\/c\/headwise\//);
    assert.equal(toolchainFolder({ HEADWISE_TOOLCHAIN: '/t', HOME: '/h' }), '/t');
  });

  for (const [name, variable] of [
    ['chrome', 'CHROME_PATH'],
    ['firefox', 'FIREFOX_PATH'],
  ]) {
    test(`include the browser that ${variable} names, or none`, () => {
      assert.equal(findBrowser(name, { [variable]: process.execPath }), process.execPath);
      assert.equal(findBrowser(name, { [variable]: '/nowhere', PATH: process.env.PATH }), null);
    });
  }
});

/** There is no current Node to be had elsewhere. */
const hasCurrentNode = process.platform === 'linux' && process.arch === 'x64';

const isDebian = readDistribution().usesApt && fs.existsSync(debianKeyring);
describe('setup.mjs', { skip: !isDebian && 'needs Debian or Ubuntu', concurrency: true }, () => {
  test('--check changes nothing', async (t) => {
    const machine = fakeMachine(t);
    const before = fs.readdirSync(machine.folder, { recursive: true }).length;
    const { code, stdout } = await machine.run(['--check']);
    assert.equal(code, 1);
    assert.match(stdout, /✓ Emscripten 4\.0\.1: \/opt\/emsdk/);
    assert.match(stdout, /✗ xtensor, xsimd, xtl and Catch2: missing/);
    if (hasCurrentNode) assert.match(stdout, /✗ Node \d+\.\d+\.\d+ from npm: missing/);
    assert.match(stdout, hasCurrentNode ? /^2 missing\.$/m : /^1 missing\.$/m);
    assert.equal(fs.readdirSync(machine.folder, { recursive: true }).length, before);
    assert.deepEqual(machine.calls(), []);
  });

  test('does what is left to do, once', async (t) => {
    const machine = fakeMachine(t);
    const first = await machine.run();
    assert.equal(first.stderr, '');
    assert.equal(first.code, 0);
    const link = path.join(machine.project, '.toolchain');
    assert.equal(fs.readlinkSync(link), machine.toolchain);
    assert.ok(fs.statSync(path.join(link, 'include', 'xsimd')).isDirectory());
    assert.ok(fs.statSync(path.join(link, 'prefix', 'include', 'xtl')).isDirectory());
    const entries = ['include', 'prefix', 'setup.log', 'stamps'];
    if (hasCurrentNode) entries.unshift('current-node');
    assert.deepEqual(fs.readdirSync(machine.toolchain).sort(), entries);
    assert.ok(machine.calls().every((call) => !call.includes('install')));

    const calls = machine.calls().length;
    assert.equal((await machine.run()).code, 0);
    assert.equal(machine.calls().length, calls);
    assert.equal((await machine.run(['--check'])).code, 0);
  });

  test('installs the packages that are missing, with sudo where it must', async (t) => {
    const machine = fakeMachine(t);
    for (const program of Object.values(browserPackages)) machine.remove(program);
    const { code, stderr } = await machine.run();
    assert.equal(stderr, '');
    assert.equal(code, 0);
    const installs = machine.calls().filter((call) => call.includes(' install '));
    assert.equal(installs.length, 1);
    assert.ok(installs[0].endsWith(` ${Object.keys(browserPackages).join(' ')}`), installs[0]);
  });

  test("installs the libraries of clang's sanitizers where clang is without", async (t) => {
    const machine = fakeMachine(t);
    // The fake apt-get does not bring them.
    const { code, stderr } = await machine.run([], { FAKE_CLANG: 'bare' });
    assert.equal(code, 1);
    assert.match(stderr, /^setup: still missing after the set-up: the libraries of clang 19's /);
    const installs = machine.calls().filter((call) => call.includes(' install '));
    assert.match(installs[0], / libclang-rt-19-dev$/);
  });

  test('--for=build wants no browser and no formatter', async (t) => {
    const machine = fakeMachine(t);
    const llvmTools = ['clang++-19', 'clang-format-19', 'clang-tidy-19'];
    const unwanted = [...Object.values(browserPackages), ...llvmTools];
    for (const name of unwanted) machine.remove(name);
    assert.equal((await machine.run(['--for=build'])).code, 0);
    assert.ok(machine.calls().every((call) => !/install|npm/.test(call)));
  });

  test('--for=bench-native wants two libraries more, and no current Node', async (t) => {
    const machine = fakeMachine(t);
    const args = ['--for=bench-native'];
    // The fake apt-get does not bring them.
    const { code, stderr } = await machine.run(args, { FAKE_INSTALLED: 'libbenchmark-dev' });
    assert.equal(code, 1);
    assert.match(stderr, /^setup: still missing after the set-up: OpenBLAS /);
    const installs = machine.calls().filter((call) => call.includes(' install '));
    assert.match(installs[0], / libopenblas-dev$/);
    const both = { FAKE_INSTALLED: 'libbenchmark-dev libopenblas-dev' };
    assert.equal((await machine.run(args, both)).code, 0);
    assert.ok(machine.calls().every((call) => !call.startsWith('npm')));
  });

  test('--for=bench wants a current Node', { skip: !hasCurrentNode }, async (t) => {
    const machine = fakeMachine(t);
    assert.equal((await machine.run(['--for=bench'])).code, 0);
    const node = path.join(machine.project, '.toolchain/current-node/bin/node');
    fs.accessSync(node, fs.constants.X_OK);
    assert.equal(locateToolchain(machine.project).currentNode, node);
    const installs = machine.calls().filter((call) => call.startsWith('npm'));
    assert.equal(installs.length, 1);
    assert.match(installs[0], /^npm ci --ignore-scripts /);
  });

  for (const [how, line] of [
    ['no-network', /^setup: no network: npm could not reach its server \(log: .*\)$/],
    ['tampered', /^setup: a download is not what was announced \(npm found a wrong checksum\)/],
    ['unusable', /^setup: the current Node failed \(exit code 127\) \(log: .*\)$/],
  ]) {
    const name = `says in one line why there is no current Node: ${how}`;
    test(name, { skip: !hasCurrentNode }, async (t) => {
      const machine = fakeMachine(t);
      const { code, stderr } = await machine.run([], { FAKE_NPM: how });
      assert.equal(code, 1);
      assert.match(stderr.trimEnd(), line);
      assert.ok(!fs.existsSync(path.join(machine.toolchain, 'current-node')));
      assert.equal((await machine.run()).code, 0);
    });
  }

  for (const [how, line] of [
    ['no-network', /^setup: no network: apt-get could not reach its server \(log: .*setup\.log\)$/],
    ['no-key', /^setup: a signature does not hold: .* \(log: .*setup\.log\)$/],
    ['full', /^setup: the disk is full .* \(log: .*setup\.log\)$/],
    ['odd', /^setup: apt-get failed \(exit code 100\): E: Something odd happened \(log: .*\)$/],
  ]) {
    test(`says in one line what went wrong: ${how}`, async (t) => {
      const machine = fakeMachine(t);
      const { code, stderr } = await machine.run([], { FAKE_APT: how });
      assert.equal(code, 1);
      assert.match(stderr.trimEnd(), line);
      assert.ok(!fs.existsSync(path.join(machine.project, '.toolchain')));
      assert.equal((await machine.run()).code, 0);
    });
  }

  test('names the version found where the pinned one is gone', async (t) => {
    const machine = fakeMachine(t);
    machine.add('apt-cache', '#!/bin/sh\necho "libxtensor-dev | 0.27.1-2 | u trixie/main"\n');
    const { code, stderr } = await machine.run();
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^setup: libxtensor-dev 0\.25\* is needed; Debian's trixie has 0\.27\.1-2 /,
    );
  });

  test('lists what only the user can install', async (t) => {
    const machine = fakeMachine(t);
    const { code, stderr } = await machine.run([], { CHROME_PATH: '/nowhere' });
    assert.equal(code, 1);
    assert.match(stderr, /^setup: .*\n {2}- a browser where CHROME_PATH points \(\/nowhere\)\n$/);
    assert.ok(!fs.existsSync(machine.toolchain));
  });

  test('refuses options that it does not know, in one line', async (t) => {
    const machine = fakeMachine(t);
    for (const args of [['--for=fun'], ['--chekc'], ['now']]) {
      const { code, stderr } = await machine.run(args);
      assert.equal(code, 1);
      assert.match(stderr, /^setup: .*\n$/);
    }
  });

  test('ends all that it started when interrupted, and goes on at the next run', async (t) => {
    const machine = fakeMachine(t);
    const { child, ended } = machine.start([], { FAKE_APT: 'slow' });
    const pidFile = path.join(machine.folder, 'sleeper.pid');
    while (!readIfThere(pidFile)) await sleep(20);
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    assert.equal(code, 130);
    assert.equal(stderr, 'setup: interrupted; run it again to go on\n');
    // Whoever inherits the ended process may be slow to ask for its exit code.
    const status = readIfThere(`/proc/${readIfThere(pidFile).trim()}/stat`);
    assert.match(status, /^$|\) Z /);
    assert.ok(!fs.existsSync(path.join(machine.toolchain, 'lock')));
    assert.ok(!fs.existsSync(path.join(machine.toolchain, 'prefix')));
    assert.equal((await machine.run()).code, 0);
  });

  test('waits for another set-up in the same folder', async (t) => {
    const machine = fakeMachine(t);
    fs.mkdirSync(machine.toolchain, { recursive: true });
    const held = tryLock(machine.toolchain);
    const { ended, printed } = machine.start();
    while (!printed().includes(`waiting for another set-up (process ${process.pid})`)) {
      await sleep(20);
    }
    assert.deepEqual(machine.calls(), []);
    held.release();
    assert.equal((await ended).code, 0);
  });
});
