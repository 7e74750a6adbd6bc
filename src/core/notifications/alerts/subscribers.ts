import type { PendingOrderView } from '../../approvals/index.js'
import type { EventBus, EventTopics } from '../../events/index.js'
import { pendingLine } from '../chat/views.js'
import { type MessageEvent, type NewMessage, PRIORITY } from '../schema.js'

/** A message to a user, on every channel where the user wants the event. */
export type Alert = Pick<NewMessage, 'body' | 'key' | 'priority' | 'pendingOrderId'> & {
  event: MessageEvent
  subject: string
}

interface AlertParts {
  bus: EventBus
  /** Queues an alert for a user. Returns at once. */
  alert(userId: string, alert: Alert): void
  /** The users who have a contact. */
  users(): readonly string[]
  /** Returns whether any channel reaches the user with the event. */
  wants(userId: string, event: MessageEvent): boolean
  /** @throws ServiceError `not_found` */
  pendingOrder(userId: string, id: number): Promise<PendingOrderView>
}

/** Subscribes the alerts that are not about a request of an order; `OrderAlerts` has those. */
export function wireAlerts({ alert, bus, pendingOrder, users, wants }: AlertParts): void {
  const name = 'messages'
  const toAll = (own: string | undefined, content: Alert) => {
    for (const user of own === undefined ? users() : [own]) alert(user, content)
  }
  bus.subscribe('pending_order_created', name, async ({ pending_order_id: id, user_id: user }) => {
    if (!wants(user, 'approvals')) return
    alert(user, approvalAlert(await pendingOrder(user, id)))
  })
  bus.subscribe('order.update', name, (update) => {
    const content = tradeAlert(update)
    if (content && update.user_id !== undefined && wants(update.user_id, 'trades'))
      alert(update.user_id, content)
  })
  bus.subscribe('order.in_doubt', name, (event) => toAll(event.user_id, inDoubtAlert(event)))
  bus.subscribe('kill_switch', name, (event) => toAll(event.user_id, killSwitchAlert(event)))
  bus.subscribe('backup_failed', name, (event) => {
    if (event.origin === 'scheduled') toAll(undefined, backupAlert(event))
  })
  bus.subscribe('broker_session', name, (event) => {
    const content = sessionAlert(event)
    if (content) toAll(undefined, content)
  })
  bus.subscribe('app_mode_changed', name, ({ analyze_mode: analyze, user_id: user }) =>
    toAll(user, {
      event: 'system',
      subject: `Mode: ${analyze ? 'analyze' : 'live'}`,
      body: analyze
        ? 'The mode is analyze: orders are simulated.'
        : 'The mode is live: orders go to the broker.',
    }),
  )
}

function approvalAlert(order: PendingOrderView): Alert {
  return {
    event: 'approvals',
    subject: `Order #${order.id} waits for approval`,
    body: `An order waits for approval\n${pendingLine(order)}`,
    key: `approval:${order.id}`,
    priority: PRIORITY.urgent,
    pendingOrderId: order.id,
  }
}

/** Returns the alert of an order that ended; undefined for any other change. */
function tradeAlert(update: EventTopics['order.update']): Alert | undefined {
  const { action, average_price: price, mode, order_status: status, orderid, quantity, symbol } = update
  if (status !== 'complete' && status !== 'rejected') return undefined
  const order = `${action} ${quantity} ${symbol}`
  const end =
    status === 'complete'
      ? `filled at ${price}`
      : `rejected: ${update.rejection_reason || 'without a reason'}`
  return {
    event: 'trades',
    subject: `${order} ${status === 'complete' ? 'filled' : 'rejected'}`,
    body: `${order} ${end}\nOrder ID: ${orderid}\nMode: ${mode}`,
    key: `update:${mode}:${orderid}:${status}`,
  }
}

function inDoubtAlert({ message, outcome, reference, state, symbol }: EventTopics['order.in_doubt']): Alert {
  return {
    event: 'system',
    subject: state === 'unknown' ? `Order in doubt: ${symbol}` : `Order in doubt is settled: ${symbol}`,
    body:
      state === 'unknown'
        ? `An order may be at the broker. Do not send it again.\n${symbol}, reference ${reference}\n${message}`
        : `The order in doubt is settled: ${outcome ?? '-'}\n${symbol}, reference ${reference}\n${message}`,
    key: `in_doubt:${reference}:${state}`,
    priority: PRIORITY.urgent,
  }
}

type SessionState = EventTopics['broker_session']['state']

const ENDED = {
  subject: 'has ended',
  effect: 'has ended: live orders are refused until you sign in.',
  next: 'Sign in',
}

/** What the owner must know of each state; nothing of what a person did. */
const SESSION_NEWS: Readonly<
  Partial<Record<SessionState, { subject: string; effect: string; next: string }>>
> = {
  expires_soon: {
    subject: 'ends soon',
    effect: 'ends soon: live orders, stops and exits of strategies too, are refused after that.',
    next: 'Sign in again',
  },
  ip_not_allowed: {
    subject: 'cannot send orders',
    effect:
      'cannot send orders: the broker refuses the address of this machine, also for cancels, stops and exits of strategies.',
    next: 'Next',
  },
  expired: ENDED,
  refused: ENDED,
}

/** The news of a sign-out, or of a change of the broker, that leaves positions of strategies without a stop. */
const LEFT = {
  subject: 'has ended',
  effect: 'has ended: a person signed out, or chose another broker.',
  next: 'Go back',
}

/**
 * Returns the alert of a session that ended by itself or needs a person. A sign-out and a change of the broker give one only
 * if they leave positions without a stop.
 */
function sessionAlert(event: EventTopics['broker_session']): Alert | undefined {
  const { broker, next_step: next, reason, since, state, unprotected } = event
  const news = SESSION_NEWS[state] ?? (unprotected.length > 0 ? LEFT : undefined)
  if (!news) return undefined
  return {
    event: 'system',
    subject: `The session at ${broker} ${news.subject}`,
    body: [
      `The session at ${broker} ${news.effect}`,
      ...(reason === null ? [] : [reason]),
      ...(unprotected.length === 0 ? [] : ['UNPROTECTED until then, without stop or exit:', ...unprotected]),
      `${news.next}: ${next ?? ''}`,
    ].join('\n'),
    // A sign-out has no time: each is told.
    ...(since !== null && { key: `broker_session:${broker}:${since}` }),
    priority: PRIORITY.urgent,
  }
}

/** Failures in a row share their key, so a disk that is missing all night causes one message. */
function backupAlert({ message, since }: EventTopics['backup_failed']): Alert {
  return {
    event: 'system',
    subject: 'Backup failed',
    body: `The scheduled backup failed. The service tries again every 15 minutes.\n${message}`,
    key: `backup:${since}`,
    priority: PRIORITY.urgent,
  }
}

function killSwitchAlert({ by, engaged, reason }: EventTopics['kill_switch']): Alert {
  const state = engaged ? 'on: no new order is sent' : 'off: orders are sent again'
  return {
    event: 'system',
    subject: `Kill switch ${engaged ? 'on' : 'off'}`,
    body: `The kill switch is ${state}.\nBy ${by}${reason === '' ? '' : `: ${reason}`}`,
    priority: PRIORITY.urgent,
  }
}
