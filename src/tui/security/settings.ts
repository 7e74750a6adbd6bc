import { hoursIn, PERMANENT } from '../../views/security/hours.js'
import {
  BAN_SETTINGS,
  type BanSettings,
  SETTING_COLUMNS,
  settingRows,
} from '../../views/security/settings.js'
import { type FormField, type FormValues, wholeBetween } from '../components/form/Form.js'
import type { FormDialog } from '../question/use-dialogs.js'
import { listView } from '../screen/list-view.js'
import { BanFeed } from './ban-feed.js'
import { BAN_KEY, durationProblem, HOST_KEY } from './ban-forms.js'

/** The settings of automatic bans. */
export const settings = listView({
  name: 'settings',
  feed: BanFeed,
  useRows: ({ content }) => content.settings,
  columns: SETTING_COLUMNS,
  empty: 'No settings.',
  note: ({ row }) => row && `${row.name}: ${row.summary}`,
  keys: [
    BAN_KEY,
    {
      id: 'security.edit',
      keys: ['e'],
      does: 'change',
      explained: 'change the limits and durations',
      command: 'svc ban settings <name=value>',
      act: ({ content, dialogs, refresh }) =>
        content.values && dialogs.open(settingsForm(content.values, refresh)),
    },
    HOST_KEY,
  ],
})

/** The largest values of the numbers. */
const MOST: Readonly<Record<string, number>> = {
  threshold_404: 1000,
  threshold_api: 100,
  repeat_offender_limit: 10,
}

/** The form of the settings of automatic bans, with the present values. */
function settingsForm(values: BanSettings, onAnswer: () => void): FormDialog {
  const rows = new Map(settingRows(values).map(({ name, value }) => [name, String(value)]))
  const settings = Object.entries(BAN_SETTINGS)
  const first = Object.fromEntries(settings.map(([name, { request }]) => [request, rows.get(name) ?? '']))
  return {
    kind: 'form',
    title: `Automatic bans. Durations are whole hours or days, such as 24h or 7d, or ${PERMANENT}`,
    fields: settings.map(([name, { kind, request }]): FormField => {
      const field = { name: request, label: name }
      if (kind === 'switch') return { ...field, choices: ['on', 'off'] }
      if (kind === 'hours') return { ...field, problem: durationProblem }
      return { ...field, problem: wholeBetween(1, MOST[request] ?? 1) }
    }),
    first,
    changeOf: (typed) => ({
      name: 'Settings of automatic bans',
      check: 'svc ban settings',
      onAnswer,
      async send(client) {
        const body = changedIn(typed, first)
        if (Object.keys(body).length === 0) return 'nothing to change.'
        await client.request('POST /security/settings', { body })
        return 'changed.'
      },
    }),
  }
}

/** Returns the settings that differ: the others may have changed meanwhile. */
function changedIn(typed: FormValues, first: FormValues): Readonly<Record<string, boolean | number>> {
  const changed = Object.values(BAN_SETTINGS).filter(({ request }) => typed[request] !== first[request])
  const members = changed.map(({ kind, request }): [string, boolean | number] => {
    const text = typed[request] ?? ''
    if (kind === 'switch') return [request, text === 'on']
    if (kind === 'hours') return [request, text === PERMANENT ? 0 : (hoursIn(text) ?? Number.NaN)]
    return [request, Number(text)]
  })
  return Object.fromEntries(members)
}
