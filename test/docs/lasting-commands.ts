/** What a command that goes on until it is stopped writes once it does its work, and where. */
interface ReadySign {
  pattern: RegExp;
  stream: 'stdout' | 'stderr';
}

/** Commands that go on until they are stopped. */
const lasting: readonly { command: RegExp; ready: ReadySign }[] = [
  { command: /^tradepost-server start\b/, ready: onStdout(/^listening on /m) },
  {
    command: /\bnpm --prefix examples run --silent receiver\b/,
    ready: onStdout(/^listening on /m),
  },
  {
    command: /\bnpm --prefix examples run --silent follow\b/,
    ready: onStdout(/\bis pending\.$/m),
  },
  { command: /^tradepost orders watch\b/, ready: onStdout(/\bord_\w+/) },
  {
    command: /^tradepost webhooks listen\b/,
    ready: { pattern: /^Forwarding events to /m, stream: 'stderr' },
  },
];

function onStdout(pattern: RegExp): ReadySign {
  return { pattern, stream: 'stdout' };
}

/** What a command that goes on until it is stopped writes when it is ready; undefined for others. */
export function readySign(command: string): ReadySign | undefined {
  return lasting.find((one) => one.command.test(command))?.ready;
}
