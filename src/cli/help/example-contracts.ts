/* The contracts of the examples in help texts. They are far ahead, so that an example is not expired when it is read. */

/** An expiry of NIFTY: the last Tuesday of June 2029. */
export const EXAMPLE_EXPIRY = '26JUN29'
export const EXAMPLE_FUTURE = `NIFTY${EXAMPLE_EXPIRY}FUT`
export const EXAMPLE_CALL = `NIFTY${EXAMPLE_EXPIRY}26000CE`
export const EXAMPLE_PUT = `NIFTY${EXAMPLE_EXPIRY}26000PE`
