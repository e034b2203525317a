// SPDX-License-Identifier: Apache-2.0
// Values of JSON whatever they are: a chart may rely on none.

const objectOf = (x) => (x && typeof x === "object" && !Array.isArray(x) ? x : {});
const listOf = (x) => (Array.isArray(x) ? x : []);
function textOf(x, other = "") {
  if (typeof x === "string") return x;
  if (x === undefined || x === null) return other;
  return typeof x === "object" ? JSON.stringify(x) : String(x);
}
