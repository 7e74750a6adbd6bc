import type { Identity } from '../../../core/identity/index.js'
import type { Handlers } from '../../http/handlers.js'

/** Returns the handlers for the record of all sign-in attempts. */
export function loginActivityHandlers({ identity: { attempts } }: { identity: Pick<Identity, 'attempts'> }) {
  return {
    'GET /security/api/login-activity': async ({ query }) => ({
      status: 'success',
      attempts: await attempts.list(query),
    }),
    'POST /security/api/login-activity/clear': async () => {
      await attempts.clear()
      return { status: 'success', message: 'Login history cleared' }
    },
  } satisfies Partial<Handlers>
}
