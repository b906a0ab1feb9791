import { expect } from 'vitest';
import type { Exit } from '../../../helpers/start-process';
import type { Shape } from './command-lines';

/** The output formats. */
export const outputFormats = ['table', 'json', 'ndjson', 'csv'] as const;

/** One of the output formats. */
export type OutputFormat = (typeof outputFormats)[number];

/** Texts that belong on stderr. */
const notices = /^(error|hint|request id): |more exist: |^No \w+ found\.$|is not shown again/m;

function expectData(stdout: string, output: OutputFormat, shape: Shape): void {
  if (shape === 'text' || output === 'table') expect(stdout).not.toMatch(notices);
  else if (output === 'json') expect(Array.isArray(JSON.parse(stdout))).toBe(shape === 'list');
  else if (output === 'csv') expect(stdout).toMatch(/^\w+(,\w+)*\r?\n/);
  else {
    for (const line of stdout.split('\n').slice(0, -1))
      expect(JSON.parse(line)).toBeTypeOf('object');
  }
}

/**
 * Expects what is true of every run: stdout has data in the requested format or nothing, stderr has no data, with
 * JSON an error is an object on the last line of stderr, and there is no stack trace.
 *
 * @param shape What the command prints when it succeeds. After a failure stdout may have less.
 */
export function expectCleanOutput(
  { code, stdout, stderr }: Exit,
  output: OutputFormat,
  shape: Shape = 'list',
): void {
  const description = `--output ${output}, exit code ${code}\n${stdout}\n--- stderr\n${stderr}`;
  try {
    if (stdout !== '') expectData(stdout, output, shape);
    expect(stdout + stderr).not.toMatch(/^ {4}at |^node:/m);
    const lines = stderr.trimEnd().split('\n');
    if (output === 'table' || output === 'csv') {
      // A person who pressed Ctrl-C knows why the command ended.
      if (code !== 0 && code !== 130) expect(stderr).toMatch(/^error: \S/m);
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
    throw new Error(description, { cause: error });
  }
}
