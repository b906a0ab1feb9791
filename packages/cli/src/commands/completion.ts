import type { Command } from 'commander';
import { type Shell, scriptOf, shells } from '../completion/script-of';
import { sections } from '../help/sections';
import { writeData } from '../output/write';
import type { Terminal } from '../terminal';

/** `tradepost completion <shell>`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .addArgument(command.createArgument('<shell>', 'the shell that you use').choices(shells))
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost completion bash > ~/.local/share/bash-completion/completions/tradepost',
          '$ tradepost completion zsh > ~/.zfunc/_tradepost',
          '$ tradepost completion fish > ~/.config/fish/completions/tradepost.fish',
          '$ tradepost completion powershell >> $PROFILE',
        ],
        Output: ['the script, whatever --output says'],
        Notes: [
          'For the shell that is open: `source <(tradepost completion bash)`, in zsh with zsh instead of bash, `tradepost completion fish | source` in fish. The folder ~/.zfunc must be in $fpath.',
          'It completes commands, options, their values and the names of logins. No service is asked.',
        ],
      }),
    )
    .action((shell: Shell) => writeData(terminal.stdout, scriptOf(shell)));
}
