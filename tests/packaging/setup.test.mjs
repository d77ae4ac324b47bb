import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findBrowser, findNumPy, hasCurrentNode, hasWebKit } from '../../scripts/setup/locate.mjs';
import { browserPackages, fakeMachine, readIfThere } from './setup-fakes.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('tools', () => {
  test('include a Python only if it has NumPy', (t) => {
    const bin = fs.mkdtempSync(path.join(os.tmpdir(), 'headwise-setup-'));
    t.after(() => fs.rmSync(bin, { recursive: true, force: true }));
    const env = { PATH: bin };
    const [bare, full] = ['bare', 'full'].map((name) => path.join(bin, name));
    fs.writeFileSync(bare, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    fs.writeFileSync(full, '#!/bin/sh\n[ "$*" = "-c import numpy" ]\n', { mode: 0o755 });
    assert.equal(findNumPy(env, ['/nowhere/python3', 'bare', 'full']), full);
    assert.equal(findNumPy(env, ['/nowhere/python3', bare]), null);
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

test('the trial links with what the builds link with', () => {
  const built = readIfThere(path.join(root, 'build/wasm/build.ninja'));
  assert.ok(built, 'build/wasm is there');
  // The build for relaxed SIMD without threads: of the glue, only that of builds without is used.
  const line = /^build headwise-relaxed-simd\.js[^]*?^ {2}LINK_FLAGS = (.*)$/m.exec(built);
  const flags = line[1].split(' ').filter((flag) => flag.startsWith('-'));
  const trial = readIfThere(path.join(root, 'scripts/setup/trial/link_flags.txt'));
  assert.deepEqual(trial.trim().split('\n').sort(), [...new Set(flags)].sort());
});

const isDebian = hasWebKit() && fs.existsSync('/usr/share/keyrings/debian-archive-keyring.gpg');
describe('setup.sh', { skip: !isDebian && 'needs Debian or Ubuntu', concurrency: 2 }, () => {
  test('--check changes nothing', async (t) => {
    const machine = fakeMachine(t);
    const before = fs.readdirSync(machine.folder, { recursive: true }).length;
    const { code, stdout } = await machine.run(['--check']);
    assert.equal(code, 1);
    assert.ok(stdout.includes(`✓ Emscripten 4.0.1: ${machine.emsdk}`), stdout);
    assert.match(stdout, /✗ xtensor, xsimd, xtl and Catch2: missing/);
    assert.match(stdout, hasCurrentNode ? /^2 missing\./m : /^1 missing\./m);
    assert.equal(fs.readdirSync(machine.folder, { recursive: true }).length, before);
    assert.deepEqual(machine.calls(), []);
  });

  test('does what is left to do, once', async (t) => {
    const machine = fakeMachine(t);
    // A link to a folder, as set-ups left it before.
    const links = path.join(machine.project, '.toolchain');
    fs.symlinkSync(machine.folder, links);
    const first = await machine.run();
    assert.equal(first.stderr, '');
    assert.equal(first.code, 0);
    assert.ok(fs.lstatSync(links).isDirectory());
    assert.ok(fs.statSync(path.join(links, 'include', 'xsimd')).isDirectory());
    assert.ok(fs.statSync(path.join(links, 'prefix', 'include', 'xtl')).isDirectory());
    if (hasCurrentNode) {
      fs.accessSync(path.join(links, 'current-node/bin/node'), fs.constants.X_OK);
    }
    assert.ok(!fs.existsSync(path.join(machine.toolchain, 'partial')));
    assert.ok(machine.calls().every((call) => !call.includes(' install ')));

    const calls = machine.calls().length;
    assert.equal((await machine.run()).code, 0);
    assert.equal(machine.calls().length, calls);
    assert.equal((await machine.run(['--check'])).code, 0);
  });

  test('makes a part again when its recipe is another, or it is gone', async (t) => {
    const machine = fakeMachine(t);
    await machine.run(['--for=build']);
    const script = path.join(machine.project, 'scripts/setup.sh');
    fs.writeFileSync(script, readIfThere(script).replace('libxsimd-dev=13*', 'libxsimd-dev=14*'));
    assert.equal((await machine.run(['--for=build', '--check'])).code, 1);
    assert.equal((await machine.run(['--for=build'])).code, 0);
    assert.ok(machine.calls().some((call) => call.includes('libxsimd-dev=14*')));
    fs.rmSync(path.join(machine.toolchain, 'prefix'), { recursive: true });
    assert.equal((await machine.run(['--for=build', '--check'])).code, 1);
  });

  test('installs the packages that are missing', async (t) => {
    const machine = fakeMachine(t);
    for (const program of Object.values(browserPackages)) machine.remove(program);
    const { code, stderr } = await machine.run();
    assert.equal(stderr, '');
    assert.equal(code, 0);
    const installs = machine.calls().filter((call) => call.includes(' install '));
    assert.equal(installs.length, 1);
    assert.ok(installs[0].endsWith(` ${Object.keys(browserPackages).join(' ')}`), installs[0]);
  });

  test('does so by sudo, or says what root must install', async (t) => {
    const machine = fakeMachine(t);
    machine.add('id', '#!/bin/sh\n[ "$1" = -u ] && echo 1000 || echo ada\n');
    machine.remove('chromium-headless-shell');
    const refused = await machine.run();
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^setup: no rights .* apt-get install chromium-headless-shell\n$/);
    machine.add('sudo', '#!/bin/sh\necho "sudo $*" >> "$HOME/calls.log"\nshift\n"$@"\n');
    const granted = await machine.run();
    assert.equal(granted.stderr, '');
    assert.equal(granted.code, 0);
    assert.ok(
      machine.calls().some((call) => /^sudo -n .* install .* chromium-headless-shell$/.test(call)),
    );
  });

  test('says when there is no room', async (t) => {
    const machine = fakeMachine(t);
    machine.remove('chromium-headless-shell');
    machine.add('df', '#!/bin/sh\necho Avail\necho 1200\n');
    const { code, stderr } = await machine.run();
    assert.equal(code, 1);
    assert.match(stderr, /^setup: the disk is full: \/usr has 1200 MB free of 2300 MB needed\n$/);
    assert.ok(machine.calls().every((call) => !call.includes(' install ')));
  });

  test("installs the libraries of clang's sanitizers where clang is without", async (t) => {
    const machine = fakeMachine(t);
    // The fake apt-get does not bring them.
    const { code, stderr } = await machine.run([], { FAKE_CLANG: 'bare' });
    assert.equal(code, 1);
    assert.match(stderr, /^setup: still missing after the set-up: libclang-rt-19-dev /);
    const installs = machine.calls().filter((call) => call.includes(' install '));
    assert.match(installs[0], / libclang-rt-19-dev$/);
  });

  test('--for=build wants no browser and no formatter', async (t) => {
    const machine = fakeMachine(t);
    const llvmTools = ['clang++-19', 'clang-format-19', 'clang-tidy-19'];
    for (const name of [...Object.values(browserPackages), ...llvmTools]) machine.remove(name);
    assert.equal((await machine.run(['--for=build'])).code, 0);
    assert.ok(machine.calls().every((call) => !/ install |npm/.test(call)));
  });

  test('--for=bench-native wants three libraries more, and no current Node', async (t) => {
    const machine = fakeMachine(t);
    const args = ['--for=bench-native'];
    // The fake apt-get does not bring them.
    const { code, stderr } = await machine.run(args, { FAKE_INSTALLED: 'libbenchmark-dev' });
    assert.equal(code, 1);
    assert.match(stderr, /^setup: still missing after the set-up: libopenblas-dev libdnnl-dev /);
    const all = { FAKE_INSTALLED: 'libbenchmark-dev libopenblas-dev libdnnl-dev' };
    assert.equal((await machine.run(args, all)).code, 0);
    assert.ok(machine.calls().every((call) => !call.startsWith('npm')));
  });

  test('--for=docs wants Doxygen', async (t) => {
    const machine = fakeMachine(t);
    const args = ['--for=docs'];
    // The fake apt-get does not bring it.
    const { code, stderr } = await machine.run(args);
    assert.equal(code, 1);
    assert.match(stderr, /^setup: still missing after the set-up: doxygen /);
    machine.add('doxygen', '#!/bin/sh\n');
    assert.equal((await machine.run(args)).code, 0);
    assert.ok(machine.calls().every((call) => !call.startsWith('npm')));
  });

  test('--for=bench wants a current Node', { skip: !hasCurrentNode }, async (t) => {
    const machine = fakeMachine(t);
    assert.equal((await machine.run(['--for=bench'])).code, 0);
    assert.equal(machine.linked('current-node'), path.join(machine.toolchain, 'node'));
    const installs = machine.calls().filter((call) => call.startsWith('npm'));
    assert.equal(installs.length, 1);
    assert.match(installs[0], /^npm ci --ignore-scripts /);
  });

  for (const [failure, line] of [
    [{ FAKE_NPM: 'no-network' }, /^setup: parts from npm: no network \(log: .*\)$/],
    [{ FAKE_NPM: 'tampered' }, /^setup: parts from npm: a download is not what was announced /],
    [{ FAKE_NPM: 'unusable' }, /^setup: parts from npm: error: no such instruction /],
    [{ FAKE_APT: 'no-network' }, /^setup: parts from Debian: no network \(log: .*\.log\)$/],
    [{ FAKE_APT: 'no-key' }, /^setup: parts from Debian: a signature does not hold /],
    [{ FAKE_APT: 'full' }, /^setup: parts from Debian: the disk is full /],
    [{ FAKE_APT: 'odd' }, /^setup: parts from Debian: E: Something odd happened /],
    [{ FAKE_APT: 'gone' }, /^setup: parts from Debian: E: Version '0\.25\*' for 'libxtensor-dev' /],
  ]) {
    const skip = 'FAKE_NPM' in failure && !hasCurrentNode;
    test(`says in one line what went wrong: ${Object.values(failure)}`, { skip }, async (t) => {
      const machine = fakeMachine(t);
      const { code, stderr } = await machine.run([], failure);
      assert.equal(code, 1);
      assert.match(stderr.trimEnd(), line);
      assert.ok(!stderr.trimEnd().includes('\n'));
      assert.ok(!fs.existsSync(path.join(machine.project, '.toolchain')));
      assert.equal((await machine.run()).code, 0);
    });
  }

  test('lists what only the user can install', async (t) => {
    const machine = fakeMachine(t);
    const { code, stderr } = await machine.run([], { CHROME_PATH: '/nowhere' });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^setup: install .*: Chrome, Chromium or its headless shell, on PATH or at CHROME_PATH; \n$/,
    );
    assert.deepEqual(machine.calls(), []);
  });

  test('refuses options that it does not know, in one line', async (t) => {
    const machine = fakeMachine(t);
    for (const args of [['--for=fun'], ['--chekc'], ['now']]) {
      const { code, stderr } = await machine.run(args);
      assert.equal(code, 1);
      assert.match(stderr, /^setup: .*\n$/);
    }
  });

  test('uses an Emscripten on PATH that passes its trial, which is tried once', async (t) => {
    const machine = fakeMachine(t);
    const args = ['--for=build'];
    assert.equal((await machine.run(args)).code, 0);
    assert.equal(machine.linked('emscripten'), machine.emsdk);
    // It is not tried again, so that this is not seen; another version is.
    assert.equal((await machine.run(args, { FAKE_EMCC: 'promise' })).code, 0);
    assert.equal(machine.linked('emscripten'), machine.emsdk);
    fs.writeFileSync(path.join(machine.emsdk, 'emscripten-version.txt'), '6.0.5\n');
    const { code, stdout } = await machine.run(args, { FAKE_EMCC: 'promise' });
    assert.equal(code, 0);
    assert.match(stdout, /✗ the emcc on PATH \(6\.0\.5\) is not used: .* returns a promise /);
    assert.equal(machine.linked('emscripten'), path.join(machine.toolchain, 'emscripten'));
  });

  for (const [how, reason] of [
    ['link', 'undefined symbol: __getTypeName'],
    ['wrong', 'its module takes 2 · 3 \\+ 4, twice, for 19'],
    ['other', 'its glue has nothing like wasmImports'],
  ]) {
    test(`says why another Emscripten is not used, and makes its own: ${how}`, async (t) => {
      const machine = fakeMachine(t);
      const { code, stdout } = await machine.run(['--for=build'], { FAKE_EMCC: how });
      assert.equal(code, 0);
      assert.match(stdout, new RegExp(`✗ the emcc on PATH \\(4\\.0\\.1\\) .*${reason}`));
      const own = path.join(machine.toolchain, 'emscripten');
      assert.equal(machine.linked('emscripten'), own);
      assert.match(readIfThere(path.join(own, 'em++')), /^#!\/bin\/sh\nunset EM_CONFIG /);
    });
  }

  test('tries its own Emscripten, too', async (t) => {
    const machine = fakeMachine(t);
    machine.remove('em-config');
    const { code, stderr } = await machine.run(['--for=build'], { FAKE_OWN_EMCC: 'link' });
    assert.equal(code, 1);
    assert.match(stderr, /^setup: trial: em\+\+: error: undefined symbol: .*\n$/);
    assert.ok(!fs.existsSync(path.join(machine.project, '.toolchain')));
    assert.equal((await machine.run(['--for=build'])).code, 0);
  });

  for (const signal of ['SIGINT', 'SIGTERM']) {
    test(`ends all that it started at ${signal}, and goes on at the next run`, async (t) => {
      const machine = fakeMachine(t);
      const { child, ended } = machine.start([], { FAKE_APT: 'slow' });
      const pidFile = path.join(machine.folder, 'sleeper.pid');
      while (!readIfThere(pidFile) && child.exitCode === null) await sleep(20);
      child.kill(signal);
      const { code, stderr } = await ended;
      assert.equal(code, 130);
      assert.equal(stderr, 'setup: interrupted; run it again to go on\n');
      // A busy machine may let it end a little later, and whoever inherits it be slow to ask for its exit code.
      const hasEnded = () =>
        /^$|\) Z /.test(readIfThere(`/proc/${readIfThere(pidFile).trim()}/stat`));
      for (let waited = 0; !hasEnded() && waited < 30_000; waited += 20) await sleep(20);
      assert.ok(hasEnded(), 'long before its minute is over');
      assert.ok(!fs.existsSync(path.join(machine.toolchain, 'prefix')));
      assert.equal((await machine.run()).code, 0);
    });
  }

  test('takes nothing half made for whole, even when killed', async (t) => {
    const machine = fakeMachine(t);
    const { child, ended } = machine.start(['--for=build'], { FAKE_DEB: 'slow' });
    const unpacking = path.join(machine.folder, 'unpacking');
    while (!fs.existsSync(unpacking) && child.exitCode === null) await sleep(20);
    child.kill('SIGKILL');
    await ended;
    assert.ok(!fs.existsSync(path.join(machine.toolchain, 'prefix')));
    assert.equal((await machine.run(['--for=build', '--check'])).code, 1);
    assert.equal((await machine.run(['--for=build'])).code, 0);
  });

  test('waits for another set-up in the same folder', async (t) => {
    const machine = fakeMachine(t);
    fs.mkdirSync(machine.toolchain, { recursive: true });
    const lock = path.join(machine.toolchain, 'lock');
    const holder = spawn('flock', ['--no-fork', lock, 'sh', '-c', 'echo held; exec sleep 60']);
    t.after(() => holder.kill());
    await new Promise((resolve) => holder.stdout.once('data', resolve));
    const { child, ended, printed } = machine.start();
    while (!printed().includes('waiting for another set-up')) {
      assert.equal(child.exitCode, null);
      await sleep(20);
    }
    assert.deepEqual(machine.calls(), []);
    holder.kill();
    assert.equal((await ended).code, 0);
  });
});
