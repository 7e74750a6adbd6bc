import { beforeEach, describe, expect, it } from 'vitest'
import { type SessionEnd, SessionWatch } from '../../../../src/core/brokers/session/session-watch.js'
import { VirtualClock } from '../../../../src/core/time/index.js'

const MINUTE_MS = 60_000
const NOW = Date.parse('2026-11-20T05:00:00+05:30')
const EXPIRY = Date.parse('2026-11-20T06:00:00+05:30')

let clock: VirtualClock
let watch: SessionWatch
let calls: string[]
beforeEach(() => {
  clock = new VirtualClock(NOW)
  watch = new SessionWatch(clock)
  calls = []
})

function begin(expiresAt: number | undefined = EXPIRY): void {
  const session = { issuedAt: NOW, ...(expiresAt !== undefined && { expiresAt }) }
  const end = ({ cause }: SessionEnd) => void calls.push(cause)
  watch.begin(session, { onSoon: () => void calls.push('soon'), onExpired: end })
}
const facts = () => watch.facts('Zerodha')

describe('a session with an hour', () => {
  it('is told once in its last half hour, and once at its end', async () => {
    begin()
    await clock.advance(30 * MINUTE_MS - 1)
    expect([facts().state, calls]).toEqual(['signed_in', []])
    await clock.advance(1)
    expect(calls).toEqual(['soon'])
    expect(facts()).toEqual({
      state: 'expires_soon',
      reason: 'It ends at 2026-11-20 06:00:00 IST.',
      since: EXPIRY - 30 * MINUTE_MS,
      until: EXPIRY,
      nextStep: 'svc broker login',
    })
    await clock.advance(30 * MINUTE_MS)
    expect(calls).toEqual(['soon', 'expired'])
  })

  it('that begins in its last half hour says so by its state', async () => {
    begin(NOW + 10 * MINUTE_MS)
    expect(facts()).toMatchObject({ state: 'expires_soon', since: NOW })
    await clock.advance(10 * MINUTE_MS)
    expect(calls).toEqual(['expired'])
  })

  it('follows a clock that is set: over the half hour it only ends, and back it is a session again', async () => {
    begin()
    await clock.advance(31 * MINUTE_MS)
    clock.step(-20 * MINUTE_MS)
    expect(facts().state).toBe('signed_in')
    clock.step(90 * MINUTE_MS)
    await clock.advance(MINUTE_MS)
    expect(calls).toEqual(['soon', 'expired'])
  })

  it('that is jumped over by the clock is not announced as near its end', async () => {
    begin()
    clock.step(2 * 60 * MINUTE_MS)
    await clock.advance(MINUTE_MS)
    expect(calls).toEqual(['expired'])
  })
})

describe('a refused address', () => {
  it('is a state of its own, from the first refusal on, with the newest words of the broker', async () => {
    begin()
    expect(watch.noteAddressRefusal('No IPs configured.')).toBe(true)
    await clock.advance(MINUTE_MS)
    expect(watch.noteAddressRefusal('The IP 203.0.113.7 is not allowed.')).toBe(false)
    expect(facts()).toMatchObject({
      state: 'ip_not_allowed',
      reason: 'The IP 203.0.113.7 is not allowed.',
      since: NOW,
      until: EXPIRY,
      nextStep: expect.stringContaining(
        'register the public address of this machine with your app at Zerodha',
      ),
    })
  })

  it('is over once the broker takes an order call, and with a new session', () => {
    begin()
    watch.noteAddressRefusal('No IPs configured.')
    expect([watch.noteOrderServed(), facts().state]).toEqual([true, 'signed_in'])
    expect(watch.noteOrderServed()).toBe(false)
    watch.noteAddressRefusal('No IPs configured.')
    begin()
    expect(facts().state).toBe('signed_in')
  })

  it('of a session that has ended changes nothing', () => {
    expect(watch.noteAddressRefusal('late')).toBe(false)
    expect(facts().state).toBe('signed_out')
  })
})
