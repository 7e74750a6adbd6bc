import { z } from 'zod'
import { SESSION_STATES } from '../../../core/brokers/index.js'
import type { RunningService } from '../../daemon.js'
import { Reply } from '../../http/response/reply.js'
import { VERSION } from '../../version.js'
import { count, ok, text } from '../common/answers.js'
import { open } from '../running.js'

const anyone = open('Service')

const version = ok({ name: z.literal('svc'), version: text })
const identity = z.strictObject({
  status: z.literal('pass'),
  serviceId: text,
  id: text.meta({
    description:
      'The id of the home: 128 bits of the SHA-256 of its public key. It is made once, survives restarts, and goes along with a backup.',
  }),
  public_key: text.meta({ description: 'The public key (Ed25519), url-safe.' }),
  proof: text.optional().meta({
    description: 'The signature of "svc daemon proof 1", the id and the challenge, one on a line; url-safe.',
  }),
})
const live = z.strictObject({ status: z.literal('pass'), serviceId: text, pid: count })
const ready = z.strictObject({
  status: z.enum(['pass', 'fail']),
  checks: z.strictObject({
    recovery: z.enum(['done', 'pending']),
    /** Requests are accepted also while only the broker session is missing. */
    requests: z.enum(['accepted', 'refused']),
    /** `ok`, or the file that was removed or replaced or cannot be written, and why. */
    storage: z.string(),
    broker: z.enum(['connected', 'disconnected']),
    session: z.enum(SESSION_STATES),
    instruments: count,
  }),
})
const healthStatus = z.strictObject({
  status: z.enum(['pass', 'warn', 'fail']),
  version: text,
  serviceId: text,
  description: text,
})

/** A number that is used once: random bytes of the client, url-safe. */
const challenge = z.string().regex(/^[\w-]{16,64}$/, 'Must be 16 to 64 url-safe characters.')

const versionView = () => ({ status: 'success', name: 'svc', version: VERSION }) as const

/** Version, liveness and readiness, without a credential. They reveal nothing else. */
export const PROBE_OPERATIONS = {
  'GET /version': anyone('Returns the name and version of the service.', {
    answer: version,
    tool: {
      name: 'get_svc_version',
      title: 'Get the version of the service',
      scope: 'read:market',
      toolset: 'utility',
    },
    run: versionView,
  }),
  'GET /auth/app-info': anyone('Returns the same as GET /version.', { answer: version, run: versionView }),
  'GET /health': anyone(
    'Returns the id of the home whose daemon this is, and proves it: a client that knows the id sends a challenge of its own and checks the signature before it sends a credential.',
    {
      query: z.object({ challenge: challenge.optional() }),
      example: { challenge: 'Zb0Xk1uW4f9qTgYh2rLmNw' },
      answer: identity,
      errors: ['validation'],
      run: ({ settings: { identity: key } }, { query: { challenge: given } }) => ({
        status: 'pass',
        serviceId: 'svc',
        id: key.id,
        public_key: key.publicKey,
        ...(given !== undefined && { proof: key.sign(`svc daemon proof 1\n${key.id}\n${given}`) }),
      }),
    },
  ),
  'GET /health/live': anyone('Succeeds while the process runs.', {
    answer: live,
    run: () => ({ status: 'pass', serviceId: 'svc', pid: process.pid }),
  }),
  'GET /health/ready': anyone(
    'Succeeds while the service accepts requests and, in Live mode, has a broker session.',
    {
      answer: ready,
      others: { 503: ready },
      run: ({ daemon }) => {
        const status = daemon.readyForOrders() ? 'pass' : 'fail'
        return orUnavailable({ status, checks: daemon.checks() } as const)
      },
    },
  ),
  'GET /health/status': anyone('Returns whether the service is ready and its last health sample passed.', {
    limit: 'threeHundredAMinute',
    answer: healthStatus,
    others: { 503: healthStatus },
    run: ({ daemon }) =>
      orUnavailable({
        status: daemon.accepts() ? daemon.health.status : 'fail',
        version: '1.0',
        serviceId: 'svc',
        description: 'Order routing and trading automation',
      } as const),
  }),
}

/** Returns the answer of a probe, with the status of a failure if it fails. */
export function orUnavailable<T extends { status: HealthStatus }>(answer: T): T | Reply {
  return answer.status === 'fail' ? new Reply(503, answer) : answer
}

type HealthStatus = RunningService['daemon']['health']['status']
