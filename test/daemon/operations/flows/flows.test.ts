import { expect, test } from 'vitest'
import { bearer } from '../../../support/desk/http-desk.js'
import { FlowRig, graphOf, HELLO, no, note, SLOW, scheduled } from './flow-rig.js'

const ISO = /^2026-11-20T11:0\d:\d\d\.\d{3}\+05:30$/
const DAILY = scheduled(HELLO, { scheduleType: 'daily', time: '10:15' })
const NOT_FOUND = { status: 'error', error: 'Workflow not found', message: 'Workflow not found' }

/** Every route with a workflow id, and a valid body for it. */
const OF_ONE: readonly [method: string, path: string, body?: object][] = [
  ['GET', ''],
  ['PUT', '', { name: 'x' }],
  ['DELETE', ''],
  ['POST', '/activate'],
  ['POST', '/deactivate'],
  ['POST', '/execute'],
  ['GET', '/follow'],
  ['GET', '/export'],
  ['POST', '/replace', { nodes: [] }],
  ['GET', '/versions'],
  ['POST', '/rollback', { version: 1 }],
  ['GET', '/webhook'],
  ['POST', '/webhook/enable'],
  ['POST', '/webhook/disable'],
  ['POST', '/webhook/regenerate'],
  ['POST', '/webhook/regenerate-secret'],
  ['POST', '/webhook/auth-type', { auth_type: 'url' }],
]

/** Every route that accepts a document. */
const TAKES_JSON: readonly [method: string, path: string][] = [
  ['POST', '/workflows'],
  ['POST', '/workflows/import'],
  ['PUT', '/workflows/1'],
  ['POST', '/workflows/1/replace'],
  ['POST', '/workflows/1/rollback'],
  ['POST', '/workflows/1/webhook/auth-type'],
  ['POST', '/plan'],
  ['POST', '/apply'],
  ['POST', '/run'],
  ['PUT', '/secrets/name'],
  ['POST', '/symbol-lotsizes'],
]

test('a workflow is created, shown, listed, changed and deleted with its history', async () => {
  const rig = await FlowRig.open()
  const created = await rig.ask('POST', '/workflows', { name: '  Hello ', description: 'd', ...HELLO })
  const shown = {
    id: 1,
    name: 'Hello',
    description: 'd',
    ...HELLO,
    is_active: false,
    webhook_token: expect.stringMatching(/^[\w-]{43}$/),
    webhook_secret: expect.stringMatching(/^[0-9a-f]{64}$/),
    webhook_enabled: false,
    webhook_auth_type: 'payload',
    version: 1,
    file_key: null,
    drifted: false,
    created_at: expect.stringMatching(ISO),
    updated_at: expect.stringMatching(ISO),
  }
  expect(created).toMatchObject({ status: 201 })
  expect(created.body).toEqual(shown)
  const runs = { last_execution_at: null, last_execution_status: null, next_run_at: null, trigger: 'manual' }
  expect((await rig.show(1)).body).toEqual({ ...shown, ...runs, schedule_job_id: null })

  await rig.clock.advance(1000)
  const other = await rig.create(DAILY, 'Other')
  const row = {
    id: 1,
    name: 'Hello',
    description: 'd',
    is_active: false,
    webhook_enabled: false,
    version: 1,
    file_key: null,
    drifted: false,
    trigger: 'manual',
    next_run_at: null,
    created_at: created.body.created_at,
    updated_at: created.body.updated_at,
    last_execution_status: null,
    last_execution_at: null,
  }
  const rows = await rig.list('/workflows')
  expect(rows.map(({ id }) => id)).toEqual([other, 1])
  expect(rows[1]).toEqual(row)

  await rig.clock.advance(1000)
  await rig.execute(1)
  const put = await rig.ask('PUT', '/workflows/1', {
    description: null,
    is_active: true,
    webhook_token: 'x',
    api_key: 'y',
  })
  expect(put).toMatchObject({ status: 200 })
  expect(put.body).toEqual({
    ...shown,
    description: null,
    version: 2,
    webhook_token: created.body.webhook_token,
    webhook_secret: created.body.webhook_secret,
    created_at: created.body.created_at,
    needs_reactivate: false,
  })
  expect((await rig.list('/workflows'))[0]).toMatchObject({
    id: 1,
    last_execution_status: 'completed',
    last_execution_at: (await rig.runs(1))[0]?.started_at,
  })

  const gone = await rig.ask('DELETE', '/workflows/1')
  expect([gone.status, gone.body]).toEqual([200, { status: 'success', message: 'Workflow deleted' }])
  expect((await rig.show(1)).body).toEqual(NOT_FOUND)
  expect(await rig.runs(1)).toEqual([])
})

test('a name and a graph may be left out', async () => {
  const rig = await FlowRig.open()
  const { body } = await rig.ask('POST', '/workflows', { description: 'later' })
  expect(body).toMatchObject({ name: 'Untitled Workflow', description: 'later', nodes: [], edges: [] })
})

test('an invalid or unknown id is not found', async () => {
  const rig = await FlowRig.open()
  await rig.create(HELLO)
  for (const id of ['99', '0', '-1', '1.5', 'abc', '1e0', '0x1', '%201', '9007199254740993']) {
    for (const [method, path, body] of OF_ONE) {
      const reply = await rig.ask(method, `/workflows/${id}${path}`, body)
      expect([method, path, id, reply.status, reply.body]).toEqual([method, path, id, 404, NOT_FOUND])
    }
  }
  for (const id of ['99', 'abc', '0x1']) {
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/cancel'],
    ] as const) {
      const reply = await rig.ask(method, `/executions/${id}${path}`)
      expect([id, reply.status, reply.body.error]).toEqual([id, 404, 'Execution not found'])
    }
  }
})

test('a document that is none is refused, under the member error too', async () => {
  const rig = await FlowRig.open()
  await rig.create(HELLO)
  const json = { 'content-type': 'application/json' }
  for (const [method, path] of TAKES_JSON) {
    const refused = async (
      body: unknown,
      status: number,
      error: string,
      headers?: Record<string, string>,
    ) => {
      const reply = await rig.ask(method, path, body, headers)
      expect([path, reply.status, reply.body]).toEqual([
        path,
        status,
        expect.objectContaining({ status: 'error', message: error }),
      ])
      if (status === 400) expect([path, reply.body.error]).toEqual([path, error])
    }
    await refused(undefined, 400, 'No data provided')
    await refused(undefined, 400, 'No data provided', json)
    await refused('', 400, 'No data provided', { ...json, 'content-length': '0' })
    await refused({}, 400, 'No data provided')
    await refused([], 400, 'The body must be a JSON object')
    await refused('7', 400, 'The body must be a JSON object')
    await refused('null', 400, 'The body must be a JSON object')
    await refused('{"name": ', 400, 'Invalid JSON')
    await refused('name=x', 415, 'The body must be JSON (Content-Type: application/json)', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    // The document contains too many nodes.
    const limit = ['/plan', '/apply'].includes(path) ? 4 * 1_048_576 : 2 * 1_048_576
    await refused('x'.repeat(limit + 1), 413, `The body is larger than ${limit} bytes`)
    await refused('x'.repeat(limit), 400, 'Invalid JSON')
  }
})

test('an invalid workflow is refused by node and field, and changes nothing', async () => {
  const rig = await FlowRig.open()
  const id = await rig.create(HELLO)
  const wrong = graphOf({ a: ['nonsense'], b: ['placeOrder', { exchange: 'MOON' }] }, 't -> nowhere')
  for (const [method, path] of [
    ['POST', '/workflows'],
    ['PUT', `/workflows/${id}`],
  ] as const) {
    const { status, code, body } = await rig.ask(method, path, { name: 'x', ...wrong })
    expect([status, code]).toEqual([400, 'validation'])
    expect(body).toMatchObject({ status: 'error', error: 'Invalid workflow structure' })
    expect(body.errors).toMatchObject([
      { path: '/nodes/1/type', code: 'unknown_node_type' },
      { path: '/nodes/2/data/exchange', code: 'invalid_constant' },
      { path: '/edges/0/target', code: 'dangling_edge' },
    ])
    const [first] = body.errors as { message: string }[]
    expect(body.message).toBe(first?.message)
  }
  for (const body of [{ name: '  ' }, { name: 7 }, { name: 'x'.repeat(256) }, { description: 7 }]) {
    expect((await rig.ask('PUT', `/workflows/${id}`, body)).status).toBe(400)
  }
  expect((await rig.show(id)).body).toMatchObject({ name: 'Test flow', version: 1, ...HELLO })
})

test('half a graph is kept, and refused where it would have to run', async () => {
  const rig = await FlowRig.open()
  const half = graphOf({ t: ['log'], lonely: ['placeOrder', {}] })
  const id = await rig.create(half)
  for (const [path, error] of [
    ['activate', 'Workflow cannot be activated'],
    ['execute', 'Workflow cannot be executed'],
  ] as const) {
    const { status, body } = await rig.ask('POST', `/workflows/${id}/${path}`)
    expect([status, body.error]).toEqual([400, error])
    expect(body.errors).toContainEqual(expect.objectContaining({ path: '/nodes', code: 'no_trigger' }))
    expect(body.errors).toContainEqual(
      expect.objectContaining({ path: '/nodes/1/data/symbol', code: 'missing_required_field' }),
    )
  }
  expect(await rig.runs(id)).toEqual([])
})

test.each([
  ['start', {}, null],
  ['start', { scheduleType: 'daily', time: '10:15' }, 'flow_workflow_1'],
  ['webhookTrigger', {}, null],
  ['priceAlert', { symbol: 'SBIN', exchange: 'NSE', condition: 'greater_than', price: 99999 }, null],
  ['orderUpdateTrigger', { symbol: 'SBIN' }, null],
])('a %s with %j is activated once and deactivated once', async (type, data, job) => {
  const rig = await FlowRig.open()
  await rig.create(graphOf({ t: [type, data], end: note('end') }, 't -> end'))
  const say = async (what: string) => {
    const { status, body } = await rig.ask('POST', `/workflows/1/${what}`)
    return [status, body]
  }
  expect(await say('deactivate')).toEqual([
    200,
    { status: 'already_inactive', message: 'Workflow is already inactive' },
  ])
  expect(await say('activate')).toEqual([
    200,
    { status: 'success', message: `Workflow activated with ${type} trigger` },
  ])
  expect(await say('activate')).toEqual([
    200,
    { status: 'already_active', message: 'Workflow is already active' },
  ])
  expect((await rig.show(1)).body).toMatchObject({
    is_active: true,
    schedule_job_id: job,
    webhook_enabled: false,
  })
  expect(await say('deactivate')).toEqual([200, { status: 'success', message: 'Workflow deactivated' }])
  expect((await rig.show(1)).body).toMatchObject({ is_active: false, schedule_job_id: null })
  const { body } = await rig.ask('GET', '/monitor/status')
  expect(body).toMatchObject({ alerts_count: 0, order_updates: { watches_count: 0 } })
})

test('an activation is checked in the order of the public API', async () => {
  const rig = await FlowRig.open()
  const nobody = { username: 'asha', apiKey: undefined }
  const asha = { username: 'asha', apiKey: rig.http.apikey }
  const active = await rig.arm(HELLO)
  const broken = await rig.create(graphOf({ t: ['log'] }))
  const past = await rig.create(scheduled(HELLO, { scheduleType: 'once', executeAt: '2026-11-19T10:00' }))
  const { flows } = rig
  await expect(flows.activate(99, nobody)).rejects.toThrow('Workflow not found')
  expect(await flows.activate(active, nobody)).toBeUndefined()
  await expect(flows.activate(broken, nobody)).rejects.toThrow('API key not configured')
  await expect(flows.activate(broken, asha)).rejects.toThrow('No trigger node found in workflow')
  await expect(flows.activate(past, asha)).rejects.toThrow('in the past')
  expect(() => flows.execute(broken, nobody)).toThrow('API key not configured')
  const reply = await rig.ask('POST', `/workflows/${past}/activate`)
  expect([reply.status, reply.body.error]).toEqual([400, reply.body.message])
  expect((await rig.show(past)).body).toMatchObject({ is_active: false, schedule_job_id: null })
})

test.each<[object, RegExp]>([
  [{ scheduleType: 'daily', time: '25:00' }, /^Invalid schedule configuration: Invalid time format: 25:00$/],
  [
    { scheduleType: 'daily', time: '09:15:00' },
    /^Invalid schedule configuration: Invalid time format: 09:15:00$/,
  ],
  [{ scheduleType: 'weekly', time: '09:15' }, /^Invalid schedule configuration/],
  [
    { scheduleType: 'weekly', time: '09:15', days: [7, 8] },
    /^Invalid schedule configuration: Invalid weekly schedule configuration$/,
  ],
  [{ scheduleType: 'interval', intervalValue: -1 }, /interval/i],
  [{ scheduleType: 'once' }, /^Invalid schedule configuration/],
  [
    { scheduleType: 'once', executeAt: 'soon' },
    /^Invalid schedule configuration: Invalid datetime format: soon$/,
  ],
  [{ scheduleType: 'fortnightly' }, /^Invalid schedule configuration/],
])('a schedule of %j is not armed', async (data, message) => {
  const rig = await FlowRig.open()
  const id = await rig.create(scheduled(HELLO, { ...data }))
  const reply = await rig.ask('POST', `/workflows/${id}/activate`)
  expect([reply.status, reply.body.message]).toEqual([400, expect.stringMatching(message)])
  expect((await rig.show(id)).body).toMatchObject({ is_active: false, schedule_job_id: null })
})

test('a field without a value is told at save and at activation, and 0 as interval is refused there', async () => {
  const rig = await FlowRig.open()
  const graph = (intervalValue: unknown) => scheduled(HELLO, { scheduleType: 'interval', intervalValue })
  const saved = await rig.ask('POST', '/workflows', { name: 'Empty', ...graph('') })
  const warnings = [{ path: '/nodes/0/data/intervalValue', code: 'invalid_field' }]
  expect(saved.body).toMatchObject({ warnings })
  const activated = await rig.ask('POST', `/workflows/${saved.body.id}/activate`)
  expect([activated.status, activated.body]).toMatchObject([200, { status: 'success', warnings }])

  const zero = await rig.ask('POST', '/workflows', { name: 'Zero', ...graph(0) })
  expect(zero.body).toMatchObject({ warnings })
  const refused = await rig.ask('POST', `/workflows/${zero.body.id}/activate`)
  expect([refused.status, refused.body.message]).toEqual([
    400,
    expect.stringContaining("intervalValue '0' is below 1"),
  ])
  const imported = await rig.ask('POST', '/workflows/import', { name: 'Zero', ...graph(0) })
  expect(imported.body.migrations).toEqual([expect.stringContaining("intervalValue '0' was replaced by 1")])
  const armed = await rig.ask('POST', `/workflows/${imported.body.workflow_id}/activate`)
  expect([armed.status, armed.body.warnings]).toEqual([200, undefined])
})

test('a registration that fails leaves nothing armed', async () => {
  const rig = await FlowRig.open()
  const id = await rig.create(
    graphOf({ t: ['orderUpdateTrigger', { symbol: 'SBIN' }], end: note() }, 't -> end'),
  )
  // The key is replaced while the workflow is being activated.
  rig.desk.service.identity.apiKeys.verify = async () => undefined
  const { status, body } = await rig.ask('POST', `/workflows/${id}/activate`)
  const error = 'orderUpdateTrigger needs an account whose orders it watches'
  expect([status, body]).toEqual([400, { status: 'error', message: error, error }])
  expect((await rig.show(id)).body).toMatchObject({ is_active: false, schedule_job_id: null })
  expect(rig.flows.workflows.get(id).sealedKey).toBeNull()
  const monitors = await rig.ask('GET', '/monitor/status')
  expect(monitors.body.order_updates).toMatchObject({ watches_count: 0 })
})

test('a workflow that cannot be put to rest stays armed', async () => {
  const rig = await FlowRig.open()
  const id = await rig.arm(DAILY)
  const { workflows } = rig.flows
  const original = workflows.setState.bind(workflows)
  workflows.setState = () => Promise.reject(new Error('disk'))
  expect((await rig.ask('POST', `/workflows/${id}/deactivate`)).status).toBe(500)
  workflows.setState = original
  expect((await rig.show(id)).body).toMatchObject({ is_active: true, schedule_job_id: 'flow_workflow_1' })
  expect(rig.flows.nextRun(id)).toBe(Date.parse('2026-11-21T10:15:00+05:30'))
})

test('the next run of a schedule with market hours is a time at which it runs', async () => {
  const rig = await FlowRig.open()
  const id = await rig.arm(scheduled(HELLO, { scheduleType: 'daily', time: '10:15', marketHoursOnly: true }))
  // The next day is a Saturday.
  expect((await rig.list('/workflows'))[0]).toMatchObject({
    id,
    next_run_at: '2026-11-23T10:15:00.000+05:30',
  })
  const night = await rig.arm(
    scheduled(HELLO, { scheduleType: 'daily', time: '20:15', marketHoursOnly: true }),
  )
  expect(rig.flows.nextRun(night)).toBeUndefined()
})

test('a changed trigger of an active workflow is replaced, an unchanged one stays', async () => {
  const rig = await FlowRig.open()
  const id = await rig.arm(DAILY)
  const next = async () => (await rig.list('/workflows'))[0]?.next_run_at
  expect(await next()).toBe('2026-11-21T10:15:00.000+05:30')
  const later = scheduled(HELLO, { scheduleType: 'daily', time: '10:20' })
  const put = await rig.ask('PUT', `/workflows/${id}`, later)
  expect(put.body).toMatchObject({ is_active: true, needs_reactivate: false, version: 2 })
  expect(await next()).toBe('2026-11-21T10:20:00.000+05:30')

  const kind = graphOf({ t: ['orderUpdateTrigger', { symbol: 'SBIN' }], end: note() }, 't -> end')
  await rig.ask('PUT', `/workflows/${id}`, kind)
  expect(await next()).toBeNull()
  expect((await rig.show(id)).body.schedule_job_id).toBeNull()
  const status = await rig.ask('GET', '/monitor/status')
  expect(status.body.order_updates).toMatchObject({ watches_count: 1 })

  const other = { ...kind, nodes: kind.nodes.map((node) => ({ ...node, position: { x: 9, y: 9 } })) }
  expect((await rig.ask('PUT', `/workflows/${id}`, other)).body).toMatchObject({
    is_active: true,
    needs_reactivate: false,
  })
})

test('one that cannot be armed any more is deactivated, and says so', async () => {
  const rig = await FlowRig.open()
  const id = await rig.arm(DAILY)
  const wrong = scheduled(HELLO, { scheduleType: 'once', executeAt: '2026-11-19T10:00' })
  const put = await rig.ask('PUT', `/workflows/${id}`, wrong)
  expect([put.status, put.body.needs_reactivate, put.body.is_active]).toEqual([200, true, false])
  expect(rig.flows.nextRun(id)).toBeUndefined()

  const again = await rig.arm(DAILY)
  const replaced = await rig.ask('POST', `/workflows/${again}/replace`, wrong)
  expect([replaced.status, replaced.body]).toEqual([
    200,
    {
      status: 'success',
      workflow_id: again,
      migrations: [],
      needs_reactivate: true,
      message:
        'Trigger changed and could not be re-registered, so the workflow was deactivated. Activate it again when the trigger is valid.',
    },
  ])
})

test('an active workflow may be edited into one that cannot run: its runs are refused', async () => {
  const rig = await FlowRig.open()
  const id = await rig.arm(HELLO)
  await rig.ask('PUT', `/workflows/${id}`, { nodes: HELLO.nodes, edges: [] })
  const { status, body } = await rig.execute(id)
  expect([status, body.error, body.message]).toEqual([
    400,
    'Workflow cannot be executed',
    'Workflow cannot be executed: Not reachable from the trigger: hello',
  ])
  expect(await rig.runs(id)).toEqual([])
})

test('a run is answered with its outcome', async () => {
  const rig = await FlowRig.open()
  const hello = await rig.create(HELLO)
  const done = await rig.execute(hello)
  expect([done.status, done.body]).toEqual([
    200,
    {
      status: 'success',
      message: 'Workflow executed successfully',
      execution_id: 1,
      logs: [
        { time: expect.stringMatching(ISO), message: 'Starting workflow: Test flow', level: 'info' },
        { time: expect.stringMatching(ISO), message: 'Workflow started', level: 'info', node: 't' },
        { time: expect.stringMatching(ISO), message: '[LOG] hello', level: 'info', node: 'hello' },
      ],
    },
  ])
  expect(await rig.runs(hello)).toEqual([
    {
      id: 1,
      workflow_id: hello,
      status: 'completed',
      started_at: expect.stringMatching(ISO),
      completed_at: expect.stringMatching(ISO),
      logs: done.body.logs,
      error: null,
      trigger: 'manual',
      version: 1,
    },
  ])

  const math = await rig.create(
    graphOf({ sum: ['mathExpression', { expression: '1 / 0' }], after: note() }, 't -> sum', 'sum -> after'),
  )
  const failed = await rig.execute(math)
  const [failure] = failed.body.errors as { node: string; type: string; message: string }[]
  expect(failed.status).toBe(502)
  expect(failed.body).toMatchObject({
    status: 'error',
    message: `1 node(s) failed: mathExpression: ${failure?.message}`,
    execution_id: 2,
    errors: [{ node: 'sum', type: 'mathExpression' }],
  })
  expect((await rig.runs(math))[0]).toMatchObject({
    status: 'failed',
    error: `mathExpression: ${failure?.message}`,
  })

  const chain = Array.from({ length: 101 }, (_, index) => `n${index}`)
  const deep = await rig.create(
    graphOf(
      Object.fromEntries(chain.map((name) => [name, note()])),
      't -> n0',
      ...chain.slice(1).map((name, index) => `n${index} -> ${name}`),
    ),
  )
  const aborted = await rig.execute(deep)
  expect([aborted.status, aborted.body.message]).toEqual([500, 'Maximum node depth (100) exceeded'])
  expect(aborted.body).not.toHaveProperty('errors')
  expect((await rig.execute(deep)).status).toBe(500)
})

test('a condition that is false fails nothing', async () => {
  const rig = await FlowRig.open()
  const id = await rig.create(graphOf({ c: no, after: note('no') }, 't -> c', 'c no> after'))
  expect(await rig.execute(id)).toMatchObject({ status: 200 })
})

test('of two simultaneous calls one runs, and the other is refused', async () => {
  const rig = await FlowRig.open()
  const id = await rig.create(SLOW)
  const [first, second] = await Promise.all([rig.execute(id), rig.execute(id)])
  expect([first.status, second.status]).toEqual([200, 409])
  expect(second).toMatchObject({ code: 'conflict' })
  expect(second.body).toEqual({
    status: 'error',
    message: 'Workflow is already running',
    already_running: true,
  })
  expect(await rig.runs(id)).toHaveLength(1)
})

test('the requested number of newest runs is shown', async () => {
  const rig = await FlowRig.open()
  const id = await rig.create(HELLO)
  for (let count = 0; count < 205; count++) await rig.execute(id)
  for (const [limit, rows] of [
    ['', 20],
    ['?limit=', 20],
    ['?limit=5', 5],
    ['?limit=0', 20],
    ['?limit=-1', 1],
    ['?limit=abc', 20],
    ['?limit=9999', 200],
    ['?limit=2.9', 2],
  ] as const) {
    const shown = await rig.list(`/workflows/${id}/executions${limit}`)
    expect([limit, shown.length, shown[0]?.id]).toEqual([limit, rows, 205])
  }
  expect(await rig.list('/workflows/99/executions')).toEqual([])
})

test('someone who may only read sees no secret of a webhook and changes nothing', async () => {
  const rig = await FlowRig.open()
  const id = await rig.create(HELLO)
  const { webhook_secret: secret, webhook_token: token } = (await rig.show(id)).body
  const reader = bearer(await rig.http.tokenOf('read'))
  for (const [method, path, body] of OF_ONE) {
    const reply = await rig.ask(
      method === 'GET' && path === '/follow' ? 'POST' : method,
      `/workflows/${id}${path}`,
      body,
      reader,
    )
    const allowed = method === 'GET' && path !== '/webhook' && path !== '/follow'
    if (path !== '/follow') expect([method, path, reply.status]).toEqual([method, path, allowed ? 200 : 403])
    expect(reply.text).not.toContain(secret)
    expect(reply.text).not.toContain(token)
  }
  const list = await rig.ask('GET', '/workflows', undefined, reader)
  expect(list.status).toBe(200)
  expect(list.text).not.toContain('webhook_secret')
  for (const [method, path] of TAKES_JSON) {
    // These change nothing, so their bodies are read.
    const status = ['/plan', '/symbol-lotsizes'].includes(path) ? 400 : 403
    expect([path, (await rig.ask(method, path, { x: 1 }, reader)).status]).toEqual([path, status])
  }
  expect((await rig.http.request('GET', '/flow/api/workflows')).status).toBe(401)
})
