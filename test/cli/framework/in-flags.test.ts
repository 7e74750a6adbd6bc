import { describe, expect, test } from 'vitest'
import type { CommandSpec } from '../../../src/cli/framework/command/command.js'
import { CliError, usageError } from '../../../src/cli/framework/errors.js'
import { EXIT } from '../../../src/cli/framework/exit-codes.js'
import { inFlags } from '../../../src/cli/framework/in-flags.js'
import { NOUNS } from '../../../src/cli/nouns.js'
import { CliDesk } from '../../support/desk/cli-desk.js'

/** Refusals of the daemon whose fields the command line calls otherwise. */
const REFUSED = [
  ['order place SBIN NSE BUY 1 --validity TTL --ttl 0', '--ttl: '],
  ['order place SBIN NSE BUY 1 --validity TTL', '--ttl: '],
  ['order place SBIN NSE BUY 1 --type LIMITT', '--type: Must be one of: MARKET, '],
  ['order place SBIN NSE BUY ten', 'quantity: Not a valid number.'],
  ['order split SBIN NSE BUY 10 --split-size x', '--split-size: '],
  ['history SBIN NSE --since 2026-11-18 --until 2026-11-16', '--until: Must not be before --since.'],
  ['history SBIN NSE --start 2026-11-18 --end 2026-11-16', '--end: Must not be before --start.'],
  ['quote FOO:SBIN NSE:INFY', 'symbol 1, exchange: Must be one of: '],
  ['log export --since 2026-11-18 --until 2026-11-16', '--until'],
] as const

test.each(REFUSED)('svc %s is refused in the words of the command line: %s', async (line, said) => {
  const desk = await CliDesk.open()
  const { exit, stderr } = await desk.svc(line)
  expect([exit, stderr]).toEqual([2, expect.stringContaining(said)])
  expect(stderr).not.toMatch(/validity_ttl|pricetype|splitsize|_date\b|symbols\.0/)
})

test('what a file has keeps the name of the file', async () => {
  const desk = await CliDesk.open()
  const order = {
    symbol: 'SBIN',
    exchange: 'NSE',
    action: 'BUY',
    quantity: 1,
    product: 'MIS',
    pricetype: 'NONE',
  }
  const { exit, stderr } = await desk.svc('order place -', { stdin: JSON.stringify(order) })
  expect([exit, stderr]).toEqual([2, expect.stringContaining('pricetype: ')])
})

describe('the options and arguments of all commands', () => {
  const commands = async () => {
    const nouns = await Promise.all(NOUNS.map(async ({ load, name }) => ({ ...(await load()), name })))
    return nouns.flatMap((noun) => below(noun, noun.name))
  }

  test('stand for their fields in a refusal', async () => {
    for (const [path, spec] of await commands()) {
      for (const { field, flags, hidden } of spec.options ?? []) {
        const isWord = spec.arguments?.some(({ fields }) => fields?.includes(field ?? ''))
        if (field === undefined || hidden || isWord) continue
        const { message } = inFlags(usageError(`${field}: It is wrong.`), spec, {})
        const named = spec.options?.filter((one) => one.field === field).map((one) => flagOf(one.flags))
        expect([path, named], message).toContainEqual(expect.arrayContaining([message.split(':')[0]]))
        expect([path, flags, message]).toEqual([
          path,
          flags,
          expect.stringMatching(/^--[a-z-]+: It is wrong\.$/),
        ])
      }
      for (const { field, syntax } of spec.arguments ?? []) {
        if (field === undefined) continue
        const { message } = inFlags(usageError(`${field}: It is wrong.`), spec, {})
        expect([path, message]).toEqual([path, `${syntax.replaceAll(/[<>[\].]/g, '')}: It is wrong.`])
      }
    }
  })
})

test('only refusals of words are reworded', () => {
  const spec = { options: [{ flags: '--ttl <minutes>', field: 'validity_ttl', summary: '' }] }
  const said = (exit: CliError['exit']) => inFlags(new CliError(exit, 'validity_ttl: No.'), spec, {}).message
  expect([said(EXIT.usage), said(EXIT.refused), said(EXIT.unknown)]).toEqual([
    '--ttl: No.',
    '--ttl: No.',
    'validity_ttl: No.',
  ])
})

function below(spec: Omit<CommandSpec, 'summary'>, path: string): [string, Omit<CommandSpec, 'summary'>][] {
  return [[path, spec], ...(spec.verbs ?? []).flatMap((verb) => below(verb, `${path} ${verb.name}`))]
}

const flagOf = (flags: string) => /--[a-z][\w-]*/.exec(flags)?.[0]
