import { Hono } from 'hono'
import type { AppEnv } from '../env.js'
import { sessionGuard } from '../middleware/session.js'
import { type SessionParts, sessionRoutes } from './sessions.js'
import { type SignInParts, signInRoutes } from './sign-in.js'
import { tokenRoutes } from './tokens.js'

export interface AuthParts extends SignInParts, SessionParts {}

/** Sign-in, which is open to all, and what a signed-in user sees of their own credentials. */
export function authRoutes(parts: AuthParts): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .route('/', signInRoutes(parts))
    .use('*', sessionGuard(parts))
    .route('/', sessionRoutes(parts))
    .route('/', tokenRoutes(parts))
}
