/** Commands that go on until they are stopped, and what each writes once it does its work. */
const lasting: readonly { command: RegExp; ready: RegExp }[] = [
  { command: /^tradepost-server start\b/, ready: /^listening on /m },
  { command: /\bnpm --prefix examples run --silent receiver\b/, ready: /^listening on /m },
  { command: /\bnpm --prefix examples run --silent follow\b/, ready: /\bis pending\.$/m },
];

/** What a command that goes on until it is stopped writes when it is ready; undefined for others. */
export function readySign(command: string): RegExp | undefined {
  return lasting.find((one) => one.command.test(command))?.ready;
}
