/** Tells a stranger what happens: plain lines, numbered steps, nothing that needs a terminal. */
export interface Narrator {
  /** Opens the next numbered step. */
  step(title: string): void;
  /** Says a sentence about what happens. */
  say(sentence: string): void;
  /** Shows a command as one would type it in a shell, a long one over several lines. */
  command(line: string): void;
  /** Shows code as one would write it in a program. */
  code(...lines: string[]): void;
  /** Shows what came of it, line by line. */
  result(...lines: string[]): void;
  /** Shows named values below each other. */
  fields(values: Record<string, string>): void;
  /** Shows a claim as true. Throws when it is not: then the demo has failed. */
  confirm(holds: boolean, claim: string): void;
  /** The step that is being told, for an error message. */
  where(): string;
}

/** Longer commands are broken before each option. */
const widest = 100;

/** A narrator that writes text to `write`. */
export function createNarrator(write: (text: string) => void): Narrator {
  let number = 0;
  let current = 'the start';
  const line = (indent: number, text: string) => write(`${' '.repeat(indent)}${text}\n`);

  return {
    step(title) {
      number += 1;
      current = `step ${number}, "${title}"`;
      write(`\n${number}  ${title}\n`);
    },
    say: (sentence) => line(3, sentence),
    command(text) {
      const fits = text.length <= widest;
      line(3, `$ ${fits ? text : text.replaceAll(' --', ' \\\n       --')}`);
    },
    code(...lines) {
      for (const text of lines) line(3, `> ${text}`);
    },
    result(...lines) {
      for (const text of lines) line(5, text);
    },
    fields(values) {
      const width = Math.max(...Object.keys(values).map((name) => name.length));
      for (const [name, value] of Object.entries(values))
        line(5, `${name.padEnd(width)}  ${value}`);
    },
    confirm(holds, claim) {
      if (!holds) throw new Error(`This should be so and is not: ${claim}`);
      line(3, `✓ ${claim}`);
    },
    where: () => current,
  };
}

/** The first characters of a key or a secret: enough to tell two apart, useless to a thief. */
export function shorten(secret: string): string {
  return `${secret.slice(0, secret.indexOf('_') + 5)}…`;
}
