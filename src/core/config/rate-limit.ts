/** A limit of `count` calls in any period of `perMs` milliseconds. */
export interface RateWindow {
  count: number
  perMs: number
}

const UNIT_MS: Readonly<Record<string, number>> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
}

const WINDOW = /^(\d{1,9})\s*(?:\/|\bper\b)\s*(\d{1,5})?\s*(second|minute|hour|day)s?$/i

/**
 * Parses a rate limit: `N per [M] second|minute|hour|day` or `N/second`. Several limits are joined by `;` and
 * all apply.
 * @throws RangeError if the text is not a rate limit
 */
export function parseRateLimit(text: string): RateWindow[] {
  return text.split(';').map((part) => {
    const match = WINDOW.exec(part.trim())
    const count = Number(match?.[1])
    const perMs = Number(match?.[2] ?? 1) * (UNIT_MS[match?.[3]?.toLowerCase() ?? ''] ?? 0)
    if (!match || count < 1 || perMs < 1) {
      throw new RangeError(
        `not a rate limit: ${JSON.stringify(text)} (write it like "10 per second;200 per minute")`,
      )
    }
    return { count, perMs }
  })
}

/** Returns a rate limit as text that {@link parseRateLimit} reads. */
export function rateLimitText(windows: readonly RateWindow[]): string {
  return windows.map(({ count, perMs }) => `${count} per ${periodText(perMs)}`).join(';')
}

function periodText(perMs: number): string {
  const [unit = 'second', unitMs = 1000] =
    Object.entries(UNIT_MS).findLast(([, length]) => perMs % length === 0) ?? []
  return perMs === unitMs ? unit : `${perMs / unitMs} ${unit}s`
}
