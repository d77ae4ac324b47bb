// Tables on the console.

/**
 * Cells side by side, the first to the left, the others to the right.
 *
 * @param {string[][]} rows
 */
export function printTable(rows) {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  for (const [first, ...others] of rows) {
    const cells = others.map((cell, i) => cell.padStart(widths[i + 1]));
    console.log([first.padEnd(widths[0]), ...cells].join('  '));
  }
}
