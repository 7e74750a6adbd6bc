import type { RunState } from '../state/run-state.js'
import type { Contract } from '../types.js'

/** Asks for the prices of legs that hold or wait for something, and gives the others back. */
export function followWatches(state: RunState): void {
  const wanted: Contract[] = []
  for (const leg of state.legs) {
    if (leg.isFlat && leg.wait === null) continue
    if (!has(wanted, leg.contract)) wanted.push(leg.contract)
  }
  for (const one of wanted) if (!has(state.watched, one)) tell(state, 'watch', one)
  for (const one of state.watched) if (!has(wanted, one)) tell(state, 'unwatch', one)
  state.watched = wanted
}

function has(contracts: readonly Contract[], { symbol, exchange }: Contract): boolean {
  return contracts.some((one) => one.symbol === symbol && one.exchange === exchange)
}

function tell(state: RunState, type: 'watch' | 'unwatch', { symbol, exchange }: Contract): void {
  state.emit({ type, symbol, exchange })
}
