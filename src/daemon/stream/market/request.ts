import { PublicError } from '../../../core/errors/index.js'
import type { StreamMode } from '../../../core/market/index.js'
import { isObject } from '../../../core/validation/index.js'

/** A message of a client: one JSON object. */
export type Message = Readonly<Record<string, unknown>>

/** A symbol as a client names it. */
export interface Selector {
  symbol: string
  exchange: string
  /** The mode of this item, not yet validated. */
  mode: unknown
}

/** Names of the modes in acknowledgements. */
export const MODE_LABELS: Readonly<Record<StreamMode, string>> = { 1: 'LTP', 2: 'Quote', 3: 'Depth' }

const MODE_BY_NAME: ReadonlyMap<string, StreamMode> = new Map([
  ['ltp', 1],
  ['quote', 2],
  ['depth', 3],
])
const MODE_BY_NUMBER: ReadonlyMap<number, StreamMode> = new Map([
  [1, 1],
  [2, 2],
  [3, 3],
])
const DEFAULT_DEPTH = 5
/** Symbols of one message: as many as one user may hold. */
export const MAX_SELECTORS = 3000
/** Allowed objects of a message besides its symbols: the message itself, and a margin. */
const OTHER_OBJECTS = 100
/** Characters of a client's value that an error text quotes. */
const SHOWN_CHARACTERS = 60

/** The refusal of a whole message, with the code and text of the protocol. */
export class BadRequest extends PublicError {
  constructor(
    readonly code: 'INVALID_MODE' | 'INVALID_PARAMETERS' | 'BROKER_ERROR',
    message: string,
  ) {
    super(message)
  }
}

export function tooManySymbols(): BadRequest {
  return new BadRequest('INVALID_PARAMETERS', `One message can name at most ${MAX_SELECTORS} symbols`)
}

/**
 * Counts the objects in a message before it is parsed. Each symbol of a list is one object.
 * @returns undefined for more objects than a message may have
 */
export function objectsIn(text: string): number | undefined {
  let objects = 0
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at + 1)) {
    objects += 1
    if (objects > MAX_SELECTORS + OTHER_OBJECTS) return undefined
  }
  return objects
}

/**
 * Reads a mode: 1 to 3, or a name in any case.
 * @throws BadRequest `INVALID_MODE`, with texts clients rely on
 */
export function readMode(value: unknown): StreamMode {
  if (typeof value === 'string') {
    const mode = MODE_BY_NAME.get(value.trim().toLowerCase())
    if (mode) return mode
    const shown = value.slice(0, SHOWN_CHARACTERS)
    throw invalidMode(`Invalid mode '${shown}'; expected 'LTP', 'Quote', or 'Depth' (case-insensitive)`)
  }
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    throw invalidMode(`Mode must be int or str, got ${wireType(value)}`)
  }
  const mode = MODE_BY_NUMBER.get(value)
  if (mode) return mode
  throw invalidMode(`Invalid mode ${value}; expected 1 (LTP), 2 (Quote), or 3 (Depth)`)
}

/** Reads the mode of a subscription. The default is quotes. @throws BadRequest */
export function readSubscribeMode({ mode }: Message): StreamMode {
  return mode === undefined ? 2 : readMode(mode)
}

/** Reads the requested number of depth levels. Returns undefined when the value is not a positive integer. */
export function readDepth(message: Message): number | undefined {
  const askedDepth = message.depth ?? message.depth_level ?? DEFAULT_DEPTH
  const levels =
    typeof askedDepth === 'string' && /^\d{1,3}$/.test(askedDepth.trim()) ? Number(askedDepth) : askedDepth
  return typeof levels === 'number' && Number.isInteger(levels) && levels > 0 ? levels : undefined
}

/**
 * Reads the symbols of a message, from its list or from the message itself. Skips items without symbol or
 * exchange.
 * @returns undefined when the message has no list and names no symbol
 */
export function readSelectors(message: Message): Selector[] | undefined {
  const list = message.symbols ?? message.instruments
  if (Array.isArray(list) && list.length > 0) {
    return list.flatMap((item: unknown) => (isObject(item) ? (selectorOf(item) ?? []) : []))
  }
  const single = selectorOf(message)
  return single && [single]
}

/** Returns whether a message names one symbol directly, and not in a list. */
export function isSingle({ symbols, instruments }: Message): boolean {
  const list = symbols ?? instruments
  return !Array.isArray(list) || list.length === 0
}

function selectorOf({ symbol, exchange, mode }: Message): Selector | undefined {
  return isText(symbol) && isText(exchange) ? { symbol, exchange, mode } : undefined
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

function invalidMode(text: string): BadRequest {
  return new BadRequest('INVALID_MODE', text)
}

/** Returns the JSON type of a value, by the (Python) name that clients of this protocol know. */
function wireType(value: unknown): string {
  if (value === null) return 'NoneType'
  if (Array.isArray(value)) return 'list'
  const names: Readonly<Record<string, string>> = { boolean: 'bool', number: 'float', object: 'dict' }
  return names[typeof value] ?? typeof value
}
