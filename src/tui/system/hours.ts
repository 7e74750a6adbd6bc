import type { FormDialog } from '../dialog/dialog.js'
import type { HoursRow } from './feeds/tables.js'
import { isTime } from './holidays.js'

const NO_TIME = 'a time: HH:MM'

/** The form that changes the usual hours of an exchange. */
export function hoursForm({ end_time, exchange, start_time }: HoursRow, onAnswer: () => void): FormDialog {
  return {
    kind: 'form',
    title: `Usual hours of ${exchange}, in Indian time. They apply at once`,
    fields: [
      { name: 'start_time', label: 'Opens', problem: (text) => (isTime(text) ? undefined : NO_TIME) },
      {
        name: 'end_time',
        label: 'Closes',
        problem(text, { start_time: start = '' }) {
          if (!isTime(text)) return NO_TIME
          return text > start ? undefined : 'later than it opens'
        },
      },
    ],
    first: { start_time, end_time },
    changeOf: ({ start_time: opens = '', end_time: closes = '' }) => ({
      name: `Hours of ${exchange}`,
      check: 'svc admin timing list',
      onAnswer,
      async send(client) {
        const request = { params: { exchange }, body: { start_time: opens, end_time: closes } }
        await client.request('PUT /admin/api/timings/:exchange', request)
        return `${opens} to ${closes}.`
      },
    }),
  }
}
