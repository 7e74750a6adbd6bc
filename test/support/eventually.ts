const LOOK_MS = 20
/** Ends a wait for what never comes. A busy machine may be many times slower than an idle one. */
const LIMIT_MS = 120_000

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Waits until the condition is true, with a check every `lookMs`. @throws Error when it never becomes true */
export async function eventually(
  isSo: () => boolean | Promise<boolean>,
  what?: string,
  lookMs = LOOK_MS,
): Promise<void> {
  const until = Date.now() + LIMIT_MS
  while (!(await isSo())) {
    if (Date.now() > until) throw new Error(`not within ${LIMIT_MS} ms: ${what ?? isSo}`)
    await pause(lookMs)
  }
}
