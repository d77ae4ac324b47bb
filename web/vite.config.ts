import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { serwist } from '@serwist/vite';
import { minify } from 'terser';
import { defineConfig, type Plugin } from 'vite';

import headers from './headers.json' with { type: 'json' };
import { escape, openingHtml, plain } from './opening.js';
import { intro as equalKeys } from './src/acts/equal-keys/description.js';
import { intro as inside } from './src/acts/inside/description.js';
import { intro as look } from './src/acts/look/first/words.js';
import { intro as prune } from './src/acts/prune/description.js';
import { intro as train } from './src/acts/train/description.js';
import { intro as translate } from './src/acts/translate/description.js';
import { description, words as pageWords } from './src/app/words.js';

const intros = { look, inside, 'equal-keys': equalKeys, train, translate, prune };

/** What a document says of itself before it is opened. */
interface About {
  readonly title: string;
  readonly description: string;
  readonly picture: string;
  /** The act that it leads to. */
  readonly act: string;
}

const wholePage: About = { title: pageWords.title, description, picture: 'preview', act: '' };

const fill = (html: string, about: About): string =>
  html.replace(/\{\{(title|description|picture|act)\}\}/g, (_all, name: keyof About) =>
    escape(about[name]),
  );

/** An inline style, for which the page's policy must have the hash. */
function inlineStyle(style: string): string {
  const hash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
  if (!headers.security['Content-Security-Policy'].includes(hash)) {
    throw new Error(`web/headers.json and docs/hosting.md: expected style-src with ${hash}`);
  }
  return `<style>${style}</style>`;
}

/** A script that tells readers who open the page as a file why they see no more of it. */
const fromFile = 'from-file.js';

/** Fills `{{name}}` in index.html, and writes a document for each act: messengers read no fragment of an address. */
function documents(): Plugin {
  return {
    name: 'documents',
    enforce: 'post',
    transformIndexHtml: (html, { bundle }) => {
      const opened = html.replace('{{{opening}}}', openingHtml());
      if (bundle === undefined) return fill(opened, wholePage);
      const nameOf = (pattern: RegExp): string =>
        Object.keys(bundle).find((fileName) => pattern.test(fileName)) ?? '';
      const first = nameOf(/\/index-[^/]+\.css$/);
      const file = bundle[first];
      if (file.type !== 'asset') throw new Error(`${first}: no style`);
      // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- how a plugin leaves a file out
      delete bundle[first];
      const attrs = { rel: 'preload', as: 'style', href: `./${nameOf(/\/styles-[^/]+\.css$/)}` };
      return {
        // The style of the first screen is in the document: a file would come a round trip later.
        html: opened.replace(
          /<link rel="stylesheet"[^>]*>/,
          inlineStyle(String(file.source).trim()),
        ),
        tags: [
          { tag: 'link', attrs: { ...attrs, crossorigin: true }, injectTo: 'head' },
          { tag: 'script', attrs: { src: `./${fromFile}`, defer: true }, injectTo: 'body' },
        ],
      };
    },
    generateBundle(_options, bundle) {
      const index = bundle['index.html'];
      if (index.type !== 'asset') throw new Error('index.html: no asset');
      const html = String(index.source);
      index.source = fill(html, wholePage);
      const source = `if (location.protocol === 'file:') document.querySelector('.not-served').hidden = false;`;
      this.emitFile({ type: 'asset', fileName: fromFile, source });
      for (const [act, { title, lead }] of Object.entries(intros)) {
        const about = {
          title: `${title} · headwise`,
          description: plain(lead).replaceAll('*', ''),
        };
        const source = fill(html, { ...about, picture: `preview-${act}`, act });
        this.emitFile({ type: 'asset', fileName: `${act}.html`, source });
      }
    },
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
    documents(),
    withoutOtherBuilds(),
    minifyAgain(),
    withLicences(),
    serwist({
      swSrc: path('service-worker/service-worker.ts'),
      swDest: path('../build/page/service-worker.js'),
      swUrl: 'service-worker.js',
      globDirectory: path('../build/page'),
      globPatterns: ['**/*'],
      // The worker keeps the model's once it has loaded them. Without a network index.html stands for every act's document.
      globIgnores: [
        ...[...licences, 'model/*', 'preview*.png'],
        ...Object.keys(intros).map((act) => `${act}.html`),
      ],
      injectionPoint: 'self.__SW_MANIFEST',
      rollupFormat: 'iife',
    }),
  ],
});
