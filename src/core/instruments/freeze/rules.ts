import { ServiceError } from '../../errors/index.js'
import { FREEZE_EXCHANGES, type FreezeExchange, MAX_FREEZE_QUANTITY } from './schema.js'

/** Underlying roots such as `NIFTY`, `M&M`, `BAJAJ-AUTO` and `360ONE`. */
const SYMBOL = /^[A-Z0-9][A-Z0-9&._-]{0,49}$/
const SYMBOL_RULE = 'Must be an underlying such as NIFTY or M&M: up to 50 letters, digits and & - _ .'
const QUANTITY_RULE = `Must be a whole number from 1 to ${MAX_FREEZE_QUANTITY}.`

/** Returns the exchange in upper case. @throws ServiceError `validation` for one without freeze quantities */
export function checkedExchange(text: string): FreezeExchange {
  const name = text.trim().toUpperCase()
  const exchange = FREEZE_EXCHANGES.find((known) => known === name)
  if (!exchange) throw refused('exchange', `Exchange must be one of: ${FREEZE_EXCHANGES.join(', ')}`)
  return exchange
}

/** Returns the underlying in upper case. @throws ServiceError `validation` */
export function checkedSymbol(text: string): string {
  const symbol = text.trim().toUpperCase()
  const problem = symbolProblem(symbol)
  if (problem !== undefined) throw refused('symbol', problem)
  return symbol
}

/** @throws ServiceError `validation` for a quantity that no exchange has */
export function checkQuantity(quantity: number): void {
  const problem = quantityProblem(quantity)
  if (problem !== undefined) throw refused('freeze_qty', problem)
}

/** Returns why a text, trimmed and in upper case, is no underlying; undefined if it may be one. */
export function symbolProblem(symbol: string): string | undefined {
  return SYMBOL.test(symbol) ? undefined : SYMBOL_RULE
}

/** Returns why a number is no freeze quantity; undefined if it may be one. */
export function quantityProblem(quantity: number): string | undefined {
  const isPossible = Number.isInteger(quantity) && quantity >= 1 && quantity <= MAX_FREEZE_QUANTITY
  return isPossible ? undefined : QUANTITY_RULE
}

function refused(field: string, text: string): ServiceError {
  return new ServiceError('validation', text, { errors: { [field]: [text] } })
}
