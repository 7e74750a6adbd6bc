import { type JsonObject, textMember } from '../../client/answers/json.js'

/** Returns the symbol of an event or a log line, as `NSE:SBIN`; empty if it has none. */
export function symbolOf(facts: JsonObject): string {
  const [symbol, exchange] = [textMember(facts, 'symbol'), textMember(facts, 'exchange')]
  return symbol && exchange ? `${exchange}:${symbol}` : (symbol ?? '')
}

/** Returns the name of a symbol on its exchange: `NSE:SBIN`. */
export const symbolKey = ({ exchange, symbol }: { exchange: string; symbol: string }): string =>
  `${exchange}:${symbol}`
