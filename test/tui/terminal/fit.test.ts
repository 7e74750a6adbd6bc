import { expect, test } from 'vitest'
import { wrapped, wrappedIn } from '../../../src/tui/terminal/fit.js'

test('a text breaks at spaces, and only a word wider than a line breaks within', () => {
  expect(wrapped('close every position it holds?', 12)).toEqual(['close every', 'position it', 'holds?'])
  expect(wrapped('an abcdefghijkl', 5)).toEqual(['an', 'abcde', 'fghij', 'kl'])
  expect(wrapped('exactly ten', 7)).toEqual(['exactly', 'ten'])
  expect(wrapped('sell 10 50 lots', 7)).toEqual(['sell 10', '50 lots'])
  expect(wrapped('sell 10  50', 7)).toEqual(['sell 10', '50'])
  expect(wrapped('日本 日本', 4)).toEqual(['日本', '日本'])
  expect(wrapped('  abcdef', 4)).toEqual(['  ab', 'cdef'])
  expect(wrapped('', 4)).toEqual([''])
})

test('a text that needs more lines than there are ends with a sign', () => {
  expect(wrappedIn('close every position', 12, 2)).toEqual(['close every', 'position'])
  expect(wrappedIn('close every position it holds?', 12, 2)).toEqual(['close every', 'position it…'])
  expect(wrappedIn('close every position', 12, 1)).toEqual(['close every…'])
  expect(wrappedIn('', 12, 1)).toEqual([''])
})
