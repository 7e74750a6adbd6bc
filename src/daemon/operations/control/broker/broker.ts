import type { Context } from 'hono'
import { z } from 'zod'
import type { BrokerService, ListedBroker } from '../../../../core/brokers/index.js'
import { messageOf, ServiceError } from '../../../../core/errors/index.js'
import { fields } from '../../../../core/validation/index.js'
import { changeOfBroker } from '../../../broker/change-of-broker.js'
import {
  type SyncResult,
  syncFromBroker,
  syncFromDump,
  useBroker,
} from '../../../broker/instrument-loading.js'
import type { RunningService } from '../../../daemon.js'
import { readText } from '../../../http/body/body.js'
import type { AppEnv } from '../../../process/env.js'
import type { ActRequest } from '../../audit-facts.js'
import { count, message, ok, text } from '../../common/answers.js'
import { http } from '../../running.js'
import { brokerRefusals, changing, control, json, reading } from '../control-facts.js'
import { sessionValues } from './sign-in.js'
import { brokerState, brokerStateView } from './state.js'

/** The largest dump accepted. A real dump of every exchange is about 15 MB. */
const MAX_DUMP_BYTES = 32 * 1_048_576
const SHOWN_REJECTS = 20

const useBrokerPayload = z.strictObject({ broker: fields.text(50) })
const changeQuery = z.object({ broker: fields.text(50) })
const syncQuery = z.object({
  format: fields.text(50).optional(),
  force: z.enum(['true', 'false']).optional(),
})

const faultList = ok({ data: z.array(z.record(z.string(), z.unknown())) })

/** The broker that takes faults validates their rules. */
const faultRules = z.array(z.record(z.string(), z.unknown())).max(100)

const credentialField = z.strictObject({
  name: text,
  label: text,
  secret: z.boolean(),
  required: z.boolean(),
  step: z.enum(['begin', 'complete']).meta({
    description:
      'begin: needed before the person signs in at the page of the broker; complete: comes with the callback, or is typed.',
  }),
  kept: z.boolean().meta({ description: 'Stays sealed in the home, for unattended sign-ins.' }),
  configured: z.boolean().meta({ description: 'The configuration fills it in where nobody does.' }),
})

const brokerList = ok({
  data: z.array(
    z.strictObject({
      id: text,
      name: text,
      active: z.boolean(),
      available: z.boolean(),
      exchanges: z.array(text),
      credential_fields: z.array(credentialField),
      login_page: z.boolean().meta({
        description: 'Whether a person signs in at a page of the broker (POST /broker/login/begin).',
      }),
      capabilities: z
        .strictObject({
          products: z.array(text),
          price_types: z.array(text),
          instructions: z.array(text).meta({ description: 'The order instructions that the broker takes.' }),
          gtt: z
            .strictObject({
              oco: z.boolean(),
              limit: z.boolean(),
              market: z.boolean(),
              products: z.array(text),
              expiry: z.boolean(),
              order: z.enum(['named', 'tagged', 'unnamed']),
            })
            .nullable()
            .meta({ description: 'What it takes of a GTT; null without GTTs.' }),
          order_updates: z.enum(['push', 'poll', 'none']),
          streaming: z.strictObject({ modes: z.array(count), depthLevels: z.array(count) }).nullable(),
          tag_lookup: z.enum(['authoritative', 'book', 'none']),
        })
        .nullable(),
    }),
  ),
})
const brokerStatus = ok({ data: brokerState })
const brokerChange = ok({
  data: z.strictObject({
    from: text,
    to: text,
    stays: z.array(text).meta({
      description:
        'Sentences: what stays at the broker in use and is not followed from here until it is in use again.',
    }),
    moves: z.array(text).meta({ description: 'Sentences: what goes on at the other broker.' }),
  }),
})
const usedBroker = ok({ message, data: brokerState })
const synced = ok({
  message,
  data: z.strictObject({
    count,
    skipped: count,
    rejected: z.array(z.strictObject({ line: count, reason: text })),
  }),
})

/** The active broker, its session and its instruments. */
export const BROKER_OPERATIONS = {
  'GET /broker/list': control('Lists the brokers and their capabilities.', {
    ...reading,
    answer: brokerList,
    run: ({ brokers }) => ({
      status: 'success',
      data: [...brokers.list().map(brokerRow), ...missingBroker(brokers)],
    }),
  }),
  'GET /broker/status': control('Returns the state of the broker: session, instruments, feed.', {
    ...reading,
    answer: brokerStatus,
    run: async (service) => ({ status: 'success', data: await brokerStateView(service) }),
  }),
  'GET /broker/use': control(
    'Says what the change to another broker would leave behind, and what would go on there.',
    {
      ...reading,
      query: changeQuery,
      example: { broker: 'simulated' },
      answer: brokerChange,
      errors: ['validation', 'not_found'],
      run: async (service, { query: { broker } }, { username }) => ({
        status: 'success',
        data: await changeOfBroker(service, username, broker),
      }),
    },
  ),
  'POST /broker/use': control('Selects the broker.', {
    live: 'change',
    ...changing,
    fresh: true,
    body: useBrokerPayload,
    example: { broker: 'simulated' },
    answer: usedBroker,
    errors: ['not_found', 'conflict', ...json, ...brokerRefusals],
    audit: { act: 'broker.use', values: sessionValues },
    run: async (service, { body: { broker } }) => {
      await useBroker(service, broker)
      return { status: 'success', message: `Using ${broker}`, data: await brokerStateView(service) }
    },
  }),
  'POST /broker/sync': control('Loads the instruments from the broker or from a dump.', {
    ...changing,
    query: syncQuery,
    bodyText: 'text/csv',
    answer: synced,
    errors: ['validation', 'refused', 'conflict', 'too_large', ...brokerRefusals],
    audit: { act: 'instrument.sync', values: instrumentValues },
    run: http('a file', async (service, c) => c.json(syncReply(await sync(service, c)))),
  }),
  'GET /broker/simulated/faults': control('Returns the faults of the simulated broker.', {
    ...reading,
    answer: faultList,
    run: ({ brokers }) => ({ status: 'success', data: brokers.plugins.faults().rules() }),
  }),
  'PUT /broker/simulated/faults': control('Sets the faults of the simulated broker.', {
    ...changing,
    body: faultRules,
    example: [],
    answer: faultList,
    errors: json,
    audit: { act: 'broker.set_faults' },
    run: ({ brokers }, { body }) => {
      const faults = brokers.plugins.faults()
      try {
        faults.set(body)
      } catch (error) {
        throw new ServiceError('validation', `faults: ${messageOf(error)}`)
      }
      return { status: 'success', data: faults.rules() }
    },
  }),
}

/** Loads the instruments from the dump in the request, or from the broker when the request carries none. */
async function sync(service: RunningService, c: Context<AppEnv>): Promise<SyncResult> {
  const type = c.req.header('content-type') ?? ''
  const force = c.req.query('force') ?? 'false'
  if (force !== 'true' && force !== 'false') {
    throw new ServiceError('validation', 'force: Must be one of: true, false.')
  }
  if (!type.startsWith('text/csv')) return syncFromBroker(service, force === 'true')
  const format = c.req.query('format')
  // Before the body is read, which may have megabytes.
  service.brokers.dumpParser(format)
  return syncFromDump(service, await readText(c, MAX_DUMP_BYTES), { format, force: force === 'true' })
}

function syncReply(result: SyncResult) {
  return {
    status: 'success',
    message: `Loaded ${result.count} instruments`,
    data: { ...result, rejected: result.rejected.slice(0, SHOWN_REJECTS) },
  }
}

function brokerRow({ active, form, hasLogInPage, manifest }: ListedBroker) {
  return {
    id: manifest.id,
    name: manifest.displayName,
    active,
    available: true,
    exchanges: manifest.exchanges,
    credential_fields: form.map(({ configured, keep, label, name, required, secret, step }) => ({
      name,
      label,
      secret,
      required,
      step: step ?? ('complete' as const),
      kept: keep === 'sealed',
      configured,
    })),
    login_page: hasLogInPage,
    capabilities: {
      products: manifest.products,
      price_types: manifest.priceTypes,
      instructions: manifest.instructions,
      gtt: manifest.gtt ?? null,
      order_updates: manifest.orderUpdates,
      streaming: manifest.streaming ?? null,
      tag_lookup: manifest.tagLookup,
    },
  }
}

/**
 * Returns a row for the active broker when its plugin is not installed, so that the list shows why it is
 * missing.
 */
function missingBroker(brokers: BrokerService) {
  if (brokers.available()) return []
  const { brokerId: id } = brokers
  const nothing = { exchanges: [], credential_fields: [], login_page: false, capabilities: null }
  return [{ id, name: id, active: true, available: false, ...nothing }]
}

/** Apart from the session: a download takes minutes, and a sign-in must not wait for it. */
function instrumentValues({ service: { brokers, instruments: list } }: ActRequest<RunningService>) {
  return {
    broker: brokers.brokerId,
    instruments: list.directory.count,
  }
}
