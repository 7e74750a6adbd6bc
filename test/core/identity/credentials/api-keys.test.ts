import { describe, expect, it } from 'vitest'
import { ApiKeys } from '../../../../src/core/identity/credentials/api-keys.js'
import { Hasher } from '../../../../src/core/identity/credentials/hasher.js'
import { IdentityStore } from '../../../../src/core/identity/store.js'
import { silentLogger } from '../../../../src/core/logging/index.js'
import { randomHex, sha256Hex } from '../../../../src/core/secrets/index.js'
import { boxFor } from '../../../support/desk/secret-boxes.js'
import { leastTime, timed } from '../../../support/timing.js'
import { HOUR, MINUTE, ownedWorld, type World } from '../support.js'

/**
 * Returns the keys of a world with a hasher that counts; each answer waits for `released` after its check.
 */
async function counted(of: World, released: Promise<void> = Promise.resolve()) {
  const hasher = new Hasher('pepper'.repeat(6))
  const counts = { verified: 0 }
  const keys = await ApiKeys.open({
    store: new IdentityStore(of.db),
    clock: of.clock,
    secretBox: await boxFor(),
    log: silentLogger,
    onRevoked: () => undefined,
    hasher: {
      hash: (use, secret) => hasher.hash(use, secret),
      verify: async (use, hashed, secret) => {
        counts.verified += 1
        const matches = await hasher.verify(use, hashed, secret)
        await released
        return matches
      },
    },
  })
  return { keys, counts }
}

describe('verifying an API key', () => {
  it('returns the principal, the second time from the cache', async () => {
    const made = await ownedWorld()
    const { keys, counts } = await counted(made)
    expect(keys.cached(made.apiKey)).toBeUndefined()
    const principal = await keys.verify(made.apiKey)
    expect(principal).toEqual({
      username: 'asha',
      credential: 'api_key',
      credentialId: '1',
      scopes: ['read', 'orders'],
    })
    expect(keys.cached(made.apiKey)).toBe(principal)
    expect(await keys.verify(made.apiKey)).toBe(principal)
    expect(counts.verified).toBe(1)
  })

  it('caches a valid key for 10 hours and no longer', async () => {
    const made = await ownedWorld()
    const { keys, counts } = await counted(made)
    await keys.verify(made.apiKey)
    await made.clock.advance(10 * HOUR - 1)
    expect(keys.cached(made.apiKey)).toMatchObject({ username: 'asha' })
    await made.clock.advance(1)
    expect(keys.cached(made.apiKey)).toBeUndefined()
    expect(await keys.verify(made.apiKey)).toMatchObject({ username: 'asha' })
    expect(counts.verified).toBe(2)
  })

  it('caches an invalid key for 5 minutes and no longer', async () => {
    const made = await ownedWorld()
    const { keys, counts } = await counted(made)
    const unknown = randomHex(32)
    expect(await keys.verify(unknown)).toBeUndefined()
    await made.clock.advance(5 * MINUTE - 1)
    expect(keys.cached(unknown)).toBe('invalid')
    expect(await keys.verify(unknown)).toBeUndefined()
    expect(counts.verified).toBe(1)
    await made.clock.advance(1)
    expect(keys.cached(unknown)).toBeUndefined()
    expect(await keys.verify(unknown)).toBeUndefined()
    expect(counts.verified).toBe(2)
  })

  it('hashes once for 100 concurrent calls with one unknown key, and reports it once', async () => {
    const made = await ownedWorld()
    const { keys, counts } = await counted(made)
    const reported: string[] = []
    keys.onInvalid((digest) => reported.push(digest))
    const unknown = randomHex(32)
    const results = await Promise.all(Array.from({ length: 100 }, () => keys.verify(unknown)))
    expect(results).toEqual(Array(100).fill(undefined))
    expect(counts.verified).toBe(1)
    await keys.verify(unknown)
    expect(reported).toEqual([sha256Hex(unknown)])
  })

  it.each([
    '',
    'short',
    'A'.repeat(64),
    'g'.repeat(64),
    `${'a'.repeat(64)} `,
    'a'.repeat(1_000_000),
    '__proto__',
  ])('refuses without hashing what no key of ours looks like (%#)', async (text) => {
    const made = await ownedWorld()
    const { keys, counts } = await counted(made)
    expect(await keys.verify(text)).toBeUndefined()
    expect(counts.verified).toBe(0)
  })

  it('drops the oldest of more than 512 invalid keys', async () => {
    const made = await ownedWorld()
    const { keys } = await counted(made)
    for (let i = 0; i < 513; i++) await keys.verify(`bad ${i}`)
    expect(keys.cached('bad 0')).toBeUndefined()
    expect(keys.cached('bad 1')).toBe('invalid')
    expect(keys.cached('bad 512')).toBe('invalid')
  })

  it('answers `unavailable` beyond its limit, and recovers after the flood', async () => {
    const { identity, apiKey } = await ownedWorld()
    const flood = Array.from({ length: 200 }, () => identity.apiKeys.verify(randomHex(32)))
    const outcomes = await Promise.allSettled(flood)
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(outcomes.length - refused.length).toBe(66)
    for (const { reason } of refused)
      expect(reason).toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 })
    expect(await identity.apiKeys.verify(apiKey)).toMatchObject({ username: 'asha' })
  })

  it('checks the key of the owner at once during a flood of unknown keys', async () => {
    const { identity, apiKey } = await ownedWorld()
    const flood = Array.from({ length: 200 }, () =>
      identity.apiKeys.verify(randomHex(32)).catch(() => undefined),
    )
    expect(await identity.apiKeys.verify(apiKey)).toMatchObject({ username: 'asha' })
    await Promise.all(flood)
  })

  it('lets a person sign in during a flood of unknown keys', async () => {
    const { identity } = await ownedWorld()
    let checked = 0
    const countChecked = () => {
      checked += 1
    }
    const flood = Array.from({ length: 200 }, () =>
      identity.apiKeys.verify(randomHex(32)).then(countChecked, () => undefined),
    )
    await identity.users.verifyPassword('asha', 'x')
    expect(checked).toBeLessThan(40)
    await Promise.all(flood)
    expect(checked).toBe(66)
  })

  it('gives a person a new key during a flood of unknown keys', async () => {
    const { identity } = await ownedWorld()
    const flood = Array.from({ length: 200 }, () => identity.apiKeys.verify(randomHex(32)))
    const outcomes = Promise.allSettled(flood)
    expect(await identity.apiKeys.rotate('asha')).toMatchObject({ keyId: 1 })
    await outcomes
  })

  it('is kept as argon2id with 19 MiB and two passes: nobody can guess it, and a flood must stay cheap', async () => {
    const { db, identity } = await ownedWorld()
    const cost = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/
    expect(await db.queryRaw('select api_key_hash as hash from api_keys')).toEqual([
      { hash: expect.stringMatching(cost) },
    ])
    await identity.apiKeys.rotate('asha')
    expect(await db.queryRaw('select api_key_hash as hash from api_keys')).toEqual([
      { hash: expect.stringMatching(cost) },
    ])
  })

  it('costs less than 5 microseconds when the key is cached', async () => {
    const { identity, apiKey } = await ownedWorld()
    await identity.apiKeys.verify(apiKey)
    const thousand = () => {
      for (let i = 0; i < 1000; i++) identity.apiKeys.cached(apiKey)
    }
    expect(await leastTime(5, () => timed(thousand))).toBeLessThan(5)
  })
})

describe('rotating an API key', () => {
  it('invalidates the cached old key at once, and announces it so that its connections close', async () => {
    const { identity, apiKey, restart } = await ownedWorld()
    await identity.apiKeys.verify(apiKey)
    const ended: unknown[] = []
    identity.onRevoked((revocation) => ended.push(revocation))
    const rotated = await identity.apiKeys.rotate('asha')
    expect(rotated).toEqual({ apiKey: expect.stringMatching(/^[0-9a-f]{64}$/), keyId: 1 })
    expect(identity.apiKeys.cached(apiKey)).toBeUndefined()
    expect(await identity.apiKeys.verify(apiKey)).toBeUndefined()
    expect(await identity.apiKeys.verify(rotated.apiKey)).toMatchObject({ username: 'asha' })
    expect(ended).toEqual([{ credential: 'api_key', credentialId: '1', username: 'asha', reason: 'rotated' }])
    const { identity: later } = await restart()
    expect(await later.apiKeys.verify(apiKey)).toBeUndefined()
    expect(await later.apiKeys.verify(rotated.apiKey)).toMatchObject({ username: 'asha' })
    expect(later.apiKeys.reveal('asha')).toBe(rotated.apiKey)
  })

  it('also revokes a key during its check', async () => {
    const { identity, apiKey } = await ownedWorld()
    const checks = Array.from({ length: 20 }, () => identity.apiKeys.verify(apiKey))
    await identity.apiKeys.rotate('asha')
    await Promise.all(checks)
    expect(await identity.apiKeys.verify(apiKey)).toBeUndefined()
  })

  it('does not cache as valid a key whose check began before the rotation and ended after it', async () => {
    const made = await ownedWorld()
    let release: () => void = () => undefined
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const { keys, counts } = await counted(made, released)
    const check = keys.verify(made.apiKey)
    const { apiKey: fresh } = await keys.rotate('asha')
    release()
    expect(await check).toBeUndefined()
    expect(counts.verified).toBe(2)
    expect(keys.cached(made.apiKey)).toBe('invalid')
    expect(await keys.verify(fresh)).toMatchObject({ username: 'asha' })
  })

  it('makes a key valid that was refused before its creation', async () => {
    const made = await ownedWorld()
    const { keys } = await counted(made)
    const { apiKey, row } = await keys.draw('asha')
    expect(await keys.verify(apiKey)).toBeUndefined()
    keys.adopt(await new IdentityStore(made.db).replaceApiKey(row))
    expect(await keys.verify(apiKey)).toMatchObject({ username: 'asha' })
  })

  it('keeps one key per user when rotations run at the same time: the last one counts', async () => {
    const { identity, db } = await ownedWorld()
    const rotated = await Promise.all([1, 2, 3].map(() => identity.apiKeys.rotate('asha')))
    const valid = await Promise.all(rotated.map(({ apiKey }) => identity.apiKeys.verify(apiKey)))
    expect(valid.map((principal) => principal !== undefined)).toEqual([false, false, true])
    expect(await db.queryRaw('select count(*) as n from api_keys')).toEqual([{ n: 1 }])
  })

  it('keeps the order mode', async () => {
    const { identity } = await ownedWorld()
    await identity.apiKeys.setOrderMode('asha', 'semi_auto')
    await identity.apiKeys.rotate('asha')
    expect(identity.apiKeys.orderMode('asha')).toBe('semi_auto')
  })

  it('is refused for somebody who does not exist', async () => {
    const { identity } = await ownedWorld()
    await expect(identity.apiKeys.rotate('ravi')).rejects.toMatchObject({ code: 'not_found' })
    expect(identity.apiKeys.reveal('ravi')).toBeUndefined()
  })
})

describe('the row of an API key', () => {
  it('returns the key again from its sealed copy', async () => {
    const { identity, apiKey } = await ownedWorld()
    expect(identity.apiKeys.reveal('asha')).toBe(apiKey)
  })

  it('starts in auto mode and keeps a change over a restart', async () => {
    const { identity, restart } = await ownedWorld()
    expect(identity.apiKeys.orderMode('asha')).toBe('auto')
    expect(await identity.apiKeys.setOrderMode('asha', 'semi_auto')).toBe('semi_auto')
    expect(identity.apiKeys.orderMode('asha')).toBe('semi_auto')
    const { identity: later } = await restart()
    expect(later.apiKeys.orderMode('asha')).toBe('semi_auto')
    expect(later.apiKeys.orderMode('nobody')).toBe('auto')
  })

  it.each(['', 'AUTO', 'manual', '__proto__'])('refuses the mode %j', async (mode) => {
    const { identity } = await ownedWorld()
    await expect(identity.apiKeys.setOrderMode('asha', mode)).rejects.toMatchObject({
      code: 'validation',
      message: 'Invalid mode. Must be "auto" or "semi_auto"',
    })
    expect(identity.apiKeys.orderMode('asha')).toBe('auto')
  })

  it('refuses to set the order mode of a user without a key', async () => {
    const { identity } = await ownedWorld()
    await expect(identity.apiKeys.setOrderMode('ravi', 'auto')).rejects.toMatchObject({
      code: 'not_found',
      reason: 'no_api_key',
      message: 'Failed to update order mode',
    })
  })

  it('remembers when the key was last used, over a restart', async () => {
    const { identity, clock, apiKey, restart } = await ownedWorld()
    expect(identity.apiKeys.lastUsedAt('asha')).toBeNull()
    await identity.apiKeys.verify(apiKey)
    await clock.advance(MINUTE)
    identity.apiKeys.cached(apiKey)
    const used = clock.now()
    expect(identity.apiKeys.lastUsedAt('asha')).toBe(used)
    const { identity: later } = await restart()
    expect(later.apiKeys.lastUsedAt('asha')).toBe(used)
  })
})
