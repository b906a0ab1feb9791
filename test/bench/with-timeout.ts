/**
 * Waits for `work` with a timeout.
 *
 * @param seconds The timeout.
 * @param explain Returns the message of the timeout error.
 */
export async function withTimeout<Result>(
  seconds: number,
  work: Promise<Result>,
  explain: () => string | Promise<string>,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(async () => reject(new Error(await explain())), seconds * 1000);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
