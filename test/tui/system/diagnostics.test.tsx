import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { metricIn } from '../../../src/tui/system/health-feed.js'
import { accessOf } from '../support/access.js'
import { ENTER, ESC } from '../support/shown.js'
import { openSystem, sizeOf } from './system-desk.js'

it('p runs the probes and shows their results', async () => {
  const { open } = await openSystem()
  const app = await open('diagnostics')
  await app.shows('No probe has run. Run them: p')
  await app.press('p')
  await app.shows(/all probes passed|probes? FAILED/)
  await app.shows(/PROBE +OK +MS +DETAIL/)
  await app.shows(/> .* (yes|NO) /)
  expect(sizeOf(app.screen()).widest).toBeLessThanOrEqual(80)
  await app.press(ENTER)
  await app.shows(/DETAIL +\S/)
  await app.press(ESC)
  await app.shows('PROBE')
})

it('shows that the probes run, also after another tab', async () => {
  const { access, open } = await openSystem()
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  const slow = new Proxy(access.client(10_000), {
    get(client, name) {
      if (name !== 'request') return Reflect.get(client, name)
      return async (route: string, ...rest: [object]) => {
        if (route.startsWith('POST /admin')) await promise
        return Reflect.apply(client.request, client, [route, ...rest])
      }
    },
  })
  const app = await open('diagnostics', { client: () => slow })
  await app.press('p')
  await app.shows(/running the probes for \d+s …/)
  await app.shows('Running the probes …')
  await app.press('\t')
  await app.shows('[health]')
  await app.press('\u001b[Z')
  await app.shows('running the probes')
  resolve()
  await app.shows(/all probes passed|FAILED/)
})

it('a token without the scope gets the refusal of the daemon', async () => {
  const desk = await openSystem()
  const app = await desk.open('diagnostics', await accessOf(desk, 'read'))
  await app.press('p')
  await app.shows(/admin/)
})

it('health shows the samples, the load and that there are no alerts', async () => {
  const { http, open } = await openSystem()
  http.daemon.metrics.watchProcess()
  for (let sample = 0; sample < 3; sample += 1) {
    await http.desk.clock.advance(10_000)
    await http.daemon.health.sample()
  }
  const app = await open('health')
  await app.shows(/status (pass|warn|fail) {2}0 open alerts/)
  await app.shows(/memory MB +\w+ +[\d,.]+ +[\d,.]+ +[\d,.]+ +[\d,.]+/)
  await app.shows(/file descriptors +\w+ +\d+/)
  await app.shows(/database connections +\w+ +\d+/)
  await app.shows(/event loop lag ms +[\d.]+/)
  await app.shows('Memory in MB')
  await app.shows('No open alerts.')
  const { lines, widest } = sizeOf(app.screen())
  expect([lines <= 21, widest <= 80]).toEqual([true, true])
})

it('health shows alerts; a acknowledges one and x resolves it', async () => {
  const threshold = String(Math.max(1, readdirSync('/proc/self/fd').length - 5))
  const { client, http, open } = await openSystem({ env: { HEALTH_FD_WARNING_THRESHOLD: threshold } })
  await http.desk.clock.advance(10_000)
  await http.daemon.health.sample()
  const app = await open('health')
  await app.shows(/> +\d+ .*warn/)
  await app.press('a')
  await app.shows('Alert acknowledged.')
  await expect
    .poll(async () => (await client.request('GET /health/api/alerts', {}))[0]?.acknowledged)
    .toBe(true)
  await app.press(ENTER)
  await app.shows(/THRESHOLD +\d+/)
  await app.press(ESC)
  await app.press('x')
  await app.shows('Alert resolved.')
  await app.shows('No open alerts.')
})

it('health without samples, and for a token without the scope', async () => {
  const desk = await openSystem()
  const app = await desk.open('health')
  await app.shows(/no sample yet|status/)
  await app.shows('No open alerts.')
  app.unmount()
  const other = await desk.open('health', await accessOf(desk, 'orders'))
  await other.shows(/read/)
})

it.each([
  ['a 1.5\n', 1.5],
  ['# HELP a b\n# TYPE a counter\na 2 1700000000\n', 2],
  ['ab 3\n', undefined],
  ['a{x="1"} 3\n', undefined],
  ['a none\n', undefined],
])('metric a in %j is %j', (text, value) => {
  expect(metricIn(text, 'a')).toBe(value)
})

it.each([
  [40, 12],
  [20, 6],
  [200, 60],
])('every tab fits a terminal of %i columns and %i lines', async (width, height) => {
  const { http, open } = await openSystem({ width, height })
  for (let sample = 0; sample < 3; sample += 1) {
    await http.desk.clock.advance(10_000)
    await http.daemon.health.sample()
  }
  const app = await open()
  for (let tab = 0; tab < 7; tab += 1) {
    await app.shows(/\S/)
    await expect.poll(() => app.screen().includes('Reading')).toBe(false)
    const { lines, widest } = sizeOf(app.screen())
    expect([lines <= height, widest <= width]).toEqual([true, true])
    await app.press('\t')
  }
})
