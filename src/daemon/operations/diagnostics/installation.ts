import { existsSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { ProbeTargets, SnapshotSources } from '../../../core/diagnostics/index.js'
import { isLoopbackAddress } from '../../../core/security/index.js'
import type { RunningService } from '../../daemon.js'
import { MAX_SELECTORS } from '../../stream/market/request.js'
import { MAX_CLIENTS } from '../../stream/market/socket.js'
import { PACKAGE_ROOT, VERSION } from '../../version.js'

/** Returns what a snapshot of the installation reads. */
export function snapshotSources(service: RunningService): SnapshotSources {
  const { brokers, clock, config, daemon, databases, messages, mode, settings } = service
  const home = dirname(databases.svc.file)
  return {
    clock,
    config,
    home,
    logDir: resolve(home, config.LOG_DIR),
    mode,
    version: VERSION,
    packageRoot: PACKAGE_ROOT,
    image: { branch: config.SVC_GIT_BRANCH, commit: config.SVC_GIT_COMMIT },
    uptimeMs: () => daemon.uptimeMs(),
    stream: {
      host: config.HOST,
      port: () => portOf(daemon.wsUrl) ?? config.SVC_WS_PORT,
      maxSymbols: MAX_SELECTORS,
      maxConnections: MAX_CLIENTS,
    },
    databases: Object.entries(databases).map(([name, { file }]) => ({ name, file })),
    brokers: {
      installed: () => brokers.list().map(({ manifest }) => manifest.id),
      configured: () => brokers.withSession(),
      active: () => brokers.brokerId,
      isConnected: () => brokers.connected(),
    },
    stored: () => ({
      smtpPassword: settings.get().smtpPasswordSet,
      telegramToken: messages.settings.secret('telegramToken') !== undefined,
    }),
  }
}

/** Returns what the probes try. */
export function probeTargets(service: RunningService): ProbeTargets {
  const { brokers, clock, config, daemon, databases } = service
  const { svc } = databases
  return {
    clock,
    database: {
      name: basename(svc.file),
      isThere: () => existsSync(svc.file) && svc.missing() === undefined,
      query: () => svc.queryRaw('select 1 as one'),
    },
    loopback: () => [
      ...(daemon.url === '' ? [] : [{ url: reachable(daemon.url), via: 'direct' }]),
      ...(config.HOST_SERVER !== undefined && isElsewhere(config.HOST_SERVER)
        ? [{ url: config.HOST_SERVER, via: 'via HOST_SERVER' }]
        : []),
    ],
    stream: () => {
      const port = portOf(daemon.wsUrl)
      return port === undefined ? undefined : { host: bareHost(reachable(daemon.wsUrl)), port }
    },
    broker: () => {
      const apiUrl = brokers.apiUrl()
      return {
        id: brokers.brokerId,
        hasSession: brokers.connected() || brokers.refusal !== undefined,
        host: apiUrl === undefined ? undefined : new URL(apiUrl).host,
      }
    },
  }
}

const portOf = (url: string): number | undefined => (url === '' ? undefined : Number(new URL(url).port))

/** Returns the host of a URL as a socket takes it: an IPv6 address without its brackets. */
const bareHost = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '')

/** Returns an address that this machine can connect to: nobody connects to the address for all interfaces. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

function isElsewhere(origin: string): boolean {
  const host = bareHost(origin)
  return host !== 'localhost' && !isLoopbackAddress(host)
}
