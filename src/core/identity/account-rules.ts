import { type FieldErrors, validationError } from '../errors/index.js'

interface Rule {
  accepts: (value: string) => boolean
  text: string
}

/** The rules in the order of their checks; the first one that fails is reported. */
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
    accepts: (value) => /[!@#$%^&*]/.test(value),
    text: 'Password must contain at least 1 special character (!@#$%^&*)',
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
  {
    accepts: (value) => /^[^\s@\p{C}]+@[^\s@\p{C}]+\.[a-z]{2,}$/iu.test(value),
    text: 'Email must look like name@domain.tld',
  },
]

export interface NewAccount {
  username: string
  email: string
  password: string
}

/** Refuses an account with `validation` and the first failing rule of each field. */
export function checkAccount(account: NewAccount): void {
  const errors: FieldErrors = {}
  for (const [field, rules] of [
    ['username', USERNAME_RULES],
    ['email', EMAIL_RULES],
    ['password', PASSWORD_RULES],
  ] as const) {
    const broken = rules.find((rule) => !rule.accepts(account[field]))
    if (broken) errors[field] = [broken.text]
  }
  if (Object.keys(errors).length > 0) throw validationError(errors)
}
