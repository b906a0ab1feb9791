import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  type Profile,
  type Profiles,
  profilesFile,
  writeProfiles,
} from '../../src/config/profiles';

/** A folder of a test's own that has logins, and goes away with the test. */
export interface LoginFolder {
  path: string;
  /** The file of the logins. */
  file: string;
  /** What makes commands look there, and nowhere else. */
  env: Record<string, string | undefined>;
  /** What is stored at present. */
  stored(): Profiles;
  /** The permissions of the file, as in `600`. */
  mode(): string;
}

/** Makes a folder with these logins; with none, the file is not there. */
export function loginFolder(
  profiles: Record<string, Profile> = {},
  current: string | null = null,
): LoginFolder {
  const path = mkdtempSync(join(tmpdir(), 'tradepost-cli-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const file = profilesFile(path);
  if (Object.keys(profiles).length > 0) writeProfiles(file, { current, profiles });
  return {
    path,
    file,
    env: {
      TRADEPOST_CONFIG_DIR: path,
      TRADEPOST_API_KEY: undefined,
      TRADEPOST_BASE_URL: undefined,
    },
    stored: () => JSON.parse(readFileSync(file, 'utf8')),
    mode: () => (statSync(file).mode & 0o777).toString(8),
  };
}
