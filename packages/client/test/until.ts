/** Lets real sockets do their work until `isDone()`; fails the test after ten seconds of it. */
export async function until(isDone: () => boolean, what = "the condition"): Promise<void> {
  const limit = performance.now() + 10_000;
  while (!isDone()) {
    if (performance.now() > limit) throw new Error(`${what} did not come true`);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

export async function rejection(work: Promise<unknown>): Promise<Error> {
  try {
    await work;
  } catch (error) {
    return error as Error;
  }
  throw new Error("expected a rejection");
}
