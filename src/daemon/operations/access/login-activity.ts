import { z } from 'zod'
import { fields } from '../../../core/validation/index.js'
import { messageOnly, ok, text } from '../common/answers.js'
import { instant } from '../common/payloads.js'
import { signedIn } from '../running.js'
import { activeSessions, ownSessionsView } from './sessions.js'

const limited = signedIn('Access', 'api')

const loginActivityQuery = z.object({
  status: fields.oneOf(['success', 'failed']).optional(),
  since: instant.optional(),
  limit: fields
    .integer()
    .refine((limit) => limit >= 1 && limit <= 500, 'Must be between 1 and 500.')
    .optional(),
})

export const loginActivity = ok({
  attempts: z.array(
    z.strictObject({
      username: text,
      ip_address: text.nullable(),
      device_info: text.nullable(),
      status: z.enum(['success', 'failed']),
      login_type: text.nullable(),
      broker: text.nullable(),
      failure_reason: text.nullable(),
      timestamp: text.meta({ description: 'Indian time, without a zone.' }),
    }),
  ),
})

/** The record of all sign-in attempts, and the sessions that they led to. */
export const LOGIN_ACTIVITY_OPERATIONS = {
  'GET /security/api/login-activity': limited('Lists the sign-in attempts, newest first.', {
    scopes: ['read'],
    query: loginActivityQuery,
    answer: loginActivity,
    errors: ['validation'],
    run: async ({ identity }, { query }) => ({
      status: 'success',
      attempts: await identity.attempts.list(query),
    }),
  }),
  'GET /security/api/active-sessions': limited('Lists the sessions of the user, without their count.', {
    scopes: ['read'],
    answer: activeSessions,
    run: (service, _input, caller) => ({ status: 'success', ...ownSessionsView(service, caller) }),
  }),
  'POST /security/api/login-activity/clear': limited('Deletes the record of sign-in attempts.', {
    scopes: ['admin'],
    answer: messageOnly,
    audit: { act: 'log.clear_sign_ins' },
    run: async ({ identity }) => {
      await identity.attempts.clear()
      return { status: 'success', message: 'Login history cleared' }
    },
  }),
}
