import { dictionary } from '@zxcvbn-ts/language-common'
import { expect, it } from 'vitest'
import { checkNewPassword } from '../../../src/core/identity/account-rules.js'

/** Each change of letters that could make a listed password pass the rules about upper and lower case. */
const casesOf = (password: string): string[] => [
  password,
  password.toUpperCase(),
  password.replace(/[a-z]/, (letter) => letter.toUpperCase()),
  password.toUpperCase().replace(/[A-Z]/, (letter) => letter.toLowerCase()),
]

const isRefused = (password: string): boolean => {
  try {
    checkNewPassword(password, 'password')
    return false
  } catch {
    return true
  }
}

it('every one of the 49,233 most common passwords is refused, whatever its upper and lower case', () => {
  const common = Object.values(dictionary).flatMap((list) => (Array.isArray(list) ? list : []))
  const passwords = common.filter((word) => typeof word === 'string')
  expect(passwords.length).toBeGreaterThan(49_000)
  expect(passwords.flatMap(casesOf).filter((password) => !isRefused(password))).toEqual([])
})

it('a password that only begins like a common one is accepted', () => {
  expect(isRefused('P@ssw0rd')).toBe(true)
  expect(isRefused('P@ssw0rd2')).toBe(false)
})

it.each([
  'Password1!',
  'Welcome@123',
  'P@ssword#2026',
  'Admin@1234',
  'Qwerty@12345',
  '#1India2026',
  'Nifty@25000',
  'Trading-1',
])('%s, a common word with digits and signs around it, is refused', (password) => {
  expect(isRefused(password)).toBe(true)
})

it.each(['Password-Horse-1', 'Marigold@123', 'Indian-Ocean-7', 'Xq7-password-Lamp', 'Wel-come-Mat-4'])(
  '%s, more than one word or an uncommon one, is accepted',
  (password) => {
    expect(isRefused(password)).toBe(false)
  },
)
