const LOOK_MS = 20

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Waits until the condition is true, with frequent checks. @throws Error at the time limit */
export async function eventually(
  isSo: () => boolean | Promise<boolean>,
  limitMs = 30_000,
  what?: string,
): Promise<void> {
  const until = Date.now() + limitMs
  while (!(await isSo())) {
    if (Date.now() > until) throw new Error(`not within ${limitMs} ms: ${what ?? isSo}`)
    await pause(LOOK_MS)
  }
}
