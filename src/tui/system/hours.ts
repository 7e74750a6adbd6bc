import type { SvcClient } from '../../client/index.js'
import { TIMING_COLUMNS, timingRows } from '../../views/system/timing.js'
import { timeProblem } from '../components/form/Form.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Feed, READ_SELDOM } from '../live/feed.js'
import type { FormDialog } from '../question/use-dialogs.js'
import { listView } from '../screen/list-view.js'

type HoursRow = ReturnType<typeof timingRows>[number]

class HoursFeed extends Feed<readonly HoursRow[]> {
  constructor(daemon: LiveDaemon) {
    const read = async (client: SvcClient) => timingRows(await client.request('GET /admin/api/timings', {}))
    super(daemon, { ...READ_SELDOM, read }, [])
  }
}

/** The usual trading hours of the exchanges, and those of today. */
export const hours = listView({
  name: 'hours',
  feed: HoursFeed,
  useRows: ({ content }) => content,
  columns: TIMING_COLUMNS,
  empty: 'No timings.',
  summary: () => 'Usual trading hours, and those of today, in Indian time',
  keys: [
    {
      id: 'hours.edit',
      keys: ['e'],
      does: 'change',
      explained: 'change the usual hours of the exchange',
      command: 'svc admin timing set',
      act: ({ row, dialogs, refresh }) => row && dialogs.open(hoursForm(row, refresh)),
    },
  ],
})

/** The form that changes the usual hours of an exchange. */
function hoursForm({ end_time, exchange, start_time }: HoursRow, onAnswer: () => void): FormDialog {
  return {
    kind: 'form',
    title: `Usual hours of ${exchange}, in Indian time. They apply at once`,
    fields: [
      { name: 'start_time', label: 'Opens', problem: timeProblem },
      {
        name: 'end_time',
        label: 'Closes',
        problem(text, { start_time: start = '' }) {
          return timeProblem(text) ?? (text > start ? undefined : 'later than it opens')
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
