import type { RouteAnswer, SvcClient } from '../../client/index.js'
import { FREEZE_EXCHANGES } from '../../core/instruments/vocabulary.js'
import { FREEZE_COLUMNS } from '../../views/system/freeze.js'
import { type FormField, wholeBetween } from '../components/form/Form.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Feed, READ_SELDOM } from '../live/feed.js'
import type { FormDialog } from '../question/use-dialogs.js'
import type { ChangeQuestion } from '../question/use-question.js'
import { listView } from '../screen/list-view.js'

type FreezeRow = RouteAnswer<'GET /admin/api/freeze'>['data'][number]

class FreezeFeed extends Feed<readonly FreezeRow[]> {
  constructor(daemon: LiveDaemon) {
    const read = async (client: SvcClient) => (await client.request('GET /admin/api/freeze', {})).data
    super(daemon, { ...READ_SELDOM, read }, [])
  }
}

/** The largest orders that exchanges accept, by underlying. */
export const freeze = listView({
  name: 'freeze',
  feed: FreezeFeed,
  useRows: ({ content }) => content,
  columns: FREEZE_COLUMNS,
  empty: 'No freeze quantities. n adds one.',
  summary: ({ content }) => `${content.length} freeze quantities: the largest orders that exchanges accept`,
  keys: [
    {
      id: 'freeze.add',
      keys: ['n'],
      does: 'add',
      explained: 'add a freeze quantity',
      command: 'svc admin freeze add',
      act: ({ dialogs, refresh }) => dialogs.open(additionForm(refresh)),
    },
    {
      id: 'freeze.edit',
      keys: ['e'],
      does: 'change',
      explained: 'change the freeze quantity',
      command: 'svc admin freeze set',
      act: ({ row, dialogs, refresh }) => row && dialogs.open(quantityForm(row, refresh)),
    },
    {
      id: 'freeze.delete',
      keys: ['d'],
      does: 'delete',
      explained: 'delete the freeze quantity: asks',
      command: 'svc admin freeze delete',
      act: ({ row, dialogs, refresh }) => row && dialogs.ask(deletionQuestion(row, refresh)),
    },
  ],
})

const CHECK = 'svc admin freeze list'
const MOST = 1_000_000_000

/** Underlyings such as `NIFTY`, `M&M`, `BAJAJ-AUTO` and `360ONE`. */
const SYMBOL = /^[A-Z0-9][A-Z0-9&._-]{0,49}$/i

const QUANTITY: FormField = { name: 'freeze_qty', label: 'Quantity', problem: wholeBetween(1, MOST) }

const ADD_FIELDS: readonly FormField[] = [
  { name: 'exchange', label: 'Exchange', choices: FREEZE_EXCHANGES },
  {
    name: 'symbol',
    label: 'Symbol',
    problem: (text) => (SYMBOL.test(text.trim()) ? undefined : 'an underlying, such as NIFTY or M&M'),
  },
  QUANTITY,
]

/** The form that adds the freeze quantity of an underlying. */
function additionForm(onAnswer: () => void): FormDialog {
  return {
    kind: 'form',
    title: 'Add a freeze quantity: the largest order in units',
    fields: ADD_FIELDS,
    first: { exchange: FREEZE_EXCHANGES[0], symbol: '', freeze_qty: '' },
    changeOf: ({ exchange = '', freeze_qty, symbol = '' }) => ({
      name: `Freeze quantity of ${exchange}:${symbol.trim().toUpperCase()}`,
      check: CHECK,
      onAnswer,
      async send(client) {
        const body = { exchange, symbol: symbol.trim(), freeze_qty: Number(freeze_qty) }
        const { data } = await client.request('POST /admin/api/freeze', { body })
        return `it is ${data.freeze_qty}.`
      },
    }),
  }
}

/** The form that changes a freeze quantity. */
function quantityForm({ exchange, freeze_qty, id, symbol }: FreezeRow, onAnswer: () => void): FormDialog {
  const name = `Freeze quantity of ${exchange}:${symbol}`
  return {
    kind: 'form',
    title: name,
    fields: [QUANTITY],
    first: { freeze_qty: String(freeze_qty) },
    changeOf: (values) => ({
      name,
      check: CHECK,
      onAnswer,
      async send(client) {
        const body = { freeze_qty: Number(values.freeze_qty) }
        const { data } = await client.request('PUT /admin/api/freeze/:id', {
          params: { id: String(id) },
          body,
        })
        return `it is ${data.freeze_qty}.`
      },
    }),
  }
}

function deletionQuestion(
  { exchange, freeze_qty, id, symbol }: FreezeRow,
  onAnswer: () => void,
): ChangeQuestion {
  return {
    title: `Delete the freeze quantity ${freeze_qty} of ${exchange}:${symbol}?`,
    lines: ['The underlying then has no known limit.'],
    change: {
      name: `Freeze quantity of ${exchange}:${symbol}`,
      check: CHECK,
      onAnswer,
      async send(client) {
        await client.request('DELETE /admin/api/freeze/:id', { params: { id: String(id) } })
        return 'deleted.'
      },
    },
  }
}
