import { EXCHANGES, isExchange } from '../../../views/market/exchange.js'
import type { Input } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { usageError } from '../../framework/errors.js'

/* The one syntax for symbols: every command takes NSE:SBIN or SBIN NSE. */

export interface SymbolRef {
  symbol: string
  exchange: string
}

export const INSTRUMENT_ARGUMENTS = [
  {
    syntax: '<symbol>',
    summary: 'NSE:SBIN, or the symbol alone with the exchange after it',
    complete: 'symbols',
  },
  { syntax: '[exchange]', summary: EXCHANGES.join(', '), complete: EXCHANGES },
] as const

/** The argument of a command that takes several symbols. */
export const symbolsArgument = (exchange: string) =>
  ({
    syntax: '<symbols...>',
    summary: `NSE:SBIN or SBIN NSE; without an exchange that of the symbol before it, ${exchange} at first`,
    complete: 'symbols',
  }) as const

interface Word {
  symbol: string
  exchange: string | undefined
}

function parsed(word: string): Word {
  const [, exchange, symbol] = /^(?:([^:]+):)?([^:]+)$/.exec(word.toUpperCase()) ?? []
  if (symbol !== undefined && exchange !== undefined && isExchange(symbol) && !isExchange(exchange)) {
    throw usageError(`"${word}" has its exchange at the end.`, `Write ${symbol}:${exchange}`)
  }
  if (symbol !== undefined) return { symbol, exchange }
  throw usageError(`"${word}" is not a symbol.`, 'Example: NSE:SBIN, or SBIN NSE')
}

/** Parses `NSE:SBIN`, or a symbol and the exchange after it. The exchange may be missing. */
export function symbolOf(word: string, exchange: string | undefined): Word {
  const { symbol, exchange: named } = parsed(word)
  if (named !== undefined && exchange !== undefined && named !== exchange.toUpperCase()) {
    throw usageError(`"${word}" names an exchange already, so "${exchange}" is not expected.`)
  }
  return { symbol, exchange: named ?? exchange?.toUpperCase() }
}

/** Returns the symbol of a command that takes one. @throws a usage error without an exchange */
export function instrumentOf(input: Input): SymbolRef {
  const { symbol, exchange } = symbolOf(input.required(0), input.argument(1))
  if (exchange !== undefined) return { symbol, exchange }
  throw usageError(`The exchange of ${symbol} is missing.`, `Example: NSE:${symbol}, or ${symbol} NSE`)
}

/**
 * Parses the symbols of a command that takes several. A word that is an exchange belongs to the symbol before
 * it, unless that names one already.
 */
export function instrumentsOf(words: readonly string[], first = 'NSE'): SymbolRef[] {
  const refs: SymbolRef[] = []
  let [exchange, isOpen] = [first, false]
  for (const word of words) {
    const last = refs.at(-1)
    if (last && isOpen && isExchange(word.toUpperCase())) {
      ;[exchange, isOpen] = [word.toUpperCase(), false]
      last.exchange = exchange
      continue
    }
    const { symbol, exchange: named } = parsed(word)
    exchange = named ?? exchange
    isOpen = named === undefined
    refs.push({ symbol, exchange })
  }
  return refs
}

/** Returns words with `NSE:SBIN` as two words, `SBIN NSE`. */
export function separated(words: readonly string[]): string[] {
  const [first, ...rest] = words
  if (first === undefined || !first.includes(':')) return [...words]
  const { symbol, exchange } = parsed(first)
  return [symbol, ...(exchange === undefined ? [] : [exchange]), ...rest]
}

/**
 * The exchanges on which an underlying is itself a symbol. Elsewhere it stands for an index, a share or a future,
 * which the daemon finds.
 */
const SPOT: ReadonlySet<string> = new Set(['NSE', 'BSE', 'NSE_INDEX', 'BSE_INDEX'])
const FUTURE = /\dFUT$/i

/**
 * Checks an instrument before a request whose refusal would not name it: an unknown symbol is exit status 4 in every mode.
 * The daemon checks the symbol of an order itself. A repeat under a key is not checked, because it must get the
 * answer to the first request.
 */
export async function requireListed(
  context: Context,
  input: Input,
  { symbol, underlying, exchange }: { readonly [field: string]: unknown },
): Promise<void> {
  const name = symbol ?? underlying
  if (typeof name !== 'string' || typeof exchange !== 'string') return
  if (symbol === undefined && (!SPOT.has(exchange.toUpperCase()) || FUTURE.test(name))) return
  if (input.text('idempotencyKey') === undefined) await context.apiRead('symbol', { symbol: name, exchange })
}
