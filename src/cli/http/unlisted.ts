/** The sentences of the public API about a symbol that is not in the instrument table. */
const UNLISTED = [
  /^Symbol '(?<symbol>\S+)' not found for exchange '(?<exchange>\w+)'/,
  /^Symbol (?<symbol>\S+) not found (?:in|for) exchange (?<exchange>\w+)$/,
]

/** Returns what the command line says of a symbol that is not found, as for an order; undefined for another message. */
export function unlistedSaid(message: string): { message: string; hint: string } | undefined {
  for (const pattern of UNLISTED) {
    const { exchange, symbol } = pattern.exec(message)?.groups ?? {}
    if (symbol !== undefined && exchange !== undefined) {
      return {
        message: `Symbol ${symbol} not found on ${exchange}.`,
        hint: `Look it up: svc search ${symbol}`,
      }
    }
  }
  return undefined
}
