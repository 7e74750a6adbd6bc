import type { RouteAnswer } from '../../../../client/endpoints.js'
import type { Column } from '../../../../views/table/column.js'
import { asksAgain } from '../../../framework/asks-again.js'
import type { CommandSpec } from '../../../framework/command/command.js'
import { EXIT } from '../../../framework/exit-codes.js'

type Settings = RouteAnswer<'GET /admin/api/mcp/settings'>['settings']

const COLUMNS = [
  { key: 'http_enabled', title: 'REMOTE ACCESS' },
  { key: 'public_url' },
  { key: 'mcp_url' },
  { key: 'require_approval' },
  { key: 'write_scope_enabled' },
  { key: 'queue_writes' },
] as const satisfies readonly Column[]

/** The options that are on or off, with the names of their settings in the API. */
const SWITCHES = [
  ['enabled', 'http_enabled'],
  ['requireApproval', 'require_approval'],
  ['writeScope', 'write_scope_enabled'],
  ['queueWrites', 'queue_writes'],
] as const

const on = (name: string, summary: string) => ({
  flags: `--${name} <on|off>`,
  summary,
  choices: ['on', 'off'],
})

export const settings: CommandSpec = {
  name: 'settings',
  summary:
    'Shows the settings of remote access, or changes those that you name. A change is in force at once.',
  details: asksAgain('What gives assistants more than before'),
  examples: [
    'admin mcp settings',
    'admin mcp settings --public-url https://desk.example --enabled on',
    'admin mcp settings --queue-writes on',
    'admin mcp settings --enabled off',
  ],
  options: [
    on('enabled', 'remote access; off in a new installation'),
    { flags: '--public-url <url>', summary: 'the https address under which assistants reach the service' },
    on('require-approval', 'you approve each client before it can ask for consent'),
    on('write-scope', 'assistants may get the right to write orders'),
    on('queue-writes', 'in live mode, an order of an assistant always waits for approval'),
  ],
  async run(context, input) {
    const changes = changesOf((name) => input.text(name))
    if (Object.keys(changes).length === 0) {
      const { body } = await context.read('GET /admin/api/mcp/settings')
      await context.out.record({ record: body.settings, fields: COLUMNS, id: 'mcp_url' })
      return EXIT.done
    }
    const { body } = await context.change('PUT /admin/api/mcp/settings', { body: changes })
    await context.out.acted(body, accessText(body.settings_pending))
    return EXIT.done
  },
}

function changesOf(given: (name: string) => string | undefined) {
  const publicUrl = given('publicUrl')
  const switches = SWITCHES.flatMap(([name, key]) => {
    const value = given(name)
    return value === undefined ? [] : [[key, value === 'on'] as const]
  })
  return { ...Object.fromEntries(switches), ...(publicUrl !== undefined && { public_url: publicUrl }) }
}

/** Says what holds after a change. */
export function accessText({ http_enabled, mcp_url, queue_writes, write_scope_enabled }: Settings): string {
  if (!http_enabled) return 'Remote access is off.'
  const orders = !write_scope_enabled
    ? 'No assistant can write orders.'
    : queue_writes
      ? 'In live mode their orders wait for approval.'
      : 'Their orders are sent without approval.'
  return `Remote access is on: assistants connect to ${mcp_url}. ${orders}`
}
