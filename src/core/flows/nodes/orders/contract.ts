import { optionsVenue, spotExchange } from '../../../options/index.js'
import { hasReference, isBlank } from '../../graph/graph.js'
import type { FieldProblem } from '../definition.js'
import { NodeError, type NodeRun } from '../definition.js'
import type { Field } from '../field.js'
import { STRIKE_OFFSET } from '../form.js'

/** The exchanges of an underlying: `quotes` for its price, `contracts` for its options. */
interface Venue {
  underlying: string
  quotes: string
  contracts: string
}

/** Returns the exchanges of an underlying. Indices of BSE are on BSE, other indices and all shares on NSE. */
export function venueOf(name: string): Venue {
  const underlying = name.toUpperCase()
  const quotes = spotExchange(underlying)
  return { underlying, quotes, contracts: optionsVenue(underlying, quotes) }
}

/** Lot sizes for the case that no contract of the exchange is loaded. */
const USUAL_LOTS: Readonly<Record<string, number>> = {
  NIFTY: 65,
  BANKNIFTY: 30,
  FINNIFTY: 60,
  MIDCPNIFTY: 120,
  NIFTYNXT50: 25,
  SENSEX: 20,
  BANKEX: 30,
  SENSEX50: 25,
}

/**
 * Returns the lot size at an expiry from the instruments. If no contract of the exchange is loaded, uses the table above
 * and logs a warning.
 *
 * @throws NodeError rather than guess
 */
export function lotSizeOf(run: NodeRun, { underlying, contracts }: Venue, expiry: string): number {
  const size = run.ports.lots.lotSize(underlying, contracts, expiry)
  if (size !== undefined) {
    if (Number.isSafeInteger(size) && size > 0) return size
    throw new NodeError(`The lot size of ${underlying} on ${contracts} cannot be read: '${size}'`)
  }
  if (run.ports.lots.isLoaded(contracts)) {
    throw new NodeError(
      `${contracts} has no contract on ${underlying} with expiry ${expiry}, so its lot size is unknown`,
    )
  }
  const usual = Object.hasOwn(USUAL_LOTS, underlying) ? USUAL_LOTS[underlying] : undefined
  if (usual === undefined) {
    throw new NodeError(`No contracts of ${contracts} are loaded and ${underlying} has no built-in lot size`)
  }
  run.log(
    `No contracts of ${contracts} are loaded; using the built-in lot size ${usual} of ${underlying}`,
    'warn',
  )
  return usual
}

const OFFSET = new RegExp(STRIKE_OFFSET.pattern)

export const offsetField = {
  kind: 'text',
  description: 'Strike relative to the money: ATM, ITM1 to ITM50, OTM1 to OTM50.',
  default: 'ATM',
  form: STRIKE_OFFSET,
  guarded: true,
} as const satisfies Field

/** Returns a strike offset in canonical spelling. @throws NodeError */
export function offsetOf(text: string, field = 'offset'): string {
  const offset = text.trim().toUpperCase()
  if (OFFSET.test(offset)) return offset
  throw new NodeError(`${field} '${text}' is not ${STRIKE_OFFSET.rule}`)
}

/** Checks a stored strike offset. */
export function offsetProblems(field: string, saved: unknown): FieldProblem[] {
  if (isBlank(saved) || hasReference(saved)) return []
  if (typeof saved === 'string' && OFFSET.test(saved.trim().toUpperCase())) return []
  const expected = STRIKE_OFFSET.rule
  return [
    { field, code: 'invalid_field', message: `${field} must be ${expected}`, expected, received: saved },
  ]
}

/** Converts lots to contracts. @throws NodeError unless there is at least one lot */
export function contractsOf(lots: number, lotSize: number): number {
  const whole = Math.trunc(lots)
  if (whole > 0) return whole * lotSize
  throw new NodeError(`Order needs a positive number of lots, got ${lots}`)
}

/**
 * Returns the contracts per order of a split; 0 means no split. @throws NodeError for a size the exchange
 * would refuse
 */
export function splitSizeOf(size: number, lotSize: number): number {
  if (size >= 0 && size % lotSize === 0) return size
  throw new NodeError(`splitSize ${size} is not a multiple of the lot size, ${lotSize}`)
}
