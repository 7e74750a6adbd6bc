import type { RouteAnswer } from '../../../client/endpoints.js'
import { cellText } from '../../../views/table/cells.js'
import type { Column } from '../../../views/table/column.js'
import { type Assignment, parseAssignments } from '../../framework/assignments.js'
import type { CommandSpec } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import type { Context } from '../../framework/context.js'
import { usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { nearest } from '../../framework/nearest.js'

type Settings = RouteAnswer<'GET /sandbox/api/configs'>

/** A setting of the sandbox with its key and its group. */
interface Setting {
  key: string
  value: string
  default: string
  range: string
  description: string
  group: string
}

const COLUMNS = [
  { key: 'key' },
  { key: 'value' },
  { key: 'default', leaves: 2 },
  { key: 'range', title: 'VALUES', leaves: 3 },
  { key: 'description', title: 'MEANING', leaves: 1 },
  { key: 'group', wide: true },
] as const satisfies readonly Column<keyof Setting>[]

/** Returns the settings of the sandbox. */
export async function readSettings(context: Context): Promise<Setting[]> {
  return settingsIn((await context.read('GET /sandbox/api/configs')).body)
}

function settingsIn({ configs: groups }: Settings): Setting[] {
  return Object.entries(groups).flatMap(([group, { configs }]) =>
    Object.entries(configs).map(([key, setting]) => ({ key, ...setting, group })),
  )
}

/** Returns a setting as a terminal shows it: amounts of rupees are grouped. */
function grouped(setting: Setting): Setting {
  const amount = (value: string) => (RUPEES.test(value) ? cellText(value, 'money', GROUPED) : value)
  return { ...setting, value: amount(setting.value), default: amount(setting.default) }
}

const RUPEES = /^\d+\.\d{2}$/
const GROUPED = { human: true, utc: false, now: 0 }

/** @throws a usage error that names the nearest setting */
function findSetting(settings: readonly Setting[], key: string): Setting {
  const found = settings.find((setting) => setting.key === key)
  if (found !== undefined) return found
  const keys = settings.map((setting) => setting.key)
  const near = nearest(key, keys)
  const hint = near === undefined ? 'List them: svc sandbox config list' : `Did you mean ${near}?`
  throw usageError(`There is no sandbox setting "${key}".`, hint)
}

const list = declared({
  name: 'list',
  summary: 'Lists the settings of the sandbox: value, default, accepted values and meaning.',
  examples: ['sandbox config list', 'sandbox config list --json', 'sandbox config list -o wide'],
  columns: COLUMNS,
  calls: 'GET /sandbox/api/configs',
  list(answer, { context }) {
    const settings = settingsIn(answer)
    const rows = context.out.isHuman ? settings.map(grouped) : settings
    return { rows, columns: COLUMNS, id: 'key', empty: 'No settings.' }
  },
})

const get = declared({
  name: 'get',
  summary: 'Shows one setting of the sandbox.',
  examples: ['sandbox config get starting_capital', 'sandbox config get reset_day --jq .value'],
  arguments: [{ syntax: '<key>', summary: 'key from svc sandbox config list', complete: 'sandboxSettings' }],
  calls: 'GET /sandbox/api/configs',
  record: (answer, { input }) => ({
    record: findSetting(settingsIn(answer), input.required(0)),
    fields: COLUMNS,
    id: 'value',
  }),
})

const set: CommandSpec = {
  name: 'set',
  summary: 'Changes settings of the sandbox, effective at once.',
  examples: [
    'sandbox config set equity_mis_leverage 4',
    'sandbox config set reset_day=Sunday reset_time=08:30',
    'sandbox config set starting_capital=1000000',
  ],
  details:
    'The settings are changed one by one, in the order given. At the first value that is refused, the command ends; it names the settings that are already changed.',
  arguments: [{ syntax: '<key=value...>', summary: 'a setting and its value', complete: 'sandboxSettings' }],
  async run(context, input) {
    const given = parseAssignments(input.words(0), 'svc sandbox config set equity_mis_leverage=4')
    const settings = await readSettings(context)
    for (const { key } of given) findSetting(settings, key)
    const changed: string[] = []
    for (const assignment of given) {
      await change(context, settings, assignment, changed)
      changed.push(assignment.key)
    }
    const rows = (await readSettings(context)).filter(({ key }) => changed.includes(key))
    await context.out.list({ rows, columns: COLUMNS, id: 'key', empty: '' })
    return EXIT.done
  },
}

/** Changes one setting. A refusal names the accepted values, and the settings changed before it. */
async function change(
  context: Context,
  settings: readonly Setting[],
  { key, value }: Assignment,
  changed: readonly string[],
): Promise<void> {
  try {
    await context.change('POST /sandbox/update', { body: { config_key: key, config_value: value } })
  } catch (thrown) {
    context.out.note(`${key} accepts: ${findSetting(settings, key).range}`)
    if (changed.length > 0) context.out.note(`Already changed: ${changed.join(', ')}`)
    throw thrown
  }
}

export const config: CommandSpec = {
  name: 'config',
  summary: 'The settings of the sandbox: capital, leverage, square-off times, reset.',
  examples: ['sandbox config list', 'sandbox config set equity_mis_leverage 4'],
  verbs: [list, get, set],
}
