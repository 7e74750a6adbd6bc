import type { Contract } from '../definition.js'
import type { RunState } from '../state/run-state.js'

/** Watches the contracts of legs that hold or wait for something, and releases the others. */
export function followWatches(state: RunState): void {
  const needed: Contract[] = []
  for (const leg of state.legs) {
    if (leg.isFlat && leg.wait === null) continue
    if (!has(needed, leg.contract)) needed.push(leg.contract)
  }
  for (const one of needed) if (!has(state.watched, one)) tell(state, 'watch', one)
  for (const one of state.watched) if (!has(needed, one)) leave(state, one)
  state.watched = needed
}

/** Gives a contract back with its last price, which would be an old one when the contract is watched again. */
function leave(state: RunState, contract: Contract): void {
  for (const leg of state.legs) if (leg.isOn(contract.symbol, contract.exchange)) leg.forgetPrice()
  tell(state, 'unwatch', contract)
}

function has(contracts: readonly Contract[], { symbol, exchange }: Contract): boolean {
  return contracts.some((one) => one.symbol === symbol && one.exchange === exchange)
}

function tell(state: RunState, type: 'watch' | 'unwatch', { symbol, exchange }: Contract): void {
  state.emit({ type, symbol, exchange })
}
