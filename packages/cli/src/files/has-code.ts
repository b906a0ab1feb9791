/** Whether an error is one of the system's with that code, such as `ENOENT`. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
