import { expect, it } from 'vitest'
import { helpOf } from '../../../src/tui/keys/bindings.js'
import { positions } from '../../../src/tui/positions/screen.js'

it('the details of a position name the keys that change it, those of a holding do not', () => {
  const named = (pane: string) => helpOf(positions.keys, pane, new Map()).map(({ does }) => does)
  expect(named('positions details')).toEqual([
    ...['close', 'half', 'reverse', 'breakeven', 'bracket', 'tighten', 'back'],
  ])
  expect(named('holdings details')).toEqual(['back'])
})
