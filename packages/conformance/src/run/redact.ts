/** Replaces keys and secrets in what is shown. */
export interface Redactor {
  text(text: string): string;
  bytes(bytes: Buffer): Buffer;
}

/** Shorter values are no secrets, and would be found everywhere. */
const shortest = 4;

/** A value as it is, and as it stands in JSON, where a slash may be escaped too, and in a URL. */
function listForms(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  return [...new Set([value, json, json.replaceAll('/', '\\/'), encodeURIComponent(value)])];
}

/** @param secrets what must not be shown, and what is shown instead; longer ones are replaced first */
export function createRedactor(secrets: readonly (readonly [string, string])[]): Redactor {
  const known = [...new Map(secrets)]
    .filter(([value]) => value.length >= shortest)
    .flatMap(([value, shown]) => listForms(value).map((form) => [form, shown] as const))
    .toSorted(([a], [b]) => b.length - a.length);
  const replace = (text: string, values: readonly (readonly [string, string])[]) =>
    values.reduce((result, [value, shown]) => result.replaceAll(value, shown), text);
  // As Latin-1, every byte is a character: the other ones stay as they are.
  const latin = known.map(
    ([value, shown]) => [Buffer.from(value).toString('latin1'), shown] as const,
  );
  /** Replaces the beginnings of secrets that were cut: `key_12…`. */
  const replaceCut = (text: string) =>
    text.replace(/[^…]+(?=…)/g, (part) => {
      for (const [value, shown] of known) {
        for (let length = value.length - 1; length >= shortest; length -= 1) {
          if (part.endsWith(value.slice(0, length))) return part.slice(0, -length) + shown;
        }
      }
      return part;
    });
  return {
    text(content) {
      const text = replace(content, known);
      return text.includes('…') ? replaceCut(text) : text;
    },
    bytes(bytes) {
      const before = bytes.toString('latin1');
      const after = replace(before, latin);
      return after === before ? bytes : Buffer.from(after, 'latin1');
    },
  };
}
