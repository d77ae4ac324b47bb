// The package in Next.js, by Turbopack and by webpack: exported files, the development server and a server in production.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertQuoted, documented, servesFiles } from './lib/bundlers.mjs';
import { tryApplication, writeApplication } from './lib/bundlers.mjs';
import { shell, startServer, tools } from './lib/processes.mjs';

const [configuration, route, withoutExternal] = documented('Next.js', 'js', 'js', 'text');

const layout = `export default function Layout({ children }) {
  return (
    <html lang="en">
      <head><link rel="icon" href="data:," /></head>
      <body>{children}</body>
    </html>
  );
}
`;
const client = `'use client';

import { useEffect } from 'react';
import { expose } from '../shared/app.js';

export default function Page() {
  useEffect(expose, []);
  return <p>headwise in Next.js</p>;
}
`;

/** The documented configuration but for some of its settings. Next.js would take this repository for its root. */
const configurationWithout = (names) => `import documented from './documented.config.mjs';

const config = { ...documented, turbopack: { root: ${JSON.stringify(tools())} } };
for (const name of ${JSON.stringify(names)}) delete config[name];
export default config;
`;

const files = (documentedConfiguration, without = []) => ({
  'app/layout.jsx': layout,
  'app/page.jsx': client,
  'documented.config.mjs': documentedConfiguration,
  'jsconfig.json': '{}',
  'next.config.mjs': configurationWithout(without),
});
const serverFiles = (without) => ({
  ...files(configuration, without),
  'app/attention/route.js': route,
});

const start = (folder) => startServer('next start --hostname localhost --port PORT', folder);

for (const bundler of ['turbopack', 'webpack']) {
  tryApplication(`next build, ${bundler}, exported`, {
    serve: servesFiles(async () => {
      const exported = files("export default { output: 'export' };\n");
      const folder = writeApplication(`next-files-${bundler}`, exported);
      await shell(`next build --${bundler}`, folder);
      return `${folder}/out`;
    }),
  });

  tryApplication(`next dev, ${bundler}`, {
    hasRoute: true,
    serve(isIsolated) {
      const without = isIsolated ? [] : ['headers'];
      const folder = writeApplication(`next-dev-${bundler}-${isIsolated}`, serverFiles(without));
      return startServer(`next dev --${bundler} --hostname localhost --port PORT`, folder);
    },
  });

  tryApplication(`next build, ${bundler}, started`, {
    hasRoute: true,
    kinds: [true],
    async serve() {
      const folder = writeApplication(`next-server-${bundler}`, serverFiles());
      await shell(`next build --${bundler}`, folder);
      return start(folder);
    },
  });
}

test('a server by webpack, without an external package: the error that the document quotes', async (t) => {
  const folder = writeApplication('next-bundled', serverFiles(['serverExternalPackages']));
  await shell('next build --webpack', folder);
  const server = await start(folder);
  t.after(() => server.close());
  assert.equal((await fetch(`${server.url}attention`)).status, 500);
  const [, message] = /\[HeadwiseError\]: (.*)$/m.exec(server.told()) ?? [];
  assertQuoted(message, withoutExternal);
});
