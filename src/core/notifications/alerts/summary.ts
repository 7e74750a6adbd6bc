import { messageOf } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'
import { rupeesText, toMoney } from '../../money/index.js'
import type { Clock, Timer } from '../../time/index.js'
import type { ChatPorts } from '../chat/ports.js'
import { pnlTotal, rowsIn } from '../chat/views.js'
import type { Contact, Contacts } from '../contacts/contacts.js'
import type { NewMessage } from '../schema.js'

const CHECK_EVERY_MS = 60_000
/** A summary that is later than this is left out: the service did not run at its time. */
const LATEST_MINUTES = 60

interface SummaryParts {
  contacts: Contacts
  ports: Pick<ChatPorts, 'mode' | 'orderbook' | 'tradebook' | 'positionbook'>
  clock: Clock
  log: Logger
  isReady(channel: Contact['channel']): boolean
  /** Resolves when the message is in the queue; a second one with its key is left out. */
  add(message: NewMessage): Promise<void>
}

/** Sends each contact a summary of the day, at the time and in the time zone of the contact. */
export class DailySummary {
  readonly #parts: SummaryParts
  #timer: Timer | undefined
  #running: Promise<void> = Promise.resolve()

  constructor(parts: SummaryParts) {
    this.#parts = parts
  }

  start(): void {
    this.#timer = this.#parts.clock.setInterval(() => {
      this.#running = this.#running.then(() => this.#sendDue())
    }, CHECK_EVERY_MS)
  }

  async close(): Promise<void> {
    this.#parts.clock.clear(this.#timer)
    await this.#running
  }

  async #sendDue(): Promise<void> {
    const { clock, contacts, isReady, log } = this.#parts
    for (const contact of contacts.all()) {
      const { day, minutes } = localTime(clock.now(), contact.timezone)
      const late = minutes - minutesOf(contact.summaryTime)
      const isDue = late >= 0 && late < LATEST_MINUTES && contact.summaryDay !== day
      if (!contact.enabled || !contact.dailySummary || !isDue || !isReady(contact.channel)) continue
      await this.#send(contact, day).catch((error: unknown) => {
        log.warn('messages.no_summary', { channel: contact.channel, message: messageOf(error) })
      })
    }
  }

  async #send(contact: Contact, day: string): Promise<void> {
    const { add, contacts, ports } = this.#parts
    const { address, channel, userId } = contact
    const [orders, trades, positions] = await Promise.all([
      ports.orderbook(userId),
      ports.tradebook(userId),
      ports.positionbook(userId),
    ])
    const counts = [rowsIn(orders, 'orders').length, rowsIn(trades).length, rowsIn(positions).length]
    // A day on which nothing happened needs no message.
    if (counts.some((count) => count > 0)) {
      const body = [
        `Summary of ${day} (${ports.mode()})`,
        `Orders: ${counts[0]}`,
        `Trades: ${counts[1]}`,
        `Positions: ${counts[2]}`,
        ...(contact.pnl ? [`P&L: ${rupeesText(toMoney(pnlTotal(positions)))}`] : []),
      ].join('\n')
      const subject = `svc: summary of ${day}`
      await add({ channel, address, userId, event: 'summary', subject, body, key: `summary:${day}` })
    }
    await contacts.change(contact, { summaryDay: day })
  }
}

/** Returns the date and the minutes since midnight in a time zone. */
function localTime(now: number, timeZone: string): { day: string; minutes: number } {
  const options = { timeZone, hourCycle: 'h23', dateStyle: 'short', timeStyle: 'short' } as const
  // The Swedish form is `YYYY-MM-DD HH:MM`.
  const [day = '', time = ''] = new Intl.DateTimeFormat('sv-SE', options).format(now).split(' ')
  return { day, minutes: minutesOf(time) }
}

function minutesOf(time: string): number {
  const [hours, minutes] = time.split(':')
  return Number(hours) * 60 + Number(minutes)
}
