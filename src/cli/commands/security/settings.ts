import type { RouteAnswer } from '../../../client/endpoints.js'
import { splitAssignment } from '../../framework/assignments.js'
import type { CommandSpec } from '../../framework/command.js'
import type { Context } from '../../framework/context.js'
import { usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import type { Column } from '../../output/tables/column.js'
import { hoursIn, PERMANENT } from './hours.js'

export type BanSettings = RouteAnswer<'POST /security/settings'>['settings']

export interface SettingName {
  /** The name in answers of the daemon. */
  answer: keyof BanSettings
  /** The name in requests. */
  request: string
  kind: 'switch' | 'number' | 'hours'
  summary: string
}

/** The settings of automatic bans, by their name on the command line. */
export const BAN_SETTINGS: Readonly<Record<string, SettingName>> = {
  auto_ban: {
    ...{ answer: 'auto_ban_enabled', request: 'auto_ban_enabled', kind: 'switch' },
    summary: 'on or off: ban by itself',
  },
  '404_threshold': {
    ...{ answer: '404_threshold', request: 'threshold_404', kind: 'number' },
    summary: '404s of an address in 24 hours that ban it, 1 to 1000',
  },
  '404_ban_duration': {
    ...{ answer: '404_ban_duration', request: 'ban_duration_404', kind: 'hours' },
    summary: 'duration of that ban, such as 24h, 7d or permanent',
  },
  api_threshold: {
    ...{ answer: 'api_threshold', request: 'threshold_api', kind: 'number' },
    summary: 'invalid API keys of an address in 24 hours that ban it, 1 to 100',
  },
  api_ban_duration: {
    ...{ answer: 'api_ban_duration', request: 'ban_duration_api', kind: 'hours' },
    summary: 'duration of that ban, such as 24h, 7d or permanent',
  },
  repeat_offender_limit: {
    ...{ answer: 'repeat_offender_limit', request: 'repeat_offender_limit', kind: 'number' },
    summary: 'bans after which an address is banned for good, 1 to 10',
  },
}

const EXAMPLE = 'Example: svc ban settings auto_ban=on 404_threshold=50'

export const settings: CommandSpec = {
  name: 'settings',
  summary: 'Shows the settings of automatic bans, or changes those that are given.',
  details: `Settings:\n${Object.entries(BAN_SETTINGS)
    .map(([name, { summary }]) => `  ${name.padEnd(22)} ${summary}`)
    .join('\n')}`,
  examples: ['ban settings', 'ban settings auto_ban=on 404_threshold=50 404_ban_duration=24h'],
  arguments: [{ syntax: '[name=value...]', summary: 'a setting and its value', complete: 'banSettings' }],
  async run(context, input) {
    const given = input.words(0).map(parseSetting)
    if (given.length === 0) {
      const { body } = await context.read('GET /security/api/data')
      await showSettings(context, body.security_settings)
      return EXIT.done
    }
    const { body } = await context.change('POST /security/settings', { body: Object.fromEntries(given) })
    await showSettings(context, body.settings)
    return EXIT.done
  },
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

async function showSettings(context: Context, values: BanSettings): Promise<void> {
  await context.out.list({
    rows: settingRows(values),
    id: 'name',
    empty: 'No settings.',
    columns: SETTING_COLUMNS,
  })
}

export const SETTING_COLUMNS = [
  { key: 'name' },
  { key: 'value' },
  { key: 'summary', title: 'MEANING', leaves: 1 },
] as const satisfies readonly Column[]

/** Returns the settings by their names on the command line, with their values as it takes them. */
export function settingRows(values: BanSettings) {
  return Object.entries(BAN_SETTINGS).map(([name, { answer, kind, summary }]) => ({
    name,
    value: shown(values[answer], kind),
    summary,
  }))
}

function shown(value: number | boolean, kind: SettingName['kind']): string | number {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (kind !== 'hours') return value
  return value === 0 ? PERMANENT : `${value}h`
}

export const stats: CommandSpec = {
  name: 'stats',
  summary: 'Shows the number of bans and of suspicious addresses.',
  details:
    'Suspicious here are addresses with at least 5 requests for paths that do not exist; near the threshold are those ' +
    'with three quarters of 404_threshold. svc ban list --suspicious lists all, from the first offence.',
  examples: ['ban stats', 'ban stats --json'],
  async run(context) {
    const { body } = await context.read('GET /security/stats')
    await context.out.record({
      record: body,
      id: 'total_bans',
      fields: [
        { key: 'total_bans', kind: 'quantity' },
        { key: 'permanent_bans', kind: 'quantity' },
        { key: 'temporary_bans', kind: 'quantity' },
        { key: 'suspicious_ips', title: 'SUSPICIOUS', kind: 'quantity' },
        { key: 'near_threshold', kind: 'quantity' },
      ],
    })
    return EXIT.done
  },
}
