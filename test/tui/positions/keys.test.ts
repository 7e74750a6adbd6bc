import { expect, it } from 'vitest'
import { helpOf } from '../../../src/tui/keys/bindings.js'
import { KEYS } from '../../../src/tui/positions/keys.js'

it('the details of a position name the key that closes it, those of a holding do not', () => {
  const named = (pane: string) => helpOf(KEYS, pane, new Map()).map(({ does }) => does)
  expect(named('details')).toEqual(['close', 'back'])
  expect(named('holding')).toEqual(['back'])
})
