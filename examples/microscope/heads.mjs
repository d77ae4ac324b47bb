// Heads and numbers of heads.
import { range } from 'd3-array';

/** @import { Tensor, Transformer } from 'headwise' */

/** @typedef {{ layer: number, head: number }} Head */

export const nameOf = (/** @type {Head} */ { layer, head }) => `${layer}.${head}`;

/**
 * All heads, layer by layer.
 *
 * @param {Transformer} model
 * @returns {Head[]}
 */
export const allHeads = ({ numHeads }) =>
  numHeads.flatMap((count, layer) => range(count).map((head) => ({ layer, head })));

/**
 * Rows of a matrix.
 *
 * @param {Tensor} matrix (layers, heads)
 * @returns {number[][]}
 */
export const rowsOf = ({ data, shape: [rows, columns] }) =>
  range(rows).map((row) => [...data.subarray(row * columns, (row + 1) * columns)]);
