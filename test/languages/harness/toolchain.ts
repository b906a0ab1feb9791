import { spawnSync } from 'node:child_process';
import { describe, it } from 'vitest';
import { cleanEnvironment } from '../../helpers/clean-environment';

/** A program that a language needs, with an argument that makes it end at once. */
export type RequiredProgram = readonly [command: string, versionOption: string];

/** CI tests every language; elsewhere a language that is not installed is skipped, and reported as not tested. */
const requireAll = process.env.CI === 'true' || process.env.CI === '1' || isSet('REQUIRE_ALL');

function isSet(name: string): boolean {
  return (process.env[name] ?? '') !== '';
}

function isInstalled([command, versionOption]: RequiredProgram): boolean {
  const { error, status } = spawnSync(command, [versionOption], { env: cleanEnvironment({}) });
  return error === undefined && status === 0;
}

/**
 * Defines the tests of a language, if its programs are installed. If not, one test says so: it fails in CI or with
 * REQUIRE_ALL=1, and is skipped otherwise.
 */
export function describeLanguage(
  language: string,
  programs: readonly RequiredProgram[],
  defineTests: () => void,
): void {
  const missing = programs.filter((program) => !isInstalled(program)).map(([command]) => command);
  describe(language, () => {
    if (missing.length === 0) {
      defineTests();
      return;
    }
    it('is tested', (context) => {
      const reason = `${language} was not tested: ${missing.join(', ')} not installed.`;
      if (requireAll) throw new Error(reason);
      context.skip(reason);
    });
  });
}
