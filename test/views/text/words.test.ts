import { expect, it } from 'vitest'
import { factsInWords } from '../../../src/views/text/words.js'

it('facts have no braces, quotes or empty values', () => {
  expect(factsInWords({ a: { b: true, c: null }, d: [], e: 'x', reason: 'first' })).toBe(
    'first, a b yes, e x',
  )
})
