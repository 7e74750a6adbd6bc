import { describe, expect, it } from 'vitest'
import { FIRST_WORDS } from '../../../src/cli/framework/first-words.js'
import { NOUNS } from '../../../src/cli/nouns.js'
import { Terminal } from '../support/terminal.js'

describe('words that users of other programs type first', () => {
  it.each(Object.entries(FIRST_WORDS))('%s means %s, which is a command', async (word, meant) => {
    const [name, verb, ...more] = meant.split(' ')
    const noun = NOUNS.find((one) => one.name === name)
    expect(noun, `${word} must not be a noun of its own`).toBeDefined()
    expect(NOUNS.some((one) => one.name === word || one.aliases?.includes(word))).toBe(false)
    expect(more, 'one noun and one verb').toEqual([])
    if (verb !== undefined) expect((await noun?.load())?.verbs?.map((one) => one.name)).toContain(verb)
  })

  it.each([
    ...[
      'place',
      'buy',
      'sell',
      'exit',
      'flatten',
      'cancel',
      'modify',
      'orders',
      'positions',
      'pos',
      'holdings',
    ],
    ...[
      'funds',
      'balance',
      'price',
      'ltp',
      'hours',
      'next',
      'kill',
      'panic',
      'approve',
      'pos',
      'p&l',
      'portfolio',
    ],
  ])('svc %s has an answer', async (word) => {
    const { exit, stderr } = await new Terminal().svc(word)
    expect([exit, stderr]).toEqual([2, expect.stringContaining(`Did you mean svc ${FIRST_WORDS[word]}?`)])
  })

  it.each(['ctx', 'why', 'open', 'pnl', 'market', 'alias', 'man'])('svc %s is a command itself', (word) => {
    expect(NOUNS.some(({ aliases = [], name }) => [name, ...aliases].includes(word))).toBe(true)
  })

  it('only the first word counts: a mistyped command is the nearest one', async () => {
    const { stderr } = await new Terminal().svc('adit export')
    expect(stderr).toContain('Did you mean audit?')
  })

  it.each(['buy', 'BUY SBIN 10', 'place --help'])('svc %s names the command', async (line) => {
    const { exit, stderr } = await new Terminal().svc(line)
    expect([exit, stderr]).toEqual([2, expect.stringContaining('Did you mean svc order place?')])
  })
})
