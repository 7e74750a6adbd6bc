import { expiryToDate } from './expiry.js'

/**
 * Converts an expiry as users write it (`28OCT25`, `28-OCT-25`, `28-Oct-2025`; any case) to the form of the
 * instrument table, `28-OCT-25`. Returns undefined if it is not a date.
 */
export function storedExpiry(text: string): string | undefined {
  const match = /^(\d{2})-?([A-Z]{3})-?(?:20)?(\d{2})$/.exec(text.trim().toUpperCase())
  const stored = match && `${match[1]}-${match[2]}-${match[3]}`
  return stored && expiryToDate(stored) ? stored : undefined
}

/** Converts `28-OCT-25` to `28OCT25`. */
export function compactExpiry(expiry: string): string {
  return expiry.replaceAll('-', '')
}

/** Converts `28-OCT-25` to `28-Oct-2025`. */
export function longExpiry(expiry: string): string {
  const [day = '', month = '', year = ''] = expiry.split('-')
  return `${day}-${month.slice(0, 1)}${month.slice(1).toLowerCase()}-20${year}`
}
