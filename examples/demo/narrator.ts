/** Prints what the demo does: numbered steps in plain text, without colours or cursor movements. */
export interface Narrator {
  /** Starts the next numbered step. */
  step(title: string): void;
  /** Prints a sentence. */
  say(sentence: string): void;
  /** Prints a shell command; a long one on several lines. */
  command(line: string): void;
  /** Prints lines of code. */
  code(...lines: string[]): void;
  /** Prints the result of the step, line by line. */
  result(...lines: string[]): void;
  /** Prints named values, one on each line. */
  fields(values: Record<string, string>): void;
  /** Prints what the step has proved. Throws if `condition` is false: the demo has failed. */
  confirm(condition: boolean, statement: string): void;
  /** Names the current step, for an error message. */
  currentStep(): string;
}

/** Longer commands get a line for each option. */
const maxCommandLength = 100;

/** Creates a narrator that prints with `write`. */
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
      const fits = text.length <= maxCommandLength;
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
    confirm(condition, statement) {
      if (!condition) throw new Error(`This is not true, but should be: ${statement}`);
      line(3, `✓ ${statement}`);
    },
    currentStep: () => current,
  };
}

/** Returns the first characters of a key or a secret: enough to recognise it, too few to use it. */
export function shorten(secret: string): string {
  return `${secret.slice(0, secret.indexOf('_') + 5)}…`;
}
