import { expect, test } from 'vitest'
import { parseComparable, parseNumber } from '../../../../src/core/flows/language/numbers.js'

test.each<[unknown, number | undefined]>([
  [5, 5],
  ['5', 5],
  [' 5.50 ', 5.5],
  ['09', 9],
  ['+3', 3],
  ['-.5', -0.5],
  ['5.', 5],
  ['1e3', 1000],
  ['1E-3', 0.001],
  ['', undefined],
  [' ', undefined],
  ['.', undefined],
  ['-', undefined],
  ['nan', undefined],
  ['NaN', undefined],
  ['inf', undefined],
  ['Infinity', undefined],
  ['1e999', undefined],
  ['0x10', undefined],
  ['1_000', undefined],
  ['1,000', undefined],
  ['1 2', undefined],
  ['٣', undefined],
  ['5abc', undefined],
  ['{{x}}', undefined],
  [true, 1],
  [false, 0],
  [null, undefined],
  [undefined, undefined],
  [Number.NaN, undefined],
  [Number.POSITIVE_INFINITY, undefined],
  [['5'], undefined],
  [{}, undefined],
])('%j is the number %s', (value, number) => {
  expect(parseNumber(value)).toBe(number)
})

test.each([
  ['true', 1],
  [' False ', 0],
  ['TRUE', 1],
  ['yes', undefined],
  ['7', 7],
])('conditions compare %j as %s', (text, number) => {
  expect(parseComparable(text)).toBe(number)
})

test('long texts that are almost numbers are refused quickly', () => {
  for (const text of [`${'1'.repeat(200_000)}x`, `${'0'.repeat(200_000)}.x`, `1e${'1'.repeat(200_000)}x`]) {
    expect(parseNumber(text)).toBeUndefined()
  }
})
