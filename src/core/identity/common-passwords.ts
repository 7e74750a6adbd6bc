/**
 * The common passwords that pass the other rules in some mix of upper and lower case, out of the 49,233 most common
 * ones of zxcvbn-ts. The other rules refuse all the rest of that list, so it need not be shipped; a test compares
 * this list with it.
 */
const COMMON = new Set([
  'p@ssw0rd',
  'l58jkdjp!',
  '!qaz2wsx',
  '1qaz!qaz',
  '1qaz@wsx',
  'p030710p$e4o',
  '!qazxsw2',
  'pa$$w0rd',
  '%e2%82%ac',
  'zaq!2wsx',
])

/** Returns whether a password is a common one, in any mix of upper and lower case. */
export function isCommonPassword(password: string): boolean {
  return COMMON.has(password.toLowerCase())
}
