/** Returns an age in the two largest units that fit: `12s`, `3m 05s`, `2h 10m`, `4d 3h`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const [minutes, hours, days] = [
    Math.floor(seconds / 60),
    Math.floor(seconds / 3600),
    Math.floor(seconds / 86_400),
  ]
  if (seconds < 60) return `${seconds}s`
  if (minutes < 60) return `${minutes}m ${String(seconds % 60).padStart(2, '0')}s`
  if (hours < 24) return `${hours}h ${String(minutes % 60).padStart(2, '0')}m`
  return `${days}d ${hours % 24}h`
}
