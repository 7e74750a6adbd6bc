import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { CommandSpec } from '../../src/cli/framework/command/command.js'
import { VISIBLE_NOUNS } from '../../src/cli/nouns.js'
import { compare, readScenarios, readWorkflow } from '../../src/core/flows/files/index.js'
import { rehearse } from '../../src/daemon/flows/rehearsal/index.js'
import { EXAMPLES } from './examples.js'

const pageOf = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')
const FLOWS_PAGE = pageOf('flows.md')
const COMMAND = /\bsvc ([a-z][^`#\n|>]*)/g

/** Returns the command that the words name, as far as they name one. */
function commandOf(words: readonly string[], verbs: readonly CommandSpec[]): CommandSpec | undefined {
  const [first, ...rest] = words
  const verb = verbs.find(({ name }) => name === first)
  return verb?.verbs && verb.verbs.length > 0 ? commandOf(rest, verb.verbs) : verb
}

const SHOWN = [...FLOWS_PAGE.matchAll(COMMAND)].map(([, command = '']) => {
  const words = command.trim().split(/\s+/)
  return { command: words.join(' '), words, flags: words.filter((word) => word.startsWith('--')) }
})

/** Options of every command. */
const COMMON: ReadonlySet<string> = new Set(['--yes', '--json', '--jq'])

describe('docs/flows.md', () => {
  it.each(SHOWN)('svc $command', async ({ words, flags }) => {
    const nouns = await Promise.all(VISIBLE_NOUNS.map((noun) => noun.load()))
    const command = commandOf(words, nouns)
    expect(command).toBeDefined()
    const known = command?.options?.map((option) => option.flags) ?? []
    const unknown = flags.filter((flag) => !known.some((one) => one.includes(flag)) && !COMMON.has(flag))
    expect(unknown).toEqual([])
  })

  it('lists every example', () => {
    expect(EXAMPLES.filter((id) => !FLOWS_PAGE.includes(`(../flows/${id}.yaml)`))).toEqual([])
  })
})

describe('docs/flow-files.md', () => {
  const blocks = [...pageOf('flow-files.md').matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => text)
  const flow = readWorkflow(blocks[0] ?? '', 'opening-range-breakout.yaml')
  const scenarios = readScenarios(blocks.at(-1) ?? '', 'opening-range-breakout.test.yaml')

  it.each(scenarios.ok ? scenarios.value.cases : [])(
    'its workflow passes its scenario: $name',
    async (one) => {
      if (!flow.ok) throw new Error(JSON.stringify(flow.findings))
      expect(compare(one.expect, await rehearse(flow.value, one))).toEqual([])
    },
  )
})
