/**
 * Thrown by what parses an option or an argument: the parser adds which one it was, and the command
 * line ends with exit code 2.
 */
export class InvalidArgument extends Error {
  override readonly name = 'InvalidArgument' as const;
  /** What the parser knows it by. Its own class is not loaded with the commands. */
  readonly code = 'commander.invalidArgument';
}
