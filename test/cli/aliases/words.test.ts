import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wordsOf } from '../../../src/cli/aliases/words.js'

describe('the words of a line', () => {
  it.each([
    ['order list', ['order', 'list']],
    ['  order   list ', ['order', 'list']],
    ["order list --jq '.[] | .pnl'", ['order', 'list', '--jq', '.[] | .pnl']],
    ['say "a \\"b\\" c"', ['say', 'a "b" c']],
    ['one\\ word', ['one word']],
    ["a''b ''", ['ab', '']],
    ['NSE:$1 $(rm) `x` $HOME *', ['NSE:$1', '$(rm)', '`x`', '$HOME', '*']],
  ])('%s', (line, words) => {
    expect(wordsOf(line)).toEqual(words)
  })

  it.each(["it's", 'a "b', 'a\\'])('%s is not closed', (line) => {
    expect(() => wordsOf(line)).toThrow('not closed')
  })

  it('a text in single quotes is one word, whatever is in it', () => {
    const text = fc.string().map((one) => one.replaceAll("'", ''))
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), (texts) => {
        expect(wordsOf(texts.map((one) => `'${one}'`).join(' '))).toEqual(texts)
      }),
    )
  })
})
