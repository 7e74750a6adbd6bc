import { type FieldErrors, ServiceError, validationError } from '../errors/index.js'
import { isEmailAddress } from '../validation/index.js'
import { isCommonWord } from './common-words.js'

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
  'sasha_007',
  'ybrbnf_25',
  'wapbbs_1',
  'nick1234-rem936',
  'fre_ak8yj',
  'ncc-1701',
  'doc_0815',
])

/** Returns whether a password is a common one, in any mix of upper and lower case. */
function isCommonPassword(password: string): boolean {
  return COMMON.has(password.toLowerCase())
}

interface Rule {
  accepts: (value: string) => boolean
  text: string
}

/** The first rule of a field alone is reported for an empty value. */
const PASSWORD_RULES: readonly Rule[] = [
  { accepts: (value) => value !== '', text: 'Password is required' },
  { accepts: (value) => [...value].length >= 8, text: 'Password must be at least 8 characters long' },
  {
    accepts: (value) => /[A-Z]/.test(value),
    text: 'Password must contain at least 1 uppercase letter (A-Z)',
  },
  {
    accepts: (value) => /[a-z]/.test(value),
    text: 'Password must contain at least 1 lowercase letter (a-z)',
  },
  { accepts: (value) => /[0-9]/.test(value), text: 'Password must contain at least 1 number (0-9)' },
  {
    accepts: (value) => /[^\p{L}\p{N}\s]/u.test(value),
    text: 'Password must contain at least 1 special character (such as !@#$%^&*-)',
  },
  {
    accepts: (value) => !isCommonPassword(value) && !isCommonWord(value),
    text: 'Password must not be one that many people use, such as a common word with digits and signs around it (Welcome@123)',
  },
]

const USERNAME_RULES: readonly Rule[] = [
  { accepts: (value) => value !== '', text: 'Username is required' },
  {
    accepts: (value) => value.length >= 3 && value.length <= 80,
    text: 'Username must be 3 to 80 characters long',
  },
  {
    accepts: (value) => /^[^\s\p{C}]+$/u.test(value),
    text: 'Username must not contain spaces or control characters',
  },
]

const EMAIL_RULES: readonly Rule[] = [
  { accepts: (value) => value !== '', text: 'Email is required' },
  { accepts: (value) => value.length <= 120, text: 'Email must be at most 120 characters long' },
  { accepts: isEmailAddress, text: 'Email must look like name@domain.tld' },
]

export interface NewAccount {
  username: string
  email: string
  password: string
}

const RULES = { username: USERNAME_RULES, email: EMAIL_RULES, password: PASSWORD_RULES } as const
const FIELDS = ['username', 'email', 'password'] as const

const textsOf = (rules: readonly Rule[]) => rules.map(({ text }) => text)

/** Returns the rules of each field in words. */
export function accountRules(): Record<keyof NewAccount, string[]> {
  const { username, email, password } = RULES
  return { username: textsOf(username), email: textsOf(email), password: textsOf(password) }
}

/**
 * Refuses a new password that breaks a rule. The message is the first broken rule.
 * @param field the name of the password in the request
 */
export function checkNewPassword(password: string, field: string): void {
  const [first, ...others] = PASSWORD_RULES.filter(({ accepts }) => !accepts(password))
  if (first === undefined) return
  const broken = textsOf(password === '' ? [first] : [first, ...others])
  throw new ServiceError('validation', first.text, { errors: { [field]: broken } })
}

/** Refuses an account with `validation` and every broken rule of each field. */
export function checkAccount(account: NewAccount): void {
  const errors: FieldErrors = {}
  for (const field of FIELDS) {
    const value = account[field]
    const broken = RULES[field].filter(({ accepts }) => !accepts(value))
    if (broken.length > 0) errors[field] = textsOf(value === '' ? broken.slice(0, 1) : broken)
  }
  if (Object.keys(errors).length > 0) throw validationError(errors)
}
