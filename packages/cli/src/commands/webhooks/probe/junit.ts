import type { ProbeReport } from '@tradepost/sdk/testing';

/** Escapes a text for an attribute in XML. What XML 1.0 cannot contain is left out. */
function escapeXml(text: string): string {
  const plain = text.replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd]/g, '');
  return plain.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Formats a report as JUnit XML: a test case for each case. What was not run is skipped; notes pass. The URL has no query. */
export function toJUnit(url: string, { cases, causes, counts }: ProbeReport): string {
  const milliseconds = cases.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0);
  const lines = cases.map(({ name, verdict, status, error, cause, durationMs }) => {
    const text = causes.find((one) => one.name === cause)?.text ?? '';
    const head = `  <testcase classname="probe" name="${escapeXml(name)}" time="${(durationMs ?? 0) / 1_000}"`;
    if (verdict === 'fail') {
      const message = escapeXml(`${cause} (${status ?? error}): ${text}`);
      return `${head}><failure message="${message}"/></testcase>`;
    }
    return verdict === 'not run' ? `${head}><skipped/></testcase>` : `${head}/>`;
  });
  const numbers = `tests="${cases.length}" failures="${counts.fail}" skipped="${counts.notRun}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="${escapeXml(`webhooks probe ${url}`)}" ${numbers} time="${milliseconds / 1_000}">`,
    ...lines,
    '</testsuite>',
    '',
  ].join('\n');
}
