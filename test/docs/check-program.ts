import { expect } from 'vitest';
import { findExpectedLines, findMissingLines } from './expected-output';
import { callHandler, type ProgramEnvironment, postToProgram, runProgram } from './run-program';

/**
 * Runs a snippet that is a program. One that receives webhooks has to accept a signed delivery and
 * reject a tampered one and a stripped one. Any other has to exit with 0 and print what its comments
 * show.
 */
export async function checkProgram(
  file: string,
  code: string,
  env: ProgramEnvironment,
): Promise<void> {
  const listens = code.includes('.listen(');
  if (listens || /^export (default|const (POST|handler)) /m.test(code)) {
    const { genuine, tampered, stripped } = await (listens ? postToProgram : callHandler)(
      file,
      env,
    );
    expect(genuine.toString(), 'the status for a signed delivery').toMatch(/^2/);
    expect(tampered.toString(), 'the status for a tampered delivery').toMatch(/^4/);
    expect(stripped.toString(), 'the status for a stripped delivery').toMatch(/^4/);
    return;
  }
  const exit = await runProgram(file, env);
  expect(exit.code, exit.stderr).toBe(0);
  expect(findMissingLines(findExpectedLines(code), exit.stdout), exit.stdout).toEqual([]);
}
