import stringWidth from 'string-width'
import { expect, it } from 'vitest'
import type { CommandAccess } from '../../../src/tui/command/access.js'
import { CommandOverlay } from '../../../src/tui/command/CommandOverlay.js'
import { liveDesk } from '../support/live-desk.js'
import { ENTER, shown } from '../support/shown.js'

const SIZE = { width: 80, height: 21 }
const REASON = Array.from({ length: 40 }, (_, at) => `word${at + 1}`).join(' ')

it('a long reason why a line does not run is whole, and the keys stay below it', async () => {
  const { access } = await liveDesk()
  const commands: CommandAccess = {
    program: [process.execPath, '-e', ''],
    env: {},
    expanded: () => Promise.reject(new Error(REASON)),
    commandOf: async () => undefined,
    complete: async () => [],
  }
  const { press, screen, shows } = await shown(
    access,
    <CommandOverlay {...SIZE} access={commands} onClose={() => undefined} />,
  )
  await press('mine SBIN')
  await shows(': svc mine SBIN')
  await press(ENTER)
  await shows('word40')
  const lines = screen().split('\n')
  expect(lines).toHaveLength(SIZE.height)
  expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(SIZE.width)
  expect(lines.join(' ')).toContain(REASON)
  expect(lines.at(-1)).toMatch(/^enter run/)
})
