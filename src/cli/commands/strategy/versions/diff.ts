import { countText } from '../../../../views/text/count.js'
import type { CommandSpec, Input } from '../../../framework/command/command.js'
import type { Context } from '../../../framework/context.js'
import { CliError, usageError } from '../../../framework/errors.js'
import { EXIT } from '../../../framework/exit-codes.js'
import { isFileName } from '../../flow/files/one.js'
import { strategyInFile } from '../files/load.js'
import { findId, versionIn } from '../find.js'
import {
  currentVersion,
  differenceLines,
  differences,
  newestVersions,
  type Side,
  versionSide,
} from './sides.js'

export const diff: CommandSpec = {
  name: 'diff',
  summary:
    'Compares two versions of a strategy, or the daemon with a file, field by field. Exit 9 when they differ.',
  examples: [
    'strategy diff morning-straddle',
    'strategy diff morning-straddle 3',
    'strategy diff 1 3 5 --json',
    'strategy diff flows/strategies/short-straddle.yaml',
  ],
  details:
    'Without versions the last change is shown: the current version and the one before it. One version is compared with the\n' +
    'current one. A file is compared with the strategy that svc strategy apply would change, or with the version of it that is named.',
  arguments: [
    { syntax: '<strategy>', summary: 'id, key or name; or a file', complete: 'strategyNames' },
    { syntax: '[from]', summary: 'a version, from svc strategy history', complete: 'strategyVersions' },
    { syntax: '[to]', summary: 'a version (default: the current one)', complete: 'strategyVersions' },
  ],
  async run(context, input) {
    const [before, after] = await sidesOf(context, input)
    const rows = await differences(before, after)
    if (context.settings.format === undefined) {
      await context.out.changes(await differenceLines(before, after, rows))
    } else {
      await context.out.list({ rows, columns: [], id: 'path', empty: '' })
    }
    context.out.note(rows.length === 0 ? 'No differences.' : `${countText(rows.length, 'difference')}.`)
    return rows.length > 0 ? EXIT.differences : EXIT.done
  },
}

async function sidesOf(context: Context, input: Input): Promise<[Side, Side]> {
  const word = input.required(0)
  const [from, to] = [1, 2].map((place) => {
    const typed = input.argument(place)
    return typed === undefined ? undefined : versionIn(typed)
  })
  if (isFileName(word)) {
    if (to !== undefined)
      throw usageError('A file is compared with one version.', 'Leave the second one out.')
    return fileSides(context, word, from)
  }
  const id = await findId(context, word)
  // A first version is compared with itself: nothing has changed since.
  const [newest, previous = newest] = await newestVersions(context, id, 2)
  const current = newest?.version ?? (await currentVersion(context, id))
  return [
    await versionSide(context, id, word, from ?? previous?.version ?? current),
    await versionSide(context, id, word, to ?? current),
  ]
}

/** Returns the strategy that applying the file would change, and the file. @throws CliError if it would make a new one */
async function fileSides(context: Context, file: string, from: number | undefined): Promise<[Side, Side]> {
  const { exportKey } = await import('../../../../core/strategies/files/index.js')
  const { config, key, moved } = await strategyInFile(file, 'diff')
  const { data } = (await context.read('GET /strategy/api/strategies')).body
  const keyed = data.map((row) => ({ id: String(row.id), key: row.file_key ?? exportKey(row, 'strategy') }))
  const found = [key, ...moved].flatMap((one) => keyed.find((row) => row.key === one) ?? [])[0]
  if (found === undefined) {
    throw new CliError(EXIT.notFound, `The daemon has no strategy "${key}" yet.`, {
      code: 'not_found',
      hint: `svc strategy apply ${file} would make it.`,
    })
  }
  const version = from ?? (await currentVersion(context, found.id))
  return [await versionSide(context, found.id, found.key, version), { label: file, config }]
}
