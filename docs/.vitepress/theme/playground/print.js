// Formats values for the playground's console. They come from another frame, so `instanceof` does not work.
const printed = Symbol.for('nodejs.util.inspect.custom');
const mostItems = 12;
const mostDepth = 3;

function within(open, texts, close, count) {
  const rest = count > texts.length ? [`… ${count - texts.length} more`] : [];
  return open + [...texts, ...rest].join(', ') + close;
}

export function print(value, depth = 0) {
  if (typeof value === 'string') return depth === 0 ? value : JSON.stringify(value);
  if (typeof value === 'function') return `[function ${value.name}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  // Tensors, layers and models format themselves.
  if (printed in value) return value[printed]();
  if (typeof value.stack === 'string') return String(value);
  const name = value.constructor?.name ?? 'Object';
  if (depth === mostDepth) return `[${name}]`;
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const items = Array.from(value.slice(0, mostItems));
    const type = Array.isArray(value) ? '' : `${name}(${value.length}) `;
    return within(
      `${type}[`,
      items.map((item) => print(item, depth + 1)),
      ']',
      value.length,
    );
  }
  const entries = Object.entries(value);
  const texts = entries
    .slice(0, mostItems)
    .map(([key, item]) => `${key}: ${print(item, depth + 1)}`);
  const type = name === 'Object' ? '' : `${name} `;
  return entries.length === 0 ? `${type}{}` : within(`${type}{ `, texts, ' }', entries.length);
}
