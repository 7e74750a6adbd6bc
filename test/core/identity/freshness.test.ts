import { expect, test } from 'vitest'
import { isTotpFresh } from '../../../src/core/identity/index.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { AT_SIGN_IN, codeOf, OWNER, ownedWorld, pendingToken, signIn, withSecondFactor } from './support.js'

test.each([
  [null, false],
  [0, true],
  [60_000, true],
  [60_001, false],
])('a code that was verified %s ms ago is fresh: %s', (age, fresh) => {
  const clock = new VirtualClock(1_000_000)
  expect(isTotpFresh({ codeReading: age === null ? null : clock.monotonic() - age }, clock)).toBe(fresh)
})

test('a session begins with its code, keeps its time over a restart, and takes a later one', async () => {
  const at = await ownedWorld()
  const { session: plain } = await signIn(at.identity)
  expect(isTotpFresh(plain, at.clock)).toBe(false)
  await withSecondFactor(at, AT_SIGN_IN)
  const code = await codeOf(at)
  const { token } = await at.identity.signInWithCode({
    token: await pendingToken(at),
    code,
    isOwners: true,
  })
  const verifiedAt = at.clock.now()
  await at.clock.advance(60_001)
  const again = await at.restart()
  const session = again.identity.sessions.verify(token)
  expect(session?.totpVerifiedAt).toBe(verifiedAt)
  expect(session && isTotpFresh(session, again.clock)).toBe(false)
  await again.identity.secondFactor.verify({
    username: OWNER.username,
    code: await codeOf(again),
    sessionId: session?.id,
    isOwners: true,
  })
  expect(session && isTotpFresh(session, again.clock)).toBe(true)
  const stamped = await again.restart()
  const later = stamped.identity.sessions.verify(token)
  expect(later && isTotpFresh(later, stamped.clock)).toBe(true)
  expect(stamped.identity.sessions.list(OWNER.username)).toHaveLength(2)
})
