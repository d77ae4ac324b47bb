import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { serwist } from '@serwist/vite';
import { minify } from 'terser';
import { defineConfig, type Plugin } from 'vite';

import headers from './headers.json' with { type: 'json' };
import { openingHtml } from './opening.js';
import { description, words as pageWords } from './src/app/words.js';

/** Fills `{{name}}` in index.html. */
function words(dictionary: Readonly<Partial<Record<string, string>>>): Plugin {
  const escape = (value: string): string =>
    value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  return {
    name: 'words',
    transformIndexHtml: (html) =>
      html
        .replace('{{{opening}}}', openingHtml())
        .replace(/\{\{(\w+)\}\}/g, (_match, name: string) => {
          const value = dictionary[name];
          if (value === undefined) throw new Error(`index.html: no text named ${name}`);
          return escape(value);
        }),
  };
}

/** Leaves out the builds for layers alone, since the page loads models with the layer, and those for threads. */
function withoutOtherBuilds(): Plugin {
  return {
    name: 'without-other-builds',
    generateBundle(_options, bundle) {
      for (const fileName of Object.keys(bundle)) {
        if (/\/headwise-(?!models-(?!.*threads))[\w-]*\.wasm$/.test(fileName)) {
          // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- how a plugin leaves a file out
          delete bundle[fileName];
        }
      }
    },
  };
}

/** Minifies once more: a fiftieth smaller than after Vite's own pass, or than Terser makes it alone. */
function minifyAgain(): Plugin {
  return {
    name: 'minify-again',
    async generateBundle(_options, bundle) {
      for (const output of Object.values(bundle)) {
        if (output.type !== 'chunk') continue;
        const { code } = await minify(output.code, {
          ...{ module: true, ecma: 2022, compress: { passes: 3, ecma: 2022 } },
        });
        if (code !== undefined) output.code = code;
      }
    },
  };
}

/** Whose code the page has, and under which terms: of the files at the project's root, those that must go with it. */
const licences = ['LICENSE', 'THIRD_PARTY.md'];

function withLicences(): Plugin {
  return {
    name: 'with-licences',
    generateBundle() {
      for (const fileName of licences) {
        this.emitFile({ type: 'asset', fileName, source: readFileSync(path(`../${fileName}`)) });
      }
    },
  };
}

/** The language model's files and its held-out text lie in a folder of their own: only what uses the model loads them. */
const assetFileNames = ({ names }: { readonly names: readonly string[] }): string => {
  const isOfModel = names.some((name) => /\.(?:gguf|json|txt)$/.test(name));
  return `${isOfModel ? 'model' : 'assets'}/[name]-[hash][extname]`;
};

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

export default defineConfig({
  root: path('.'),
  // Relative addresses: the folder works at any depth of any host.
  base: './',
  build: {
    outDir: '../build/page',
    emptyOutDir: true,
    // Files stay files: WebAssembly compiles while it streams, and a strict
    // Content-Security-Policy needs no `data:`.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        assetFileNames,
        // What every visit loads is one file: others would be asked for beside it.
        codeSplitting: { groups: [{ name: 'page', tags: ['$initial'] }] },
      },
    },
  },
  worker: {
    format: 'es',
    plugins: () => [withoutOtherBuilds(), minifyAgain()],
    rolldownOptions: {
      output: {
        assetFileNames,
        // WebKit evaluates a worker's own file once more when another imports from it: the services' library would then
        // be there twice, one of them not yet initialized. So nothing is imported from that file.
        codeSplitting: {
          groups: [{ name: 'services', tags: ['$initial'], test: /^(?!.*model-worker\.ts)/ }],
        },
      },
    },
  },
  // What docs/hosting.md asks of any host.
  preview: { headers: { ...headers.security, ...headers.isolation } },
  plugins: [
    words({ title: pageWords.title, description }),
    withoutOtherBuilds(),
    minifyAgain(),
    withLicences(),
    serwist({
      swSrc: path('service-worker/service-worker.ts'),
      swDest: path('../build/page/service-worker.js'),
      swUrl: 'service-worker.js',
      globDirectory: path('../build/page'),
      globPatterns: ['**/*'],
      // The worker keeps the model's once it has loaded them.
      globIgnores: [...licences, 'model/*', 'preview.png'],
      injectionPoint: 'self.__SW_MANIFEST',
      rollupFormat: 'iife',
    }),
  ],
});
