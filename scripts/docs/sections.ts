import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT_MEANINGS } from '../../src/cli/framework/exit-codes.js'
import { formatRootHelp } from '../../src/cli/help/help.js'
import { ENVIRONMENT, TOPICS } from '../../src/cli/help/topics.js'
import { VISIBLE_NOUNS } from '../../src/cli/nouns.js'
import type { BrokerManifest } from '../../src/core/brokers/broker.js'
import { OPERATIONS, simulatedPlugin } from '../../src/core/brokers/simulated/index.js'
import { CONFIG_KEYS } from '../../src/core/config/index.js'
import { ERROR_CODES } from '../../src/core/errors/index.js'
import { SCOPES } from '../../src/core/identity/index.js'
import { mayFollow, ORDER_STATES } from '../../src/core/orders/journal/states.js'
import { RISK_RULES } from '../../src/core/risk/index.js'
import { SETTINGS } from '../../src/core/sandbox/index.js'
import { BROKER_PLUGINS } from '../../src/daemon/broker/plugins.js'
import { STATUS_OF_CODE } from '../../src/daemon/http/response/error-status.js'
import { GRAMMAR } from '../../src/views/grammar/table.js'
import { cliReference } from './cli-reference.js'
import { clientCallsByArea } from './client-calls.js'
import { conformanceMatrix } from './conformance-matrix.js'
import { crashPoints } from './crash-points.js'
import { ROOT } from './documents.js'
import { flowLimits } from './flow-limits.js'
import { flowBuiltins, flowNodes } from './flow-nodes.js'
import { indicatorTables } from './indicators.js'
import { mcpTools } from './mcp-tools.js'
import { routeScopes } from './route-scopes.js'
import { strategyEvents } from './strategy-events.js'
import { code, table } from './table.js'
import { tuiKeys } from './tui-keys.js'

const STATUSES = new Map(Object.entries(STATUS_OF_CODE))

type Section = () => string | Promise<string>

/**
 * The generated sections, by their name in the documents. Their source is always the table that the code
 * itself reads.
 */
const SECTIONS: Readonly<Record<string, Section>> = {
  'client-calls': clientCallsByArea,
  'tui-keys': tuiKeys,
  'mcp-tools': mcpTools,
  'config-keys': () =>
    table(
      ['Key', 'Default', 'Values', 'Meaning'],
      CONFIG_KEYS.map((key) => [
        code(key.key),
        key.default === undefined ? '-' : code(key.default),
        key.range,
        key.description,
      ]),
    ),
  'risk-rules': () =>
    table(
      ['Rule', 'Default', 'Meaning'],
      Object.entries(RISK_RULES).map(([name, rule]) => [
        code(name),
        rule.default === null ? 'off' : code(String(rule.default)),
        rule.description,
      ]),
    ),
  'sandbox-settings': () =>
    table(
      ['Key', 'Default', 'Values', 'Meaning'],
      Object.entries(SETTINGS).map(([key, { value, range, description }]) => [
        code(key),
        code(value),
        range,
        description,
      ]),
    ),
  'error-codes': () =>
    table(
      ['Code', 'HTTP', 'Exit', 'Meaning'],
      Object.entries(ERROR_CODES).map(([name, { exit, meaning }]) => [
        code(name),
        String(STATUSES.get(name)),
        String(exit),
        meaning,
      ]),
    ),
  scopes: () =>
    table(
      ['Scope', 'Allows'],
      Object.entries(SCOPES).map(([scope, meaning]) => [code(scope), meaning]),
    ),
  'route-scopes': routeScopes,
  'order-states': () =>
    table(
      ['State', 'May become'],
      ORDER_STATES.map((from) => [
        code(from),
        ORDER_STATES.filter((to) => mayFollow(from, to))
          .map(code)
          .join(', ') || 'final',
      ]),
    ),
  'crash-points': () =>
    table(
      ['Crash point', 'In'],
      crashPoints().map(([name, files]) => [code(name), files.map(code).join(', ')]),
    ),
  'order-line': () =>
    table(
      ['Word', 'Meaning', 'A line with it'],
      GRAMMAR.map(({ example, form, meaning }) => [
        form.split(', ').map(code).join(', '),
        meaning,
        code(example),
      ]),
    ),
  'exit-codes': () =>
    table(
      ['Status', 'Meaning'],
      EXIT_MEANINGS.map(({ status, meaning }) => [code(String(status)), meaning]),
    ),
  environment: () =>
    table(
      ['Variable', 'Meaning'],
      Object.entries(ENVIRONMENT).map(([name, meaning]) => [code(name), meaning]),
    ),
  output: () => block(TOPICS.output()),
  filters: () => block(TOPICS.filters()),
  time: () => block(TOPICS.time()),
  'help-contexts': () => block(TOPICS.contexts()),
  'help-aliases': () => block(TOPICS.aliases()),
  'root-help': () => block(formatRootHelp(VISIBLE_NOUNS)),
  'cli-reference': cliReference,
  'flow-nodes': flowNodes,
  'flow-builtins': flowBuiltins,
  'flow-limits': flowLimits,
  indicators: indicatorTables,
  'strategy-events': strategyEvents,
  'deploy-service': () => deployFile('svc.service', 'ini'),
  'deploy-service-each': () => deployFile('svc@.service', 'ini'),
  'deploy-container': () => deployFile('Containerfile', 'dockerfile'),
  'deploy-compose': () => deployFile('compose.yaml', 'yaml'),
  'deploy-quadlet': () => deployFile('svc.container', 'ini'),
  'deploy-caddy': () => deployFile('Caddyfile', 'text'),
  'deploy-nginx': () => deployFile('nginx.conf', 'nginx'),
  'fault-operations': () => OPERATIONS.map(code).join(', '),
  'conformance-matrix': conformanceMatrix,
  brokers: () =>
    table(
      ['', ...MANIFESTS.map(({ id }) => code(id))],
      TRAITS.map(([trait, of]) => [trait, ...MANIFESTS.map(of)]),
    ),
}

const MANIFESTS: readonly BrokerManifest[] = [simulatedPlugin(), ...BROKER_PLUGINS].map(
  ({ manifest }) => manifest,
)

/** The traits of a broker, as its manifest declares them. */
const TRAITS: readonly (readonly [string, (manifest: BrokerManifest) => string])[] = [
  ['Name', (manifest) => manifest.displayName],
  ['Exchanges', (manifest) => manifest.exchanges.join(', ')],
  ['Products', (manifest) => manifest.products.join(', ')],
  ['Price types', (manifest) => manifest.priceTypes.join(', ')],
  ['Order instructions', (manifest) => manifest.instructions.map((one) => `\`${one}\``).join(', ') || 'none'],
  [
    'Fields to sign in',
    (manifest) => manifest.credentialFields.map(({ name }) => code(name)).join(', ') || 'none',
  ],
  ['A search by tag that finds nothing', (manifest) => TAG_LOOKUP[manifest.tagLookup]],
  ['Order updates', (manifest) => manifest.orderUpdates],
  ['Price stream', ({ streaming }) => (streaming ? `modes ${streaming.modes.join(', ')}` : 'none')],
  ['Symbols in one quote call', (manifest) => String(manifest.quotes.maxBatch)],
  ['Fractional quantities', (manifest) => (manifest.fractionalQuantity ? 'yes (CRYPTO)' : 'no')],
]

const TAG_LOOKUP: Readonly<Record<BrokerManifest['tagLookup'], string>> = {
  authoritative: 'proves that it never arrived',
  book: 'proves nothing: the order stays in doubt',
  none: 'the broker keeps no tags: orders are found by their content',
}

function block(text: string, language = 'text'): string {
  return `${'```'}${language}\n${text.trimEnd()}\n${'```'}`
}

/** Shows a file of deploy/. */
function deployFile(name: string, language: string): string {
  return block(readFileSync(join(ROOT, 'deploy', name), 'utf8'), language)
}

/** The content of every generated section, by name. */
export async function sections(): Promise<Map<string, string>> {
  const rendered = Object.entries(SECTIONS).map(
    async ([name, render]): Promise<[string, string]> => [name, await render()],
  )
  return new Map(await Promise.all(rendered))
}
