import { BAN_COLUMNS, banRows, SUSPECT_COLUMNS, suspectRows } from '../../../views/security/bans.js'
import type { CommandSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'

/** Lists the bans, or the addresses that are on their way to one. */
export const list: CommandSpec = {
  name: 'list',
  summary: 'Lists the banned addresses, newest first; with --suspicious those that may be banned next.',
  examples: ['ban list', 'ban list --suspicious', 'ban list -q'],
  options: [
    { flags: '--suspicious', summary: 'addresses with 404s or invalid API keys in the last 24 hours' },
  ],
  async run(context, input) {
    return input.flag('suspicious') ? listSuspects(context) : listBans(context)
  },
}

async function listBans(context: Context): Promise<ExitStatus> {
  const { body } = await context.read('GET /security/api/data')
  const rows = banRows(body, context.out.isHuman)
  await context.out.list({ rows, id: 'ip_address', empty: 'No bans.', columns: BAN_COLUMNS })
  return EXIT.done
}

async function listSuspects(context: Context): Promise<ExitStatus> {
  const { body } = await context.read('GET /security/api/data')
  await context.out.list({
    rows: suspectRows(body),
    id: 'ip_address',
    empty: 'No address with 404s or invalid API keys in the last 24 hours.',
    columns: SUSPECT_COLUMNS,
  })
  return EXIT.done
}
