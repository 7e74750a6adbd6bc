import { expect, test } from 'vitest'
import { PendingSignIns } from '../../../../src/core/identity/totp/pending-sign-ins.js'
import { VirtualClock } from '../../../../src/core/time/index.js'

test('a pending sign-in ends after five minutes, or when it is used', async () => {
  const clock = new VirtualClock(0)
  const pending = new PendingSignIns(clock)
  const { token, expiresAt } = pending.begin('asha', 'hash')
  expect(token).toMatch(/^[\w-]{43}$/)
  expect(expiresAt).toBe(300_000)
  expect(pending.find(token)).toMatchObject({ username: 'asha', passwordHash: 'hash' })
  await clock.advance(299_999)
  expect(pending.find(token)).toBeDefined()
  await clock.advance(1)
  expect(pending.find(token)).toBeUndefined()
  const other = pending.begin('asha', 'hash')
  expect([pending.end(other.token), pending.end(other.token)]).toEqual([true, false])
  expect(pending.find(other.token)).toBeUndefined()
})

test('an unknown token opens nothing, however long it is', () => {
  const pending = new PendingSignIns(new VirtualClock(0))
  pending.begin('asha', 'hash')
  for (const token of ['', 'x', 'x'.repeat(43), 'x'.repeat(10_000_000)]) {
    expect(pending.find(token)).toBeUndefined()
  }
})

test('the hundred newest are kept', () => {
  const pending = new PendingSignIns(new VirtualClock(0))
  const tokens = Array.from({ length: 101 }, () => pending.begin('asha', 'hash').token)
  expect(tokens.filter((token) => pending.find(token) === undefined)).toEqual(tokens.slice(0, 1))
})
