import type { CommandSpec } from '../../framework/command.js'
import type { Context } from '../../framework/context.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
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
  const { banned_ips: bans } = (await context.read('GET /security/api/data')).body
  const rows = bans.map(({ banned_at_iso: bannedAt, expires_at_iso: expiresAt, ...row }) => ({
    ...row,
    banned_at: bannedAt,
    expires_at: context.out.isHuman && row.is_permanent ? PERMANENT : expiresAt,
  }))
  await context.out.list({
    rows,
    id: 'ip_address',
    empty: 'No bans.',
    columns: [
      { key: 'ip_address', title: 'ADDRESS' },
      { key: 'ban_reason', title: 'REASON' },
      { key: 'ban_count', title: 'BANS', kind: 'quantity', leaves: 1 },
      { key: 'banned_at', title: 'SINCE', kind: 'time', leaves: 2 },
      { key: 'expires_at', title: 'UNTIL', kind: 'time' },
      { key: 'created_by', title: 'BY', leaves: 3 },
    ],
  })
  return EXIT.done
}

async function listSuspects(context: Context): Promise<ExitStatus> {
  const { suspicious_ips: scanners, api_abuse_ips: guessers } = (await context.read('GET /security/api/data'))
    .body
  const rows = [
    ...scanners.map((row) => ({
      ip_address: row.ip_address,
      offence: '404',
      count: row.error_count,
      first_at: row.first_error_at_iso,
      last_at: row.last_error_at_iso,
    })),
    ...guessers.map((row) => ({
      ip_address: row.ip_address,
      offence: 'invalid key',
      count: row.attempt_count,
      first_at: row.first_attempt_at_iso,
      last_at: row.last_attempt_at_iso,
    })),
  ]
  await context.out.list({
    rows,
    id: 'ip_address',
    empty: 'No address with 404s or invalid API keys in the last 24 hours.',
    columns: [
      { key: 'ip_address', title: 'ADDRESS' },
      { key: 'offence' },
      { key: 'count', kind: 'quantity' },
      { key: 'first_at', title: 'FIRST', kind: 'time', leaves: 1 },
      { key: 'last_at', title: 'LAST', kind: 'time' },
    ],
  })
  return EXIT.done
}
