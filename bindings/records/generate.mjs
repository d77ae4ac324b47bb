// Makes records.hpp, records.js and records.d.ts of table.mjs: node generate.mjs FOLDER
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';
import * as given from './table.mjs';

const word = { words: 1, ts: 'number', cpp: 'std::size_t' };
const twoWords = { words: 2, ts: 'readonly [low: number, high: number]' };

/** Kinds of a record's fields: their words and types. */
const kinds = {
  integer: { ...word, cpp: 'std::int32_t' },
  size: word,
  flag: { ...word, ts: 'boolean', cpp: 'Flag' },
  wide: { ...twoWords, cpp: 'Wide' },
  number: { ...twoWords, cpp: 'double' },
};

const optional = (ts) => ({
  ...{ ts: `${ts} | undefined`, cpp: 'std::optional<double>', method: 'optional' },
});

/** Kinds of a message's fields; each is the name of the methods that write and read it. */
const messageKinds = {
  size: { ts: 'number', cpp: 'std::size_t' },
  flag: { ts: 'boolean', cpp: 'bool' },
  wide: { ts: 'number', cpp: 'std::uint64_t' },
  number: { ts: 'number', cpp: 'double' },
  whole: { ts: 'number', cpp: 'double', method: 'number' },
  'flag?': optional('boolean'),
  'whole?': optional('number'),
  'number?': optional('number'),
  address: { ts: 'Address', cpp: 'void*' },
  text: { ts: 'string', cpp: 'std::string_view' },
  bytes: { ts: 'Uint8Array', cpp: 'std::span<char>', written: 'std::string_view' },
  sizes: { ts: 'readonly number[]', cpp: 'std::span<const std::size_t>' },
  wides: { ts: 'readonly number[]', cpp: 'std::span<const std::uint64_t>' },
};

function recordKind(field, known) {
  if (Object.hasOwn(kinds, field)) return kinds[field];
  if (Object.hasOwn(known, field)) {
    return { words: known[field], ts: `Packed<${field}>`, cpp: field, check: 'check_record($)' };
  }
  if (field.startsWith('Input<')) {
    return { words: 3, ts: 'GivenTensor', cpp: field, check: 'check_input($)' };
  }
  const [, pointer, optional] = /^(.+\*)(\??)$/.exec(field) ?? [];
  if (pointer) {
    const check =
      { 'void*': 'check_address', 'float*': 'check_floats', 'const float*': 'check_floats' }[
        pointer
      ] ?? 'check_working_address';
    return {
      ...{ ...word, ts: 'Address', isOptional: optional !== '' },
      ...{ cpp: pointer, check: `${check}($, ${optional !== ''})` },
    };
  }
  const [, count] = /^size\[(\d)\]$/.exec(field) ?? [];
  if (!count) throw new Error(`no kind of field: ${field}`);
  return {
    words: Number(count),
    ts: `readonly [${Array(Number(count)).fill('number').join(', ')}]`,
    cpp: `std::array<std::size_t, ${count}>`,
  };
}

function messageKind(field, known) {
  const kind = field === 'void*' ? 'address' : field;
  if (Object.hasOwn(messageKinds, kind)) return { method: kind, ...messageKinds[kind] };
  const [, element, suffix] = /^(\w+)(\[\]|\?)?$/.exec(field) ?? [];
  if (!known.includes(element)) throw new Error(`no kind of field: ${field}`);
  if (suffix === undefined) return { ts: element, cpp: element, element };
  return suffix === '?'
    ? { ts: `${element} | undefined`, cpp: `std::optional<${element}>`, element, isList: true }
    : { ts: `readonly ${element}[]`, cpp: `std::vector<${element}>`, element, isList: true };
}

const snake = (name) =>
  name.replaceAll(/([a-z])([A-Z])/g, (_, end, begin) => `${end}_${begin.toLowerCase()}`);
const lowerFirst = (name) => name[0].toLowerCase() + name.slice(1);
const lines = (fields, line) => fields.map(line).join('\n');

/** The words of a record's field in JavaScript; what is stored in memory of integers turns from a flag into 0 or 1. */
const wordsOf = ({ field, ts, words }) =>
  words > 1 || ts.startsWith('Packed<') ? `...record.${field}` : `record.${field}`;

/** The C++ type of a record or a message: the library's, or a struct of these members. */
const typeOf = (name, members) =>
  Object.hasOwn(given.libraryTypes, name)
    ? `using ${name} = headwise::${given.libraryTypes[name]};`
    : `struct ${name} {\n${members}\n};`;

/** The record's fields with their kinds and offsets in words, and its length. */
function layOut(name, description, known) {
  let words = 0;
  const fields = Object.entries(description).map(([field, text]) => {
    const kind = recordKind(text, known);
    const offset = words;
    words += kind.words;
    return { field, member: snake(field), offset, ...kind };
  });
  return { name, fields, words };
}

const recordText = ({ name, fields, words }) => ({
  ts: `export interface ${name} {
${lines(fields, ({ field, ts, isOptional }) => `  readonly ${field}${isOptional ? '?' : ''}: ${ts}${isOptional ? ' | undefined' : ''};`)}
}
export const ${lowerFirst(name)}: RecordKind<${name}>;
`,
  js: `export const ${lowerFirst(name)} = {
  words: ${words},
  pack: (record) => [${fields.map(wordsOf).join(', ')}],
};
`,
  cpp: `${typeOf(
    name,
    lines(fields, ({ member, cpp }) => `  ${cpp} ${member};`),
  )}
static_assert(sizeof(${name}) == ${4 * words});
${lines(fields, ({ member, offset }) => `static_assert(offsetof(${name}, ${member}) == ${4 * offset});`)}
#if defined(HEADWISE_CHECKED)
template <>
inline void check_record([[maybe_unused]] const ${name}& record) noexcept {
${fields
  .filter(({ check }) => check)
  .map(({ member, check }) => `  ${check.replace('$', `record.${member}`)};\n`)
  .join('')}}
#endif
`,
});

/** What JavaScript has of a message. */
function messageTextInScript(name, fields) {
  const js = ({ field, method, element, isList }) => {
    const kind = method ? `'${method}'` : lowerFirst(element);
    return `  ${field}: ${isList ? `[${kind}]` : kind},`;
  };
  return {
    ts: `export interface ${name} {
${lines(fields, ({ field, ts }) => `  readonly ${field}: ${ts};`)}
}
export const ${lowerFirst(name)}: MessageKind<${name}>;
`,
    js: `export const ${lowerFirst(name)} = {
${lines(fields, js)}
};
`,
  };
}

const messageFields = (description, known) =>
  Object.entries(description).map(([field, text]) => {
    const member = snake(field);
    const [kind, value = `$.${member}`] = text.split(/ (.+)/);
    return { field, member, value: value.replaceAll('$', 'message'), ...messageKind(kind, known) };
  });

function messageText(name, description, known, isRequest) {
  const fields = messageFields(description, known);
  // Lists that C++ writes are whatever ranges a call has of their items.
  const listOf = (member) => `${member[0].toUpperCase()}${member.slice(1)}`;
  const lists = fields
    .filter(({ isList }) => isList && !Object.hasOwn(given.libraryTypes, name))
    .map(({ member }) => listOf(member));
  const template =
    lists.length > 0 ? `template <${lists.map((list) => `typename ${list}`).join(', ')}>\n` : '';
  const cpp = ({ value, method, isList, cpp: type, written = type }) => {
    if (!method) {
      return isList
        ? `  stream.list(${value});`
        : `  ${isRequest ? 'read' : 'write'}(stream, ${value});`;
    }
    // The library's member may be an enumeration, or optional.
    return isRequest
      ? `  ${value} = static_cast<decltype(${value})>(stream.${method}());`
      : `  stream.${method}(static_cast<${written}>(${value}));`;
  };
  return {
    ...messageTextInScript(name, fields),
    cpp: isRequest
      ? `${typeOf(
          name,
          lines(fields, ({ member, cpp: type }) => `  ${type} ${member}{};`),
        )}
inline void read(MessageReader& stream, ${name}& message) {
${lines(fields, cpp)}
}
`
      : `${template}${typeOf(
          name,
          lines(
            fields,
            ({ member, cpp: type, written = type, isList }) =>
              `  ${isList ? listOf(member) : written} ${member};`,
          ),
        )}
${template || 'inline '}void write(MessageWriter& stream, const ${name}${lists.length > 0 ? `<${lists.join(', ')}>` : ''}& message) {
${lines(fields, cpp)}
}
`,
  };
}

/** The text of each file. */
export function generate({ records, requests, responses } = given) {
  const known = {};
  const laidOut = Object.entries(records).map(([name, description]) => {
    const record = layOut(name, description, known);
    known[name] = record.words;
    return recordText(record);
  });
  const messages = (described, isRequest) =>
    Object.entries(described).map(([name, description], i) =>
      messageText(name, description, Object.keys(described).slice(0, i), isRequest),
    );
  const parts = [...laidOut, ...messages(requests, true), ...messages(responses, false)];
  const of = (language) => parts.map((part) => part[language]).join('\n');
  return {
    'records.js': of('js'),
    'records.d.ts': `import type { Address } from '../../bindings/js/runtime/memory.js';
import type { GivenTensor, MessageKind, Packed, RecordKind } from '../../bindings/js/runtime/records.js';

${of('ts')}`,
    'records.hpp': `#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <headwise/api/forward_inputs.hpp>
#include <headwise/api/model_inputs.hpp>
#include <headwise/api/pooling_inputs.hpp>
#include <headwise/api/validation_models.hpp>
#include <headwise/core/attention/parameter_names.hpp>
#include <headwise/core/io/safetensors_header.hpp>
#include <headwise/core/layouts/state_dict_layouts.hpp>
#include <headwise/core/models/pretrained/config.hpp>
#include <headwise/core/tasks/task_sampler.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model.hpp"
#include "record.hpp"

namespace headwise::bindings {

${of('cpp')}
}  // namespace headwise::bindings
`,
  };
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  const [, , folder] = argv;
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(generate())) {
    const file = join(folder, name);
    // What has not changed keeps its time, so that nothing is built again.
    if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
  }
}
