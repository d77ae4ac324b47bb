// What a test runner's environment gets of the package; it leaves what it got to the test that started it.
import { readFileSync, writeFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import * as headwise from 'headwise/models';
import { acrossRealms, classesOfRealm } from './realms.js';
import { suite } from './suite.js';
import { test } from './test-function.js';

test('the suite', async () => {
  const cases = JSON.parse(readFileSync('programs/cases.json', 'utf8'));
  const results = await suite(headwise, cases, { threads: 2 });
  const realms = await acrossRealms(headwise, runInNewContext(classesOfRealm));
  // What Node's own modules give is of the realm outside of the environment.
  const bytes = readFileSync('programs/file.safetensors');
  const file = headwise.loadSafetensors(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
  );
  const hasDocument = typeof document === 'object';
  const found = { ...results, realms, read: file.names, hasDocument };
  writeFileSync(process.env.HEADWISE_RESULTS, JSON.stringify(found));
});
