import { describe, expect, it } from 'vitest'
import { allows, SCOPES } from '../../../../src/core/identity/index.js'
import { parseLifetime } from '../../../../src/core/identity/sessions/lifetime.js'
import { lockedElsewhere } from '../../../support/process/lock.js'
import { DAY, HOUR, MINUTE, ownedWorld } from '../support.js'

describe('access tokens', () => {
  it('carry their prefix, user and scopes, and survive a restart', async () => {
    const { identity, restart } = await ownedWorld()
    const made = await identity.tokens.create('asha', { name: 'cron', scopes: ['approvals', 'read', 'read'] })
    expect(made.token).toMatch(/^svc_pat_[\w-]{43}$/)
    const principal = {
      username: 'asha',
      credential: 'access_token',
      credentialId: String(made.id),
      scopes: ['approvals', 'read'],
    }
    expect(identity.tokens.verify(made.token)).toEqual(principal)
    const { identity: later } = await restart()
    expect(later.tokens.verify(made.token)).toEqual(principal)
  })

  it('are listed without their secret, the newest first', async () => {
    const { identity, clock } = await ownedWorld()
    const first = await identity.tokens.create('asha', { name: 'first', scopes: ['read'], expires: '90d' })
    await clock.advance(MINUTE)
    const { token: _, ...second } = await identity.tokens.create('asha', {
      name: 'second',
      scopes: ['admin'],
    })
    const [newest, oldest] = identity.tokens.list('asha')
    expect(newest).toEqual(second)
    expect(oldest).toEqual({
      id: first.id,
      username: 'asha',
      name: 'first',
      scopes: ['read'],
      createdAt: clock.now() - MINUTE,
      expiresAt: clock.now() - MINUTE + 90 * DAY,
      lastUsedAt: null,
      revokedAt: null,
    })
    expect(JSON.stringify(identity.tokens.list('asha'))).not.toContain('svc_pat_')
    expect(identity.tokens.list('ravi')).toEqual([])
  })

  it('end when they expire, and announce it', async () => {
    const { identity, clock } = await ownedWorld()
    const { token, id } = await identity.tokens.create('asha', {
      name: 'cron',
      scopes: ['read'],
      expires: '12h',
    })
    const ended: unknown[] = []
    identity.onRevoked((revocation) => ended.push(revocation))
    await clock.advance(12 * HOUR - 1)
    expect(identity.tokens.verify(token)).toMatchObject({ username: 'asha', scopes: ['read'] })
    await clock.advance(1)
    expect(identity.tokens.verify(token)).toBeUndefined()
    await clock.advance(30_000)
    const credentialId = String(id)
    expect(ended).toEqual([{ credential: 'access_token', credentialId, username: 'asha', reason: 'expired' }])
  })

  it('stay expired when the clock is set back', async () => {
    const { identity, clock } = await ownedWorld()
    const { token, id } = await identity.tokens.create('asha', {
      name: 'cron',
      scopes: ['read'],
      expires: '1h',
    })
    const ended: unknown[] = []
    identity.onRevoked(({ reason }) => ended.push(reason))
    clock.step(HOUR)
    expect(identity.tokens.verify(token)).toBeUndefined()
    clock.step(-HOUR)
    expect([identity.tokens.verify(token), identity.tokens.isUsable(id)]).toEqual([undefined, false])
    expect(ended).toEqual(['expired'])
  })

  it('are invalid once revoked, also after a restart, and stay in the list', async () => {
    const { identity, clock, restart } = await ownedWorld()
    const { token, id } = await identity.tokens.create('asha', { name: 'cron', scopes: ['read'] })
    const ended: unknown[] = []
    identity.onRevoked((revocation) => ended.push(revocation))
    expect(await identity.tokens.revoke('ravi', id)).toBe(false)
    expect(await identity.tokens.revoke('asha', id)).toBe(true)
    expect(identity.tokens.verify(token)).toBeUndefined()
    expect(await identity.tokens.revoke('asha', id)).toBe(true)
    expect(await identity.tokens.revoke('asha', id + 1)).toBe(false)
    expect(ended).toHaveLength(1)
    const { identity: later } = await restart()
    expect(later.tokens.verify(token)).toBeUndefined()
    expect(later.tokens.list('asha')).toMatchObject([{ id, revokedAt: clock.now() }])
  })

  it('are invalid at once when the revocation cannot be stored, and a second call stores it', async () => {
    const { identity, clock, db, file, restart } = await ownedWorld()
    const { token, id } = await identity.tokens.create('asha', { name: 'cron', scopes: ['read'] })
    const revokedAt = clock.now()
    const release = await lockedElsewhere(db, file)
    const refused = { code: 'unavailable', message: expect.stringContaining('is revoked') }
    await expect(identity.tokens.revoke('asha', id)).rejects.toMatchObject(refused)
    expect(identity.tokens.verify(token)).toBeUndefined()
    await expect(identity.tokens.revoke('asha', id)).rejects.toMatchObject(refused)
    await release()
    expect(await identity.tokens.revoke('asha', id)).toBe(true)
    const { identity: later } = await restart()
    expect(later.tokens.verify(token)).toBeUndefined()
    expect(later.tokens.list('asha')).toMatchObject([{ id, revokedAt }])
  })

  it('are stored as revoked by the housekeeping without a second call', async () => {
    const { identity, clock, db, file } = await ownedWorld()
    const { id } = await identity.tokens.create('asha', { name: 'cron', scopes: ['read'] })
    const release = await lockedElsewhere(db, file)
    await expect(identity.tokens.revoke('asha', id)).rejects.toMatchObject({ code: 'unavailable' })
    await release()
    await clock.advance(30_000)
    const revoked = () => db.queryRaw('select id from access_tokens where revoked_at is not null')
    await expect.poll(revoked, { interval: 5 }).toEqual([{ id }])
  })

  it('have one usable token per name; the name is free again after a revocation', async () => {
    const { identity } = await ownedWorld()
    const wanted = { name: 'cron', scopes: ['read'] }
    const results = await Promise.allSettled([
      identity.tokens.create('asha', wanted),
      identity.tokens.create('asha', wanted),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    await expect(identity.tokens.create('asha', wanted)).rejects.toMatchObject({ code: 'conflict' })
    const [token] = identity.tokens.list('asha')
    await identity.tokens.revoke('asha', token?.id ?? 0)
    await expect(identity.tokens.create('asha', wanted)).resolves.toMatchObject(wanted)
  })

  it('remember when they were last used, over a restart', async () => {
    const { identity, clock, restart } = await ownedWorld()
    const { token } = await identity.tokens.create('asha', { name: 'cron', scopes: ['read'] })
    await clock.advance(MINUTE)
    identity.tokens.verify(token)
    const { identity: later } = await restart()
    expect(later.tokens.list('asha')).toMatchObject([{ lastUsedAt: clock.now() }])
  })

  it.each(['', 'svc_pat_', `svc_pat_${'a'.repeat(43)}`, `svc_pat_${'a'.repeat(100_000)}`, 'a'.repeat(51)])(
    'do not include what was never issued (%#)',
    async (token) => {
      const { identity } = await ownedWorld()
      expect(identity.tokens.verify(token)).toBeUndefined()
    },
  )

  it.each([
    ['name', { name: '' }, /^Must be 1 to 80 characters/],
    ['name', { name: 'a'.repeat(81) }, /^Must be 1 to 80 characters/],
    ['name', { name: ' cron' }, /^Must be 1 to 80 characters/],
    ['name', { name: 'cr\u001bon' }, /^Must be 1 to 80 characters/],
    ['scopes', { scopes: [] }, /^At least one scope is required/],
    ['scopes', { scopes: ['read', 'root'] }, /^Unknown scope "root"\. Must be one of: read, orders/],
    ['scopes', { scopes: ['__proto__'] }, /^Unknown scope "__proto__"/],
    ['expires', { expires: 'soon' }, /^Must be a whole number followed by h/],
  ])('refuse a wrong %s: %j', async (field, wrong, text) => {
    const { identity } = await ownedWorld()
    const wanted = { name: 'cron', scopes: ['read'], ...wrong }
    await expect(identity.tokens.create('asha', wanted)).rejects.toMatchObject({
      code: 'validation',
      errors: { [field]: [expect.stringMatching(text)] },
    })
  })
})

describe('scopes', () => {
  const principal = { username: 'asha', credential: 'access_token', credentialId: '1' } as const

  it.each(Object.keys(SCOPES) as (keyof typeof SCOPES)[])(
    '%s is held by itself and by admin, not by others',
    (scope) => {
      const others = (Object.keys(SCOPES) as (keyof typeof SCOPES)[]).filter(
        (it) => it !== scope && it !== 'admin',
      )
      expect(allows({ ...principal, scopes: [scope] }, scope)).toBe(true)
      expect(allows({ ...principal, scopes: ['admin'] }, scope)).toBe(true)
      expect(allows({ ...principal, scopes: others }, scope)).toBe(false)
      expect(allows({ ...principal, scopes: [] }, scope)).toBe(false)
    },
  )

  it('are sufficient when one of several matches', () => {
    expect(allows({ ...principal, scopes: ['approvals'] }, 'read', 'approvals')).toBe(true)
  })
})

describe('a lifetime', () => {
  it.each([
    ['1h', HOUR],
    ['12h', 12 * HOUR],
    ['90d', 90 * DAY],
    ['2w', 14 * DAY],
    ['3650d', 3650 * DAY],
  ])('%s', (text, ms) => {
    expect(parseLifetime(text)).toBe(ms)
  })

  it.each(['', '0d', '-1d', '1.5d', '90', 'd', '90 d', '90D', '90days', '1m', '1e3d', '9999999h', '90d\n'])(
    'refuses %j with the reason',
    (text) => {
      expect(() => parseLifetime(text)).toThrow(
        'expires: Must be a whole number followed by h (hours), d (days) or w (weeks), such as 90d or 12h.',
      )
    },
  )

  it('refuses more than ten years', () => {
    expect(() => parseLifetime('3651d')).toThrow('expires: Must be at most 3650d.')
  })
})
