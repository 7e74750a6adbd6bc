import { splitSymbol } from '../../instruments/index.js'
import { type SymbolRef, symbolKey } from '../../market/schema.js'
import { exactQuantity, type Money, shareOf } from '../../money/index.js'
import type { Decision, ExecutionPorts } from '../engine/execution.js'
import { addToToday } from '../engine/ledger.js'
import { positionKey } from '../engine/new-order.js'
import type { Account } from '../engine/state.js'
import type { SandboxHolding, SandboxInstruments, SandboxPosition } from '../schema.js'

/**
 * Settles delivery trades (T+1): shares bought before the given instant become holdings and are paid for;
 * sold shares leave the holdings and the account receives their price. Also removes flat delivery rows of
 * earlier sessions.
 * @returns the number of settled positions
 */
export function settleDelivery(
  ports: ExecutionPorts,
  account: Account,
  before: number,
  decision: Decision,
): number {
  let settled = 0
  for (const position of [...account.positions.values()]) {
    if (position.product !== 'CNC' || position.openedAt >= before) continue
    account.totals.rowChanged(position)
    if (position.quantity > 0) receive(ports, account, position, before, decision)
    else if (position.quantity < 0 && !deliver(ports, account, position, decision)) continue
    if (position.quantity !== 0) {
      settled += 1
      ports.state.countOpen(symbolKey(position), -1)
    } else if (position.updatedAt >= before) continue
    account.positions.delete(positionKey(position))
    decision.changes.removePosition(position)
    decision.changes.funds.add(account.funds)
  }
  return settled
}

/** Returns true for an option. Falls back to the spelling of the symbol when the master has dropped it. */
export function isOption({ symbol, exchange }: SymbolRef, instruments: SandboxInstruments): boolean {
  const type = instruments.find(symbol, exchange)?.instrumentType ?? splitSymbol(symbol)?.type
  return type === 'CE' || type === 'PE'
}

/**
 * Turns paid money into shares: spends the blocked margin and books the difference to the price from the
 * balance.
 */
function receive(
  { state }: ExecutionPorts,
  account: Account,
  position: SandboxPosition,
  settledAt: number,
  { changes }: Decision,
): void {
  const { funds } = account
  const key = symbolKey(position)
  const held = account.holdings.get(key)
  const holding: SandboxHolding = held ?? {
    userId: position.userId,
    symbol: position.symbol,
    exchange: position.exchange,
    quantity: 0,
    cost: 0n,
    ltp: position.ltp,
    settledAt,
  }
  if (holding.quantity === 0) state.countOpen(key, 1)
  holding.quantity = exactQuantity(holding.quantity + position.quantity)
  holding.cost += position.cost
  holding.ltp = position.ltp
  holding.settledAt = settledAt
  funds.used -= position.margin
  funds.available -= position.cost - position.margin
  account.holdings.set(key, holding)
  changes.holdings.add(holding)
}

/**
 * Turns sold shares into money and books the profit over their cost. Returns false when the shares are
 * missing.
 */
function deliver(
  { state }: ExecutionPorts,
  account: Account,
  position: SandboxPosition,
  { changes, session }: Decision,
): boolean {
  const { funds } = account
  const key = symbolKey(position)
  const holding = account.holdings.get(key)
  const sold = -position.quantity
  if (!holding || holding.quantity < sold) return false
  const cost = shareOf(holding.cost, sold, holding.quantity)
  const realized: Money = position.cost - cost
  holding.quantity = exactQuantity(holding.quantity - sold)
  holding.cost -= cost
  funds.used -= position.margin
  funds.available += position.margin + position.cost
  funds.realized += realized
  addToToday(funds, realized, session)
  if (holding.quantity > 0) {
    changes.holdings.add(holding)
    return true
  }
  account.holdings.delete(key)
  state.countOpen(key, -1)
  changes.removeHolding(holding)
  return true
}
