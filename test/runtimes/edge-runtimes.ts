import { createRequire } from 'node:module';

/** The programs of edge runtimes that are installed here: workerd, or none where it does not run. */
export function edgeRuntimes(): string[] {
  try {
    const { default: program } = createRequire(new URL('./installed/', import.meta.url))(
      'workerd',
    ) as { default: string };
    return [program];
  } catch {
    // Optional, since it is there for a few platforms only.
    return [];
  }
}
