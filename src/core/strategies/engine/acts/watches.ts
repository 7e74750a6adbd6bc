import type { Contract } from '../definition.js'
import type { RunState } from '../state/run-state.js'

/** Watches the contracts of legs that hold or wait for something, and releases the others. */
export function followWatches(state: RunState): void {
  const wanted: Contract[] = []
  for (const leg of state.legs) {
    if (leg.isFlat && leg.wait === null) continue
    if (!has(wanted, leg.contract)) wanted.push(leg.contract)
  }
  for (const one of wanted) if (!has(state.watched, one)) tell(state, 'watch', one)
  for (const one of state.watched) if (!has(wanted, one)) leave(state, one)
  state.watched = wanted
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
