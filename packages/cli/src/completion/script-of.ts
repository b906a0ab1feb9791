import { bashScript } from './bash-script';

/** The shells that there is a script for. */
export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

/** A shell that there is a script for. */
export type Shell = (typeof shells)[number];

/** The script that lets a shell ask `tradepost complete` for words. */
export async function scriptOf(shell: Shell): Promise<string> {
  // The one of the library needs a package that not every bash has, and evaluates what is typed.
  if (shell === 'bash') return bashScript;
  const { script } = await import('../apart/completion-scripts');
  // The library prints its scripts. Nothing else runs in between.
  const { log } = console;
  let text = '';
  console.log = (line: string) => {
    text += `${line}\n`;
  };
  try {
    script(shell, 'tradepost', 'tradepost');
  } finally {
    console.log = log;
  }
  return text;
}
