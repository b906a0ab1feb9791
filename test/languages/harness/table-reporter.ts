import type { Reporter, TestCase, TestModule, TestResult, TestSuite } from 'vitest/node';

interface Row {
  language: string;
  tool: string;
  result: string;
}

function describeResult(tests: readonly TestCase[]): string {
  const count = (state: TestResult['state']) =>
    tests.filter((test) => test.result().state === state).length;
  const failed = count('failed');
  if (failed > 0) return `FAILED: ${failed} of ${tests.length} checks`;
  const passed = count('passed');
  const missing = tests.length - passed;
  return missing === 0 ? `ok (${passed} checks)` : `ok (${passed} checks), ${missing} NOT RUN`;
}

function toRows(language: TestSuite): Row[] {
  const rows = [...language.children.suites()].map((tool) => ({
    language: language.name,
    tool: tool.name,
    result: describeResult([...tool.children.allTests()]),
  }));
  // A language that is not installed has one test, which is skipped with the reason.
  const skipped = [...language.children.tests()].map((test) => {
    const result = test.result();
    const reason = result.state === 'skipped' ? result.note : undefined;
    return { language: language.name, tool: test.name, result: reason ?? describeResult([test]) };
  });
  return [...rows, ...skipped];
}

/** Prints a table when the tests of the languages have ended: language, library or generator, result. */
export default class TableReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = modules.flatMap(({ children }) => [...children.suites()].flatMap(toRows));
    rows.sort((a, b) => a.language.localeCompare(b.language));
    const width = (column: 'language' | 'tool') =>
      Math.max(0, ...rows.map((row) => row[column].length));
    const lines = rows.map(({ language, tool, result }) =>
      [language.padEnd(width('language')), tool.padEnd(width('tool')), result].join('  '),
    );
    console.log(`\n${lines.join('\n')}\n`);
  }
}
