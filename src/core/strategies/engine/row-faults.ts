import type { RunOrderRow, RunRecord } from './records.js'

/** Why stored orders cannot be turned into positions. */
export interface RowFault {
  why: string
  /** The leg of the order, if the run has it. */
  legId: number | null
}

/** Returns the reason the stored orders cannot be turned into positions. Null if they can. */
export function faultOf({ definition, rows }: RunRecord): RowFault | null {
  const entries = new Map<string, RunOrderRow>()
  const ids = new Set<string>()
  for (const row of rows) {
    const { legId } = row
    if (!definition.legs.some(({ id }) => id === legId)) {
      return { why: `order ${row.id} has no leg ${legId}`, legId: null }
    }
    const fault = rowFault(row) ?? ownerFault(row, entries.get(row.positionRef))
    if (fault !== null) return { why: `order ${row.id} ${fault}`, legId }
    if (ids.has(row.id)) return { why: `order ${row.id} is stored twice`, legId }
    ids.add(row.id)
    if (row.kind === 'entry') entries.set(row.positionRef, row)
  }
  return null
}

/** A filled quantity above the order's is no fault: somebody has changed the order at the broker. */
function rowFault({ quantity, filledQuantity, action }: RunOrderRow): string | null {
  if (!Number.isSafeInteger(quantity) || quantity <= 0) return 'has no whole quantity'
  if (!Number.isSafeInteger(filledQuantity) || filledQuantity < 0) return 'has no whole filled quantity'
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
