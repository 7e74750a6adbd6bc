import { expect, it } from 'vitest'
import { type ErrorCode, ServiceError } from '../../../../src/core/errors/index.js'
import { approvedMulti } from '../../../../src/core/orders/multi/approved-multi.js'
import type { Run } from '../../../../src/core/orders/multi/kind.js'

type Steps = Parameters<typeof approvedMulti>[0]

const RUN: Run = { userId: 'asha', source: 'api', mode: 'live' }
const never = () => Promise.reject(new Error('nothing is sent'))

/** A request whose plan fails. */
function failing(code: ErrorCode) {
  const steps: Steps = {
    slots: async () => [],
    alone: (_occupied, work) => work(),
    plan: () => Promise.reject(new ServiceError(code, 'The plan failed.')),
    refusedWhole: never,
    decided: (run) => ({
      ...run,
      operation: 'placesmartorder',
      batchRef: 'B1',
      accountId: 'A1',
      brokerId: 'fake',
    }),
    store: never,
    execute: never,
  }
  return approvedMulti(steps)
}

it.each(['unavailable', 'rate_limited'] as const)(
  'a plan that is %s for now lets the request wait on',
  async (code) => {
    await expect(failing(code).recheck(RUN)).rejects.toMatchObject({ code })
  },
)

it('a plan that fails for good is a failure of the request, which then ends', async () => {
  expect(await failing('validation').recheck(RUN)).toBeUndefined()
})
