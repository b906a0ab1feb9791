import { createRequire } from 'node:module';

// A separate package, so that its `node` commands do not hide the one of the current user.
const require = createRequire(new URL('./installed/', import.meta.url));

/** A version of Node to run programs with. */
export interface NodeMajor {
  /** The first number of its version. */
  major: number;
  /** The file to run. */
  program: string;
}

/** The major versions that the SDK supports. */
export const supportedMajors = [20, 22, 24, 26];

/** Finds the supported versions that are installed. Without any, returns the one that runs the tests. */
export function findNodeMajors(): NodeMajor[] {
  const installed = supportedMajors.flatMap((major) => {
    try {
      return [{ major, program: require.resolve(`node-${major}-linux-x64/bin/node`) }];
    } catch {
      // Optional, since they exist for one platform only.
      return [];
    }
  });
  const own = { major: Number.parseInt(process.versions.node, 10), program: process.execPath };
  return installed.length > 0 ? installed : [own];
}
