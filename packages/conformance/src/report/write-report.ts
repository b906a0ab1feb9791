import { existsSync } from 'node:fs';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { styleText } from 'node:util';
import { badgeEndpoint, formatBadge } from './badge';
import { formatHtml } from './html';
import { formatJunit } from './junit';
import { formatJson, type Report } from './report';
import { formatTap } from './tap';
import { formatText, type TextFormat } from './text';

/** All formats by their names. */
export const formats = {
  text: formatText,
  json: formatJson,
  junit: formatJunit,
  tap: formatTap,
  html: formatHtml,
  badge: formatBadge,
  'badge-json': (report: Report) => `${JSON.stringify(badgeEndpoint(report))}\n`,
} satisfies Record<string, (report: Report, options: Partial<TextFormat>) => string>;

export type ReportFormat = keyof typeof formats;

export interface ReportOutput {
  format: ReportFormat;
  /** Null for stdout. A folder that does not exist is created. */
  file: string | null;
}

/** Thrown when reports could not be written. The message names each, and why; the others are written. */
export class ReportFileError extends Error {
  override name = 'ReportFileError' as const;
}

/** Formats for a terminal: its width, and its colours unless `NO_COLOR` is set. A pipe gets 100 columns. */
const terminalFormat = (stream: NodeJS.WriteStream): TextFormat => ({
  width: (stream.isTTY && stream.columns) || 100,
  style: (name, text) => styleText(name, text, { stream }),
});

/** As `mkdir` with `recursive`, which never ends below `/proc`: it asks again and again for what cannot be created. */
async function createFolder(path: string): Promise<void> {
  if (existsSync(path)) return;
  await createFolder(dirname(path));
  await mkdir(path);
}

/** Does something for each file, also after one that fails. */
async function eachFile(
  outputs: readonly ReportOutput[],
  work: (file: string, format: ReportFormat) => Promise<void>,
): Promise<void> {
  const failures: string[] = [];
  for (const { format, file } of outputs) {
    if (file === null) continue;
    try {
      await createFolder(dirname(file));
      await work(file, format);
    } catch (error) {
      failures.push(`Cannot write the report ${file}: ${(error as Error).message}.`);
    }
  }
  if (failures.length > 0) throw new ReportFileError(failures.join('\n'));
}

/**
 * Checks that every file can be written, without changing one: a run may take a day.
 *
 * @throws {@link ReportFileError}
 */
export const checkOutputs = (outputs: readonly ReportOutput[]): Promise<void> =>
  eachFile(outputs, async (file) => {
    const isNew = !existsSync(file);
    await (await open(file, 'a')).close();
    if (isNew) await rm(file);
  });

/**
 * Writes a report in each of the formats. All are tried, even if one fails.
 *
 * @throws {@link ReportFileError}
 */
export async function writeReports(
  report: Report,
  outputs: readonly ReportOutput[],
  stdout: NodeJS.WriteStream = process.stdout,
): Promise<void> {
  for (const { format, file } of outputs) {
    if (file === null) stdout.write(formats[format](report, terminalFormat(stdout)));
  }
  await eachFile(outputs, (file, format) => writeFile(file, formats[format](report, {})));
}
