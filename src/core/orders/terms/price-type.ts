import { isSameMoney } from '../../money/index.js'
import { type Action, PRICE_TYPES, type PriceType } from '../vocabulary.js'

/** The prices of each price type. */
const PRICES: Readonly<Record<PriceType, Readonly<Record<PriceName, boolean>>>> = {
  MARKET: { price: false, trigger: false },
  LIMIT: { price: true, trigger: false },
  SL: { price: true, trigger: true },
  'SL-M': { price: false, trigger: true },
}

export type PriceName = 'price' | 'trigger'
const PRICE_NAMES: readonly PriceName[] = ['price', 'trigger']
const TITLES: Readonly<Record<PriceName, string>> = { price: 'limit price', trigger: 'trigger price' }

/** The prices of an order as somebody wrote them. A reference may stand for a price. */
type WrittenPrices = Readonly<Record<PriceName, unknown>>

/** The names of price type and prices where they were written, such as `--price`. */
export type TermNames = Readonly<Record<'type' | PriceName, string>>

/** Returns whether orders of a price type have that price. */
export function hasPrice(type: PriceType, name: PriceName): boolean {
  return PRICES[type][name]
}

/** What an order asks beside its size. Prices are in rupees. */
export interface WaitingTerms {
  action: Action
  priceType: PriceType
  price: number
  triggerPrice: number
}

/** Returns whether two orders wait for the same prices on the same side. An order at the market waits for none. */
export function waitAlike(one: WaitingTerms, other: WaitingTerms): boolean {
  const { priceType } = one
  return (
    priceType !== 'MARKET' &&
    other.priceType === priceType &&
    other.action === one.action &&
    (!hasPrice(priceType, 'price') || isSameMoney(other.price, one.price)) &&
    (!hasPrice(priceType, 'trigger') || isSameMoney(other.triggerPrice, one.triggerPrice))
  )
}

/** The type beside its own that a broker may show for an order at the market: it protects the order with a limit. */
const PROTECTED_AS: Readonly<Partial<Record<PriceType, PriceType>>> = { MARKET: 'LIMIT', 'SL-M': 'SL' }

/** Returns whether a broker may show an order of one price type as an order of another. */
export function mayShowAs(sent: PriceType, shown: PriceType): boolean {
  return sent === shown || PROTECTED_AS[sent] === shown
}

/** Returns the price type that a text names, in any case; undefined for another text. */
export function priceTypeNamed(text: unknown): PriceType | undefined {
  const named = typeof text === 'string' ? text.trim().toUpperCase() : ''
  return PRICE_TYPES.find((type) => type === named)
}

/** Returns whether a price is written. Clients of the public API write 0 for none. */
export function isWritten(price: unknown): boolean {
  if (price === undefined || price === null || price === false) return false
  return typeof price === 'string' ? price.trim() !== '' && Number(price) !== 0 : price !== 0
}

/**
 * Returns the prices that somebody wrote as 0 or as an empty text. Clients of the public API mean none by it; in a person's
 * command or file it may be a variable without its value.
 */
export function emptyPrices(written: WrittenPrices): PriceName[] {
  return PRICE_NAMES.filter((name) => {
    const price = written[name]
    return price !== undefined && price !== null && !isWritten(price)
  })
}

/** Returns why a price that somebody wrote is none, with the name of its field. */
export function emptyText(name: PriceName, price: unknown, names: TermNames): string {
  const named = `${names[name]} ${price === '' ? '""' : String(price)}`
  return `${named} is no ${TITLES[name]}: it must be greater than 0.`
}

/**
 * Returns the price type of an order that names none: its prices say it. The public API alone does not follow this
 * rule: there, such an order is MARKET, and its prices are ignored.
 */
export function impliedType({ price, trigger }: WrittenPrices): PriceType {
  const written = { price: isWritten(price), trigger: isWritten(trigger) }
  const match = PRICE_TYPES.find((type) => PRICE_NAMES.every((name) => PRICES[type][name] === written[name]))
  return match ?? 'MARKET'
}

/** Returns the written prices that orders of the type do not have. */
export function ignoredPrices(type: PriceType, written: WrittenPrices): PriceName[] {
  return PRICE_NAMES.filter((name) => !PRICES[type][name] && isWritten(written[name]))
}

/** Returns the prices that orders of the type need and that are not written. */
export function missingPrices(type: PriceType, written: WrittenPrices): PriceName[] {
  return PRICE_NAMES.filter((name) => PRICES[type][name] && !isWritten(written[name]))
}

/** A price type and a price that contradict each other, and the ways out. */
export interface Contradiction {
  price: PriceName
  message: string
  remedy: string
}

/** Returns how a price type and the prices beside it contradict each other; undefined if they agree. */
export function contradiction(
  type: PriceType,
  written: WrittenPrices,
  names: TermNames,
): Contradiction | undefined {
  const [price] = ignoredPrices(type, written)
  if (price === undefined) return undefined
  const named = `${names[price]} ${String(written[price])}`
  return {
    price,
    message: `${named} contradicts ${names.type} ${type}: ${orderOf(type)} has no ${TITLES[price]}.`,
    remedy: `Use ${names.type} ${impliedType(written)}, or leave ${names[price]} out.`,
  }
}

/** Returns a sentence for each price that the public API ignores, with the names of its fields. */
export function ignoredTexts(type: PriceType, written: WrittenPrices): string[] {
  const names = { price: 'price', trigger: 'trigger_price' }
  return ignoredPrices(type, written).map(
    (name) => `${names[name]} ${String(written[name])} is ignored: ${orderOf(type)} has no ${TITLES[name]}.`,
  )
}

const orderOf = (type: PriceType) => `${type.startsWith('S') ? 'an' : 'a'} ${type} order`
