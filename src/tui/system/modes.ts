import type { SvcClient } from '../../client/index.js'
import { type Account, modeName, readAccount, requireSame } from '../live/account.js'
import type { LiveDaemon } from '../live/daemon.js'
import type { ChangeQuestion } from '../question/use-question.js'
import { LIVE_WORD } from '../question/weight.js'
import type { Shown, ViewKey } from '../screen/record.js'

/** The keys that change where orders go. */
export const MODE_KEYS: readonly ViewKey<Shown>[] = [
  {
    id: 'system.analyze',
    keys: ['m'],
    does: 'mode',
    explained: 'switch to LIVE or to ANALYZE: asks',
    command: 'svc analyze on',
    act: ({ daemon, dialogs }) => void dialogs.askWhenRead(() => analyzeQuestion(daemon)),
  },
  {
    id: 'system.order-mode',
    keys: ['o'],
    does: 'order mode',
    explained: 'auto or semi_auto: asks',
    command: 'svc mode set <mode>',
    act: ({ daemon, dialogs }) => void dialogs.askWhenRead(() => orderModeQuestion(daemon)),
  },
]

/** Returns the question that switches Analyzer mode, with what follows from it. */
async function analyzeQuestion(daemon: LiveDaemon): Promise<ChangeQuestion> {
  const account = await daemon.accountNow()
  return account.analyze_mode ? liveQuestion(daemon, account) : simulateQuestion(daemon, account)
}

async function liveQuestion(daemon: LiveDaemon, account: Account): Promise<ChangeQuestion> {
  const { broker, order_mode } = account
  const facts = await tradersNow(daemon.reader())
  return {
    title: `Switch to LIVE: orders reach the broker ${broker} from now on?`,
    lines: [
      order_mode === 'auto'
        ? 'Order mode auto: orders are executed without approval.'
        : 'Order mode semi_auto: orders wait for approval.',
      ...facts,
    ],
    word: LIVE_WORD,
    change: {
      name: 'Switch to LIVE',
      check: 'svc analyze status',
      onAnswer: () => refresh(daemon),
      async send(client) {
        await requireSame(readAccount(client), account)
        await client.request('POST /settings/analyze-mode/:mode', { params: { mode: '0' } })
        return `done. Orders reach the broker ${broker} from now on.`
      },
    },
  }
}

/** Returns who may trade once orders are live. */
async function tradersNow(client: SvcClient): Promise<readonly string[]> {
  const [{ data: service }, workflows, { data: strategies }] = await Promise.all([
    client.request('GET /status', {}),
    client.request('GET /flow/api/workflows', {}),
    client.request('GET /strategy/api/strategies', {}),
  ])
  const active = workflows.filter((row) => row.is_active)
  const armed = strategies.filter((row) => row.live_enabled)
  return [
    service.broker_connected
      ? 'The broker is signed in.'
      : 'The broker is signed out: live orders are refused.',
    ...(service.kill_switch ? ['The kill switch is ON: no new order is sent.'] : []),
    `Active workflows: ${names(active)}`,
    `Strategies with live orders: ${names(armed)}`,
    'Simulated orders and positions stay in the sandbox.',
  ]
}

function names(rows: readonly { name: string }[]): string {
  return rows.length === 0 ? 'none' : rows.map(({ name }) => name).join(', ')
}

function simulateQuestion(daemon: LiveDaemon, { broker }: Account): ChangeQuestion {
  return {
    title: 'Switch to ANALYZE: orders are simulated from now on?',
    lines: [
      `Open orders and positions at the broker ${broker} stay there as they are.`,
      'Until the next switch, orders, positions and funds are those of the sandbox.',
    ],
    change: {
      name: 'Switch to ANALYZE',
      check: 'svc analyze status',
      onAnswer: () => refresh(daemon),
      async send(client) {
        await client.request('POST /settings/analyze-mode/:mode', { params: { mode: '1' } })
        return 'done. Orders are simulated from now on.'
      },
    },
  }
}

/** Returns the question that changes the order mode, with what follows from it. */
async function orderModeQuestion(daemon: LiveDaemon): Promise<ChangeQuestion> {
  const account = await daemon.accountNow()
  const mode = account.order_mode === 'auto' ? 'semi_auto' : 'auto'
  const isDangerous = mode === 'auto' && !account.analyze_mode
  return {
    title:
      mode === 'auto'
        ? `Order mode auto: execute new orders at once in ${modeName(account)} mode?`
        : 'Order mode semi_auto: new orders wait for approval?',
    lines: orderModeLines(mode, account),
    word: isDangerous ? LIVE_WORD : undefined,
    change: {
      name: `Order mode ${mode}`,
      check: 'svc mode get',
      onAnswer: () => refresh(daemon),
      async send(client) {
        if (mode === 'auto') await requireSame(readAccount(client), account)
        await client.request('POST /apikey/mode', { body: { user_id: account.username, mode } })
        return mode === 'auto'
          ? 'done. New orders are executed at once.'
          : 'done. New orders wait for approval.'
      },
    },
  }
}

function orderModeLines(mode: 'auto' | 'semi_auto', { analyze_mode, broker }: Account): readonly string[] {
  if (mode === 'semi_auto') return ['Someone must approve each order before it is sent.']
  return [
    analyze_mode ? 'Orders are simulated now.' : `Orders reach the broker ${broker} without approval.`,
    'Orders that wait for approval stay in the queue.',
  ]
}

function refresh(daemon: LiveDaemon): void {
  void daemon.status.refresh()
}
