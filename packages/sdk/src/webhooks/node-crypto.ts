/** Node's own crypto. */
export type NodeCrypto = typeof import('node:crypto');

/** Node's own crypto, as Node 20.16 and later (and Deno, Bun) hand it out. */
export function nodeCrypto(): NodeCrypto | undefined {
  // Not an import: this entry must also load where there is no Node.
  return globalThis.process?.getBuiltinModule?.('node:crypto');
}
