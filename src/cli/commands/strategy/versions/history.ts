import type { Column } from '../../../../views/table/column.js'
import type { CommandSpec } from '../../../framework/command/command.js'
import { declared } from '../../../framework/command/declared.js'
import type { Context } from '../../../framework/context.js'
import { EXIT } from '../../../framework/exit-codes.js'
import { showMode } from '../../../io/confirm.js'
import { EXPECT_VERSION, findId, STRATEGY, strategyOf, versionIn } from '../find.js'
import { currentVersion, differenceLines, differences, versionSide } from './sides.js'

const VERSION_COLUMNS = [
  { key: 'version', kind: 'quantity' },
  { key: 'current' },
  { key: 'at', kind: 'time' },
  { key: 'by', leaves: 3 },
  { key: 'credential', leaves: 6 },
  { key: 'origin', leaves: 2 },
  { key: 'rolled_back_to', title: 'RESTORED', kind: 'quantity', leaves: 7 },
  { key: 'file', leaves: 4 },
  { key: 'commit', leaves: 5 },
  { key: 'name', leaves: 1 },
  { key: 'credential_id', wide: true },
] as const satisfies readonly Column[]

export const history = declared({
  name: 'history',
  summary: 'Lists the versions of a strategy, newest first, with time, author, file and commit.',
  examples: ['strategy history 1', 'strategy history morning-straddle --limit 5 --json'],
  options: [
    { flags: '--limit <count>', summary: 'the most rows to show, up to 500 (default: 100)' },
    { flags: '--before <version>', summary: 'only versions before this one', complete: 'strategyVersions' },
  ],
  arguments: [STRATEGY],
  columns: VERSION_COLUMNS,
  calls: 'GET /strategy/api/strategies/:id/versions',
  request: async (input, context) => ({
    ...(await strategyOf(input, context)),
    query: input.fields({ limit: 'limit', before: 'before' }),
  }),
  list: ({ data }) => ({
    rows: data,
    columns: VERSION_COLUMNS,
    id: 'version',
    empty: 'There are no versions.',
  }),
  note: ({ next_before: next }, { input }) =>
    next === undefined
      ? undefined
      : `There are earlier versions: svc strategy history ${input.required(0)} --before ${next}`,
})

const ROUTE = 'POST /strategy/api/strategies/:id/rollback'

export const rollback: CommandSpec = {
  name: 'rollback',
  summary: 'Restores an earlier version of a strategy as a new version. The strategy must not run.',
  examples: [
    'strategy rollback morning-straddle 3',
    'strategy rollback 1 3 --yes',
    'strategy rollback morning-straddle 3 --expect 5 --yes',
  ],
  details:
    'A terminal shows what changes, and asks; a script needs --yes. The switches, the webhook token and the runs stay.\n' +
    'A strategy that was applied from a file then differs from it: see svc strategy drift.',
  arguments: [
    STRATEGY,
    { syntax: '<version>', summary: 'number from svc strategy history', complete: 'strategyVersions' },
  ],
  options: [EXPECT_VERSION],
  async run(context, input) {
    const [name, version] = [input.required(0), versionIn(input.required(1))]
    const typed = input.text('expect')
    const named = typed === undefined ? undefined : versionIn(typed, '--expect')
    const id = await findId(context, name)
    // The rollback replaces the version that the question shows, and no other.
    const expect = named ?? (await currentVersion(context, id))
    await context.prompts.confirm(`Restore version ${version} of strategy ${name}`, () =>
      showChange(context, { id, name, version, expect }),
    )
    const request = { params: { id }, body: { version, expect } }
    const followUp = `See the current version: svc strategy history ${id}`
    const { data, message, version: made } = (await context.change(ROUTE, request, { followUp })).body
    await context.out.record({
      record: { id: data.id, version: made, message },
      fields: [{ key: 'id' }, { key: 'version' }, { key: 'message' }],
      id: 'version',
    })
    return EXIT.done
  },
}

/** Shows what a rollback changes, and the mode, before the question. */
async function showChange(
  context: Context,
  { id, name, version, expect }: { id: string; name: string; version: number; expect: number },
): Promise<void> {
  const [before, after] = [
    await versionSide(context, id, name, expect),
    await versionSide(context, id, name, version),
  ]
  await context.out.askedChanges(await differenceLines(before, after, await differences(before, after)))
  await showMode(context)
}
