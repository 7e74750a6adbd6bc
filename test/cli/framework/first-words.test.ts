import { describe, expect, it } from 'vitest'
import { FIRST_WORDS } from '../../../src/cli/framework/first-words.js'
import { NOUNS } from '../../../src/cli/nouns.js'
import { Terminal } from '../support/terminal.js'

describe('words that users of other programs type first', () => {
  it.each(Object.entries(FIRST_WORDS))('%s means %s, which is a command', async (word, meant) => {
    const [name, verb] = meant.split(' ')
    const noun = NOUNS.find((one) => one.name === name)
    expect(noun, `${word} must not be a noun of its own`).toBeDefined()
    expect(NOUNS.some((one) => one.name === word || one.aliases?.includes(word))).toBe(false)
    if (verb !== undefined) expect((await noun?.load())?.verbs?.map((one) => one.name)).toContain(verb)
  })

  it.each(['buy', 'BUY SBIN 10', 'place --help'])('svc %s names the command', async (line) => {
    const { exit, stderr } = await new Terminal().svc(line)
    expect([exit, stderr]).toEqual([2, expect.stringContaining('Did you mean svc order place?')])
  })
})
