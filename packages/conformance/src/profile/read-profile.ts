import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { isMap, isNode, LineCounter, type Node, parseDocument } from 'yaml';
import type { z } from 'zod';
import { createProfileSchema, type Profile, type ProfilePlaces } from './profile';

/** A profile that cannot be used. The message names the file, the line and the field of each mistake. */
export class ProfileError extends Error {
  override name = 'ProfileError' as const;
}

/**
 * Reads a profile and resolves its keys.
 *
 * @throws {ProfileError} it cannot be read, is no YAML, or has mistakes
 */
export function readProfile(
  path: string,
  { env, refuseWaiver }: Omit<ProfilePlaces, 'readFile'>,
): Profile {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ProfileError(
      code === 'ENOENT'
        ? `There is no ${path}. Run init first: tradepost-conformance init --profile ${path}`
        : `Cannot read ${path} (${code}).`,
    );
  }
  const readFile = (file: string) => readFileSync(resolve(dirname(path), file), 'utf8');
  const profile = parseProfile(text, path, { env, readFile, refuseWaiver });
  const { receiver } = profile;
  if (!('https' in receiver)) return profile;
  const caFile = isAbsolute(receiver.https.caFile)
    ? receiver.https.caFile
    : join(dirname(path), receiver.https.caFile);
  return { ...profile, receiver: { https: { ...receiver.https, caFile } } };
}

/** As {@link readProfile}, of a text. `path` is for messages. */
export function parseProfile(text: string, path: string, places: ProfilePlaces): Profile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number) => `${path}:${lines.linePos(offset).line}`;
  if (document.errors.length > 0) {
    throw new ProfileError(
      document.errors.map(({ pos, message }) => `${at(pos[0])}: ${message}`).join('\n'),
    );
  }
  const checked = createProfileSchema(places).safeParse(document.toJS() ?? {});
  if (checked.success) return checked.data;

  const describe = (issue: z.core.$ZodIssue): string[] => {
    const fields = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map(
        (key) =>
          `${at(offsetOf([...fields, key]))}: ${[...fields, key].join('.')}: There is no such field.`,
      );
    }
    const node = document.getIn(fields, true);
    const message = node === undefined ? 'This field is missing.' : issue.message;
    return [`${at(offsetOf(fields))}: ${fields.join('.') || 'profile'}: ${message}`];
  };
  /** Where a field stands, or the nearest one around it that exists. */
  const offsetOf = (fields: (string | number)[]): number => {
    const last = fields.at(-1);
    if (last === undefined) return 0;
    const parent = document.getIn(fields.slice(0, -1), true);
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => String(key) === String(last))
      : undefined;
    const node = (pair?.key ?? document.getIn(fields, true)) as Node | undefined;
    return (isNode(node) && node.range?.[0]) || offsetOf(fields.slice(0, -1));
  };
  throw new ProfileError(checked.error.issues.flatMap(describe).join('\n'));
}
