/* The words of an order. This file loads nothing, so that the command line and the terminal program use it too. */

export const ACTIONS = ['BUY', 'SELL'] as const
export type Action = (typeof ACTIONS)[number]
/** The sides as a client may write them. */
export const WRITTEN_ACTIONS = [...ACTIONS, 'buy', 'sell'] as const
export type WrittenAction = (typeof WRITTEN_ACTIONS)[number]

/** The products, in the order of the validation texts. */
export const PRODUCTS = ['MIS', 'NRML', 'CNC'] as const
export type Product = (typeof PRODUCTS)[number]
/** Products for option contracts, which cannot be delivered. */
export const OPTION_PRODUCTS = ['MIS', 'NRML'] as const satisfies readonly Product[]
/** Products of good-till-triggered orders, whose positions outlive the day. */
export const GTT_PRODUCTS = ['NRML', 'CNC'] as const satisfies readonly Product[]
export type GttProduct = (typeof GTT_PRODUCTS)[number]
/**
 * Products of brokers in which a position or an order may exist and nobody can open one here: margin funding, and the
 * two legs of cover and bracket orders. Rows show them, a close names them, and a change keeps them.
 */
export const FOREIGN_PRODUCTS = ['MTF', 'CO', 'BO'] as const
export type ForeignProduct = (typeof FOREIGN_PRODUCTS)[number]
/** The product of an order that leaves: a foreign one only closes. */
export type OrderProduct = Product | ForeignProduct
export const ORDER_PRODUCTS = [...PRODUCTS, ...FOREIGN_PRODUCTS] as const satisfies readonly OrderProduct[]

export const PRICE_TYPES = ['MARKET', 'LIMIT', 'SL', 'SL-M'] as const
export type PriceType = (typeof PRICE_TYPES)[number]
/** The statuses of an order in the order book. */
export const ORDER_STATUSES = ['open', 'trigger pending', 'complete', 'cancelled', 'rejected'] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]
/** The statuses of an order that may still trade. */
export const WAITING: ReadonlySet<string> = new Set<OrderStatus>(['open', 'trigger pending'])

/** The price types of the orders that a good-till-triggered order sends. */
export const GTT_PRICE_TYPES = ['LIMIT', 'MARKET'] as const satisfies readonly PriceType[]
export type GttPriceType = (typeof GTT_PRICE_TYPES)[number]
