import { type JsonObject, textOf } from '../../client/answers/json.js'

/** Returns the symbol of an event or a log line, as `NSE:SBIN`; empty if it has none. */
export function symbolOf(facts: JsonObject): string {
  const [symbol, exchange] = [textOf(facts, 'symbol'), textOf(facts, 'exchange')]
  return symbol && exchange ? `${exchange}:${symbol}` : (symbol ?? '')
}
