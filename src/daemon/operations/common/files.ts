import { z } from 'zod'
import { fields } from '../../../core/validation/index.js'
import { count, text } from './answers.js'

/** Facts of the requests that plan and apply files, and of their answers. */

/** A commit of 64 digits with `-dirty`. */
const MAX_COMMIT = 70

export const fileKey = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,99}$/, 'Must be lower-case letters, digits and hyphens.')

/** The version of one workflow or strategy that the caller has seen. */
export const expectedVersion = fields.integer().optional().meta({
  description: 'The version that was seen. With another one nothing is changed (409).',
})

/** Most earlier ids of one file. */
const MAX_MOVED = 20

/** The ids that a file had before. */
export const movedKeys = fields
  .list(fileKey)
  .max(MAX_MOVED, `Longer than maximum length ${MAX_MOVED}.`)
  .optional()
  .meta({
    description: 'The ids that the file had before. What is stored under one of them gets the new id.',
  })

export const movedFrom = text.nullable().meta({
  description: 'The earlier id under which it is stored before the change; null if it has its id already.',
})

export const applyFacts = {
  prune: fields
    .boolean()
    .default(false)
    .meta({ description: 'Delete what was applied from a file and is in none of these files.' }),
  complete: fields.boolean().default(false).meta({
    description: 'These are all files: name everything else that was applied from a file as an orphan.',
  }),
  commit: fields.text(MAX_COMMIT).optional(),
  expect: z.record(fileKey, fields.integer()).optional().meta({
    description:
      'The versions that were seen, by key; 0 for none. With another version, or a deletion that is not among them, nothing is changed (409).',
  }),
}

/** What a row of a plan says of the version that is stored now. */
export const storedVersion = z
  .strictObject({
    version: count,
    at: text,
    by: text,
    by_you: z.boolean(),
    origin: text,
    rolled_back_to: count.nullable().meta({
      description: 'The earlier version whose content a rollback restored; null for any other origin.',
    }),
    file: text.nullable().meta({ description: 'The file that it was last applied from.' }),
    commit: text.nullable(),
  })
  .nullable()
  .meta({ description: 'The version that is stored before the change; null for a new one.' })

export const plannedAction = z.enum(['create', 'update', 'delete', 'none', 'orphan']).meta({
  description: 'What applying does. An orphan was applied from a file, has none any more, and stays.',
})
