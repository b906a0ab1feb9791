import { createRequire } from 'node:module';

/** Finds the installed edge runtimes: workerd, or none if it does not support the platform. */
export function findEdgeRuntimes(): string[] {
  try {
    const { default: program } = createRequire(new URL('./installed/', import.meta.url))(
      'workerd',
    ) as { default: string };
    return [program];
  } catch {
    // Optional, since it supports few platforms only.
    return [];
  }
}
