/** The result of a command line. */
export interface CommandResult {
  code: number | null;
  /** On a terminal, everything that the screen shows at the end. */
  stdout: string;
  /** Empty on a terminal, which shows it on the screen. */
  stderr: string;
}

/** The text of a scenario: command lines, their output and their exit codes. */
export interface Transcript {
  /** Adds a command line and its result. */
  add(line: string, result: CommandResult): void;
  /** Replaces a text from now on. */
  mask(text: string, replacement: string): void;
  /** Returns the whole transcript. */
  text(): string;
}

/** Patterns of what differs from run to run, and their replacements. */
const patterns: readonly (readonly [RegExp, string | ((found: string) => string)])[] = [
  [/\breq_[0-9a-f]{32}/g, `req_${'0'.repeat(32)}`],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g, (timestamp) => timestamp.replaceAll(/\d/g, '0')],
  // On a terminal: local times, the offset of the machine, and ages.
  [
    /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?: [+-]\d\d:\d\d)?(?: \([^)]*\))?/g,
    (time) => time.replace(/\(.*/, '(age)').replaceAll(/\d/g, '0'),
  ],
  [/(?<=\bstaged )(?:just now|\d+ secs? ago)/g, 'just now'],
  [/(?<=\b[Ss]tarted\s)(?:now|\d+\s(?:sec|min)\sago)/g, 'now'],
  [/\b\d{8}T\d{6}Z-\w+/g, '00000000T000000Z-0'],
  [/\b[0-9a-f]{64}\b/g, '0'.repeat(64)],
  [/\bv1,[\w+/]{43}=/g, `v1,${'0'.repeat(43)}=`],
  [/(?<=webhook-timestamp: )\d{10}/gi, '0000000000'],
  [/\bwhsec_[\w+/=]{20,}/g, (secret) => `whsec_${'0'.repeat(secret.length - 6)}`],
  [/\b(tpk|tpc)_[0-9A-Za-z]{38}\b/g, (secret) => `${secret.slice(0, 4)}${'0'.repeat(38)}`],
  [/\btpk_\w{2,8}…/g, (prefix) => `tpk_${'0'.repeat(prefix.length - 5)}…`],
  [/(?<="duration(?:Ms)?": ?)\d+/g, '0'],
  [/\b\d+(\.\d+)?(?= ms\b)/g, '0'],
  [/\bNode \d+\.\d+\.\d+/g, 'Node 20.20.0'],
  // The version of our packages, alone on a line or after our name.
  [/(?<=^|\btradepost[ /])\d+\.\d+\.\d+(?:-[\w.]+)?\b/gim, '0.0.0'],
  // An ID that is truncated in the middle, to fit the terminal.
  [
    /(?<=\b(?:ord|usr|lst|ntf|whk|dlv|evt|key)_)[0-9A-Z]+(?=…)|(?<=…)[0-9A-Z]+\b/g,
    (cut) => '0'.repeat(cut.length),
  ],
];

/**
 * Creates a transcript. Replaces what differs from run to run, with the same length where columns depend on it.
 * An ID has the same replacement throughout. IDs of the examples in the help are kept.
 */
export function createTranscript(): Transcript {
  const masks = new Map<string, string>();
  const ids = new Map<string, string>();
  const counts = new Map<string, number>();
  const parts: string[] = [];

  function maskId(id: string): string {
    const known = ids.get(id);
    if (known !== undefined) return known;
    const prefix = id.slice(0, id.indexOf('_') + 1);
    const count = (counts.get(prefix) ?? 0) + 1;
    counts.set(prefix, count);
    const mask = prefix + String(count).padStart(id.length - prefix.length, '0');
    ids.set(id, mask);
    return mask;
  }

  function applyMasks(text: string): string {
    let masked = text;
    for (const [original, replacement] of masks) masked = masked.replaceAll(original, replacement);
    masked = masked.replaceAll(
      /\b(?:ord|usr|lst|ntf|whk|dlv|evt|tsk|key)_(?!01KAJ8Q0V7)(?:TradepostTest)?[0-9A-Z]{26}/g,
      maskId,
    );
    for (const [pattern, replacement] of patterns) {
      masked = masked.replaceAll(
        pattern,
        typeof replacement === 'string' ? () => replacement : replacement,
      );
    }
    return masked;
  }

  return {
    add(line, { code, stdout, stderr }) {
      const errorOutput = stderr === '' ? '' : `--- stderr\n${stderr}`;
      parts.push(
        applyMasks(`${line}\n${withNewline(stdout)}${withNewline(errorOutput)}`),
        `[exit code ${code}]\n\n`,
      );
    },
    mask: (original, replacement) => masks.set(original, replacement),
    text: () => parts.join(''),
  };
}

function withNewline(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
