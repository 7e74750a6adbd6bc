import { beforeEach, describe, expect, it } from 'vitest'
import {
  codeOf,
  MINUTE,
  OWNER,
  outcomeOf,
  ownedWorld,
  pendingToken,
  STEP,
  signIn,
  type World,
  withSecondFactor,
} from './support.js'

let at: World
beforeEach(async () => {
  at = await ownedWorld()
  await withSecondFactor(at)
})

const byCode = (token: string, code: string, request = {}) =>
  at.identity.signInWithCode({ token, code, isOwners: true, ...request })
const open = () => at.identity.sessions.list(OWNER.username)
const activity = async () => {
  await at.identity.flush()
  const rows = await at.identity.attempts.list()
  return rows.map(({ status, login_type, broker }) => [status, login_type, broker])
}

describe('signing in with a second factor', () => {
  it('takes two steps: the password opens nothing, the code opens a new session', async () => {
    const token = await pendingToken(at)
    expect(open()).toEqual([])
    expect(at.identity.sessions.verify(token)).toBeUndefined()
    expect(await activity()).toEqual([])
    const signedIn = await byCode(token, await codeOf(at), { deviceInfo: 'phone' })
    expect(signedIn.token).not.toBe(token)
    expect(signedIn.session).toMatchObject({ deviceInfo: 'phone', totpVerifiedAt: at.clock.now() })
    expect(at.identity.sessions.verify(token)).toBeUndefined()
    expect(open()).toHaveLength(1)
    expect(await activity()).toEqual([['success', 'totp', null]])
  })

  it('stays pending after a wrong code, for five minutes', async () => {
    const token = await pendingToken(at)
    expect(await outcomeOf(byCode(token, '000000'))).toBe('unauthenticated')
    await at.clock.advance(5 * MINUTE - 1)
    expect(await outcomeOf(byCode(token, await codeOf(at)))).toBe('done')
    const late = await pendingToken(at)
    await at.clock.advance(5 * MINUTE)
    await expect(byCode(late, await codeOf(at))).rejects.toMatchObject({
      code: 'unauthenticated',
      message: 'Login session expired. Please sign in again.',
    })
    expect(open()).toHaveLength(1)
  })

  it('refuses an empty code by its field, and counts it as no guess', async () => {
    const token = await pendingToken(at)
    await expect(byCode(token, ' ')).rejects.toMatchObject({
      code: 'validation',
      message: 'TOTP code is required.',
      errors: { totp_code: ['TOTP code is required.'] },
    })
    expect(await activity()).toEqual([])
  })

  it('signs in once with one token, also with two valid codes at the same time', async () => {
    const token = await pendingToken(at)
    const [now, next] = [await codeOf(at), await codeOf(at, 1)]
    const ends = await Promise.all([now, next].map((code) => outcomeOf(byCode(token, code))))
    expect(ends.sort()).toEqual(['done', 'unauthenticated'])
    expect(open()).toHaveLength(1)
    await at.clock.advance(2 * STEP)
    expect(await outcomeOf(byCode(token, await codeOf(at)))).toBe('unauthenticated')
  })

  it('ends with a restart', async () => {
    const token = await pendingToken(at)
    const again = await at.restart()
    const refused = again.identity.signInWithCode({ token, code: await codeOf(again), isOwners: true })
    await expect(refused).rejects.toMatchObject({ message: 'Login session expired. Please sign in again.' })
  })

  it('ends with a change of the password', async () => {
    const token = await pendingToken(at)
    await at.db.write((tx) => tx.exec("update users set password_hash = 'other'", []))
    const refused = byCode(token, await codeOf(at))
    await expect(refused).rejects.toMatchObject({ message: 'Login session expired. Please sign in again.' })
    expect(await activity(), 'the code was not tried').toEqual([])
  })

  it('does not make an address known by its password alone', async () => {
    const stranger = { ownAddress: '203.0.113.1', isOwners: false }
    const token = await pendingToken(at, stranger)
    for (let time = 0; time < 5; time++) await outcomeOf(byCode(token, '000000', stranger))
    expect(await outcomeOf(pendingToken(at, stranger))).toBe('rate_limited 30')
    expect(await outcomeOf(byCode(token, await codeOf(at), stranger))).toBe('rate_limited 30')
    await at.clock.advance(STEP)
    expect(await outcomeOf(byCode(token, await codeOf(at), stranger))).toBe('done')
    expect(await outcomeOf(pendingToken(at, stranger)), 'a success ends the wait').toBe('done')
  })
})

it('a right password does not prolong the wait of its code', async () => {
  const stranger = { ownAddress: '203.0.113.1', isOwners: false }
  const token = await pendingToken(at, stranger)
  for (let time = 0; time < 5; time++) await outcomeOf(byCode(token, '000000', stranger))
  await at.clock.advance(20_000)
  expect(await outcomeOf(pendingToken(at, stranger))).toBe('rate_limited 10')
  await at.clock.advance(10_000)
  const later = await pendingToken(at, stranger)
  expect(await outcomeOf(byCode(later, await codeOf(at), stranger))).toBe('done')
})

describe('a broker that a sign-in connects again', () => {
  const resumeBroker = async () => 'zerodha'

  it('is in the answer and in the login activity', async () => {
    const resumed = await byCode(await pendingToken(at), await codeOf(at), { resumeBroker })
    expect(resumed.resumedBroker).toBe('zerodha')
    expect(await activity()).toEqual([['success', 'totp_resume', 'zerodha']])
  })

  it('is connected at no attempt that fails', async () => {
    let asked = 0
    const count = async () => {
      asked += 1
      return undefined
    }
    const token = await pendingToken(at, { resumeBroker: count })
    await outcomeOf(byCode(token, '000000', { resumeBroker: count }))
    expect(asked).toBe(0)
    expect((await byCode(token, await codeOf(at), { resumeBroker: count })).resumedBroker).toBeUndefined()
    expect(asked).toBe(1)
  })

  it('counts for a sign-in by password alone, too', async () => {
    const plain = await ownedWorld()
    await plain.identity.signIn({ ...OWNER, resumeBroker })
    await signIn(plain.identity)
    await plain.identity.flush()
    expect((await plain.identity.attempts.list()).map(({ login_type }) => login_type)).toEqual([
      'password',
      'resume',
    ])
  })
})
