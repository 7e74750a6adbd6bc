import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { csvRecords, MAX_RECORD_LENGTH } from '../../../src/core/csv/records.js'

/** The same parser in its simplest form: one character after the other. */
function readByTheLetter(text: string): string[][] {
  const records: string[][] = []
  let raw = ''
  let fields = ['']
  let quoted = false
  const end = (body: string) => {
    // The carriage return of the line end is not part of a field.
    if (body.endsWith('\r')) fields.push((fields.pop() ?? '').slice(0, -1))
    if (body !== '' && body !== '\r') records.push(fields)
  }
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? ''
    if (char === '\n' && !quoted) {
      end(raw)
      raw = ''
      fields = ['']
      continue
    }
    raw += char
    if (char === '"' && quoted && text[at + 1] === '"') {
      raw += '"'
      at++
    } else if (char === '"') {
      quoted = !quoted
      continue
    } else if (char === ',' && !quoted) {
      fields.push('')
      continue
    }
    fields.push((fields.pop() ?? '') + char)
  }
  end(raw)
  return records
}

const fieldsOf = (text: string) => [...csvRecords(text)].map((record) => record.fields)

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

  it('refuses thousands of blank lines, which give no record between which others could go first', () => {
    expect(fieldsOf(`a${'\n'.repeat(10_001)}b`)).toEqual([['a'], ['b']])
    expect(() => fieldsOf(`a${'\n'.repeat(10_003)}b`)).toThrow('More than 10000 blank lines')
  })

  it('numbers the line on which each record starts', () => {
    expect([...csvRecords('a\n\n"b\nb"\nc')].map((record) => record.line)).toEqual([1, 3, 5])
  })

  it('parses any text like the simple parser', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '"', ',', '\n', '\r', '\r\n', '""', '₹'),
      maxLength: 60,
    })
    const alike = fc.property(text, (given) => {
      expect(fieldsOf(given)).toEqual(readByTheLetter(given))
    })
    fc.assert(alike, { numRuns: 2000 })
  })

  it('reads each character a few times, however many lines a quoted field has', () => {
    const field = `"${'x\n'.repeat(5000)}"`
    const text = `${field}\n`.repeat(20)
    const slice = vi.spyOn(String.prototype, 'slice')
    const records = fieldsOf(text)
    const looked = slice.mock.results.reduce((sum, { value }) => sum + String(value).length, 0)
    slice.mockRestore()
    expect(records).toEqual(Array.from({ length: 20 }, () => ['x\n'.repeat(5000)]))
    expect(looked).toBeLessThan(3 * text.length)
  })

  it.each([
    ['a quote that is not closed', `b,"c\n${'1,2,3\n'.repeat(20_000)}`],
    ['an endless line', 'x'.repeat(MAX_RECORD_LENGTH + 1)],
  ])('refuses %s, and says where it starts', (_, long) => {
    const records = csvRecords(`a\n"a\nb"\n${long}`)
    expect([records.next().value?.line, records.next().value?.line]).toEqual([1, 2])
    expect(() => records.next()).toThrow('The record that begins on line 4 is longer than 64 KiB')
  })

  it('accepts a record of the maximum length', () => {
    const record = `"${'x'.repeat(MAX_RECORD_LENGTH - 2)}"`
    expect(fieldsOf(`${record}\na`).map(([field]) => field?.length)).toEqual([MAX_RECORD_LENGTH - 2, 1])
  })
})
