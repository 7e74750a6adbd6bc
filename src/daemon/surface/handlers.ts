import type { Daemon } from '../daemon.js'
import { describeBroker, describeDesk, describeStatus, describeUser } from '../describe.js'
import { lotSizes } from '../flows/lot-sizes.js'
import { callerAddress, callOf } from '../http/client.js'
import type { Handlers } from '../http/handlers.js'
import {
  resumeBroker,
  signInToBroker,
  syncFromBroker,
  syncFromDump,
  useBroker,
} from '../instrument-loading.js'
import { type SessionGuardOptions, sessionOfCookie } from '../middleware/session.js'
import { apiKeyHandlers } from '../routes/access/api-key.js'
import { loginActivityHandlers } from '../routes/access/login-activity.js'
import { passwordResetHandlers } from '../routes/access/password-reset.js'
import { passwordHandlers } from '../routes/access/passwords.js'
import { reauthenticationHandlers } from '../routes/access/reauthenticate.js'
import { secondFactorHandlers } from '../routes/access/second-factor.js'
import { sessionHandlers } from '../routes/access/sessions.js'
import { setupHandlers } from '../routes/access/setup.js'
import { signInHandlers } from '../routes/access/sign-in.js'
import { tokenHandlers } from '../routes/access/tokens.js'
import { auditHandlers } from '../routes/audit/audit.js'
import { backupHandlers } from '../routes/backup/backup.js'
import { brokerHandlers } from '../routes/control/broker.js'
import { docsHandlers } from '../routes/control/docs.js'
import { healthHandlers } from '../routes/control/health.js'
import { smtpHandlers } from '../routes/control/smtp.js'
import { flowDocumentHandlers } from '../routes/flows/documents.js'
import { flowFileHandlers } from '../routes/flows/files.js'
import { flowRunHandlers } from '../routes/flows/runs.js'
import { flowVersionHandlers } from '../routes/flows/versions.js'
import { flowWebhookHandlers } from '../routes/flows/webhook.js'
import { flowWebhookSettingsHandlers } from '../routes/flows/webhook-settings.js'
import { healthSampleHandlers } from '../routes/health/health.js'
import { metricsHandlers } from '../routes/health/metrics.js'
import { latencyHandlers } from '../routes/logs/latency.js'
import { trafficHandlers } from '../routes/logs/traffic.js'
import type { mcpHandlers } from '../routes/mcp/mcp.js'
import { messageHandlers } from '../routes/messages/index.js'
import { mcpAdminHandlers } from '../routes/oauth/admin.js'
import { consentHandlers } from '../routes/oauth/consent.js'
import { oauthMetadataHandlers } from '../routes/oauth/metadata.js'
import { oauthTokenHandlers } from '../routes/oauth/tokens.js'
import { sandboxHandlers } from '../routes/orders/sandbox.js'
import { landingHandlers } from '../routes/pages/landing.js'
import { visitorHandlers } from '../routes/pages/visitor.js'
import { pnlHandlers } from '../routes/pnl/pnl.js'
import { banHandlers } from '../routes/security/bans.js'
import { securitySettingsHandlers } from '../routes/security/settings.js'
import { alertTemplateHandlers } from '../routes/strategies/alert-templates.js'
import { strategyBookHandlers } from '../routes/strategies/books.js'
import { strategyDocumentHandlers } from '../routes/strategies/documents.js'
import { keyedStrategyHandlers } from '../routes/strategies/keyed.js'
import { strategyPageHandlers } from '../routes/strategies/pages.js'
import { strategyRunHandlers } from '../routes/strategies/runs.js'
import { strategyWebhookHandlers } from '../routes/strategies/webhook.js'
import { VERSION } from '../version.js'
import { diagnosticHandlers } from './diagnostics.js'
import { marketDataHandlers, tradingHandlers } from './trading.js'

/** The functions of all operations but the doors for assistants, which run the others. */
type OtherHandlers = Partial<Omit<Handlers, keyof ReturnType<typeof mcpHandlers>>>

/** Returns the function of every other operation, built from the parts of the daemon. */
export function handlersOf(daemon: Daemon, guardOptions: SessionGuardOptions): OtherHandlers {
  return {
    ...tradingHandlers(daemon),
    ...marketDataHandlers(daemon),
    ...accessHandlers(daemon, guardOptions),
    ...operationsHandlers(daemon),
    ...flowHandlers(daemon, guardOptions),
    ...alertHandlers(daemon),
    ...keyedStrategyHandlers(daemon.service),
    ...strategyDocumentHandlers(daemon.service),
    ...strategyBookHandlers(daemon.service),
    ...strategyRunHandlers(daemon.service),
    ...strategyPageHandlers(daemon.service),
    ...oauthHandlers(daemon),
    ...diagnosticHandlers(daemon),
  }
}

/** Returns the handlers for health, the API reference, set-up, sign-in and credentials. */
function accessHandlers(daemon: Daemon, guardOptions: SessionGuardOptions) {
  const { proxies, service, setupToken, tickets } = daemon
  const { config, identity, passwordMails: mails } = service
  const describe = (username: string) => describeUser(service, username)
  return {
    ...healthHandlers({
      version: VERSION,
      ready: () => daemon.readyForOrders(),
      accepts: () => daemon.accepts(),
      checks: () => daemon.checks(),
      sampled: () => daemon.health.status,
    }),
    ...healthSampleHandlers({
      health: daemon.health,
      ready: () => daemon.accepts(),
      isFeedLost: () => service.feedWatch.state().state === 'lost',
    }),
    ...metricsHandlers({ ...guardOptions, metrics: daemon.metrics, allowLocal: config.METRICS_ALLOW_LOCAL }),
    ...docsHandlers({ version: VERSION, cookieName: config.SESSION_COOKIE_NAME }),
    ...setupHandlers({ identity, setupToken }),
    ...signInHandlers({ ...guardOptions, proxies, describe, resumeBroker: () => resumeBroker(service) }),
    ...reauthenticationHandlers({ identity, proxies }),
    ...secondFactorHandlers({ identity, proxies, settings: service.settings }),
    ...loginActivityHandlers({ identity }),
    ...sessionHandlers({
      identity,
      describe,
      desk: (username) => describeDesk(service, username),
      issueTicket: (principal) => tickets.issue(principal),
    }),
    ...passwordHandlers({ identity, mails, proxies, cookieName: config.SESSION_COOKIE_NAME }),
    ...passwordResetHandlers({
      identity,
      mails,
      proxies,
      baseUrl: () => config.HOST_SERVER ?? daemon.url,
    }),
    ...tokenHandlers({ identity }),
    ...apiKeyHandlers({ identity }),
    ...visitorHandlers(guardOptions),
    ...landingHandlers(),
    ...securityHandlers(daemon),
  } satisfies Partial<Handlers>
}

/** Returns the handlers for the bans of client addresses. */
function securityHandlers({ proxies, service: { identity, security, settings, traffic } }: Daemon) {
  return {
    ...banHandlers({
      security,
      rules: () => settings.get(),
      isProxy: (address) => proxies.has(address),
      callerOf: (c) => callerAddress(callOf(c), proxies),
      attempts: () => identity.attempts.list({ limit: 20 }),
      clientsOfHost: (host) => traffic.clientsOf(host),
      knownClients: () => traffic.knownClients(),
      signedInFrom: (username) =>
        identity.sessions.list(username).flatMap(({ ip_address: address }) => address ?? []),
    }),
    ...securitySettingsHandlers({ settings }),
  } satisfies Partial<Handlers>
}

/** Returns the handlers for the broker, the stream, the simulated account and the state of the service. */
function operationsHandlers(daemon: Daemon) {
  const { service } = daemon
  const { brokers, clock, risk, sandbox } = service
  return {
    'GET /status': async (_input, { username }) => ({
      status: 'success',
      data: await describeStatus(daemon, username),
    }),
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
    ...backupHandlers(service),
    ...trafficHandlers(service),
    ...latencyHandlers(service),
    ...auditHandlers(service),
  } satisfies Partial<Handlers>
}

/** Returns the handlers by which assistants get access, and the owner controls it. */
function oauthHandlers({ proxies, service }: Daemon) {
  return {
    ...oauthMetadataHandlers(service),
    ...oauthTokenHandlers(service),
    ...consentHandlers({ ...service, proxies }),
    ...mcpAdminHandlers(service),
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
