// Lays the documentation site's sources together: documents, the JavaScript reference by TypeDoc, the C++ reference by
// Doxygen and moxygen, all Markdown; VitePress builds the site of it.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chapters, shortTitles } from '../../docs/site/contents.mjs';
import { cppPages } from './docs-cpp.mjs';
import { fromRoot, listFiles } from './files.mjs';
import { installManifest } from './npm-tools.mjs';
import { toolchain } from './toolchain.mjs';

const source = 'docs/site';
const tools = 'build/docs-tools';
const staged = `${tools}/site`;
export const siteFolder = 'build/docs';

const repository = 'https://github.com/headwise/headwise';
const packageOf = (...parts) => fromRoot(tools, 'node_modules', ...parts);
const write = (path, text) => {
  mkdirSync(fromRoot(staged, posix.dirname(path)), { recursive: true });
  writeFileSync(fromRoot(staged, path), text);
};

const documents = () => listFiles(['docs'], (path) => /^docs\/[^/]+\.md$/.test(path));
const nameOf = (document) => basename(document, '.md');
const titleOf = (document) => {
  const [, title] = /^# (.+)$/m.exec(readFileSync(fromRoot(document), 'utf8')) ?? [];
  if (!title) throw new Error(`${document}: no title`);
  return title;
};

/** Links to what is no part of the site lead to the repository. */
function withRepositoryLinks(document) {
  return readFileSync(fromRoot(document), 'utf8').replaceAll(
    /\]\((?![a-z]+:|[/#])([^)#\s]+)(#[^)\s]*)?\)/g,
    (link, target, hash = '') => {
      const path = posix.normalize(posix.join(posix.dirname(document), target));
      if (/^docs\/([^/]+\.md|images\/.*)$/.test(path)) return link;
      if (!existsSync(fromRoot(path))) throw new Error(`${document}: no file ${path}`);
      const kind = statSync(fromRoot(path)).isDirectory() ? 'tree' : 'blob';
      return `](${repository}/${kind}/main/${path}${hash})`;
    },
  );
}

function stageDocuments() {
  for (const document of documents()) {
    write(`${nameOf(document)}.md`, withRepositoryLinks(document));
  }
  cpSync(fromRoot('docs/images'), fromRoot(staged, 'images'), { recursive: true });
  cpSync(fromRoot(source, 'index.md'), fromRoot(staged, 'index.md'));
  cpSync(fromRoot(source, '.vitepress'), fromRoot(staged, '.vitepress'), { recursive: true });
  mkdirSync(fromRoot(staged, 'public'), { recursive: true });
  cpSync(fromRoot('web/public/favicon.svg'), fromRoot(staged, 'public/favicon.svg'));
}

function guides() {
  const names = documents().map(nameOf);
  const named = new Set(Object.values(chapters).flat());
  const rest = names.filter((name) => !named.has(name));
  return Object.entries(chapters).map(([text, listed], i) => ({
    text,
    items: [...listed, ...(i === 0 ? rest : [])]
      .filter((name) => names.includes(name))
      .map((name) => ({
        text: shortTitles[name] ?? titleOf(`docs/${name}.md`),
        link: `/${name}`,
      })),
  }));
}

/** @returns the sidebar of the JavaScript reference */
async function stageJavaScript(sh) {
  await sh(process.execPath, [
    packageOf('typedoc/bin/typedoc'),
    ...['--options', fromRoot(source, 'typedoc.json'), '--logLevel', 'Warn'],
    ...['typedoc-plugin-markdown', 'typedoc-vitepress-theme'].flatMap((name) => [
      '--plugin',
      packageOf(name, 'dist/index.js'),
    ]),
    ...['--docsRoot', fromRoot(staged), '--out', fromRoot(staged, 'javascript')],
  ]);
  const file = fromRoot(staged, 'javascript/typedoc-sidebar.json');
  const sidebar = JSON.parse(readFileSync(file, 'utf8'));
  rmSync(file);
  // Groups that fold have a button in a button.
  return sidebar.map(({ text, items }) => ({ text, items }));
}

/** @returns the sidebar of the C++ reference */
async function stageCpp(sh) {
  const folder = fromRoot(tools, 'doxygen');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const doxyfile = join(folder, 'Doxyfile');
  const settings = readFileSync(fromRoot(source, 'Doxyfile'), 'utf8');
  writeFileSync(doxyfile, `${settings}\nOUTPUT_DIRECTORY = "${folder}"\n`);
  await sh(toolchain().doxygen, [doxyfile]);
  const { generate } = await import(pathToFileURL(packageOf('moxygen/dist/index.js')));
  const pages = await cppPages(generate, {
    xml: join(folder, 'xml'),
    sources: `${repository}/blob/main/src`,
  });
  for (const { path, text } of pages) write(`cpp/${path}`, text);
  return pages.map(({ title, path }) => ({
    text: title,
    link: `/cpp/${nameOf(path).replace(/^index$/, '')}`,
  }));
}

/**
 * Builds the site into build/docs. It works at `base` of any host, an absolute path with a slash at its end.
 *
 * @param {Function} sh as steps get it
 * @param {{ base?: string }} [options]
 */
export async function buildSite(sh, { base = '/' } = {}) {
  await installManifest(sh, { source, folder: tools });
  rmSync(fromRoot(staged), { recursive: true, force: true });
  stageDocuments();
  const sidebar = {
    '/': guides(),
    '/javascript/': await stageJavaScript(sh),
    '/cpp/': await stageCpp(sh),
  };
  write('.vitepress/generated.json', JSON.stringify({ base, sidebar }));
  rmSync(fromRoot(siteFolder), { recursive: true, force: true });
  await sh(process.execPath, [
    packageOf('vitepress/bin/vitepress.js'),
    ...['build', fromRoot(staged), '--outDir', fromRoot(siteFolder)],
  ]);
  cpSync(fromRoot('build/page'), fromRoot(siteFolder, 'page'), { recursive: true });
}
