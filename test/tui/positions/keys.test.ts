import { expect, it } from 'vitest'
import { helpOf } from '../../../src/tui/keys/bindings.js'
import { POSITION_KEYS } from '../../../src/tui/positions/keys.js'

it('the details of a position name the key that closes it, those of a holding do not', () => {
  const named = (pane: string) => helpOf(POSITION_KEYS, pane, new Map()).map(({ does }) => does)
  expect(named('details')).toEqual(['close', 'back'])
  expect(named('holding')).toEqual(['back'])
})
