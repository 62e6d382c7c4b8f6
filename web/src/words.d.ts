// SPDX-License-Identifier: Apache-2.0
// words.d.ts: what build.py makes out of the lists of the grammar, the types and the functions.
declare module "dendro:words" {
  export const keywords: string[];
  /** Those of them that must stand in quotes to be a name. */
  export const reserved: string[];
  export const types: string[];
  /** Name, arguments and one line of text each. */
  export const functions: [name: string, args: string, doc: string][];
}
