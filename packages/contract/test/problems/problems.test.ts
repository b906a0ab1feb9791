import { describe, expect, test } from 'vitest';
import { contract } from '../../src/contract';
import {
  codesForStatus,
  type Problem,
  problemCodes,
  problemSchema,
  problems,
  problemType,
} from '../../src/index';
import { listRoutes } from '../../src/openapi/routes';

function aProblem(overrides: Partial<Problem> = {}): Problem {
  return {
    type: problemType('validation_failed'),
    title: problems.validation_failed.title,
    status: 422,
    detail: 'quantity must be at least 1',
    code: 'validation_failed',
    requestId: 'req-1',
    ...overrides,
  };
}

describe('a problem', () => {
  test('parses with and without a list of issues', () => {
    const errors = [{ path: 'quantity', message: 'must be at least 1' }];
    expect(problemSchema.parse(aProblem())).toEqual(aProblem());
    expect(problemSchema.parse(aProblem({ errors }))).toEqual(aProblem({ errors }));
  });

  test('rejects an unknown code', () => {
    expect(problemSchema.safeParse({ ...aProblem(), code: 'teapot' }).success).toBe(false);
  });

  test('requires an error status', () => {
    expect(problemSchema.safeParse(aProblem({ status: 200 })).success).toBe(false);
  });
});

describe.each(problemCodes)('the code %s', (code) => {
  test('is listed under its status', () => {
    expect(codesForStatus(problems[code].status)).toContain(code);
  });

  test('has a unique type, which is a URI', () => {
    expect(problemType(code)).toBe(`urn:tradepost:problem:${code}`);
    expect(URL.canParse(problemType(code))).toBe(true);
  });

  test('has a unique title', () => {
    const titles = problemCodes.map((other) => problems[other].title);
    expect(titles.filter((title) => title === problems[code].title)).toHaveLength(1);
  });
});

test('every error status of a route belongs to a code', () => {
  for (const { route, name } of listRoutes(contract)) {
    const failures = Object.keys(route.responses)
      .map(Number)
      .filter((status) => status >= 300);
    for (const status of failures)
      expect(codesForStatus(status), `${name} ${status}`).not.toEqual([]);
  }
});
