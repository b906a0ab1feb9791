import type { Command } from 'commander';
import { createScript, type Shell, shells } from '../completion/script';
import type { CliContext } from '../context';
import { addHelp } from '../help/help';
import { writeData } from '../output/print';

export function configure(command: Command, context: CliContext): void {
  command
    .addArgument(command.createArgument('<shell>', 'your shell').choices(shells))
    .action((shell: Shell) => writeData(context.stdout, createScript(shell)));
  addHelp(command, {
    Examples: [
      '$ tradepost completion bash > ~/.local/share/bash-completion/completions/tradepost',
      '$ tradepost completion zsh > ~/.zfunc/_tradepost',
      '$ tradepost completion fish > ~/.config/fish/completions/tradepost.fish',
      '$ tradepost completion powershell >> $PROFILE',
    ],
    Output: ['the script; --output has no effect'],
    Notes: [
      'For the current shell: `source <(tradepost completion bash)`, the same with zsh, `tradepost completion fish | source` in fish. For zsh, ~/.zfunc must be in $fpath.',
      'It completes commands, options, their values, fields, help topics and profile names, without a request.',
    ],
  });
}
