import { expect, test } from 'vitest'
import type { Status } from '../../../src/tui/live/status.js'
import { factsOf } from '../../../src/tui/shell/Header.js'

const NOW = Date.parse('2026-11-20T05:00:00Z')

function textsOf(expires_at: string | null, isFailing = false): readonly string[] {
  const status: Status = {
    user: { username: 'asha', kind: 'session', scopes: [], expires_at },
    ...{ analyze_mode: true, order_mode: 'auto', broker: 'zerodha', isBrokerConnected: true },
    ...{ killSwitch: false, pendingApprovals: 0, inDoubt: 0, feedAgeS: 0 },
  }
  const reading = { now: NOW, readAt: NOW - 120_000, signInKey: 'ctrl-l', isFailing }
  return factsOf(status, { kind: 'connected' }, reading).map(({ text }) => text)
}

test('the end of the session is named in its last hour', () => {
  expect(textsOf('2026-11-20T05:30:00Z')).toContainEqual(expect.stringMatching(/^session ends in 30m/))
  expect(textsOf('2026-11-20T06:30:00Z').join()).not.toContain('session')
  expect(textsOf(null).join()).not.toContain('session')
})

test('facts that cannot be read again have an age, also while connected', () => {
  expect(textsOf(null, true)).toContainEqual(expect.stringMatching(/^facts 2m.* old$/))
  expect(textsOf(null).join()).not.toContain('facts')
})
