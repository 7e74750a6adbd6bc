import { z } from 'zod'
import { ServiceError } from '../../../../core/errors/index.js'
import { fields } from '../../../../core/validation/index.js'
import { signInToBroker } from '../../../broker/instrument-loading.js'
import type { RunningService } from '../../../daemon.js'
import type { ActRequest } from '../../audit-facts.js'
import { instant, messageOnly, ok, text } from '../../common/answers.js'
import { brokerRefusals, changing, control, json, nullableText, reading } from '../control-facts.js'

const logInFields = {
  fields: z.record(z.string().max(100), fields.text(4096)).default({}),
}
const loginPayload = z.strictObject(logInFields)
const beginPayload = z.strictObject(logInFields)

const progress = {
  id: text,
  broker: text,
  stage: z.enum(['waiting', 'completing', 'signed_in', 'refused', 'expired']),
  reason: nullableText,
  state_expires_at: instant.meta({
    description: 'When the address stops working: ten minutes after it was made.',
  }),
}
const begun = ok({
  data: z.strictObject({
    ...progress,
    address: text.meta({ description: 'The log-in page of the broker. Open it in a browser.' }),
    redirect_url: nullableText.meta({
      description: 'REDIRECT_URL, where the broker sends the browser; null if only the broker knows.',
    }),
  }),
})
const signInProgress = ok({ data: z.strictObject(progress) })

const iso = (ms: number) => new Date(ms).toISOString()

/** Signing in to the active broker, and out of it. */
export const BROKER_SIGN_IN_OPERATIONS = {
  'POST /broker/login': control('Signs in to the broker.', {
    ...changing,
    fresh: true,
    body: loginPayload,
    example: { fields: {} },
    answer: messageOnly,
    errors: ['refused', ...json, ...brokerRefusals],
    audit: { act: 'broker.sign_in', values: sessionValues },
    run: async (service, { body }) => {
      await signInToBroker(service, body.fields)
      return { status: 'success', message: `Signed in to ${service.brokers.manifest().displayName}` }
    },
  }),
  'POST /broker/login/begin': control(
    'Begins a sign-in at the log-in page of the broker: returns its address, and waits for the callback.',
    {
      ...changing,
      fresh: true,
      body: beginPayload,
      example: { fields: { api_key: 'yourkey', api_secret: 'yoursecret' } },
      answer: begun,
      errors: ['refused', 'unsupported', ...json, ...brokerRefusals],
      audit: { act: 'broker.begin_sign_in' },
      run: ({ brokers }, { body }, { username }) => {
        const { address, expiresAt, redirectUrl, reason, ...shown } = brokers.beginSignIn(
          username,
          body.fields,
        )
        return {
          status: 'success',
          data: {
            ...shown,
            reason: reason ?? null,
            address,
            redirect_url: redirectUrl ?? null,
            state_expires_at: iso(expiresAt),
          },
        }
      },
    },
  ),
  'GET /broker/login/:id': control('Returns where a sign-in is that the caller began.', {
    ...reading,
    params: { id: 'The id of the sign-in.' },
    answer: signInProgress,
    errors: ['not_found'],
    run: ({ brokers }, { params: { id } }, { username }) => {
      const found = brokers.signInProgress(id, username)
      if (!found)
        throw new ServiceError('not_found', 'There is no such sign-in. Begin again: svc broker login')
      const { expiresAt, reason, ...shown } = found
      return {
        status: 'success',
        data: { ...shown, reason: reason ?? null, state_expires_at: iso(expiresAt) },
      }
    },
  }),
  'POST /broker/logout': control('Signs out of the broker.', {
    live: 'change',
    ...changing,
    answer: messageOnly,
    audit: { act: 'broker.sign_out', values: sessionValues, emergency: true },
    run: async ({ brokers }) => {
      await brokers.logout()
      return { status: 'success', message: `Signed out of ${brokers.manifest().displayName}` }
    },
  }),
}

/** The session at the broker, for the audit trail. */
export function sessionValues({ service: { brokers } }: Pick<ActRequest<RunningService>, 'service'>) {
  return {
    broker: brokers.brokerId,
    signed_in: brokers.session !== undefined,
    session_expires: brokers.session?.expiresAt ?? null,
  }
}
