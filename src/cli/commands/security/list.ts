import type { RouteAnswer } from '../../../client/endpoints.js'
import type { CommandSpec } from '../../framework/command.js'
import type { Context } from '../../framework/context.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import type { Column } from '../../output/tables/column.js'
import { PERMANENT } from './hours.js'

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

type SecurityData = RouteAnswer<'GET /security/api/data'>

export const BAN_COLUMNS = [
  { key: 'ip_address', title: 'ADDRESS' },
  { key: 'ban_reason', title: 'REASON' },
  { key: 'ban_count', title: 'BANS', kind: 'quantity', leaves: 1 },
  { key: 'banned_at', title: 'SINCE', kind: 'time', leaves: 2 },
  { key: 'expires_at', title: 'UNTIL', kind: 'time' },
  { key: 'created_by', title: 'BY', leaves: 3 },
] as const satisfies readonly Column[]

/** Returns the bans as a list shows them; to a person, one without an end is permanent. */
export function banRows({ banned_ips: bans }: Pick<SecurityData, 'banned_ips'>, isHuman: boolean) {
  return bans.map(({ banned_at_iso: bannedAt, expires_at_iso: expiresAt, ...row }) => ({
    ...row,
    banned_at: bannedAt,
    expires_at: isHuman && row.is_permanent ? PERMANENT : expiresAt,
  }))
}

export const SUSPECT_COLUMNS = [
  { key: 'ip_address', title: 'ADDRESS' },
  { key: 'offence' },
  { key: 'count', kind: 'quantity' },
  { key: 'first_at', title: 'FIRST', kind: 'time', leaves: 1 },
  { key: 'last_at', title: 'LAST', kind: 'time' },
] as const satisfies readonly Column[]

/** Returns the addresses that are on their way to a ban: those with 404s, then those with invalid API keys. */
export function suspectRows({
  suspicious_ips: scanners,
  api_abuse_ips: guessers,
}: Pick<SecurityData, 'suspicious_ips' | 'api_abuse_ips'>) {
  return [
    ...scanners.map((row) => ({
      ip_address: row.ip_address,
      offence: '404' as const,
      count: row.error_count,
      first_at: row.first_error_at_iso,
      last_at: row.last_error_at_iso,
    })),
    ...guessers.map((row) => ({
      ip_address: row.ip_address,
      offence: 'invalid key' as const,
      count: row.attempt_count,
      first_at: row.first_attempt_at_iso,
      last_at: row.last_attempt_at_iso,
    })),
  ]
}
