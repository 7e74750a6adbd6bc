import stringWidth from 'string-width'
import { describe, expect, it, test } from 'vitest'
import type { ConnectionState } from '../../../src/tui/live/connection.js'
import type { Status } from '../../../src/tui/live/status.js'
import { fittingFacts, headerFacts, type Reading } from '../../../src/tui/shell/header-facts.js'

const NOW = Date.parse('2026-11-20T05:00:00Z')
const STATUS: Status = {
  user: { username: 'asha', kind: 'session', scopes: [], expires_at: null },
  analyze_mode: true,
  order_mode: 'semi_auto',
  broker: 'simulated',
  session: { state: 'signed_in', until: null, reason: null, next_step: null },
  killSwitch: false,
  pendingApprovals: 0,
  inDoubt: 0,
  feedAgeS: null,
  isFeedQuiet: false,
  feed: undefined,
}
const READING: Reading = { now: NOW, readAt: NOW, tickedAt: undefined, signInKey: 'ctrl-l', isFailing: false }
const CONNECTED: ConnectionState = { kind: 'connected' }
const LOST: ConnectionState = { kind: 'lost', problem: 'gone', since: NOW - 12_000, retryAt: NOW + 4000 }

function textsOf(status: Partial<Status>, reading: Partial<Reading> = {}, connection = CONNECTED) {
  return headerFacts({ ...STATUS, ...status }, connection, { ...READING, ...reading }).map(({ text }) => text)
}

/** Returns the first line of a terminal, after the mode. */
function lineOf(status: Partial<Status>, connection: ConnectionState, columns = 80): string {
  const facts = headerFacts({ ...STATUS, ...status }, connection, READING)
  return fittingFacts(facts, columns - ' LIVE '.length)
    .map(({ text }) => ` ${text} `)
    .join('')
}

test('the end of the session is named in its last hour', () => {
  const ending = (expires_at: string | null) => textsOf({ user: { ...STATUS.user, expires_at } })
  expect(ending('2026-11-20T05:30:00Z')).toContainEqual(expect.stringMatching(/^session ends in 30m/))
  expect(ending('2026-11-20T06:30:00Z').join()).not.toContain('session')
  expect(ending(null).join()).not.toContain('session')
})

test.each([
  ['expires_soon', 'broker session ends in 12m'],
  ['ip_not_allowed', 'BROKER ADDRESS REFUSED'],
  ['expired', 'BROKER SESSION EXPIRED'],
  ['refused', 'BROKER SESSION REFUSED'],
  ['signed_out', 'broker signed out'],
] as const)('a session at the broker that is %s has a fact of its own', (state, text) => {
  const session = { ...STATUS.session, state, until: '2026-11-20T05:12:00Z' }
  expect(textsOf({ session })).toContainEqual(expect.stringContaining(text))
})

test('a session at the broker that is fine has none', () => {
  expect(textsOf({}).join()).not.toContain('broker')
})

test('facts that cannot be read again have an age, also while connected', () => {
  const failing = { isFailing: true, readAt: NOW - 120_000 }
  expect(textsOf({}, failing)).toContainEqual(expect.stringMatching(/^facts 2m.* old$/))
  expect(textsOf({}).join()).not.toContain('facts')
})

test('the kill switch is named whether it is on or off', () => {
  expect(textsOf({ killSwitch: false })).toContain('kill switch off')
  expect(textsOf({ killSwitch: true })).toContain('KILL SWITCH ON')
})

describe('the age of the price feed', () => {
  it('is that of the newest tick, seen by the daemon or by this program', () => {
    expect(textsOf({ feedAgeS: 1 }, { readAt: NOW - 3000 })).toContain('feed 4s')
    expect(textsOf({ feedAgeS: 1 }, { readAt: NOW - 3000, tickedAt: NOW - 500 })).toContain('feed 0s')
    expect(textsOf({ feedAgeS: null }, { tickedAt: NOW - 2000 })).toContain('feed 2s')
  })

  it('becomes a warning when the feed may have stopped, and none while nobody wants prices', () => {
    expect(textsOf({ feedAgeS: 70 })).toContain('feed 1m 10s old')
    expect(textsOf({ feedAgeS: 70, isFeedQuiet: true })).toContain('feed 1m 10s idle')
    expect(textsOf({ feedAgeS: null })).toContain('no feed')
  })
})

describe('the first line at 80 columns', () => {
  it.each([
    ['connected', {}, CONNECTED, ['connected', 'kill switch off', 'semi_auto simulated', 'no feed', 'asha']],
    [
      'with the kill switch on',
      { killSwitch: true, feedAgeS: 70 },
      CONNECTED,
      ['KILL SWITCH ON', 'feed 1m 10s'],
    ],
    [
      'with orders in doubt',
      { inDoubt: 2, feedAgeS: 3 },
      CONNECTED,
      ['2 in doubt', 'semi simulated', 'feed 3s', 'asha'],
    ],
    [
      'without a broker',
      { session: { ...STATUS.session, state: 'signed_out' } },
      CONNECTED,
      ['broker signed out', 'no feed', 'asha'],
    ],
    [
      'without a connection',
      { feedAgeS: 3 },
      LOST,
      ['NOT CONNECTED 12s, retry 4s', 'kill off', 'semi simulated', 'feed 3s'],
    ],
    [
      'signed out',
      {},
      { kind: 'signed_out', problem: '', since: NOW, at: NOW },
      ['SIGNED OUT, ctrl-l signs in', 'kill off', 'asha'],
    ],
  ] as const)('has every fact: %s', (_, status, connection, facts) => {
    const line = lineOf(status, connection)
    for (const fact of facts) expect(line).toContain(` ${fact} `)
    expect(stringWidth(line)).toBeLessThanOrEqual(80 - ' LIVE '.length)
  })

  it('has the long forms where there is room', () => {
    expect(lineOf({}, LOST, 120)).toContain('NOT CONNECTED for 12s, retry in 4s')
  })
})
