import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvRecord } from '../../../src/core/csv/index.js'
import { csvRecords } from '../../../src/core/csv/records.js'

test.each([
  ['plain text', 'SBIN', 'SBIN'],
  ['nothing', undefined, ''],
  ['null', null, ''],
  ['a number', 812.4, '812.4'],
  ['a negative number', -12.5, '-12.5'],
  ['a negative number as text', '-12.50', '-12.50'],
  ['a number with its sign as text', '+5', '+5'],
  ['a dash', '-', "'-"],
  ['a formula', '=1+1', "'=1+1"],
  ['a formula after a minus', '-1+cmd|calc', "'-1+cmd|calc"],
  ['a formula after a plus', '+SUM(A1)', "'+SUM(A1)"],
  ['a function call', '@SUM(A1)', "'@SUM(A1)"],
  ['a formula after a tab', '\t=1', "'\t=1"],
  ['a formula after a line break', '\n=1', '"\'\n=1"'],
  ['a formula with quotes', '=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'],
  ['a comma', 'a,b', '"a,b"'],
  ['quotes', 'a "b"', '"a ""b"""'],
  ['a list', [1, 2], '"[1,2]"'],
  ['booleans', true, 'true'],
  ['a NUL', 'a\u0000b', 'a\\u0000b'],
  ['a formula behind a NUL', '\u0000=1+1', '\\u0000=1+1'],
  ['an escape sequence of a terminal', '\u001b[31m', '\\u001b[31m'],
  ['an override of the direction', 'a\u202eb\u2066c', 'a\\u202eb\\u2066c'],
  ['a line separator', 'a\u2028b', 'a\\u2028b'],
  ['a tab inside', 'a\tb', 'a\tb'],
])('%s', (_name, value, cell) => {
  expect(csvRecord([value])).toBe(`${cell}\r\n`)
})

test('a written text is read back unchanged, except for the mark before a formula', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', '1', '-', '=', ',', '"', '\n', '\r', '₹'),
    maxLength: 8,
  })
  const roundTrip = fc.property(fc.array(text, { minLength: 2, maxLength: 5 }), (cells) => {
    const [read] = csvRecords(csvRecord(cells))
    expect(read?.fields.map((field, at) => (field === `'${cells[at]}` ? cells[at] : field))).toEqual(cells)
  })
  fc.assert(roundTrip)
})
