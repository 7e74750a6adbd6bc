import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RouteAnswer } from '../../../../client/endpoints.js'
import { visible } from '../../../../views/table/cells.js'
import { countText } from '../../../../views/text/count.js'
import type { CommandSpec } from '../../../framework/command/command.js'
import type { Context } from '../../../framework/context.js'
import { CliError, usageError } from '../../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../../framework/exit-codes.js'
import { type Checkout, checkoutOf } from '../../../io/checkout.js'
import { COMMIT, EXPECT, expectedVersions, givenVersions, objectionsTo } from '../../flow/files/expect.js'
import { areComplete } from '../../flow/files/folder.js'
import { orphanText } from '../../flow/files/plan.js'
import { findId, STRATEGY } from '../find.js'
import { loadStrategies } from './load.js'

const PATHS = { syntax: '<path...>', summary: 'files or directories' }
const PRUNE = {
  flags: '--prune',
  summary: 'delete strategies that were applied from files and are missing from these files',
}

type Planned = RouteAnswer<'POST /strategy/api/plan'>['data'][number]

export const validate: CommandSpec = {
  name: 'validate',
  summary: 'Checks strategy files without a daemon. Exit 2 when one has an error.',
  examples: ['strategy validate strategies', 'strategy validate straddle.yaml --json'],
  details: 'In directories: *.yaml, *.yml and *.json. Each finding is a line file:line:column.',
  arguments: [PATHS],
  async run(context, input) {
    const { files, findings } = await loadStrategies(input.words(0))
    if (context.settings.format === undefined) {
      const { findingText } = await import('../../../../core/strategies/files/index.js')
      context.out.write(findings.map((finding) => `${visible(findingText(finding))}\n`).join(''))
    } else {
      const rows = findings.map((finding) => ({ ...finding }))
      await context.out.list({ rows, columns: [], id: 'file', empty: '' })
    }
    context.out.note(`${countText(files.length, 'file')}, ${countText(findings.length, 'error')}.`)
    return findings.length > 0 ? EXIT.usage : EXIT.done
  },
}

/** The request for some files, and what their checkout knows. */
interface FileRequest {
  checkout: Checkout
  body: {
    strategies: { key: string; file: string; config: Record<string, unknown> }[]
    prune: boolean
    complete: boolean
    commit?: string
  }
}

/** Returns the request for the files. @throws CliError with exit status 2 after it has printed all findings */
async function requestOf(
  context: Context,
  paths: readonly string[],
  prune: boolean,
  commit?: string,
): Promise<FileRequest> {
  const { strategies, findings } = await loadStrategies(paths)
  const { findingText } = await import('../../../../core/strategies/files/index.js')
  for (const finding of findings) context.io.stderr.write(`${visible(findingText(finding))}\n`)
  if (findings.length > 0) {
    throw new CliError(EXIT.usage, `${countText(findings.length, 'error')} in the files; nothing was sent.`)
  }
  const checkout = await checkoutOf(
    strategies.map(({ file }) => file),
    commit,
  )
  return {
    checkout,
    body: {
      strategies: strategies.map(({ key, file, config }) => ({ key, file, config: { ...config } })),
      prune,
      complete: areComplete(paths),
      ...(checkout.commit === undefined ? {} : { commit: checkout.commit }),
    },
  }
}

const planOf = async (context: Context, { body }: FileRequest): Promise<Planned[]> =>
  (await context.change('POST /strategy/api/plan', { body }, { followUp: 'Nothing was changed.' })).body.data

const SIGNS: Readonly<Record<Planned['action'], string>> = {
  create: '+ create',
  update: '~ update',
  delete: '- delete',
  none: '= unchanged',
  orphan: '! no file',
}

const isChange = ({ action }: Planned) => action !== 'none' && action !== 'orphan'

/** Returns the strategies that are not from a file and have the name that a row would give, by the key of the row. */
async function takenNames(context: Context, rows: readonly Planned[]): Promise<Map<string, number>> {
  const changed = rows.filter(({ action }) => action === 'create' || action === 'update')
  if (changed.length === 0) return new Map()
  const { data } = (await context.read('GET /strategy/api/strategies')).body
  const byHand = data.filter(({ file_key: key }) => key === null)
  return new Map(
    changed.flatMap(({ key, name }) => {
      const taken = byHand.find((one) => one.name === name)
      return taken ? [[key, taken.id] as const] : []
    }),
  )
}

/** Returns one line per strategy, and one per changed field. */
async function planText(
  context: Context,
  rows: readonly Planned[],
  objections: ReadonlyMap<string, string> = new Map(),
): Promise<string> {
  const { changeText } = await import('../../../../core/strategies/files/index.js')
  const taken = await takenNames(context, rows)
  return rows
    .flatMap((row) => {
      const facts = row.action === 'orphan' ? orphanFacts(row) : changeFacts(row, taken, objections)
      const after = facts.length > 0 && row.action !== 'none' ? ` (${facts.join(', ')})` : ''
      const changes = row.changes.map(({ kind, path, before, after: now }) =>
        changeText({ kind, path, before, after: now }),
      )
      return [`${SIGNS[row.action]} ${row.key}${after}`, ...changes.map((text) => `    ${text}`)]
    })
    .map((line) => `${visible(line)}\n`)
    .join('')
}

function orphanFacts({ is_running: isRunning, stored }: Planned): string[] {
  const file = stored?.file
  return [isRunning ? 'running' : 'stopped', ...(file ? [`applied from ${file}`] : [])]
}

function changeFacts(
  row: Planned,
  taken: ReadonlyMap<string, number>,
  objections: ReadonlyMap<string, string>,
): string[] {
  const [other, objection] = [taken.get(row.key), objections.get(row.key)]
  return [
    ...(other === undefined ? [] : [`its name is taken by strategy ${other}, which is not from a file`]),
    ...(row.is_running ? ['running: stop it first'] : []),
    ...(row.drifted ? ['changed by hand since the last apply'] : []),
    ...(objection === undefined ? [] : [`${objection}: apply needs --expect`]),
  ]
}

async function showRows(
  context: Context,
  rows: readonly Planned[],
  objections?: ReadonlyMap<string, string>,
): Promise<ExitStatus> {
  if (context.settings.format === undefined) context.out.write(await planText(context, rows, objections))
  else await context.out.list({ rows, columns: [], id: 'key', empty: '' })
  for (const text of orphanText(rows, ({ is_running }) => is_running, 'running')) context.out.note(text)
  return rows.some(({ action }) => action !== 'none') ? EXIT.differences : EXIT.done
}

async function comparePaths(context: Context, paths: readonly string[], prune: boolean): Promise<ExitStatus> {
  const request = await requestOf(context, paths, prune)
  const rows = await planOf(context, request)
  return showRows(context, rows, await objectionsTo(rows, request.checkout))
}

export const plan: CommandSpec = {
  name: 'plan',
  summary: 'Shows what svc strategy apply would change, field by field. Exit 9 when there are changes.',
  examples: ['strategy plan strategies', 'strategy plan strategies --prune --json'],
  arguments: [PATHS],
  options: [PRUNE],
  run: (context, input) => comparePaths(context, input.words(0), input.flag('prune')),
}

export const apply: CommandSpec = {
  name: 'apply',
  summary: 'Makes the strategies of the daemon match the files: all of them or none.',
  examples: ['strategy apply strategies', 'strategy apply strategies --prune --yes'],
  details:
    'Runs, events and webhook tokens stay. A new strategy comes with its webhook token, shown only once.\n' +
    'On a terminal the command shows the plan and asks. In a script only deletions need --yes.\n' +
    'A version that this checkout does not know is overwritten only with --expect (exit 5).',
  arguments: [PATHS],
  options: [PRUNE, EXPECT, COMMIT],
  async run(context, input) {
    const request = await requestOf(context, input.words(0), input.flag('prune'), input.text('commit'))
    const planned = await planOf(context, request)
    const given = givenVersions(input.list('expect'), planned)
    const expect = await expectedVersions(planned, given, request.checkout)
    await confirmed(context, planned)
    const body = { ...request.body, expect }
    const followUp = 'Check what was applied: svc strategy plan, with the same paths'
    const { data } = (await context.change('POST /strategy/api/apply', { body }, { followUp })).body
    await showRows(context, data)
    for (const { key, webhook_token } of data) {
      if (webhook_token !== null)
        context.out.note(`Webhook token of ${key}, shown only now: ${webhook_token}`)
    }
    return EXIT.done
  },
}

/** Confirms the changes: all of them on a terminal, in a script only those that delete something. */
async function confirmed(context: Context, planned: readonly Planned[]): Promise<void> {
  if (context.settings.yes) return
  const changed = planned.filter(isChange)
  const deleted = changed.filter(({ action }) => action === 'delete').length
  if (deleted === 0 && !(context.settings.interactive && changed.length > 0)) return
  context.io.stderr.write(await planText(context, changed))
  const loss = deleted === 0 ? '' : `, including ${countText(deleted, 'deletion')}`
  await context.prompts.confirm(`Apply ${countText(changed.length, 'change')}${loss}`)
}

export const drift: CommandSpec = {
  name: 'drift',
  summary: 'Shows strategies that differ from their files. Exit 9 when there is a difference.',
  examples: ['strategy drift', 'strategy drift strategies'],
  details:
    'Without paths: strategies changed by hand since they were applied from files.\n' +
    'With paths: all differences, and strategies that were applied from a file and have none any more.',
  arguments: [{ syntax: '[path...]', summary: 'files or directories' }],
  async run(context, input) {
    const paths = input.words(0)
    if (paths.length > 0) return comparePaths(context, paths, false)
    const { data } = (await context.read('GET /strategy/api/strategies')).body
    const rows = data.filter(({ drifted }) => drifted)
    await context.out.list({
      rows,
      columns: [
        { key: 'id', kind: 'quantity' },
        { key: 'file_key', title: 'KEY' },
        { key: 'name' },
        { key: 'updated_at', title: 'CHANGED', kind: 'time' },
      ],
      id: 'file_key',
      empty: 'No strategy was changed by hand.',
    })
    return rows.length > 0 ? EXIT.differences : EXIT.done
  },
}

export const exportStrategies: CommandSpec = {
  name: 'export',
  summary: 'Writes strategies as files, to stdout or into a folder, without tokens.',
  examples: ['strategy export 1 > straddle.yaml', 'strategy export --all --out strategies'],
  arguments: [{ ...STRATEGY, syntax: '[strategy]' }],
  options: [
    { flags: '--all', summary: 'every strategy; needs --out' },
    { flags: '--out <dir>', summary: 'target folder; files of the same names are overwritten' },
  ],
  async run(context, input) {
    const [word, all, out] = [input.argument(0), input.flag('all'), input.text('out')]
    if (all === (word !== undefined)) throw usageError('Name one strategy, or pass --all.')
    if (all && out === undefined)
      throw usageError('--all writes several files and needs a folder.', 'Pass --out DIR.')
    const ids =
      word === undefined
        ? (await context.read('GET /strategy/api/strategies')).body.data.map(({ id }) => String(id))
        : [await findId(context, word)]
    for (const id of ids) {
      const { name, text } = await exported(context, id)
      if (out === undefined) context.out.write(text)
      else context.out.write(`${written(out, name, text)}\n`)
    }
    return EXIT.done
  },
}

async function exported(context: Context, id: string): Promise<{ name: string; text: string }> {
  const { exportKey, writeStrategyFile } = await import('../../../../core/strategies/files/index.js')
  const { data } = (await context.read('GET /strategy/api/strategies/:id', { params: { id } })).body
  const key = data.file_key ?? exportKey(data, 'strategy')
  return { name: `${key}.yaml`, text: writeStrategyFile(data, key) }
}

function written(directory: string, name: string, text: string): string {
  const path = join(directory, name)
  try {
    mkdirSync(directory, { recursive: true })
    writeFileSync(path, text)
  } catch (cause) {
    throw new CliError(EXIT.failed, `${path} cannot be written.`, { cause })
  }
  return path
}
