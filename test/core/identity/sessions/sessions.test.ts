import { describe, expect, it } from 'vitest'
import type { Revocation } from '../../../../src/core/identity/index.js'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { lockedElsewhere } from '../../../support/process/lock.js'
import { leastTime, timed } from '../../../support/timing.js'
import { DAY, MINUTE, MONDAY_TEN, OWNER, ownedWorld, signIn, world } from '../support.js'

/** The owner of every session here. */
const OWNED = { username: OWNER.username }

describe('sessions', () => {
  it('are new for every sign-in, found by their token, and survive a restart', async () => {
    const { identity, restart } = await ownedWorld()
    const first = await signIn(identity)
    const second = await signIn(identity)
    expect(second.token).not.toBe(first.token)
    const { identity: later } = await restart()
    for (const { token, session } of [first, second]) {
      expect(later.sessions.verify(token)).toMatchObject({ id: session.id, username: 'asha' })
    }
    expect(later.sessions.verify(first.token)?.principal).toEqual({
      username: 'asha',
      credential: 'session',
      credentialId: first.session.id,
      scopes: ['admin'],
    })
  })

  it.each(['', 'x', 'A'.repeat(43), 'A'.repeat(100_000), '__proto__'])(
    'do not know a token that is not one of ours (%#)',
    async (token) => {
      const { identity } = await ownedWorld()
      expect(identity.sessions.verify(token)).toBeUndefined()
    },
  )

  it('cannot be opened with the id that lists show', async () => {
    const { identity } = await ownedWorld()
    const { session } = await signIn(identity)
    expect(identity.sessions.verify(session.id)).toBeUndefined()
  })

  it.each([
    ['signed in at ten in the morning', '2026-01-05T10:00:00+05:30', '2026-01-06T03:00:00+05:30'],
    ['signed in just before the rollover', '2026-01-06T02:59:59+05:30', '2026-01-06T03:00:00+05:30'],
    ['signed in at the rollover', '2026-01-06T03:00:00+05:30', '2026-01-07T03:00:00+05:30'],
    ['signed in after midnight', '2026-01-06T00:30:00+05:30', '2026-01-06T03:00:00+05:30'],
  ])('end at the next 03:00 IST: %s', async (_, start, end) => {
    const clock = new VirtualClock(start)
    const { identity } = await ownedWorld({ clock })
    const { token, session } = await signIn(identity)
    expect(session.expiresAt).toBe(Date.parse(end))
    await clock.advanceTo(Date.parse(end) - 1)
    expect(identity.sessions.verify(token)).toMatchObject(OWNED)
    await clock.advance(1)
    expect(identity.sessions.verify(token)).toBeUndefined()
    expect(identity.sessions.list('asha')).toEqual([])
  })

  it('announce their end at that moment, not at the next sweep', async () => {
    const { identity, clock } = await ownedWorld({ clock: new VirtualClock('2026-01-05T10:00:07+05:30') })
    const { session } = await signIn(identity)
    const ended: Revocation[] = []
    identity.onRevoked((revocation) => void ended.push(revocation))
    await clock.advanceTo(session.expiresAt - 1)
    expect(ended).toEqual([])
    await clock.advance(1)
    expect(ended).toMatchObject([{ credentialId: session.id, reason: 'expired' }])
  })

  it('end at the configured time of day', async () => {
    const { identity } = await ownedWorld({ config: { sessionExpiryTime: '23:30' } })
    const { session } = await signIn(identity)
    expect(session.expiresAt).toBe(Date.parse('2026-01-05T23:30:00+05:30'))
  })

  it('survive the daily expiry when it is switched off, but not a week without use', async () => {
    const config = { disableSessionExpiry: true }
    const start = Date.parse(MONDAY_TEN)
    const { identity, restart } = await ownedWorld({ config })
    const { token, session } = await signIn(identity)
    expect(session.expiresAt).toBe(start + 365 * DAY)
    const used = await restart({ config, clock: new VirtualClock(start + 6 * DAY) })
    expect(used.identity.sessions.verify(token)).toMatchObject(OWNED)
    const later = await used.restart({ config, clock: new VirtualClock(start + 13 * DAY - 1) })
    expect(later.identity.sessions.verify(token)).toMatchObject(OWNED)
    const idle = await later.restart({ config, clock: new VirtualClock(start + 20 * DAY - 1) })
    expect(idle.identity.sessions.verify(token)).toBeUndefined()
  })

  it.each(['3:00', '24:00', ''])('refuse to start with the expiry time %j', async (sessionExpiryTime) => {
    await expect(world({ config: { sessionExpiryTime } })).rejects.toThrow(
      /^SESSION_EXPIRY_TIME must be HH:MM/,
    )
  })

  it('announce their expiry, and leave the database', async () => {
    const { identity, clock, db } = await ownedWorld()
    const { session } = await signIn(identity)
    const ended = revocationsOf(identity)
    await clock.advanceTo('2026-01-06T03:00:30+05:30')
    await identity.sessions.sweep()
    expect(ended).toEqual([
      { credential: 'session', credentialId: session.id, username: 'asha', reason: 'expired' },
    ])
    expect(await db.queryRaw('select * from active_sessions')).toEqual([])
  })

  it('are invalid as soon as they are revoked, also after a restart', async () => {
    const { identity, restart } = await ownedWorld()
    const kept = await signIn(identity)
    const gone = await signIn(identity)
    const ended = revocationsOf(identity)
    expect(await identity.sessions.revoke('asha', gone.session.id, 'logout')).toBe(true)
    expect(identity.sessions.verify(gone.token)).toBeUndefined()
    expect(ended).toEqual([
      { credential: 'session', credentialId: gone.session.id, username: 'asha', reason: 'logout' },
    ])
    expect(await identity.sessions.revoke('asha', gone.session.id)).toBe(false)
    expect(await identity.sessions.revoke('ravi', kept.session.id)).toBe(false)
    const { identity: later } = await restart()
    expect(later.sessions.verify(gone.token)).toBeUndefined()
    expect(later.sessions.verify(kept.token)).toMatchObject(OWNED)
  })

  it('are at most five: a sixth ends the oldest', async () => {
    const { identity, clock, restart } = await ownedWorld()
    const ended = revocationsOf(identity)
    const granted = []
    for (let i = 0; i < 6; i++) {
      granted.push(await signIn(identity, `device ${i}`))
      await clock.advance(1000)
    }
    const alive = granted.map(({ token }) => identity.sessions.verify(token) !== undefined)
    expect(alive).toEqual([false, true, true, true, true, true])
    expect(ended).toEqual([
      { credential: 'session', credentialId: granted[0]?.session.id, username: 'asha', reason: 'evicted' },
    ])
    const { identity: later } = await restart()
    expect(later.sessions.list('asha')).toHaveLength(5)
  })

  it('that begin after the clock was set back are not the oldest', async () => {
    const { identity, clock } = await ownedWorld()
    for (let i = 0; i < 5; i++) await signIn(identity, `device ${i}`)
    clock.step(-3_600_000)
    const { token } = await signIn(identity, 'after the step')
    expect(identity.sessions.verify(token)).toBeDefined()
    expect(identity.sessions.list('asha')).toHaveLength(5)
  })

  it('are invalid at once when their end cannot be stored, and a second call stores it', async () => {
    const { identity, db, file, restart } = await ownedWorld()
    const [first, second, third] = [await signIn(identity), await signIn(identity), await signIn(identity)]
    const release = await lockedElsewhere(db, file)
    const refused = { code: 'unavailable', message: expect.stringContaining('ended') }
    await expect(identity.sessions.revoke('asha', first.session.id)).rejects.toMatchObject(refused)
    for (const { session } of [second, third]) {
      await expect(identity.sessions.revoke('asha', session.id)).rejects.toMatchObject(refused)
    }
    for (const { token } of [first, second, third]) expect(identity.sessions.verify(token)).toBeUndefined()
    await expect(identity.sessions.settleEndOf(first.token)).rejects.toMatchObject(refused)
    await release()
    expect(await identity.sessions.revoke('ravi', first.session.id)).toBe(false)
    expect(await identity.sessions.settleEndOf(first.token)).toBe(true)
    expect(await identity.sessions.settleEndOf(first.token)).toBe(false)
    const { identity: later } = await restart()
    expect(later.sessions.list('asha')).toEqual([])
  })

  it('are stored as ended by the housekeeping, at the latest when the service stops', async () => {
    const { identity, clock, db, file, restart } = await ownedWorld()
    const [swept, left] = [await signIn(identity), await signIn(identity)]
    const release = await lockedElsewhere(db, file)
    await expect(identity.sessions.revoke('asha', swept.session.id)).rejects.toThrow('Repeat the request')
    await release()
    await clock.advance(30_000)
    const stored = () => db.queryRaw('select session_id as id from active_sessions')
    await expect.poll(stored, { interval: 5 }).toEqual([{ id: left.session.id }])
    const again = await lockedElsewhere(db, file)
    await expect(identity.sessions.revoke('asha', left.session.id)).rejects.toThrow('Repeat the request')
    await again()
    const { identity: later } = await restart()
    expect(later.sessions.verify(left.token)).toBeUndefined()
  })

  it('stay at five when many sign in at the same moment', async () => {
    const { identity, db } = await ownedWorld()
    await Promise.all(Array.from({ length: 12 }, () => signIn(identity)))
    expect(identity.sessions.list('asha')).toHaveLength(5)
    expect(await db.queryRaw('select count(*) as n from active_sessions')).toEqual([{ n: 5 }])
  })

  it('are listed with the fields of the API, the last seen first', async () => {
    const { identity, clock } = await ownedWorld()
    const older = await signIn(identity, 'laptop')
    await clock.advance(MINUTE)
    const newer = await signIn(identity, 'phone')
    await clock.advance(MINUTE)
    identity.sessions.verify(older.token)
    expect(identity.sessions.list('asha')).toEqual([
      {
        session_id: older.session.id,
        device_info: 'laptop',
        ip_address: '127.0.0.1',
        broker: null,
        login_time: '2026-01-05T10:00:00',
        last_seen: '2026-01-05T10:02:00',
      },
      expect.objectContaining({ session_id: newer.session.id, last_seen: '2026-01-05T10:01:00' }),
    ])
    expect(identity.sessions.list('ravi')).toEqual([])
  })

  it('write when they were seen every 30 seconds, not on each request', async () => {
    const { identity, clock, db } = await ownedWorld()
    const { token } = await signIn(identity)
    const written = async () => (await db.queryRaw('select last_seen from active_sessions'))[0]?.last_seen
    await clock.advance(29_000)
    identity.sessions.verify(token)
    expect(await written()).toBe(Date.parse(MONDAY_TEN))
    await clock.advance(1000)
    await expect.poll(written, { interval: 5 }).toBe(Date.parse(MONDAY_TEN) + 29_000)
  })

  it('have a CSRF token that no other session shares and that survives a restart', async () => {
    const { identity, restart } = await ownedWorld()
    const one = await signIn(identity)
    const other = await signIn(identity)
    expect(identity.sessions.csrfMatches(one.session, one.csrfToken)).toBe(true)
    expect(identity.sessions.csrfMatches(one.session, other.csrfToken)).toBe(false)
    expect(identity.sessions.csrfMatches(one.session, '')).toBe(false)
    const { identity: later } = await restart()
    const session = later.sessions.verify(one.token)
    expect(session && later.sessions.csrfToken(session)).toBe(one.csrfToken)
  })

  it('report each change once, with the list after it', async () => {
    const { identity, clock } = await ownedWorld()
    const counts: [string, number][] = []
    identity.onSessionsChanged((username) => counts.push([username, identity.sessions.list(username).length]))
    const first = await signIn(identity)
    for (let n = 2; n <= 6; n++) await signIn(identity)
    expect(counts.splice(0).map(([, count]) => count)).toEqual([1, 2, 3, 4, 5, 5])
    expect(await identity.sessions.revoke('asha', first.session.id)).toBe(false)
    expect(counts).toEqual([])
    await identity.sessions.revoke('asha', identity.sessions.list('asha')[0]?.session_id ?? '')
    expect(counts.splice(0)).toEqual([['asha', 4]])
    await clock.advance(DAY)
    await expect.poll(() => counts, { interval: 5 }).toEqual([['asha', 0]])
  })

  it('cost microseconds to verify', async () => {
    const { identity } = await ownedWorld()
    const { token } = await signIn(identity)
    const thousand = () => {
      for (let i = 0; i < 1000; i++) identity.sessions.verify(token)
    }
    expect(await leastTime(20, () => timed(thousand))).toBeLessThan(20)
  })
})

function revocationsOf(identity: { onRevoked(listener: (it: Revocation) => void): unknown }): Revocation[] {
  const seen: Revocation[] = []
  identity.onRevoked((revocation) => seen.push(revocation))
  return seen
}
