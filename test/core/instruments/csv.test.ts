import { describe, expect, it } from 'vitest'
import { csvRecords } from '../../../src/core/instruments/csv.js'

describe('CSV records', () => {
  it.each([
    [
      'plain fields',
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'CRLF and a last line end',
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a byte order mark', '\ufeffa,b', [['a', 'b']]],
    ['blank lines', 'a\n\n\r\nb\n', [['a'], ['b']]],
    ['commas and doubled quotes', '"a,b","say ""hi""",c', [['a,b', 'say "hi"', 'c']]],
    [
      'line breaks inside quotes',
      '"a\nb",c\nd,e',
      [
        ['a\nb', 'c'],
        ['d', 'e'],
      ],
    ],
    ['empty fields', ',,\n', [['', '', '']]],
    ['a quote that never closes', 'a\n"b\nc', [['a'], ['b\nc']]],
    ['nothing', '', []],
  ])('reads %s', (_, text, records) => {
    expect([...csvRecords(text)].map((record) => record.fields)).toEqual(records)
  })

  it('numbers the line each record begins on', () => {
    expect([...csvRecords('a\n\n"b\nb"\nc')].map((record) => record.line)).toEqual([1, 3, 5])
  })
})
