import { modeChange } from '../../core/approvals/index.js'
import type { AuditTrail } from '../../core/audit/index.js'
import type { Config } from '../../core/config/index.js'
import { ServiceError } from '../../core/errors/index.js'
import type { Logger } from '../../core/logging/index.js'
import type { SmtpMailer } from '../../core/mail/index.js'
import { type CHANNELS, type ChatPorts, Messages } from '../../core/notifications/index.js'
import { codeOf, isInDoubt, messageOfResult, openRequest } from '../../core/orders/index.js'
import type { SecretBox } from '../../core/secrets/index.js'
import type { Database } from '../../core/storage/index.js'
import { type ReservedRun, reservedText } from '../../core/strategies/index.js'
import { OrderAlerts, wireOrderAlerts } from '../../core/telemetry/index.js'
import type { Clock } from '../../core/time/index.js'
import { parseWith } from '../../core/validation/index.js'
import { chatRecorder } from '../audit/chat-acts.js'
import type { ActTurns } from '../audit/turns.js'
import type { EventServices } from './events.js'
import type { Foundation } from './foundation.js'
import type { Market } from './market.js'
import type { ModeSwitch } from './mode.js'
import type { Trading } from './trading.js'

interface MessageServiceParts
  extends Pick<EventServices, 'bus'>,
    Pick<Foundation, 'identity' | 'settings' | 'mode'>,
    Pick<Market, 'brokers' | 'listed'>,
    Pick<Trading, 'account' | 'approvals' | 'orders' | 'risk'> {
  audit: AuditTrail
  actTurns: ActTurns
  config: Config
  clock: Clock
  log: Logger
  databases: { svc: Database }
  box: SecretBox
  mailer: SmtpMailer
  modeSwitch: ModeSwitch
  whatsappApi?: string | undefined
  /** The runs of strategies that nobody manages. They are opened after the messages. */
  reservedRuns(): ReservedRun[]
}

/** Opens the messages on the parts of the service, and subscribes the order alerts of every channel. */
export async function openMessages(parts: MessageServiceParts): Promise<Messages> {
  const { box, bus, clock, config, databases, log, mailer, settings } = parts
  const messages = await Messages.open({
    box,
    bus,
    clock,
    log,
    mailer,
    db: databases.svc,
    hasMailServer: () => Boolean(settings.get().smtpServer),
    ports: chatPorts(parts),
    telegram: {
      token: config.TELEGRAM_BOT_TOKEN,
      chats: config.TELEGRAM_CHATS ?? {},
      webhookSecret: config.TELEGRAM_WEBHOOK_SECRET,
      api: config.TELEGRAM_API_URL,
    },
    whatsappApi: parts.whatsappApi,
  })
  const alerts = (channel: (typeof CHANNELS)[number]) =>
    new OrderAlerts({ channel, notifier: messages.notifier(channel), clock, log })
  wireOrderAlerts(bus, {
    telegram: alerts('telegram'),
    whatsapp: alerts('whatsapp'),
    email: alerts('email'),
  })
  return messages
}

const SHOWN_PENDING = 20
/** The strategy of orders from a chat. */
const CHAT_STRATEGY = 'chat'
const CLOSE_IN_DOUBT =
  'The outcome of an order is not known yet: it may be at the broker. Look at /positions before you close again.'

/** Returns what chats can read and do. Each port uses the same part as the API. */
function chatPorts(parts: MessageServiceParts): ChatPorts {
  const { account, approvals, brokers, bus, identity, listed, mode, modeSwitch, orders, reservedRuns, risk } =
    parts
  return {
    orderbook: (userId) => account.orderbook(userId),
    tradebook: (userId) => account.tradebook(userId),
    positionbook: (userId) => account.positionbook(userId),
    holdings: (userId) => account.holdings(userId),
    funds: (userId) => account.funds(userId),
    quote: (symbol, exchange) => listed.quote({ symbol, exchange }),
    broker: () => (brokers.connected() ? brokers.brokerId : undefined),
    mode,
    orderMode: (userId) => identity.apiKeys.orderMode(userId),
    setAnalyzeMode: (on, by) => modeSwitch.set(on, by),
    killSwitch: () => risk.killSwitch,
    setKillSwitch: async (on, reason, by) => {
      const state = await risk.setKillSwitch(on, reason, by)
      bus.publish('kill_switch', { engaged: state.on, reason: state.reason, by })
      return state.on ? reservedText(reservedRuns()) : ''
    },
    closePositions: async (userId) => {
      const { run } = openRequest('closeposition', (schema) => parseWith(schema, { strategy: CHAT_STRATEGY }))
      const result = await run(orders, { userId, source: 'api' })
      const code = codeOf(result)
      if (isInDoubt(result)) return { text: CLOSE_IN_DOUBT, isUnknown: true }
      if (code !== 'ok') throw new ServiceError(code, messageOfResult(result))
      return { text: messageOfResult(result) }
    },
    pending: async (userId) => {
      const { orders } = await approvals.list(userId, { status: 'pending', limit: SHOWN_PENDING })
      return orders
    },
    pendingOrder: (userId, id) => approvals.view(userId, id),
    plan: async (userId, id) => {
      const { value: waiting } = await approvals.waiting(userId, [id]).next()
      if (!waiting) return undefined
      const destination = orders.executor.destination()
      const changed = modeChange(waiting.queuedMode, destination)
      const plan = await orders.approvalPlans.of(waiting.order)
      return { ...plan, broker: destination.broker, modeChange: changed }
    },
    approve: (userId, id, by, veto, expected) => approvals.approve(userId, id, by, veto, expected),
    reject: (userId, id, by, reason) => approvals.reject(userId, id, by, reason),
    record: chatRecorder(parts),
  }
}
