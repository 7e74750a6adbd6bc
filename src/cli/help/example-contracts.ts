/*
 * The contracts of the examples in help texts: the one place to change when they expire. The embedded market lists them from
 * November 2026 on.
 */

/** The monthly expiry of NIFTY in January 2027. */
export const EXAMPLE_EXPIRY = '25JAN27'
export const EXAMPLE_FUTURE = `NIFTY${EXAMPLE_EXPIRY}FUT`
export const EXAMPLE_CALL = `NIFTY${EXAMPLE_EXPIRY}26000CE`
export const EXAMPLE_PUT = `NIFTY${EXAMPLE_EXPIRY}26000PE`
