import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandSpec } from '../../../framework/command/command.js'
import { CliError } from '../../../framework/errors.js'
import { EXIT } from '../../../framework/exit-codes.js'

const WORKFLOW = `# yaml-language-server: $schema=./flow.schema.json

# Buys one share when it is oversold, and sells it before the close.
name: First workflow
description: RSI entry and timed exit, one share of SBIN
nodes:
  every_minute:
    type: start
    with: {scheduleType: interval, intervalValue: 1, intervalUnit: minutes, marketHoursOnly: true}
    next: position
  position:
    type: openPosition
    with: {symbol: SBIN, exchange: NSE, product: MIS, outputVariable: position}
    next: [late, rsi]

  late:
    if: "{{position.quantity}} > 0 and {{time}} >= 15:05"
    yes: sell
  sell:
    type: closePosition
    with: {symbol: SBIN, exchange: NSE, product: MIS}

  rsi:
    type: indicator
    with: {symbol: SBIN, exchange: NSE, interval: 1m, indicatorName: rsi, params: {period: 14}, outputVariable: rsi}
    next: low
  # "previous" is the last closed bar: the newest one still changes.
  low:
    if: "{{rsi.previous.value}} < 30 and {{position.quantity}} == 0 and {{time}} < 15:00"
    yes: buy
  # A smart order trades only the difference to one share, so two runs in a row do not buy twice.
  buy:
    type: smartOrder
    with: {symbol: SBIN, exchange: NSE, action: BUY, product: MIS, positionSize: 1}
`

const SCENARIOS = `# yaml-language-server: $schema=./scenario.schema.json

- name: a fall is bought
  at: 2026-11-20T11:00:00
  market:
    - NSE:SBIN: 820
    - {after: 5m, NSE:SBIN: 818}
    - {after: 10m, NSE:SBIN: 815}
    - {after: 15m, NSE:SBIN: 810}
  trigger: {kind: schedule}
  advance: 20m
  expect:
    orders:
      - {symbol: SBIN, exchange: NSE, action: BUY, quantity: 1}

- name: an open share is sold at five past three
  at: 2026-11-20T15:05:00
  market: {NSE:SBIN: 812}
  account:
    positions:
      - {symbol: SBIN, exchange: NSE, product: MIS, quantity: 1, average_price: 810}
  trigger: {kind: schedule}
  expect:
    orders:
      - {symbol: SBIN, exchange: NSE, action: SELL, quantity: 1}
`

const GITIGNORE = `# Secrets belong to the daemon: svc flow secret set NAME
.env
*.secret
# Saved plans: svc flow plan --out. Each is of one daemon at one time
*.plan.json
# The daemon's data, if its home is in this folder
*.db
*.db-wal
*.db-shm
`

export const init: CommandSpec = {
  name: 'init',
  summary: 'Writes a first workflow with its scenarios into a folder, without a daemon.',
  examples: ['flow init', 'flow init trading/flows'],
  details:
    'The folder is flows by default. It gets a workflow, its scenarios, the schemas for editors and a .gitignore.\n' +
    'Refuses to overwrite: if one of the files exists, nothing is written.',
  arguments: [{ syntax: '[dir]', summary: 'folder, made if it is missing (default: flows)' }],
  async run(context, input) {
    const { scenarioSchema, workflowSchema } = await import('../../../../core/flows/files/index.js')
    const folder = input.argument(0) ?? 'flows'
    const schema = (document: object) => `${JSON.stringify(document, undefined, 2)}\n`
    const files = {
      'first.yaml': WORKFLOW,
      'first.test.yaml': SCENARIOS,
      'flow.schema.json': schema(workflowSchema()),
      'scenario.schema.json': schema(scenarioSchema()),
      '.gitignore': GITIGNORE,
    }
    const taken = Object.keys(files).find((name) => existsSync(join(folder, name)))
    if (taken !== undefined) {
      const hint = 'Name another folder: svc flow init DIR'
      throw new CliError(EXIT.usage, `${join(folder, taken)} exists; nothing was written.`, { hint })
    }
    for (const path of written(folder, files)) context.out.write(`${path}\n`)
    context.out.note(
      `Next:\n  svc flow test ${folder}\n  svc flow graph ${join(folder, 'first.yaml')}\n  svc flow apply ${folder}`,
    )
    return EXIT.done
  },
}

function written(folder: string, files: Readonly<Record<string, string>>): string[] {
  try {
    mkdirSync(folder, { recursive: true })
    return Object.entries(files).map(([name, text]) => {
      const path = join(folder, name)
      // `wx` refuses a file that appeared since the check.
      writeFileSync(path, text, { flag: 'wx' })
      return path
    })
  } catch (cause) {
    throw new CliError(EXIT.failed, `${folder} cannot be written.`, { cause })
  }
}
