import { Text } from 'ink'
import { describe, expect, test } from 'vitest'
import type { Change } from '../../../../src/tui/live/changes/changes.js'
import { PASSWORD } from '../../../support/desk/http-desk.js'
import { heldChange } from '../../support/held-change.js'
import { liveDesk } from '../../support/live-desk.js'
import { shown } from '../../support/shown.js'

/** A program that is connected. */
async function opened(options: Parameters<typeof liveDesk>[0] = {}) {
  const daemon = await liveDesk(options)
  const { desk } = await shown(daemon.access, <Text>The screen</Text>)
  await expect.poll(() => desk.connection.state.get().kind).toBe('connected')
  return { ...daemon, desk, changes: desk.changes }
}

const BUSY = 'Close: not sent. Another change waits for its answer. Try again.'

test('a change says that it is not sent while another one waits for its answer', async () => {
  const { changes } = await opened()
  const cancel = heldChange('Cancel')
  expect(changes.start(cancel)).toBe(true)
  expect(changes.start(heldChange('Close'))).toBe(false)
  expect(changes.message.get()).toBe(BUSY)
  cancel.answer()
  await changes.settled()
  expect(changes.message.get()).toBe('Cancel: done.')
})

describe('two changes that want the password', () => {
  const toLive = (name: string): Change => ({
    name,
    check: 'svc status',
    isUrgent: true,
    async send(client) {
      await client.request('POST /settings/analyze-mode/:mode', { params: { mode: '0' } })
      return 'done.'
    },
  })

  /** Two changes that were sent long after the sign-in, with the first question for the password. */
  async function asked() {
    const daemon = await opened({ env: { REAUTH_MINUTES: '1' } })
    const { changes, http } = daemon
    await http.desk.service.settings.setAnalyzeMode(true)
    await http.desk.clock.advance(2 * 60_000)
    changes.start(toLive('First'))
    changes.start(toLive('Second'))
    await expect.poll(() => changes.proof.get()).toBeDefined()
    return daemon
  }

  test('share one proof', async () => {
    const { changes } = await asked()
    await changes.proof.get()?.prove(PASSWORD, undefined)
    await changes.settled()
    expect(changes.unanswered()).toEqual([])
    expect(changes.message.get()).toMatch(/: done\.$/)
    expect(changes.proof.get()).toBeUndefined()
  })

  test('ask one after the other when the first is left', async () => {
    const { changes } = await asked()
    const first = changes.proof.get()
    first?.cancel()
    await expect.poll(() => changes.proof.get()?.name).not.toBe(undefined)
    expect(changes.proof.get()?.name).not.toBe(first?.name)
    changes.proof.get()?.cancel()
    await changes.settled()
    expect(changes.message.get()).toMatch(/: not made\.$/)
  })
})
