import type { ScenarioContext } from '../helpers/run-scenario';

/** Help pages and shell completion. */
export async function help({ run, runOnPipes }: ScenarioContext): Promise<void> {
  const as = 'anonymous';
  await run('tradepost --help', { as });
  await run('tradepost --version', { as });
  await run('tradepost', { as });
  await run('tradepost webhooks', { as });
  await run('tradepost orders set-status --help', { as });
  await run('tradepost help orders watch', { as });
  for (const topic of ['exit-codes', 'environment', 'output']) {
    await run(`tradepost help ${topic}`, { as });
  }
  await runOnPipes('tradepost help --help', { as });
  await runOnPipes('tradepost help orders lst', { as });
  await run('tradepost complete -- orders se', { as });
  await runOnPipes('tradepost complete -- orders list --status ""', { as });
  await run('tradepost completion bash | head -n 3', { as });
  await runOnPipes('tradepost completion zsh | head -n 3', { as });
  await runOnPipes('tradepost completion fish > tradepost.fish', { as });
  await runOnPipes('tradepost completion', { as });
  await runOnPipes('tradepost completion elvish', { as });
}
