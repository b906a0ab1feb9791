import { createRequire } from 'node:module';

// A package of its own: its `node` commands must not hide that of whoever runs a script here.
const require = createRequire(new URL('./installed/', import.meta.url));

/** A Node to run programs with. */
export interface NodeMajor {
  /** The first number of its version. */
  major: number;
  /** The file to run. */
  program: string;
}

/** The major versions that the SDK promises to run on. */
export const promisedMajors = [20, 22, 24];

/** Each promised version that is installed here; where there is none, the one that runs the tests. */
export function nodeMajors(): NodeMajor[] {
  const installed = promisedMajors.flatMap((major) => {
    try {
      return [{ major, program: require.resolve(`node-${major}-linux-x64/bin/node`) }];
    } catch {
      // Optional, since they are there for one platform only.
      return [];
    }
  });
  const own = { major: Number.parseInt(process.versions.node, 10), program: process.execPath };
  return installed.length > 0 ? installed : [own];
}
