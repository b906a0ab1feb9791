import { expect } from 'vitest';
import type { Exit } from '../../helpers/start-process';
import type { Shape } from './command-lines';

/** How data is printed. */
export const outputs = ['table', 'json', 'ndjson', 'csv'] as const;

/** One way of them. */
export type Output = (typeof outputs)[number];

/** What belongs on stderr. */
const asides = /^(error|hint|request id): |more exist: |^No \w+ found\.$|is not shown again/m;

function expectData(stdout: string, output: Output, shape: Shape): void {
  if (shape === 'text' || output === 'table') expect(stdout).not.toMatch(asides);
  else if (output === 'json') expect(Array.isArray(JSON.parse(stdout))).toBe(shape === 'list');
  else if (output === 'csv') expect(stdout).toMatch(/^[A-Za-z]+(,[A-Za-z]+)*\r?\n/);
  else {
    for (const line of stdout.split('\n').slice(0, -1))
      expect(JSON.parse(line)).toBeTypeOf('object');
  }
}

/**
 * Holds a run to what every run keeps: stdout is data in its format or nothing, stderr has none, an
 * error is an object on its last line where JSON is asked for, and no stack is shown.
 *
 * @param shape what it prints when it succeeds; after a failure what stdout has may be less
 */
export function expectPure(
  { code, stdout, stderr }: Exit,
  output: Output,
  shape: Shape = 'list',
): void {
  const about = `--output ${output}, exit code ${code}\n${stdout}\n--- stderr\n${stderr}`;
  try {
    if (stdout !== '') expectData(stdout, output, shape);
    expect(stdout + stderr).not.toMatch(/^ {4}at |^node:/m);
    const lines = stderr.trimEnd().split('\n');
    if (output === 'table' || output === 'csv') {
      if (code !== 0) expect(stderr).toMatch(/^error: \S/m);
      return;
    }
    const objects = lines.filter((line) => line.startsWith('{'));
    expect(objects).toHaveLength(code === 0 ? 0 : 1);
    if (code === 0) return;
    expect(lines.at(-1)).toBe(objects[0]);
    expect(JSON.parse(objects[0] ?? '')).toEqual({
      error: {
        code: expect.stringMatching(/^[a-z_]+$/),
        message: expect.stringMatching(/\S/),
        status: expect.toBeOneOf([null, expect.any(Number)]),
        requestId: expect.toBeOneOf([null, expect.any(String)]),
        hint: expect.toBeOneOf([null, expect.any(String)]),
        errors: expect.any(Array),
      },
    });
  } catch (error) {
    throw new Error(about, { cause: error });
  }
}
