import stringWidth from 'string-width'
import { expect, it } from 'vitest'
import { allKeysOf, everywhereOf, helpOf } from '../../../src/tui/keys/bindings.js'
import { helpLines } from '../../../src/tui/keys/KeyHelpList.js'
import { keyLineText } from '../../../src/tui/keys/KeyLine.js'
import { SCREENS } from '../../../src/tui/shell/screens.js'

const KEYS = [
  { keys: 'n', does: 'new' },
  { keys: 'm', does: 'modify' },
]
const EVERYWHERE = [
  { keys: ':', does: 'run' },
  { keys: 'q', does: 'quit' },
  { keys: '?', does: 'keys' },
]

it('names only keys whose meaning fits, and always those that work everywhere', () => {
  expect(keyLineText(KEYS, EVERYWHERE, 80)).toBe('n new  m modify  : run  q quit  ? keys')
  expect(keyLineText(KEYS, EVERYWHERE, 28)).toBe('n new  m modify  : q ? keys')
  expect(keyLineText(KEYS, EVERYWHERE, 26)).toBe('n new  : q ? keys')
  expect(keyLineText(KEYS, EVERYWHERE, 10)).toBe(': q ? keys')
  expect(keyLineText(KEYS, [], 8)).toBe('n new')
})

const map = new Map()
/** Every pane of every screen. */
const PANES = SCREENS.flatMap(({ id, keys: bindings }) =>
  [...new Set(bindings.flatMap((one) => one.in))].map((pane) => ({ id, pane, bindings })),
)

it.each(PANES)(
  'the key line of $id, $pane ends with the key for all keys at 80 columns',
  ({ pane, bindings }) => {
    const line = keyLineText(helpOf(bindings, pane, map), everywhereOf(bindings, pane, map), 80)
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

it.each(PANES)(
  'the key line of $id, $pane names the way back, or those that lead on',
  ({ pane, bindings }) => {
    const line = keyLineText(helpOf(bindings, pane, map), everywhereOf(bindings, pane, map), 80)
    const isOver = bindings.some(({ keys, in: panes }) => panes.includes(pane) && keys.includes('q'))
    expect(line).toMatch(isOver ? /(esc|q) \w+/ : /: (run {2})?ctrl-k (jump {2})?q /)
  },
)
