const DATE = /^\d{4}-\d{2}-\d{2}$/
const WITH_ZONE = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/

/** Returns whether a text is an existing date in the form `YYYY-MM-DD`. `Date` would read 31 November as 1 December. */
export function isDate(text: string): boolean {
  if (!DATE.test(text)) return false
  const instant = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(text)
}

/** Parses an ISO 8601 time with its zone, such as `2026-11-20T09:15:00+05:30`; undefined for any other text. */
export function zonedInstant(text: string): number | undefined {
  const [, date = ''] = WITH_ZONE.exec(text) ?? []
  const instant = isDate(date) ? Date.parse(text) : Number.NaN
  return Number.isNaN(instant) ? undefined : instant
}
