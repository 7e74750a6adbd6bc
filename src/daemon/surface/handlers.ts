import type { Daemon } from '../daemon.js'
import { describeBroker } from '../describe.js'
import { lotSizes } from '../flows/lot-sizes.js'
import type { Handlers } from '../http/handlers.js'
import { signInToBroker, syncFromBroker, syncFromDump, useBroker } from '../instrument-loading.js'
import { type SessionGuardOptions, sessionOfCookie } from '../middleware/session.js'
import { brokerHandlers } from '../routes/control/broker.js'
import { smtpHandlers } from '../routes/control/smtp.js'
import { flowDocumentHandlers } from '../routes/flows/documents.js'
import { flowFileHandlers } from '../routes/flows/files.js'
import { flowRunHandlers } from '../routes/flows/runs.js'
import { flowVersionHandlers } from '../routes/flows/versions.js'
import { flowWebhookHandlers } from '../routes/flows/webhook.js'
import { flowWebhookSettingsHandlers } from '../routes/flows/webhook-settings.js'
import { latencyHandlers } from '../routes/logs/latency.js'
import { trafficHandlers } from '../routes/logs/traffic.js'
import { messageHandlers } from '../routes/messages/index.js'
import { sandboxHandlers } from '../routes/orders/sandbox.js'
import { pnlHandlers } from '../routes/pnl/pnl.js'
import { alertTemplateHandlers } from '../routes/strategies/alert-templates.js'
import { strategyBookHandlers } from '../routes/strategies/books.js'
import { strategyDocumentHandlers } from '../routes/strategies/documents.js'
import { keyedStrategyHandlers } from '../routes/strategies/keyed.js'
import { strategyPageHandlers } from '../routes/strategies/pages.js'
import { strategyRunHandlers } from '../routes/strategies/runs.js'
import { strategyWebhookHandlers } from '../routes/strategies/webhook.js'
import { tradingHandlers } from './trading.js'

/** Returns the functions that are not yet part of their operation, built from the parts of the daemon. */
export function handlersOf(daemon: Daemon, guardOptions: SessionGuardOptions): Partial<Handlers> {
  return {
    ...tradingHandlers(daemon),
    ...operationsHandlers(daemon),
    ...flowHandlers(daemon, guardOptions),
    ...alertHandlers(daemon),
    ...keyedStrategyHandlers(daemon.service),
    ...strategyDocumentHandlers(daemon.service),
    ...strategyBookHandlers(daemon.service),
    ...strategyRunHandlers(daemon.service),
    ...strategyPageHandlers(daemon.service),
  }
}

/** Returns the handlers for the broker, the stream, the simulated account and the state of the service. */
function operationsHandlers(daemon: Daemon) {
  const { service } = daemon
  const { brokers, clock, risk, sandbox } = service
  return {
    ...brokerHandlers({
      brokers,
      describe: () => describeBroker(service),
      use: (broker) => useBroker(service, broker),
      login: (credentials) => signInToBroker(service, credentials),
      syncFromBroker: (force) => syncFromBroker(service, force),
      syncFromDump: (text, force) => syncFromDump(service, text, force),
      faults: daemon.faults,
    }),
    ...sandboxHandlers({ sandbox, clock, risk }),
    ...messageHandlers(service),
    ...pnlHandlers(service),
    ...smtpHandlers({ settings: service.settings, mailer: service.mailer }),
    ...trafficHandlers(service),
    ...latencyHandlers(service),
  } satisfies Partial<Handlers>
}

/** Returns the handlers for workflows: those of their owner, and the webhooks that start them. */
function flowHandlers(daemon: Daemon, guardOptions: SessionGuardOptions) {
  const { calendar, clock, config, flows, identity, instruments } = daemon.service
  const apiKeyOf = (username: string) => identity.apiKeys.reveal(username)
  return {
    ...flowDocumentHandlers({ flows, apiKeyOf }),
    ...flowVersionHandlers({ flows, clock, apiKeyOf }),
    ...flowRunHandlers({ clock, flows, apiKeyOf }),
    ...flowWebhookSettingsHandlers({ flows, baseUrl: () => daemon.url }),
    ...flowFileHandlers({
      flows,
      apiKeyOf,
      ...lotSizes({ catalog: instruments.directory, calendar }, clock),
    }),
    ...flowWebhookHandlers({
      clock,
      flows,
      fallbackKey: (c) => {
        const session = sessionOfCookie(c, guardOptions)
        return (session && apiKeyOf(session.username)) ?? config.SVC_API_KEY
      },
    }),
  } satisfies Partial<Handlers>
}

/** Returns the handlers for the alerts of other systems: the webhook of strategies, and the messages to paste there. */
function alertHandlers({ proxies, service: { identity, instruments, strategyWebhook: webhook } }: Daemon) {
  return {
    ...strategyWebhookHandlers({ webhook, proxies }),
    ...alertTemplateHandlers({ identity, directory: instruments.directory }),
  } satisfies Partial<Handlers>
}
