import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsedLine, quoted } from '../../../src/tui/command/words.js'

describe('a command line', () => {
  it.each([
    ['', ['']],
    ['order', ['order']],
    ['order ', ['order', '']],
    ['order  list', ['order', 'list']],
    ['risk kill --reason "bad feed"', ['risk', 'kill', '--reason', 'bad feed']],
    [`risk kill --reason 'it''s'`, ['risk', 'kill', '--reason', 'its']],
    [String.raw`flow run my\ flow`, ['flow', 'run', 'my flow']],
    [String.raw`log app --search "a \"b\""`, ['log', 'app', '--search', 'a "b"']],
    [String.raw`x 'a\b'`, ['x', String.raw`a\b`]],
  ])('%s is split as a shell splits it', (text, words) => {
    expect(parsedLine(text)).toEqual({ words, isOpen: false })
  })

  it.each(['order "list', "order 'list", 'order list\\'])('%s has an open quote', (text) => {
    expect(parsedLine(text).isOpen).toBe(true)
  })

  it('gives back the words that were quoted', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1 }), (words) => {
        expect(parsedLine(words.map(quoted).join(' ')).words).toEqual(words)
      }),
    )
  })
})
