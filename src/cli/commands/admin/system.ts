import { isObject } from '../../../client/answers/json.js'
import type { CommandSpec } from '../../framework/command/command.js'
import { EXIT } from '../../framework/exit-codes.js'

export const system: CommandSpec = {
  name: 'system',
  summary: 'Shows the state of the installation: machine, versions, settings, brokers and databases.',
  details: 'It contains no secret: only whether each one is set, and whether it is strong.',
  examples: ['admin system', 'admin system --json', 'admin system --jq .config.secrets_present'],
  async run(context) {
    const { data } = (await context.read('GET /admin/api/system')).body
    const { format, jq, template } = context.settings
    if (format !== undefined || jq !== undefined || template !== undefined) {
      await context.out.record({ record: data, fields: [], id: 'mode' })
      return EXIT.done
    }
    await context.out.list({
      rows: Object.entries(data).flatMap(([section, facts]) => sectionRows(section, facts)),
      id: 'name',
      empty: '',
      columns: [{ key: 'section' }, { key: 'name' }, { key: 'value' }],
    })
    return EXIT.done
  },
}

interface Row {
  section: string
  name: string
  value: unknown
}

/** Returns the members of a section; those of a member that is an object follow under both names. */
function sectionRows(section: string, facts: object): Row[] {
  if (Array.isArray(facts)) {
    const items: readonly Record<string, unknown>[] = facts
    return items.flatMap(({ name, ...value }) => under(String(name), sectionRows(section, value)))
  }
  return Object.entries(facts).flatMap(([name, value]) =>
    isObject(value) && !Array.isArray(value)
      ? under(name, sectionRows(section, value))
      : [{ section, name, value }],
  )
}

const under = (name: string, rows: readonly Row[]) =>
  rows.map((row) => ({ ...row, name: `${name}.${row.name}` }))
