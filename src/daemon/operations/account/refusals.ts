/** The refusals of operations that ask the broker for the account. */
export const BROKER_REFUSALS = ['broker_rejected', 'broker_missing', 'broker_protocol'] as const
