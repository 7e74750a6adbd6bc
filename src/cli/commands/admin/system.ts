import { isObject } from '../../../client/answers/json.js'
import type { CommandSpec } from '../../framework/command/command.js'
import { called, either } from '../../framework/command/declared.js'

const document = called({
  calls: 'GET /admin/api/system',
  record: ({ data }) => ({ record: data, fields: [], id: 'mode' }),
})

const table = called({
  calls: 'GET /admin/api/system',
  list: ({ data }) => ({
    rows: Object.entries(data).flatMap(([section, facts]) => sectionRows(section, facts)),
    id: 'name',
    empty: '',
    columns: [{ key: 'section' }, { key: 'name' }, { key: 'value' }],
  }),
})

export const system: CommandSpec = {
  name: 'system',
  summary: 'Shows the state of the installation: machine, versions, settings, brokers and databases.',
  details: 'It contains no secret: only whether each one is set, and whether it is strong.',
  examples: ['admin system', 'admin system --json', 'admin system --jq .config.secrets_present'],
  run: either(
    (_, { format, jq, template }) => format !== undefined || jq !== undefined || template !== undefined,
    document,
    table,
  ),
}

interface Row {
  section: string
  name: string
  value: unknown
}

/** Returns the members of a section: those of an object under both names, those of a list in a line each. */
function sectionRows(section: string, facts: object): Row[] {
  if (Array.isArray(facts)) {
    const items: readonly Record<string, unknown>[] = facts
    return items.flatMap(({ name, ...value }) => under(String(name), sectionRows(section, value)))
  }
  return Object.entries(facts).flatMap(([name, value]) => {
    // A line for each: a long list in one would take the place of the names on a narrow terminal.
    if (Array.isArray(value) && value.length > 1) return value.map((one) => ({ section, name, value: one }))
    return isObject(value) && !Array.isArray(value)
      ? under(name, sectionRows(section, value))
      : [{ section, name, value }]
  })
}

const under = (name: string, rows: readonly Row[]) =>
  rows.map((row) => ({ ...row, name: `${name}.${row.name}` }))
