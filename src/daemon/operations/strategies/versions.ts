import { z } from 'zod'
import { ACT_CREDENTIALS } from '../../../core/audit/schema.js'
import { ServiceError } from '../../../core/errors/index.js'
import {
  STRATEGY_VERSION_ORIGINS,
  strategyView,
  versionView,
  wholeVersionView,
} from '../../../core/strategies/index.js'
import { fields } from '../../../core/validation/index.js'
import { count, instant, message, ok, text } from '../common/answers.js'
import { expectedVersion } from '../common/files.js'
import { rowId } from '../common/row-id.js'
import {
  authorOf,
  changing,
  ID,
  id,
  json,
  limit,
  missing,
  ownedId,
  reading,
  strategies,
  strategyValues,
} from './strategy-facts.js'
import { configShape, strategyShape } from './strategy-shape.js'

const VERSION = {
  params: { id: 'The id of the strategy.', version: 'The number of the version.' },
} as const

const versionQuery = z.object({
  limit: limit(500, 100),
  before: id()
    .optional()
    .meta({ description: 'The number of the last version of the page before this one.' }),
})
const rollbackBody = z.strictObject({ version: fields.integer(), expect: expectedVersion })

const listedVersion = {
  version: count,
  at: instant,
  by: text,
  credential: z.enum(ACT_CREDENTIALS).meta({
    description: 'The credential of the author; unknown for a version from before versions were stored.',
  }),
  credential_id: text.nullable(),
  origin: z.enum(STRATEGY_VERSION_ORIGINS),
  rolled_back_to: count.nullable().meta({
    description: 'The earlier version whose configuration a rollback restored; null for any other origin.',
  }),
  file: text.nullable().meta({ description: 'The file that the strategy was last applied from.' }),
  commit: text.nullable(),
  name: text,
  current: z.boolean(),
}
const versionList = ok({
  data: z.array(z.strictObject(listedVersion)),
  next_before: count
    .optional()
    .meta({ description: 'Present if there are earlier versions: the next `before`.' }),
})
const wholeVersion = ok({ data: z.strictObject({ ...listedVersion, config: configShape }) })
const rolledBack = ok({ data: strategyShape, version: count, message })

/** The versions of the configuration of a strategy. */
export const STRATEGY_VERSION_OPERATIONS = {
  'GET /strategy/api/strategies/:id/versions': strategies('Lists the versions of a strategy, newest first.', {
    ...reading,
    ...ID,
    query: versionQuery,
    answer: versionList,
    errors: [...missing, 'validation'],
    run: async (service, { params, query }, caller) => {
      const id = await ownedId(service, params.id, caller)
      const { strategyCatalog: catalog, strategyVersions: versions } = service
      const [current, rows] = await Promise.all([
        catalog.versions([{ id }]),
        // One row more tells whether another page follows.
        versions.list(id, { ...query, limit: query.limit + 1 }),
      ])
      const shown = rows.slice(0, query.limit)
      const last = rows.length > shown.length ? shown.at(-1) : undefined
      return {
        status: 'success',
        data: shown.map((row) => versionView(row, current.get(id)?.version)),
        ...(last && { next_before: last.version }),
      }
    },
  }),
  'GET /strategy/api/strategies/:id/versions/:version': strategies(
    'Returns a version of a strategy with its configuration; it holds no secret.',
    {
      ...reading,
      ...VERSION,
      answer: wholeVersion,
      errors: [...missing, 'validation'],
      run: async (service, { params }, caller) => {
        const id = await ownedId(service, params.id, caller)
        const { strategyCatalog: catalog, strategyVersions: versions } = service
        const row = await versions.find(id, rowId(params.version))
        if (!row) throw new ServiceError('not_found', `Strategy ${id} has no version ${params.version}`)
        const current = await catalog.versions([{ id }])
        return { status: 'success', data: wholeVersionView(row, current.get(id)?.version) }
      },
    },
  ),
  'POST /strategy/api/strategies/:id/rollback': strategies(
    'Restores an earlier version of a strategy that does not run, as a new version.',
    {
      live: 'change',
      ...changing,
      ...ID,
      body: rollbackBody,
      example: { version: 1 },
      answer: rolledBack,
      errors: [...missing, ...json, 'conflict'],
      audit: { act: 'strategy.roll_back', values: strategyValues },
      run: async ({ strategyCatalog: catalog, strategyRuns: runs }, { params, body }, caller) => {
        const id = rowId(params.id)
        const { strategy, version } = await catalog.rollback(caller.username, id, body, authorOf(caller))
        return {
          status: 'success',
          data: strategyView(strategy, runs.unfinished(id)),
          version,
          message: `Strategy restored to version ${body.version}.`,
        }
      },
    },
  ),
}
