import { describe, expect, test } from 'vitest'
import type { Workflow } from '../../../../src/core/flows/schema.js'
import { admitWebhook, type WebhookCall } from '../../../../src/core/flows/webhook/webhooks.js'
import { graphOf } from '../graphs.js'

const WORKFLOW: Workflow = {
  id: 1,
  name: 'Alert',
  description: null,
  graph: graphOf({}),
  isActive: true,
  scheduleJobId: null,
  webhookToken: 'token',
  webhookSecret: 'hush',
  webhookEnabled: true,
  webhookAuthType: 'payload',
  sealedKey: null,
  activatedAt: null,
  lastScheduledAt: null,
  version: 1,
  contentHash: '',
  fileKey: null,
  appliedHash: null,
  createdAt: 0,
  updatedAt: 0,
}

function admit(call: Partial<WebhookCall>, workflow: Partial<Workflow> = {}) {
  const known = { ...WORKFLOW, ...workflow }
  const byToken = (token: string) => (token === known.webhookToken ? known : undefined)
  const headers = {
    'webhook-id': undefined,
    'webhook-timestamp': undefined,
    'webhook-signature': undefined,
  }
  const rest = { querySecret: undefined, body: {}, symbol: undefined, headers, bytes: new Uint8Array() }
  return admitWebhook({ byToken }, { token: 'token', ...rest, ...call }, 0)
}

const URL_AUTH = { webhookAuthType: 'url' } as const
const IN_URL = 'Missing webhook secret in URL. Use ?secret=your_secret'
const IN_BODY = "Missing webhook secret in payload. Add 'secret' field to JSON body"

test.each<[string, Partial<WebhookCall>, Partial<Workflow>, string, string]>([
  ['an unknown token', { token: 'other' }, {}, 'not_found', 'Invalid webhook token'],
  ['a webhook that is off', {}, { webhookEnabled: false }, 'forbidden', 'Webhook is disabled'],
  ['an inactive workflow', {}, { isActive: false }, 'forbidden', 'Workflow is not active'],
  ...[null, 'text', 5, ['a']].map(
    (body): [string, Partial<WebhookCall>, Partial<Workflow>, string, string] => [
      `a body of ${JSON.stringify(body)}`,
      { body },
      {},
      'validation',
      'Webhook body must be a JSON object',
    ],
  ),
  ['no secret', {}, {}, 'unauthenticated', IN_BODY],
  ['an empty secret', { body: { secret: '' } }, {}, 'unauthenticated', IN_BODY],
  ['the secret in the wrong place', { querySecret: 'hush' }, {}, 'unauthenticated', IN_BODY],
  ['a wrong secret', { body: { secret: 'hush ' } }, {}, 'unauthenticated', 'Invalid webhook secret'],
  [
    'a secret that is no text',
    { body: { secret: ['hush'] } },
    {},
    'unauthenticated',
    'Invalid webhook secret',
  ],
  ['a secret that is true', { body: { secret: true } }, {}, 'unauthenticated', 'Invalid webhook secret'],
  ['no secret in the address', { body: { secret: 'hush' } }, URL_AUTH, 'unauthenticated', IN_URL],
  ['a wrong one there', { querySecret: 'x' }, URL_AUTH, 'unauthenticated', 'Invalid webhook secret'],
])('%s is refused', (_what, call, workflow, code, message) => {
  expect(() => admit(call, workflow)).toThrow(expect.objectContaining({ code, message }))
})

describe('the payload', () => {
  test('loses its secret', () => {
    const { payload, workflow } = admit({ body: { secret: 'hush', qty: 5, deep: { secret: 'kept' } } })
    expect(payload).toEqual({ qty: 5, deep: { secret: 'kept' } })
    expect(workflow.id).toBe(1)
  })

  test('loses a secret that the address has, too', () => {
    const body = { secret: 'hush', qty: 5 }
    expect(admit({ querySecret: 'hush', body }, URL_AUTH).payload).toEqual({ qty: 5 })
  })

  test('may be empty if the URL has the secret', () => {
    expect(admit({ querySecret: 'hush', symbol: 'SBIN' }, URL_AUTH).payload).toEqual({ symbol: 'SBIN' })
  })

  test('prefers the symbol of the path to that of the body', () => {
    expect(admit({ body: { secret: 'hush', symbol: 'INFY' }, symbol: 'SBIN' }).payload).toEqual({
      symbol: 'SBIN',
    })
  })

  test.each([
    ['price_alert', {}],
    ['order_update', {}],
    ['mine', { trigger_type: 'mine' }],
  ])('cannot pretend to come from a monitor: %s', (trigger_type, payload) => {
    expect(admit({ body: { secret: 'hush', trigger_type } }).payload).toEqual(payload)
  })

  test('does not change the given body', () => {
    const body = { secret: 'hush', trigger_type: 'price_alert' }
    admit({ body })
    expect(body).toEqual({ secret: 'hush', trigger_type: 'price_alert' })
  })
})
