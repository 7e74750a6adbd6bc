import { orderOperation } from '../orders/schema.js'

/**
 * Returns whether a request waits for approval: the user's mode is `semi_auto` and the operation is queueable
 * (names are compared case-insensitively). When the mode cannot be read, the request is executed at once.
 */
export function shouldQueue(orderMode: () => string | undefined, operation: string): boolean {
  if (!orderOperation(operation)?.queueable) return false
  try {
    return orderMode() === 'semi_auto'
  } catch {
    return false
  }
}
