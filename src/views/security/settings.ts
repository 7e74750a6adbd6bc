import type { RouteAnswer } from '../../client/endpoints.js'
import type { Column } from '../table/column.js'
import { PERMANENT } from './hours.js'

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
    answer: 'auto_ban_enabled',
    request: 'auto_ban_enabled',
    kind: 'switch',
    summary: 'on or off: ban by itself',
  },
  '404_threshold': {
    answer: '404_threshold',
    request: 'threshold_404',
    kind: 'number',
    summary: '404s of an address in 24 hours that ban it, 1 to 1000',
  },
  '404_ban_duration': {
    answer: '404_ban_duration',
    request: 'ban_duration_404',
    kind: 'hours',
    summary: 'duration of that ban, such as 24h, 7d or permanent',
  },
  api_threshold: {
    answer: 'api_threshold',
    request: 'threshold_api',
    kind: 'number',
    summary: 'invalid API keys of an address in 24 hours that ban it, 1 to 100',
  },
  api_ban_duration: {
    answer: 'api_ban_duration',
    request: 'ban_duration_api',
    kind: 'hours',
    summary: 'duration of that ban, such as 24h, 7d or permanent',
  },
  repeat_offender_limit: {
    answer: 'repeat_offender_limit',
    request: 'repeat_offender_limit',
    kind: 'number',
    summary: 'bans after which an address is banned for good, 1 to 10',
  },
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
