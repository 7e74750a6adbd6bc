/* Values to suggest. The daemon decides which it takes. */
export const ACTIONS = ['BUY', 'SELL'] as const

export const PRODUCTS = ['MIS', 'CNC', 'NRML'] as const

/** Products of positions and orders that exist: a close names them and a change keeps them. */
export const ROW_PRODUCTS = [...PRODUCTS, 'MTF', 'CO', 'BO'] as const
