/**
 * Waits for something, but not for ever.
 *
 * @param seconds How long.
 * @param explain What the error says when it takes longer.
 */
export async function within<Result>(
  seconds: number,
  work: Promise<Result>,
  explain: () => string | Promise<string>,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(async () => reject(new Error(await explain())), seconds * 1000);
  });
  try {
    return await Promise.race([work, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
