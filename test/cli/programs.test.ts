import { expect, test } from 'vitest'
import { NOUNS } from '../../src/cli/nouns.js'
import { COMPILED_NOUNS, programOf } from '../../src/cli/programs.js'

test('the small program has every noun of trading and of market data, and no other', () => {
  const ofGroups = NOUNS.filter(({ group }) => group === 'trade' || group === 'market')
  const names = ofGroups.flatMap(({ name, aliases = [] }) => [name, ...aliases])
  expect([...COMPILED_NOUNS].sort()).toEqual(names.sort())
})

test.each([
  ['a start in the foreground', ['up', '--port', '0'], 'program'],
  ['a start in the background, which only starts another process', ['up', '--detach'], undefined],
  ['a noun of trading', ['order', 'list'], 'commands'],
  ['an offline test of workflows, which runs the service', ['flow', 'test', 'flows'], 'program'],
  ['another command of that noun', ['flow', 'list'], undefined],
  ['another noun', ['strategy', 'list'], undefined],
  ['an option before the noun', ['--json', 'order', 'list'], undefined],
  ['nothing', [], undefined],
])('the program of %s', (_what, argv, expected) => {
  expect(programOf(argv)).toBe(expected)
})
