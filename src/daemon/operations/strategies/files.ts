import { z } from 'zod'
import { applyStrategies, planStrategies } from '../../../core/strategies/index.js'
import { fields } from '../../../core/validation/index.js'
import { count, ok, text } from '../common/answers.js'
import { applyFacts, fileKey, movedFrom, movedKeys, plannedAction, storedVersion } from '../common/files.js'
import {
  authorOf,
  changing,
  json,
  reading,
  STRADDLE,
  strategies,
  strategyValues,
  webhook_token,
} from './strategy-facts.js'

const MAX_FILES = 1000

const desired = z.strictObject({
  key: fileKey,
  moved: movedKeys,
  file: fields.text(1024).optional(),
  config: z.record(z.string(), z.unknown()),
})
const strategyFilesBody = z.strictObject({
  strategies: fields.list(desired).max(MAX_FILES, `Longer than maximum length ${MAX_FILES}.`),
  ...applyFacts,
})

const plannedShape = {
  key: text,
  name: text,
  action: plannedAction,
  moved_from: movedFrom,
  strategy_id: count.nullable(),
  drifted: z.boolean(),
  is_running: z.boolean().meta({ description: 'A running strategy is neither changed nor deleted.' }),
  stored: storedVersion,
  changes: z.array(
    z.strictObject({
      kind: z.enum(['added', 'removed', 'changed']),
      path: text,
      before: z.unknown().optional(),
      after: z.unknown().optional(),
    }),
  ),
}
const strategyPlan = ok({ data: z.array(z.strictObject(plannedShape)) })
const strategiesApplied = ok({
  data: z.array(
    z.strictObject({
      ...plannedShape,
      version: count
        .nullable()
        .meta({ description: 'The version that is stored now; null after a deletion.' }),
      webhook_token: webhook_token.nullable(),
    }),
  ),
})

/** Strategies that are kept in files. */
export const STRATEGY_FILE_OPERATIONS = {
  'POST /strategy/api/plan': strategies('Compares strategy files with the stored strategies.', {
    ...reading,
    body: strategyFilesBody,
    example: { strategies: [{ key: 'morning-straddle', config: STRADDLE }] },
    answer: strategyPlan,
    errors: [...json, 'conflict'],
    audit: { unrecorded: 'It changes nothing.' },
    run: async ({ strategyCatalog: catalog }, { body }, { username }) => ({
      status: 'success',
      data: await planStrategies(catalog, username, body),
    }),
  }),
  'POST /strategy/api/apply': strategies('Makes the strategies match their files: all of them or none.', {
    live: 'change',
    ...changing,
    body: strategyFilesBody,
    example: { strategies: [{ key: 'morning-straddle', config: STRADDLE }] },
    answer: strategiesApplied,
    errors: [...json, 'conflict', 'refused'],
    audit: { act: 'strategy.apply', values: strategyValues },
    run: async ({ strategyCatalog: catalog }, { body }, caller) => ({
      status: 'success',
      data: await applyStrategies(catalog, caller.username, body, authorOf(caller)),
    }),
  }),
}
