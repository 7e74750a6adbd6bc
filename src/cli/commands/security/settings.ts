import { hoursIn, PERMANENT } from '../../../views/security/hours.js'
import {
  BAN_SETTINGS,
  type BanSettings,
  SETTING_COLUMNS,
  settingRows,
} from '../../../views/security/settings.js'
import { splitAssignment } from '../../framework/assignments.js'
import type { CommandSpec } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import type { Context } from '../../framework/context.js'
import { usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'

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

export const stats = declared({
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
