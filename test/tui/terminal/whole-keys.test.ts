import fc from 'fast-check'
import { expect, test } from 'vitest'
import { WholeKeys } from '../../../src/tui/terminal/whole-keys.js'

/** A terminal whose bytes arrive in pieces, with a clock that a test moves on. */
function terminal() {
  const pieces: string[] = []
  let due: (() => void) | undefined
  let told = 0
  const keys = new WholeKeys({
    read: () => pieces.shift() ?? null,
    readable: () => {
      told += 1
    },
    later: (run) => {
      due = run
      return () => {
        due = undefined
      }
    },
  })
  const readAll = () => {
    const read: string[] = []
    for (let text = keys.read(); text !== null; text = keys.read()) read.push(text)
    return read
  }
  return {
    /** Returns what is read after some pieces have arrived together. */
    arrives(...arrived: readonly string[]) {
      pieces.push(...arrived)
      return readAll()
    },
    /** Returns what is read after the wait for the rest of a key. */
    waits() {
      due?.()
      return readAll()
    },
    told: () => told,
  }
}

test('the bytes of one key are read together, in whatever pieces they arrive', () => {
  const { arrives } = terminal()
  expect(arrives('a\u001b')).toEqual(['a'])
  expect(arrives('[')).toEqual([])
  expect(arrives('A')).toEqual(['\u001b[A'])
  expect(arrives('text\u001b[20')).toEqual(['text'])
  expect(arrives('1~q')).toEqual(['\u001b[201~q'])
  expect(arrives('\u001bO', 'P')).toEqual(['\u001bOP'])
})

test('escape alone is read after a moment', () => {
  const { arrives, waits, told } = terminal()
  expect(arrives('\u001b')).toEqual([])
  expect(told()).toBe(0)
  expect(waits()).toEqual(['\u001b'])
  expect(told()).toBe(1)
  expect(waits()).toEqual([])
  expect(arrives('a')).toEqual(['a'])
})

const KEY = fc.constantFrom(
  ...['a', 'Z', ' ', '₹', '\r', '\u0003', '\u001b[A', '\u001b[5~', '\u001b[1;5C', '\u001bOP', '\u001bx'],
  ...['\u001b[200~', '\u001b[201~'],
)

test('no byte is lost, and no key is cut, however the bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.array(KEY, { maxLength: 30 }),
      fc.array(fc.integer({ min: 1, max: 5 })),
      (all, lengths) => {
        const { arrives, waits } = terminal()
        const bytes = all.join('')
        const read: string[] = []
        let at = 0
        for (const length of lengths) {
          read.push(...arrives(bytes.slice(at, at + length)))
          at += length
        }
        read.push(...arrives(bytes.slice(at)), ...waits())
        expect(read.join('')).toBe(bytes)
        const ends = new Set(all.map((_, index) => all.slice(0, index + 1).join('').length))
        let end = 0
        for (const text of read) {
          end += text.length
          if (text !== '') expect([...ends]).toContain(end)
        }
      },
    ),
  )
})

test.each([
  ['ctrl-F1', '\u001b[1;5P'],
  ['a colour in a pasted text', '\u001b[31m'],
  ['a report of the mouse', '\u001b[<0;10;5M'],
  ['a key that no table has', '\u001b[99;5~'],
])('drops %s, which Ink fails on', (_name, sequence) => {
  expect(terminal().arrives(`a${sequence}b`)).toEqual(['ab'])
})

test.each([
  '\u001b[A',
  '\u001b[1;5A',
  '\u001b[5~',
  '\u001b[3;5~',
  '\u001b[200~',
  '\u001b[Z',
  '\u001bOP',
  '\u001b[15~',
])('keeps the key %j', (sequence) => {
  expect(terminal().arrives(`${sequence}x`)).toEqual([`${sequence}x`])
})
