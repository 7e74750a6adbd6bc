import { expect, it } from 'vitest'
import { visible } from '../../../src/views/table/cells.js'

it.each([
  ['\u061cx', '\\u061cx'],
  ['\u202ex', '\\u202ex'],
  ['\u001b[2J', '\\u001b[2J'],
  ['漢字 👩‍👩‍👧', '漢字 👩‍👩‍👧'],
])('%j reaches a terminal as %s', (text, shown) => {
  expect(visible(text)).toBe(shown)
})
