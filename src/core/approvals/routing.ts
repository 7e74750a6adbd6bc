/** Reads, and operations that must not wait for anybody (specification, "Operations never queued"). */
const NEVER_QUEUED: ReadonlySet<string> = new Set([
  'closeposition',
  'closeallpositions',
  'cancelorder',
  'cancelallorder',
  'modifyorder',
  'modifygttorder',
  'cancelgttorder',
  'gttorderbook',
  'orderstatus',
  'orderbook',
  'tradebook',
  'positions',
  'openposition',
  'holdings',
  'funds',
])

/**
 * Whether a call made with an API key waits for approval: the user's mode is `semi_auto` and the operation is
 * not one that never waits (compared case-insensitively). When the mode cannot be read, the call executes
 * immediately, as specified.
 */
export function shouldQueue(orderMode: () => string | undefined, operation: string): boolean {
  if (NEVER_QUEUED.has(operation.toLowerCase())) return false
  try {
    return orderMode() === 'semi_auto'
  } catch {
    return false
  }
}
