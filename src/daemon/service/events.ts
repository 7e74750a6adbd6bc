import type { Config } from '../../core/config/index.js'
import { EventBus, EventNumberStore, EventStream } from '../../core/events/index.js'
import type { Logger } from '../../core/logging/index.js'
import { TelegramBot } from '../../core/notifications/index.js'
import type { Database } from '../../core/storage/index.js'
import {
  LatencyRecorder,
  OrderAlerts,
  OrderLogs,
  silentNotifier,
  TrafficLog,
  wireSubscribers,
} from '../../core/telemetry/index.js'
import type { Clock } from '../../core/time/index.js'

interface EventsOptions {
  svc: Database
  logs: Database
  config: Config
  clock: Clock
  log: Logger
  telegramApi: string | undefined
}

export type EventServices = Awaited<ReturnType<typeof openEvents>>

/** Opens the event bus with its subscribers (order logs, event stream, alerts), and the recorders. */
export async function openEvents({ svc, logs, config, clock, log, telegramApi }: EventsOptions) {
  const bus = new EventBus(log)
  const stream = await EventStream.open(clock, log, new EventNumberStore(svc))
  const orderLogs = new OrderLogs({ db: logs, clock, log })
  const latency = new LatencyRecorder({ db: logs, clock, log })
  const traffic = new TrafficLog({ db: logs, clock, log })
  const telegram = new TelegramBot({
    token: config.TELEGRAM_BOT_TOKEN,
    chats: config.TELEGRAM_CHATS ?? {},
    clock,
    log,
    ...(telegramApi !== undefined && { api: telegramApi }),
  })
  wireSubscribers(bus, {
    orderLogs,
    stream,
    telegram: new OrderAlerts({ channel: 'telegram', notifier: telegram, clock, log }),
    whatsapp: new OrderAlerts({ channel: 'whatsapp', notifier: silentNotifier, clock, log }),
  })
  return { bus, stream, orderLogs, latency, traffic, telegram }
}
