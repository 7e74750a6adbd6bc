import type { Body } from '../../../client/endpoints.js'
import type { Input } from '../../framework/command.js'
import type { Context } from '../../framework/context.js'
import { usageError } from '../../framework/errors.js'

/* The one syntax for symbols: every command takes NSE:SBIN or SBIN NSE. */

export interface SymbolRef {
  symbol: string
  exchange: string
}

export const EXCHANGES = [
  'NSE',
  'BSE',
  'NFO',
  'BFO',
  'CDS',
  'BCD',
  'MCX',
  'NCDEX',
  'NCO',
  'NSE_INDEX',
  'BSE_INDEX',
  'MCX_INDEX',
  'GLOBAL_INDEX',
  'CRYPTO',
] as const satisfies readonly Body<'symbol'>['exchange'][]
const KNOWN: ReadonlySet<string> = new Set(EXCHANGES)

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
    if (last && isOpen && KNOWN.has(word.toUpperCase())) {
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
 * Checks the instrument of an order before it is sent: an unknown symbol is exit status 4 in every mode. The
 * daemon queues such an order in semi_auto mode, and refuses it in the others for the first of several reasons.
 * A repeat under a key is not checked, because it must get the answer to the first request.
 */
export async function requireListed(
  context: Context,
  input: Input,
  { symbol, underlying, exchange }: { readonly [field: string]: unknown },
): Promise<void> {
  const name = symbol ?? underlying
  if (typeof name !== 'string' || typeof exchange !== 'string') return
  if (input.text('idempotencyKey') === undefined) await context.apiRead('symbol', { symbol: name, exchange })
}
