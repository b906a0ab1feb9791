/** What a long-running command writes when it is ready, and where. */
interface ReadySignal {
  pattern: RegExp;
  stream: 'stdout' | 'stderr';
}

/** Commands that run until they are stopped. */
const longRunning: readonly { command: RegExp; ready: ReadySignal }[] = [
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

function onStdout(pattern: RegExp): ReadySignal {
  return { pattern, stream: 'stdout' };
}

/** Returns what a long-running command writes when it is ready; undefined for other commands. */
export function findReadySignal(command: string): ReadySignal | undefined {
  return longRunning.find((candidate) => candidate.command.test(command))?.ready;
}
