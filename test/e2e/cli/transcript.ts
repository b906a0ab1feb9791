/** What came of a command line. */
export interface Played {
  code: number | null;
  /** On a terminal all that the screen shows in the end. */
  stdout: string;
  /** Empty on a terminal: it is on the screen. */
  stderr: string;
}

/** The text of a scene: what was typed, what came of it, and the exit codes. */
export interface Transcript {
  /** Adds a command line and what came of it. */
  add(line: string, played: Played): void;
  /** Covers something else, from now on. */
  cover(real: string, shown: string): void;
  /** All of it. */
  text(): string;
}

/** What differs from run to run and has a form of its own, and what is shown for it. */
const forms: readonly (readonly [RegExp, string | ((found: string) => string)])[] = [
  [/\breq_[0-9a-f]{32}/g, `req_${'0'.repeat(32)}`],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g, (moment) => moment.replaceAll(/\d/g, '0')],
  [/\b\d{8}T\d{6}Z-\w+/g, '00000000T000000Z-0'],
  [/\b[0-9a-f]{64}\b/g, '0'.repeat(64)],
  [/\bv1,[\w+/]{43}=/g, `v1,${'0'.repeat(43)}=`],
  [/(?<=webhook-timestamp: )\d{10}/gi, '0000000000'],
  [/\bwhsec_[\w+/=]{20,}/g, (secret) => `whsec_${'0'.repeat(secret.length - 6)}`],
  [/\btpk_\w{2,8}…/g, (hint) => `tpk_${'0'.repeat(hint.length - 5)}…`],
  [/(?<="duration(?:Ms)?": ?)\d+/g, '0'],
  [/\b\d+(\.\d+)?(?= ms\b)/g, '0'],
  [/\bNode \d+\.\d+\.\d+/g, 'Node 20.20.0'],
  // Of an id that is cut in its middle, to fit the terminal.
  [
    /(?<=\b(?:ord|usr|lst|ntf|whk|dlv|evt)_)[0-9A-Z]+(?=…)|(?<=…)[0-9A-Z]{3,}\b/g,
    (cut) => '0'.repeat(cut.length),
  ],
];

/**
 * Starts one. What differs from run to run is covered, by something of the same length where columns
 * depend on it. One id is covered by one cover throughout; those of the examples in the help stay.
 */
export function createTranscript(): Transcript {
  const covers = new Map<string, string>();
  const ids = new Map<string, string>();
  const counts = new Map<string, number>();
  const parts: string[] = [];

  function coverOf(id: string): string {
    const known = ids.get(id);
    if (known !== undefined) return known;
    const prefix = id.slice(0, id.indexOf('_') + 1);
    const count = (counts.get(prefix) ?? 0) + 1;
    counts.set(prefix, count);
    const cover = prefix + String(count).padStart(id.length - prefix.length, '0');
    ids.set(id, cover);
    return cover;
  }

  function covered(text: string): string {
    let shown = text;
    for (const [real, cover] of covers) shown = shown.replaceAll(real, cover);
    shown = shown.replaceAll(
      /\b(?:ord|usr|lst|ntf|whk|dlv|evt|tsk|key)_(?!01KAJ8Q0V7)[0-9A-Z]{26}/g,
      coverOf,
    );
    for (const [form, cover] of forms) {
      shown = shown.replaceAll(form, typeof cover === 'string' ? () => cover : cover);
    }
    return shown;
  }

  return {
    add(line, { code, stdout, stderr }) {
      const aside = stderr === '' ? '' : `--- stderr\n${stderr}`;
      parts.push(covered(`${line}\n${ended(stdout)}${ended(aside)}`), `[exit code ${code}]\n\n`);
    },
    cover: (real, shown) => covers.set(real, shown),
    text: () => parts.join(''),
  };
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
