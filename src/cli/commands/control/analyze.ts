import { type ListedWorkflow, WORKFLOW_COLUMNS } from '../../../views/flows/workflow.js'
import { countText } from '../../../views/text/count.js'
import { asksAgain } from '../../framework/asks-again.js'
import type { NounSpec } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import type { Context } from '../../framework/context.js'
import { confirmSevere, LIVE_OPTION, type Look, sessionDestination, tellLook } from '../../io/confirm.js'
import { waitingOrders } from '../order/change.js'
import { openPositions } from '../trade/position.js'

function modeRecord({ analyze_mode }: { analyze_mode: boolean }) {
  return {
    record: { analyze_mode, mode: analyze_mode ? 'analyze' : 'live' },
    fields: [
      { key: 'mode', kind: 'status' },
      { key: 'analyze_mode', title: 'ANALYZE' },
    ],
    id: 'mode',
  } as const
}

const status = declared({
  name: 'status',
  summary: 'Shows whether orders are simulated (analyze) or live.',
  examples: ['analyze status', 'analyze status -q'],
  calls: 'GET /settings/analyze-mode',
  record: modeRecord,
})

const on = declared({
  name: 'on',
  summary: 'Simulates all orders in the sandbox from now on.',
  details: 'What is open and what waits at the broker stays there. A terminal shows it first.',
  examples: ['analyze on'],
  calls: 'POST /settings/analyze-mode/:mode',
  request: () => ({ params: { mode: '1' } }),
  confirms: ({ context }) => tellWhatStaysLive(context),
  record: modeRecord,
  note: () => 'Orders are simulated from now on. Next: svc order place SBIN NSE BUY 10',
})

/** The switch may be a person's way out of trouble: it does not wait for a broker that hangs. */
const PATIENCE_MS = 1500

/** In Analyzer mode no list shows what is at the broker, and no command closes it: a person sees it before. */
async function tellWhatStaysLive(context: Context): Promise<void> {
  if (!context.settings.interactive) return
  const patience = new Promise<undefined>((resolve) => {
    setTimeout(resolve, PATIENCE_MS, undefined).unref()
  })
  const looks = await Promise.race([whatStaysLive(context).catch(() => undefined), patience])
  if (looks === undefined) {
    await context.out.warn('what stays at the broker is not known: its books could not be read in time')
    return
  }
  const next =
    'stays at the broker. In Analyzer mode no list shows it, and nothing closes it: svc analyze off'
  await tellLook(context, async () => looks.waiting, `What waits ${next}`)
  await tellLook(context, async () => looks.open, `What is open ${next}`)
}

const NOTHING = { facts: [], list: { rows: [], columns: [] } } as const

async function whatStaysLive(context: Context) {
  const destination = await sessionDestination(context)
  if (destination.mode !== 'live') {
    return { waiting: { destination, ...NOTHING }, open: { destination, ...NOTHING } }
  }
  const [waiting, open] = await Promise.all([waitingOrders(context), openPositions(context)])
  return { waiting, open }
}

const off = declared({
  name: 'off',
  summary:
    'Goes live: orders reach the broker from now on. Asks for the word LIVE, or takes it from --confirm.',
  details: asksAgain(),
  examples: ['analyze off', 'analyze off --confirm LIVE'],
  options: [LIVE_OPTION],
  calls: 'POST /settings/analyze-mode/:mode',
  request: () => ({ params: { mode: '0' } }),
  confirms: ({ context, input }) =>
    confirmSevere(context, input, {
      word: 'LIVE',
      question: (broker) => `Orders will reach ${broker}`,
      look: () => beginsTrading(context),
    }),
  record: modeRecord,
  async warning(_, { context }) {
    const destination = await sessionDestination(context).catch(() => undefined)
    return `LIVE: orders reach ${destination ? `the broker ${destination.broker}` : 'the broker'} from now on`
  },
})

/** Shows who may trade once orders are live: the active workflows. */
async function beginsTrading(context: Context): Promise<Look<ListedWorkflow>> {
  const destination = await sessionDestination(context)
  const { order_mode: orderMode, broker_connected: isConnected } = (await context.read('GET /auth/whoami'))
    .body.data
  const rows = (await context.read('GET /flow/api/workflows')).body.filter((row) => row.is_active)
  return {
    destination,
    facts: [
      ...(isConnected ? [] : ['not signed in at the broker']),
      `order mode ${orderMode}`,
      countText(rows.length, 'active workflow'),
    ],
    list: { rows, columns: WORKFLOW_COLUMNS },
  }
}

export const analyze: NounSpec = {
  summary: 'Analyzer mode: simulate orders in the sandbox, or send them to the broker.',
  examples: ['analyze status', 'analyze on', 'analyze off'],
  verbs: [on, off, status],
}
