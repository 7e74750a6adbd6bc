import { Hono, type MiddlewareHandler } from 'hono'
import type { Identity, Scope } from '../../../src/core/identity/index.js'
import { silentLogger } from '../../../src/core/logging/index.js'
import type { RunningService } from '../../../src/daemon/daemon.js'
import { TrustedProxies } from '../../../src/daemon/http/client.js'
import { errorResponse } from '../../../src/daemon/http/response/errors.js'
import { OPERATION_LIST } from '../../../src/daemon/operations/index.js'
import type { AppEnv } from '../../../src/daemon/process/env.js'
import { mountOperations } from '../../../src/daemon/routing/mount.js'

interface Signed {
  username: string
  scopes: readonly Scope[]
}

/**
 * Mounts all operations on their own app, without rate limits. `signedIn` replaces the session guard, `parts` are what
 * the tested functions take of the service.
 */
export function mounted(
  identity: Identity,
  signedIn?: Signed,
  parts: Partial<RunningService> = {},
): Hono<AppEnv> {
  const app = new Hono<AppEnv>({ strict: false })
  const proxies = new TrustedProxies({
    TRUST_PROXY_HEADERS: false,
    TRUSTED_PROXIES: [],
    CLIENT_IP_HEADER: undefined,
  })
  const requests = { record: () => undefined }
  app.onError((error, c) => errorResponse(c, error, { log: silentLogger, proxies, requests }))
  const guard: MiddlewareHandler<AppEnv> = async (c, next) => {
    if (signedIn) {
      const username = c.req.header('X-User') ?? signedIn.username
      c.set('principal', { ...signedIn, username, credential: 'session', credentialId: '1' })
    }
    await next()
  }
  const free: MiddlewareHandler<AppEnv> = (_c, next) => next()
  // Its session is in no database.
  if (signedIn) identity.isCurrent = () => true
  // Only the tested functions run, and the parts are all that they take.
  const service: RunningService = Object({
    clock: { monotonic: () => 0 },
    daemon: { proxies },
    identity,
    requests,
    ...parts,
  })
  mountOperations(app, OPERATION_LIST, service, { guard, limits: () => free })
  return app
}
