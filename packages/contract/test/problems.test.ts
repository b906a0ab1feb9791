import { describe, expect, test } from 'vitest';
import { contract } from '../src/contract';
import {
  codesOfStatus,
  type Problem,
  problemCodes,
  problemSchema,
  problems,
  problemType,
} from '../src/index';
import { routesOf } from '../src/openapi/routes';

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
  test('is read with and without the list of what was wrong', () => {
    const errors = [{ path: 'quantity', message: 'must be at least 1' }];
    expect(problemSchema.parse(aProblem())).toEqual(aProblem());
    expect(problemSchema.parse(aProblem({ errors }))).toEqual(aProblem({ errors }));
  });

  test('has a code of the closed list', () => {
    expect(problemSchema.safeParse({ ...aProblem(), code: 'teapot' }).success).toBe(false);
  });

  test('has the status of an error', () => {
    expect(problemSchema.safeParse(aProblem({ status: 200 })).success).toBe(false);
  });
});

describe.each(problemCodes)('the code %s', (code) => {
  test('is found by its status', () => {
    expect(codesOfStatus(problems[code].status)).toContain(code);
  });

  test('has a type of its own, which is a URI', () => {
    expect(problemType(code)).toBe(`urn:tradepost:problem:${code}`);
    expect(URL.canParse(problemType(code))).toBe(true);
  });

  test('has a title of its own', () => {
    const titles = problemCodes.map((other) => problems[other].title);
    expect(titles.filter((title) => title === problems[code].title)).toHaveLength(1);
  });
});

test('every status of a route that is no success is one that a code has', () => {
  for (const { route, name } of routesOf(contract)) {
    const failures = Object.keys(route.responses)
      .map(Number)
      .filter((status) => status >= 300);
    for (const status of failures)
      expect(codesOfStatus(status), `${name} ${status}`).not.toEqual([]);
  }
});
