import { BlockList, isIP } from 'node:net'
import { BAN_COLUMNS, banRows, SUSPECT_COLUMNS, suspectRows } from '../../../views/security/bans.js'
import { hoursIn, PERMANENT } from '../../../views/security/hours.js'
import { BAN_WORD, consequencesOfOwnBan } from '../../../views/security/own-ban.js'
import {
  BAN_SETTINGS,
  type BanSettings,
  SETTING_COLUMNS,
  settingRows,
} from '../../../views/security/settings.js'
import { splitAssignment } from '../../framework/assignments.js'
import type { CommandSpec, Input, NounSpec } from '../../framework/command/command.js'
import { called, declared, either } from '../../framework/command/declared.js'
import type { Context } from '../../framework/context.js'
import { CliError, noSuch, usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'

const EXAMPLE = 'Example: svc ban settings auto_ban=on 404_threshold=50'

const shownSettings = called({
  calls: 'GET /security/api/data',
  list: ({ security_settings }) => settingList(security_settings),
})

const changedSettings = called({
  calls: 'POST /security/settings',
  request: (input) => ({ body: Object.fromEntries(input.words(0).map(parseSetting)) }),
  list: ({ settings }) => settingList(settings),
})

const settings: CommandSpec = {
  name: 'settings',
  summary: 'Shows the settings of automatic bans, or changes those that are given.',
  details: `Settings:\n${Object.entries(BAN_SETTINGS)
    .map(([name, { summary }]) => `  ${name.padEnd(22)} ${summary}`)
    .join('\n')}`,
  examples: ['ban settings', 'ban settings auto_ban=on 404_threshold=50 404_ban_duration=24h'],
  arguments: [{ syntax: '[name=value...]', summary: 'a setting and its value', complete: 'banSettings' }],
  run: either((input) => input.words(0).length === 0, shownSettings, changedSettings),
}

/** Parses `name=value` into a member of the request. The daemon checks the range. */
function parseSetting(text: string): [string, boolean | number | string] {
  const [name, value] = splitAssignment(text, 'name=value', EXAMPLE)
  const setting = Object.hasOwn(BAN_SETTINGS, name) ? BAN_SETTINGS[name] : undefined
  if (!setting) {
    throw usageError(`There is no setting "${name}".`, `Settings: ${Object.keys(BAN_SETTINGS).join(', ')}`)
  }
  const { kind, request } = setting
  if (kind === 'switch') {
    if (value !== 'on' && value !== 'off') throw usageError(`${name} must be on or off, was "${value}".`)
    return [request, value === 'on']
  }
  if (kind === 'hours') {
    const hours = value === PERMANENT ? 0 : hoursIn(value)
    if (hours === undefined) {
      throw usageError(
        `${name} must be whole hours or days, such as 24h or 7d, or ${PERMANENT}, was "${value}".`,
      )
    }
    return [request, hours]
  }
  return [request, value]
}

function settingList(values: BanSettings) {
  return { rows: settingRows(values), id: 'name', empty: 'No settings.', columns: SETTING_COLUMNS } as const
}

const stats = declared({
  name: 'stats',
  summary: 'Shows the number of bans and of suspicious addresses.',
  details:
    'Suspicious here are addresses with at least 5 requests for paths that do not exist; near the threshold are those ' +
    'with three quarters of 404_threshold. svc ban list --suspicious lists all, from the first offence.',
  examples: ['ban stats', 'ban stats --json'],
  calls: 'GET /security/stats',
  record: (record) => ({
    record,
    id: 'total_bans',
    fields: [
      { key: 'total_bans', kind: 'quantity' },
      { key: 'permanent_bans', kind: 'quantity' },
      { key: 'temporary_bans', kind: 'quantity' },
      { key: 'suspicious_ips', title: 'SUSPICIOUS', kind: 'quantity' },
      { key: 'near_threshold', kind: 'quantity' },
    ],
  }),
})

const bans = called({
  calls: 'GET /security/api/data',
  list: (answer, { context }) => ({
    rows: banRows(answer, context.out.isHuman),
    id: 'ip_address',
    empty: 'No bans.',
    columns: BAN_COLUMNS,
  }),
})

/** The addresses that are on their way to a ban. */
const suspects = called({
  calls: 'GET /security/api/data',
  list: (answer) => ({
    rows: suspectRows(answer),
    id: 'ip_address',
    empty: 'No address with 404s or invalid API keys in the last 24 hours.',
    columns: SUSPECT_COLUMNS,
  }),
})

const list: CommandSpec = {
  name: 'list',
  summary: 'Lists the banned addresses, newest first; with --suspicious those that may be banned next.',
  examples: ['ban list', 'ban list --suspicious', 'ban list -q'],
  columns: BAN_COLUMNS,
  options: [
    { flags: '--suspicious', summary: 'addresses with 404s or invalid API keys in the last 24 hours' },
  ],
  run: either((input) => input.flag('suspicious'), suspects, bans),
}

const CONFIRM = {
  flags: '--confirm <word>',
  summary: 'BAN answers every question, also before the own address is banned',
}

/** The addresses of every machine itself. The daemon refuses them; nobody is asked about them first. */
const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8)
LOOPBACK.addAddress('::1', 'ipv6')

const LOCKED_OUT = `The machine of the daemon is never banned: run svc there to lift a ban of your own address.`

const add: CommandSpec = {
  name: 'add',
  summary: 'Bans an address at once and closes its connections.',
  details: `An IPv6 address stands for its /64 network. ${LOCKED_OUT}`,
  examples: [
    'ban add 203.0.113.7 --reason "scans paths"',
    'ban add 203.0.113.7 --for 7d --yes',
    'ban add 2001:db8:1:2::9 --permanent',
  ],
  arguments: [
    { syntax: '<address>', field: 'ip_address', summary: 'an IPv4 or IPv6 address', complete: 'suspects' },
  ],
  options: [
    { flags: '--reason <text>', summary: 'reason; the list of bans shows it' },
    { flags: '--for <duration>', summary: 'whole hours or days, such as 12h or 7d (default: 24h)' },
    { flags: '--permanent', summary: 'until the ban is removed' },
    CONFIRM,
  ],
  async run(context, input) {
    const address = input.required(0)
    const reason = input.text('reason')
    const permanent = input.flag('permanent')
    const hours = durationHours(input, permanent)
    const plain = address.replace(/%.*|\/64$/, '')
    const version = isIP(plain)
    if (version === 0) throw usageError('Invalid IP address format.')
    if (LOOPBACK.check(plain, version === 6 ? 'ipv6' : 'ipv4'))
      throw new CliError(EXIT.refused, 'Cannot ban localhost.', { code: 'refused' })
    await confirmed(context, input, `Ban ${address}`)
    const order = {
      ip_address: address,
      ...(reason !== undefined && { reason }),
      ...(hours !== undefined && { duration_hours: hours }),
      ...(permanent && { permanent }),
    }
    const { body } = await unlessOwn(context, input, (own) =>
      context.change('POST /security/ban', { body: { ...order, ...own } }),
    )
    const { network } = body
    await context.out.acted(
      body,
      network ? `${address} is banned, with its network ${network}.` : `${address} is banned.`,
    )
    return EXIT.done
  },
}

/** Asks before a ban. As elsewhere, the word of `--confirm` answers, without `--yes`. */
async function confirmed(context: Context, input: Input, question: string): Promise<void> {
  const given = input.text('confirm')
  await (given === undefined
    ? context.prompts.confirm(question)
    : context.prompts.confirmWord(question, BAN_WORD, given))
}

/** Sends a ban. The daemon refuses one of the address that this command calls from, until the person confirms it. */
async function unlessOwn<T>(
  context: Context,
  input: Input,
  send: (own: { own_address?: true }) => Promise<T>,
): Promise<T> {
  try {
    return await send({})
  } catch (error) {
    const consequences = error instanceof CliError ? consequencesOfOwnBan(error.response) : undefined
    if (consequences === undefined) throw error
    const question = consequences.join(' ').replace(/\.$/, '')
    await context.prompts.confirmWord(question, BAN_WORD, input.text('confirm'))
    return send({ own_address: true })
  }
}

const remove = declared({
  name: 'remove',
  summary: 'Ends the ban of an address.',
  details: LOCKED_OUT,
  examples: ['ban remove 203.0.113.7', 'ban remove 2001:db8:1:2::/64 --yes'],
  arguments: [
    { syntax: '<address>', field: 'ip_address', summary: 'address from svc ban list', complete: 'bans' },
  ],
  calls: 'POST /security/unban',
  request: (input) => ({ body: { ip_address: input.required(0) } }),
  asks: ({ input }) => `Remove the ban of ${input.required(0)}`,
  async requireKnown({ context, input }) {
    const address = input.required(0)
    const { banned_ips: bans } = (await context.read('GET /security/api/data')).body
    // IPv6 addresses stand for their network, and have many forms.
    const isListed = address.includes(':') || bans.some(({ ip_address: one }) => one === address)
    if (!isListed) throw noSuch('ban of', address, 'svc ban list')
  },
  acted: (_, { input }) => `${input.required(0)} is no longer banned.`,
})

const addHost: CommandSpec = {
  name: 'add-host',
  summary: 'Bans the addresses that called the service by a host name in the last 24 hours, for 24 hours.',
  details:
    'For a name that is not yours and that only scanners use. Addresses from which somebody signed in are left out.',
  examples: ['ban add-host scanner.example', 'ban add-host scanner.example --permanent --yes'],
  arguments: [{ syntax: '<host>', summary: 'a host name' }],
  options: [
    { flags: '--reason <text>', summary: 'reason; the list of bans shows it' },
    { flags: '--permanent', summary: 'until the bans are removed' },
    CONFIRM,
  ],
  async run(context, input) {
    const host = input.required(0)
    const reason = input.text('reason')
    const permanent = input.flag('permanent')
    await confirmed(context, input, `Ban all addresses that called ${host}`)
    const order = { host, ...(reason !== undefined && { reason }), ...(permanent && { permanent }) }
    const { body } = await unlessOwn(context, input, (own) =>
      context.change('POST /security/ban-host', { body: { ...order, ...own } }),
    )
    await context.out.acted(body, `${body.message}.`)
    return EXIT.done
  },
}

const clear404 = declared({
  name: 'clear-404',
  summary: 'Forgets the requests of an address for paths that do not exist.',
  examples: ['ban clear-404 203.0.113.7'],
  arguments: [
    {
      syntax: '<address>',
      field: 'ip_address',
      summary: 'address from svc ban list --suspicious',
      complete: 'suspects',
    },
  ],
  calls: 'POST /security/clear-404',
  request: (input) => ({ body: { ip_address: input.required(0) } }),
  acted: (_, { input }) => `The 404s of ${input.required(0)} are forgotten.`,
})

export const ban: NounSpec = {
  summary: 'Banned addresses, and the rules of automatic bans.',
  examples: [
    'ban list',
    'ban add 203.0.113.7 --for 7d',
    'ban remove 203.0.113.7',
    'ban settings auto_ban=on 404_threshold=50',
  ],
  verbs: [list, add, remove, addHost, stats, settings, clear404],
}

/** Returns the hours of `--for`; undefined without it. @throws a usage error */
function durationHours(input: Input, permanent: boolean): number | undefined {
  const text = input.text('for')
  if (text === undefined) return undefined
  if (permanent) throw usageError('--for and --permanent exclude each other.')
  const hours = hoursIn(text)
  if (hours === undefined || hours === 0) {
    throw usageError(`--for must be whole hours or days, such as 12h or 7d, was "${text}".`)
  }
  return hours
}
