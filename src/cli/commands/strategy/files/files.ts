import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { visible } from '../../../../views/table/cells.js'
import { countText } from '../../../../views/text/count.js'
import type { CommandSpec } from '../../../framework/command/command.js'
import type { Context } from '../../../framework/context.js'
import { CliError, usageError } from '../../../framework/errors.js'
import { EXIT } from '../../../framework/exit-codes.js'
import { PATHS, planArguments, planOptions, runApply, runDrift, runPlan } from '../../flow/plans/commands.js'
import { findId, STRATEGY } from '../find.js'
import { contractFindingsIfAny, noteUnchecked } from './contracts.js'
import { loadStrategies, strategiesAt } from './load.js'

export const validate: CommandSpec = {
  name: 'validate',
  summary: 'Checks strategy files, also without a daemon. Exit 2 when one has an error.',
  examples: ['strategy validate strategies', 'strategy validate straddle.yaml --json'],
  details:
    'In directories: *.yaml, *.yml and *.json. Each finding is a line file:line:column.\n' +
    'With a session at a running daemon, underlyings and symbols are looked up, too; otherwise a note says that they were not.',
  arguments: [PATHS],
  async run(context, input) {
    const { files, strategies, ...faults } = await loadStrategies(await strategiesAt(input.words(0)))
    const looked = await contractFindingsIfAny(context, strategies)
    const findings = [...faults.findings, ...looked.findings]
    if (context.settings.format === undefined) {
      const { findingText } = await import('../../../../core/strategies/files/index.js')
      context.out.write(findings.map((finding) => `${visible(findingText(finding))}\n`).join(''))
    } else {
      const rows = findings.map((finding) => ({ ...finding }))
      await context.out.list({ rows, columns: [], id: 'file', empty: '' })
    }
    context.out.note(`${countText(files.length, 'file')}, ${countText(findings.length, 'error')}.`)
    noteUnchecked(context, looked)
    return findings.length > 0 ? EXIT.usage : EXIT.done
  },
}

export const plan: CommandSpec = {
  name: 'plan',
  summary: 'Shows what svc strategy apply would change, field by field. Exit 9 when there are changes.',
  examples: [
    'strategy plan strategies',
    'strategy plan strategies --prune --json',
    'strategy plan strategies --out monday.plan.json',
  ],
  details:
    'Workflows in a folder are passed over; svc flow plan compares both.\n' +
    '--out saves the plan. svc strategy apply FILE applies exactly it, or refuses because the daemon has changed.',
  arguments: planArguments.plan,
  options: planOptions('strategy', 'plan'),
  run: (context, input) => runPlan(context, input, 'strategy'),
}

export const apply: CommandSpec = {
  name: 'apply',
  summary: 'Makes the strategies of the daemon match the files: all of them or none.',
  examples: [
    'strategy apply strategies',
    'strategy apply strategies --prune --yes',
    'strategy apply monday.plan.json',
  ],
  details:
    'Runs, events and webhook tokens stay. A new strategy comes with its webhook token, shown only once.\n' +
    'On a terminal the command shows the plan and asks. In a script only deletions need --yes.\n' +
    'A script overwrites a strategy that was changed here since its file was last applied only with --expect or a saved plan\n(exit 5); a terminal asks.\n' +
    'A version that this checkout does not know is overwritten only with --expect (exit 5).\n' +
    'A name ending in .plan.json is a plan of svc strategy plan --out. It is applied exactly as it was shown, or refused (exit 5) if the daemon is another one or has changed since.',
  arguments: planArguments.apply,
  options: planOptions('strategy', 'apply'),
  run: (context, input) => runApply(context, input, 'strategy'),
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
    if (paths.length > 0) return runDrift(context, paths, 'strategy')
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
    if (rows.length === 0) return EXIT.done
    context.out.note(
      `${rows.length} ${rows.length === 1 ? 'strategy' : 'strategies'} changed by hand. See the changes: svc strategy drift PATH. Undo them: svc strategy apply PATH --expect ID=VERSION`,
    )
    return EXIT.differences
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
