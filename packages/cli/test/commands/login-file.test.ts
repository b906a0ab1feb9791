import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { key, startAccountService } from '../helpers/account-service';
import { loginFolder } from '../helpers/profile-folder';
import { runAtKeyboard } from '../helpers/run-at-keyboard';
import { runCli } from '../helpers/run-cli';

describe('the profiles file', () => {
  it('keeps the profiles of concurrent logins', async () => {
    const service = await startAccountService();
    const folder = loginFolder();
    const names = Array.from({ length: 12 }, (_, index) => `login-${index}`);
    const results = await Promise.all(
      names.map((name) =>
        runCli(['login', '--key-stdin', '--base-url', service.baseUrl, '--profile', name], {
          env: folder.env,
          input: key,
        }),
      ),
    );
    expect(results.map(({ exitCode }) => exitCode)).toEqual(names.map(() => 0));
    expect(Object.keys(folder.stored().profiles).sort()).toEqual(names.toSorted());
  });

  it('is not blocked by the lock of a process that was killed', async () => {
    const service = await startAccountService();
    const folder = loginFolder();
    // Larger than any process id there is.
    writeFileSync(`${folder.file}.lock`, '999999999');
    utimesSync(`${folder.file}.lock`, 0, 0);
    const argv = ['login', '--key-stdin', '--base-url', service.baseUrl];
    expect((await runCli(argv, { env: folder.env, input: key })).exitCode).toBe(0);
    expect(existsSync(`${folder.file}.lock`)).toBe(false);
  });

  it('reports which process has locked it instead of waiting forever', async () => {
    const service = await startAccountService();
    const folder = loginFolder();
    writeFileSync(`${folder.file}.lock`, String(process.pid));
    const argv = ['login', '--key-stdin', '--base-url', service.baseUrl];
    const { exitCode, stderr } = await runCli(argv, { env: folder.env, input: key });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`process ${process.pid}`);
    expect(stderr).toContain(`delete ${folder.file}.lock`);
  });

  it('is checked before the prompt for the key', async () => {
    const folder = loginFolder();
    writeFileSync(folder.file, '{ "profiles": [');
    const { exitCode, stderr } = await runAtKeyboard(['login'], [], folder.env);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('is malformed');
  });
});
