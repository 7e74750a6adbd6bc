import { formatMoney, toMoney } from '../../../money/index.js'

/** Returns the sum of amounts in rupees as funds have it: exact, with two places. */
export function rupees(...amounts: readonly number[]): string {
  return formatMoney(amounts.reduce((sum, amount) => sum + toMoney(amount), 0n))
}
