const two = (value: number): string => String(value).padStart(2, '0')

/** Returns a time as the security routes show it to people: `DD-MM-YYYY hh:mm:ss AM`, in UTC. */
export function shownTime(at: number): string {
  const time = new Date(at)
  const date = `${two(time.getUTCDate())}-${two(time.getUTCMonth() + 1)}-${time.getUTCFullYear()}`
  const hour = time.getUTCHours()
  const clock = `${two(hour % 12 || 12)}:${two(time.getUTCMinutes())}:${two(time.getUTCSeconds())}`
  return `${date} ${clock} ${hour < 12 ? 'AM' : 'PM'}`
}

export const iso = (at: number): string => new Date(at).toISOString()
