import type { RunOrderRow, RunRecord } from './types.js'

/** Returns why the stored orders cannot be turned into positions. Null if they can. */
export function faultOf({ definition, rows }: RunRecord): string | null {
  const entries = new Map<string, RunOrderRow>()
  const ids = new Set<string>()
  for (const row of rows) {
    const fault = rowFault(row) ?? ownerFault(row, entries.get(row.positionRef))
    if (fault !== null) return `order ${row.id} ${fault}`
    if (ids.has(row.id)) return `order ${row.id} is stored twice`
    if (!definition.legs.some(({ id }) => id === row.legId)) return `order ${row.id} has no leg ${row.legId}`
    ids.add(row.id)
    if (row.kind === 'entry') entries.set(row.positionRef, row)
  }
  return null
}

function rowFault({ quantity, filledQuantity, action }: RunOrderRow): string | null {
  if (!Number.isSafeInteger(quantity) || quantity <= 0) return 'has no whole quantity'
  if (!Number.isSafeInteger(filledQuantity) || filledQuantity < 0 || filledQuantity > quantity) {
    return 'has a filled quantity that does not fit its quantity'
  }
  return action === 'BUY' || action === 'SELL' ? null : 'has no action'
}

function ownerFault(row: RunOrderRow, entry: RunOrderRow | undefined): string | null {
  if (row.kind === 'entry') return entry ? 'is a second entry of its position' : null
  if (!entry) return 'is an exit of a position without an entry'
  const isSame = entry.symbol === row.symbol && entry.exchange === row.exchange && entry.legId === row.legId
  if (!isSame) return 'is on another contract than the entry of its position'
  if (row.action === entry.action && row.kind !== 'exit_recovery')
    return 'is an exit on the side of the entry'
  return null
}
