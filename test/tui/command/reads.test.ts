import { describe, expect, it } from 'vitest'
import { commandOf } from '../../../src/cli/completion/candidates.js'
import type { CommandSpec } from '../../../src/cli/framework/command/command.js'
import { NOUNS } from '../../../src/cli/nouns.js'
import { checkOf, mayChange, refusalOf } from '../../../src/tui/command/reads.js'

const named = (line: string) => commandOf(line.split(' '), NOUNS)

describe('a command in LIVE mode', () => {
  it.each([
    ...['order list', 'order ls', 'order -o json list', 'quote SBIN NSE', 'position list --json', 'pnl show'],
    ...['order place --help', 'order place -h', 'message list', 'order gtt list', 'sandbox config list'],
  ])('svc %s only reads', async (line) => expect(mayChange(await named(line))).toBe(false))

  it.each([
    ...[
      'order place SBIN NSE BUY 1',
      'order cancel 7',
      'position close-all --yes',
      'approval approve 3',
      'do b 1 sbin',
    ],
    ...[
      'strategy start 2',
      'flow run 1',
      'analyze off',
      'mode set auto',
      'risk resume',
      'broker use zerodha',
    ],
    ...[
      'backup create',
      'message test telegram',
      'unknown thing',
      'message retry 3',
      'message channel telegram',
    ],
    // The value of an option before the verb is no verb.
    ...['order -o list place SBIN', 'order --strategy test place SBIN', 'order --strategy list place SBIN'],
    ...[
      'order --unknown list',
      'order place SBIN --tag=-h',
      'order place --strategy -h SBIN',
      'order test list',
    ],
  ])('svc %s is confirmed first', async (line) => expect(mayChange(await named(line))).toBe(true))

  it('counts every verb with a name that says change', async () => {
    const changing =
      /^(place|modify|cancel|close|start|stop|approve|reject|delete|create|rotate|add|remove|set|on|off|use|reset|apply|run$|activate|clear|retry)/
    const pathsOf = (spec: CommandSpec, path: readonly string[]): (readonly string[])[] => [
      path,
      ...(spec.verbs ?? []).flatMap((verb) => pathsOf(verb, [...path, verb.name])),
    ]
    const paths = await Promise.all(NOUNS.map(async ({ name, load }) => pathsOf(await load(), [name])))
    const missed = paths
      .flat()
      .filter((path) => path.length > 1 && changing.test(path.at(-1) ?? ''))
      .filter((path) => !mayChange({ path, isHelp: false }))
    expect(missed).toEqual([])
  })
})

it.each([
  ['order place SBIN NSE BUY 1', 'svc order list (after svc order place SBIN NSE BUY 1)'],
  ['do b 1 sbin', 'svc order list (after svc do b 1 sbin)'],
  ['strategy start 3', 'svc strategy list (after svc strategy start 3)'],
  ['config set smtp_password=secret', 'svc audit list (after svc config set)'],
  ['unknown secret', 'svc audit list'],
])('what became of "%s" is shown by %s', async (line, check) => {
  expect(checkOf(line, await named(line))).toBe(check)
})

it.each([
  ['tui', 'svc tui needs a terminal of its own.'],
  ['-o json tui', 'svc tui needs a terminal of its own.'],
  ['approval watch', 'svc approval needs a terminal of its own.'],
  ['login', 'svc login needs a terminal of its own.'],
  ['order list', undefined],
])('"%s" is refused: %s', async (line, why) => expect(refusalOf(await named(line))).toBe(why))
