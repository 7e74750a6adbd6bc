export const SQUARE_OFF_STRATEGY = 'AUTO_SQUARE_OFF'
export const EXPIRY_STRATEGY = 'EXPIRY_SETTLEMENT'

/**
 * The strategies of the orders by which the sandbox itself closes a position of the account, regardless of who opened it. They
 * close the legs of every strategy in the contract, and nobody placed them.
 */
export const OWN_STRATEGIES: readonly string[] = [SQUARE_OFF_STRATEGY, EXPIRY_STRATEGY]
