import { messageOf } from '../errors/index.js'
import type { OrderEventBase } from '../events/index.js'
import { type Logger, maskText } from '../logging/index.js'
import { type AlertFacts, type AlertLine, fact, failure, orderOperation } from '../orders/index.js'
import { type Clock, istTime } from '../time/index.js'

/** The events of order alerts, as users choose them. */
type AlertEvent = 'orders' | 'failures'

/** Sends a text to a user over one channel. */
export interface Notifier {
  /** Returns whether the channel is configured and the user wants alerts about the event on it. */
  reaches(userId: string, event: AlertEvent): boolean
  /** Queues the text. */
  send(userId: string, text: string, event: AlertEvent): Promise<void>
}

type Channel = 'telegram' | 'whatsapp' | 'email'

interface Format {
  /** Formats a symbol; highlighted if the channel supports it. */
  symbol: (text: string) => string
  plain: (text: string) => string
  bold: (text: string) => string
  /** Formats the title and the mode. */
  title: (text: string) => string
  rule: string
  failed: string
}

/** Telegram parses its legacy Markdown. WhatsApp gets plain text, and shows `*title*` in bold too. */
const FORMATS: Readonly<Record<Channel, Format>> = {
  telegram: {
    symbol: (text) => `\`${text.replaceAll('`', "'")}\``,
    plain: (text) => text.replaceAll(/[_*`[]/g, '\\$&'),
    bold: (text) => `*${text.replaceAll('*', '')}*`,
    title: (text) => `*${text}*`,
    rule: '─'.repeat(21),
    failed: '[FAILED]',
  },
  whatsapp: {
    symbol: (text) => text,
    plain: (text) => text,
    bold: (text) => text,
    title: (text) => `*${text}*`,
    rule: '-'.repeat(21),
    failed: '[X]',
  },
  email: {
    symbol: (text) => text,
    plain: (text) => text,
    bold: (text) => text,
    title: (text) => text,
    rule: '-'.repeat(21),
    failed: '[FAILED]',
  },
}

const MODE_LINES = {
  live: 'LIVE MODE - Real Order',
  analyze: 'ANALYZE MODE - No Real Order',
} as const

/**
 * Returns the text of an alert: title, strategy, mode, a line, the facts of the order, time (IST). Secrets
 * are masked.
 */
export function alertText(channel: Channel, event: OrderEventBase, now: number): string {
  return formattedAlert(channel, event, now, alertOf(event.api_type))
}

/** Returns the text of the alert of a failed request, in the same form. */
export function failureText(channel: Channel, event: OrderEventBase, now: number): string {
  return formattedAlert(channel, event, now, failedAlert(event.api_type))
}

function formattedAlert(
  channel: Channel,
  event: OrderEventBase,
  now: number,
  { title, lines }: AlertFacts,
): string {
  const format = FORMATS[channel]
  const strategy = event.request_data.strategy
  const facts = lines(event.request_data, event.response_data).map((line) => lineText(line, format))
  return [
    format.title(title),
    ...(strategy ? [`Strategy: ${format.bold(shown(strategy))}`] : []),
    format.title(MODE_LINES[event.mode]),
    format.rule,
    ...facts,
    `Time: ${istTime(now)}`,
  ].join('\n')
}

/**
 * Sends alerts about orders over one channel to the user who placed the order. Failed deliveries are logged,
 * not thrown.
 */
export class OrderAlerts {
  readonly #channel: Channel
  readonly #notifier: Notifier
  readonly #clock: Clock
  readonly #log: Logger

  constructor(options: { channel: Channel; notifier: Notifier; clock: Clock; log: Logger }) {
    this.#channel = options.channel
    this.#notifier = options.notifier
    this.#clock = options.clock
    this.#log = options.log
  }

  /** If the channel does not reach the user, this returns at once and occupies no worker of the bus. */
  send(event: OrderEventBase): void | Promise<void> {
    return this.#deliver(event, 'orders', alertText)
  }

  /** Sends the alert of a failed request, like {@link send}. */
  sendFailure(event: OrderEventBase): void | Promise<void> {
    return this.#deliver(event, 'failures', failureText)
  }

  #deliver(event: OrderEventBase, kind: AlertEvent, text: typeof alertText): void | Promise<void> {
    const user = event.user_id
    if (!user || !this.#notifier.reaches(user, kind)) return
    return this.#sendTo(user, kind, () => text(this.#channel, event, this.#clock.now()))
  }

  async #sendTo(user: string, kind: AlertEvent, text: () => string): Promise<void> {
    try {
      await this.#notifier.send(user, text(), kind)
    } catch (error) {
      this.#log.warn('alerts.not_delivered', { channel: this.#channel, message: messageOf(error) })
    }
  }
}

function lineText(line: AlertLine, format: Format): string {
  const start =
    'isOk' in line
      ? format.plain(line.isOk ? '[OK] ' : `${format.failed} `)
      : 'label' in line
        ? `${line.label}: `
        : ''
  const symbol = 'symbol' in line ? format.symbol(shown(line.symbol)) : ''
  const text = 'text' in line ? format.plain(shown(line.text)) : ''
  return start + symbol + text
}

function shown(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'N/A'
  return maskText(String(value)).replaceAll(/\s+/g, ' ').slice(0, 300)
}

const OTHER_ALERT: AlertFacts = { title: 'Order Update', lines: () => [] }

/** Returns the alert of a request that was executed. */
function alertOf(operation: string): AlertFacts {
  return orderOperation(operation)?.alert ?? OTHER_ALERT
}

/** Facts of a failed request that are shown if the request has them. */
const FAILED_FACTS = [
  ['Order ID', 'orderid'],
  ['Trigger ID', 'trigger_id'],
  ['Underlying', 'underlying'],
  ['Action', 'action'],
  ['Quantity', 'quantity'],
  ['Price Type', 'pricetype'],
  ['Exchange', 'exchange'],
  ['Product', 'product'],
] as const

/** Returns the alert of a request that failed as a whole: what was asked for, and the error. */
function failedAlert(operation: string): AlertFacts {
  return {
    title:
      operation === 'gtttriggered'
        ? 'GTT Trigger Failed'
        : (orderOperation(operation)?.failedTitle ?? 'Order Failed'),
    lines: (request, response) => [
      ...(request.symbol ? [{ label: 'Symbol', symbol: request.symbol }] : []),
      ...FAILED_FACTS.flatMap(([label, name]) => (request[name] ? [fact(label, request[name])] : [])),
      failure(response),
    ],
  }
}
