import stringWidth from 'string-width'
import { expect, it } from 'vitest'
import { allKeysOf, helpOf } from '../../../src/tui/keys/bindings.js'
import { helpLines } from '../../../src/tui/keys/KeyHelpList.js'
import { keyLineText } from '../../../src/tui/keys/KeyLine.js'
import { SCREENS } from '../../../src/tui/shell/screens.js'

const KEYS = [
  { keys: 'n', does: 'new' },
  { keys: 'm', does: 'modify' },
  { keys: '?', does: 'keys' },
]

it('names only keys whose meaning fits, and always the last one', () => {
  expect(keyLineText(KEYS, 80)).toBe('n new  m modify  ? keys')
  expect(keyLineText(KEYS, 22)).toBe('n new  ? keys')
  expect(keyLineText(KEYS, 8)).toBe('? keys')
})

/** Every pane of every screen. */
const PANES = SCREENS.flatMap(({ id, keys: bindings }) =>
  [...new Set(bindings.flatMap((one) => one.in))].map((pane) => ({ id, pane, bindings })),
)

it.each(PANES)(
  'the key line of $id, $pane ends with the key for all keys at 80 columns',
  ({ pane, bindings }) => {
    const line = keyLineText([...helpOf(bindings, pane, new Map()), { keys: '?', does: 'keys' }], 80)
    expect(line).toMatch(/\? keys$/)
    expect(stringWidth(line)).toBeLessThanOrEqual(80)
  },
)

it.each(PANES)(
  'the list of keys of $id, $pane shows each command whole at 80 columns',
  ({ pane, bindings }) => {
    const keys = allKeysOf(bindings, pane, new Map())
    const lines = helpLines(keys, 80).map(({ text }) => text)
    for (const { command, does } of keys) {
      expect(lines.some((line) => line.includes(does))).toBe(true)
      if (command !== undefined) expect(lines.some((line) => line.includes(command))).toBe(true)
    }
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(80)
  },
)
