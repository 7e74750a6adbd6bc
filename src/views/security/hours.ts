/** The word for a ban without an end. */
export const PERMANENT = 'permanent'

const UNITS: Readonly<Record<string, number>> = { h: 1, d: 24 }

/** Returns the hours of a text such as `12h` or `7d`; undefined when it is none. */
export function hoursIn(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d{1,6})([hd])$/.exec(text) ?? []
  const factor = UNITS[unit]
  return amount === undefined || factor === undefined ? undefined : Number(amount) * factor
}
