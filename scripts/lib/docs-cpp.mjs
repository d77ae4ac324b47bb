// The pages of the C++ reference, of what moxygen makes of Doxygen's XML.
import { fromRoot } from './files.mjs';

const separator = '\n---\n';

/** Copies, moves and destructors: of no interest to who reads what a class does. */
const isPlumbing = (member) =>
  /^## (operator=|~)/m.test(member) ||
  /^(?:inline |explicit )*(\w+)\((?:const )?\1 &&? ?\w*\)/m.test(member);

/** Headings that carry their anchors, links as Markdown has them, and neither copies nor destructors. */
function clean(markdown) {
  const [head, ...members] = markdown.split(separator);
  return [head, ...members.filter((member) => !isPlumbing(member))]
    .join('\n')
    .replaceAll(/<a id="([^"]+)"><\/a>\s+(#+ .+)/g, '$2 {#$1}')
    .replaceAll(/`\[([^\]`]+)\]\(([^)]+)\)`/g, '[`$1`]($2)')
    .replaceAll(/\]\(([\w-]+)\.html(#[^)]*)?\)/g, ']($1.md$2)')
    .replaceAll(/\n{3,}/g, '\n\n');
}

const shown = {
  members: [
    ...['public-type', 'public-attrib', 'public-func', 'public-static-func'],
    ...['enum', 'typedef', 'func', 'var'],
  ],
  compounds: ['namespace', 'class', 'struct'],
};

/** Up to the first full stop that ends a sentence, as a cell of a table. */
const firstSentence = (text) =>
  (/^.*?[^.]\.(?=\s|$)/s.exec(text)?.[0] ?? text)
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('|', '\\|');

/**
 * @param {Function} generate moxygen's
 * @param {{ xml: string, sources: string }} from Doxygen's XML, and the address below which the sources are
 * @returns {Promise<{ path: string, title: string, text: string }[]>} the first is the index
 */
export async function cppPages(generate, { xml, sources }) {
  const made = await generate({
    ...{ directory: xml, classes: true, anchors: true, htmlAnchors: true, quiet: true },
    ...{ sourceUrl: `${sources}/{path}#L{line}`, templates: fromRoot('docs/site/moxygen') },
    filters: shown,
  });
  const pages = made.map(({ slug, kind, title, description, markdown }) => ({
    path: `${slug}.md`,
    title: kind === 'namespace' ? 'Functions and types' : title,
    ...{ kind, description, text: clean(markdown) },
  }));
  const rows = (kinds) =>
    pages
      .filter(({ kind }) => kinds.includes(kind))
      .map(
        ({ title, path, description }) => `| [${title}](${path}) | ${firstSentence(description)} |`,
      );
  const table = (kinds) => ['| name | what it is |', '| --- | --- |', ...rows(kinds)];
  const text = [
    ...['# C++', '', '`#include <headwise/headwise.hpp>` has all of it, in namespace `headwise`.'],
    ...['', '[Functions and types](headwise.md) that are no classes are on a page of their own.'],
    ...['', '## Classes', '', ...table(['class'])],
    ...['', '## Options and results', '', ...table(['struct'])],
  ];
  return [{ path: 'index.md', title: 'C++', text: `${text.join('\n')}\n` }, ...pages];
}
