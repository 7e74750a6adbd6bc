import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { barriers, browserMissing, launch } from '../support/browser.js'
import { TORTURE } from '../support/chance/chance.js'
import { queueOne } from '../support/desk/desk-state.js'
import { Authenticator } from '../support/process/authenticator.js'
import { DaemonProcess, PASSWORD, USERNAME } from '../support/process/daemon-process.js'

/* The pages in a real browser, served by the real process: without a script, with one, on a desk and on a phone. */

/** A folder for pictures of all pages, to look at them. */
const PICTURES = process.env.SVC_PICTURES
const DESK = { width: 1280, height: 900 }
const SMALL_PHONE = { width: 320, height: 640 }
const DEVICES = [
  { name: 'a desk', viewport: DESK, colorScheme: 'light' },
  { name: 'a phone', viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
  { name: 'a small phone', viewport: SMALL_PHONE, colorScheme: 'light' },
] as const

const PAGES = [
  '/action-center?status=all',
  '/action-center?confirm=all',
  '/logs',
  '/logs/sandbox',
  '/logs/traffic',
  '/logs/latency',
  '/logs/security',
  '/logging',
  '/search?symbol=nifty',
  '/pnl-tracker',
  '/orders',
  '/positions',
]
/** The pages of one strategy that runs and of one that does not. */
const strategyPages = (running: number, stopped: number) => [
  '/strategies',
  `/strategies/${running}`,
  ...['stop', 'kill', 'close&leg=1'].map((question) => `/strategies/${running}?confirm=${question}`),
  `/strategies/${stopped}`,
  ...['allow-live', 'live'].map((question) => `/strategies/${stopped}?confirm=${question}`),
  '/auth/reauthenticate?next=/strategies',
]
const PAIR = {
  underlying: 'SBIN',
  underlying_exchange: 'NSE',
  strategy_type: 'positional',
  product: 'MIS',
  legs: [
    { segment: 'cash', position: 'B', lots: 10, sl_pts: 500 },
    { segment: 'cash', position: 'S', lots: 4, sl_pts: 500 },
  ],
}

describe.skipIf(browserMissing !== undefined)(
  ['in a browser', browserMissing].filter(Boolean).join(', '),
  () => {
    let daemon: DaemonProcess
    let browser: Browser
    beforeAll(async () => {
      daemon = await DaemonProcess.ready()
      browser = await launch()
    })
    afterAll(async () => {
      await browser?.close()
      await daemon?.dispose()
    })

    /** Opens a page in a window of its own, and collects what the browser complains about. */
    async function windowWith(options: Parameters<Browser['newContext']>[0]) {
      const context = await browser.newContext({ viewport: DESK, ...options })
      const page = await context.newPage()
      const complaints: string[] = []
      page.on('pageerror', ({ message }) => complaints.push(message))
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text())
      })
      return { context, page, complaints }
    }

    async function signIn(page: Page, path = '/action-center'): Promise<void> {
      await page.goto(daemon.url + path)
      await page.fill('[name=username]', USERNAME)
      await page.fill('[name=password]', PASSWORD)
      await page.click('button')
      await page.waitForURL(daemon.url + path)
    }

    /** Opens a page with the session of the daemon's client: a user has only a few sessions at a time. */
    async function openSignedIn(page: Page, path = '/action-center'): Promise<void> {
      await page.context().addCookies([{ name: 'session', value: daemon.token, url: daemon.url }])
      await page.goto(daemon.url + path)
    }

    async function inSemiAuto(work: () => Promise<void>): Promise<void> {
      await daemon.orderMode('semi_auto')
      await work().finally(() => daemon.orderMode('auto'))
    }

    it('a user signs in, approves and rejects without any script, and sees each result', async () => {
      const { context, page } = await windowWith({ javaScriptEnabled: false })
      await inSemiAuto(async () => {
        const [bought, refused] = [await queueOne(daemon), await queueOne(daemon, { quantity: 7 })]
        await signIn(page)
        const row = page.locator(`#order-${bought}`)
        expect(await row.innerText()).toMatch(/SBIN NSE[\s\S]*BUY[\s\S]*10[\s\S]*₹/)
        await row.getByRole('button', { name: `Approve order ${bought}` }).click()
        expect(await page.locator('.notice').first().innerText()).toContain('approved and executed')
        expect(await page.getByLabel(`Order ${bought}`, { exact: true }).innerText()).toContain('order id')
        expect(await page.locator(`#order-${bought}`).count()).toBe(0)
        await page.getByLabel(`Reason to reject order ${refused}`).fill('too many')
        await page.getByRole('button', { name: `Reject order ${refused}` }).click()
        expect(await page.getByLabel(`Order ${refused}`, { exact: true }).innerText()).toContain('too many')
        expect(await page.locator('main').innerText()).toContain('No order waits here.')
      })
      await context.close()
    })

    it('a list learns of decisions elsewhere: a decided order cannot be approved, a new one is announced', async () => {
      const { context, page, complaints } = await windowWith({})
      await inSemiAuto(async () => {
        const id = await queueOne(daemon)
        await openSignedIn(page)
        await page.getByText('Updates by itself').waitFor()
        const approve = page.getByRole('button', { name: `Approve order ${id}` })
        expect(await approve.isEnabled()).toBe(true)
        await daemon.request('POST', `/action-center/reject/${id}`)
        await page.locator(`#order-${id}.stale`).waitFor()
        expect(await approve.count()).toBe(0)
        expect(await page.locator(`#order-${id}`).innerText()).toContain('no longer pending')
        const another = await queueOne(daemon)
        await page.getByText('1 more:').waitFor()
        expect(await page.locator(`#order-${another}`).count()).toBe(0)
        await page.getByRole('link', { name: 'show them' }).click()
        await page.locator(`#order-${another}`).waitFor()
        await daemon.request('POST', `/action-center/reject/${another}`)
      })
      expect(complaints).toEqual([])
      await context.close()
    })

    it('a list of another mode or broker than that of its head sends nothing before somebody looks again', async () => {
      const { context, page, complaints } = await windowWith({})
      await inSemiAuto(async () => {
        const id = await queueOne(daemon)
        await openSignedIn(page)
        await page.getByText('Updates by itself').waitFor()
        const reject = page.getByRole('button', { name: `Reject order ${id}` })
        expect(await reject.isEnabled()).toBe(true)
        await daemon.analyze(true)
        await page.getByText('Orders go elsewhere now: reload the page').waitFor()
        expect(await page.getByText('Analyzer', { exact: true }).count()).toBeGreaterThan(0)
        expect(await reject.isEnabled()).toBe(false)
        await daemon.analyze(false)
        await page.reload()
        expect(await reject.isEnabled()).toBe(true)
        await daemon.request('POST', `/action-center/reject/${id}`)
      })
      expect(complaints).toEqual([])
      await context.close()
    })

    it('the order log shows an order by itself, is filtered, and exported as it is filtered', async () => {
      const { context, page, complaints } = await windowWith({ acceptDownloads: true })
      await openSignedIn(page, '/logs')
      await daemon.place({ strategy: 'page-test' })
      await page.getByText('page-test').first().waitFor()
      await page.getByLabel('Words in type').fill('no-such-words')
      await page.getByRole('button', { name: 'Filter' }).click()
      expect(await page.locator('main').innerText()).toContain('No request in this period.')
      expect(await page.locator('.pager').count()).toBe(0)
      await page.getByLabel('Words in type').fill('PAGE-TEST')
      await page.getByRole('button', { name: 'Filter' }).click()
      expect(await page.locator('tbody tr').count()).toBe(1)
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Export as CSV' }).click(),
      ])
      expect(download.suggestedFilename()).toMatch(/^svc_logs_\d{8}_\d{6}\.csv$/)
      const lines = readFileSync(await download.path(), 'utf8')
        .trim()
        .split('\r\n')
      expect(lines).toHaveLength(2)
      expect(lines[1]).toContain('page-test')
      expect(complaints).toEqual([])
      await context.close()
    })

    it('the P&L page draws the profit of the day and its drawdown', async () => {
      const { context, page, complaints } = await windowWith({})
      await daemon.place()
      await openSignedIn(page, '/pnl-tracker')
      const charts = page.getByRole('img')
      const { body } = await daemon.request<{ data: { pnl_series: unknown[] } }>(
        'POST',
        '/pnltracker/api/pnl',
      )
      // The day of the profit begins at 09:00: before it there is nothing to draw.
      if (body.data.pnl_series.length === 0) expect(await charts.count()).toBe(0)
      else {
        // The page waits for no bars, and shows them by itself.
        await charts.first().waitFor()
        expect(await charts.count()).toBe(2)
        expect(await charts.first().getAttribute('aria-label')).toMatch(/^Profit and loss: now -?₹/)
        expect(await page.locator('polyline').first().getAttribute('points')).toMatch(/^[\d.]+,[\d.]+/)
      }
      expect(complaints).toEqual([])
      await context.close()
    })

    async function strategy(name: string): Promise<number> {
      const made = await daemon.request<{ data: { id: number } }>('POST', '/strategy/api/strategies', {
        ...PAIR,
        name,
      })
      expect(made.status).toBe(201)
      return made.body.data.id
    }
    const act = (id: number, path: string, body?: object) =>
      daemon.request('POST', `/strategy/api/strategies/${id}/${path}`, body)

    it('a user starts a strategy in the sandbox and stops it after a question, without any script', async () => {
      const { context, page } = await windowWith({ javaScriptEnabled: false, viewport: SMALL_PHONE })
      const id = await strategy('By hand')
      await openSignedIn(page, '/strategies')
      await page.getByRole('link', { name: 'By hand' }).click()
      await page.getByRole('button', { name: 'Start in the sandbox' }).click()
      expect(await page.locator('.notice').first().innerText()).toMatch(
        /^Run \d+ has started in sandbox mode\.$/,
      )
      await page.reload()
      expect(await page.locator('main').innerText()).toMatch(/running[\s\S]*long 10[\s\S]*short 4/)
      await page.getByRole('link', { name: 'Stop…', exact: true }).click()
      expect(await page.locator('main').innerText()).toMatch(/leg 1: long 10 SBIN[\s\S]*leg 2: short 4 SBIN/)
      await page.getByRole('link', { name: 'Change nothing' }).click()
      await page.getByRole('link', { name: 'Stop…', exact: true }).click()
      await page.getByRole('button', { name: 'Stop and close' }).click()
      await page.waitForURL(`${daemon.url}/strategies/${id}`)
      expect(await page.locator('.notice').first().innerText()).toMatch(/^Run \d+ is stop/)
      await context.close()
    })

    it('an open page of a strategy follows its run; its buttons never change under the pointer', async () => {
      const { context, page, complaints } = await windowWith({})
      const id = await strategy('Followed')
      await openSignedIn(page, `/strategies/${id}`)
      await page.getByText('Updates by itself').waitFor()
      const start = page.getByRole('button', { name: 'Start in the sandbox' })
      expect(await start.isEnabled()).toBe(true)
      await act(id, 'start', { mode: 'sandbox' })
      await page.getByText('Legs now').waitFor()
      expect([await start.count(), await start.isEnabled()]).toEqual([1, false])
      await page.getByRole('link', { name: 'Show what can be done now' }).click()
      await page.getByRole('link', { name: 'Stop…', exact: true }).waitFor()
      expect(await start.count()).toBe(0)
      await act(id, 'stop')
      await page.getByText('manual').first().waitFor()
      expect(complaints).toEqual([])
      await context.close()
    })

    /** Returns the pages that a signed-in user opens, with one strategy that runs and one that does not. */
    async function everyPage(): Promise<string[]> {
      await queueOne(daemon, { strategy: 'a rather long name of a strategy \u202Eevil' })
      const running = await strategy('A rather long name of a strategy')
      const stopped = await strategy('Stopped')
      await act(running, 'start', { mode: 'sandbox' })
      await act(running, 'legs/2/close')
      await act(stopped, 'kill_switch')
      return [...PAGES, ...strategyPages(running, stopped)]
    }

    it('no page has a barrier or leaves the screen of a desk or a phone', async () => {
      // The check of the barriers is a script of its own, which the policy of the pages would refuse.
      const { context, page } = await windowWith({ bypassCSP: true })
      let pages = 0
      const expectNoBarrier = async (path: string) => {
        const checked = DEVICES[pages++ % DEVICES.length]
        await page.goto(daemon.url + path)
        for (const device of DEVICES) {
          await page.setViewportSize(device.viewport)
          await page.emulateMedia({ colorScheme: device.colorScheme })
          const excess = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
          expect([path, device.name, excess]).toEqual([path, device.name, 0])
          // The check takes far longer than the page: `npm test` makes it once for each page.
          if (TORTURE || PICTURES !== undefined || device === checked) {
            expect([path, device.name, await look(page, path, device.name)]).toEqual([path, device.name, []])
          }
        }
      }
      await expectNoBarrier('/login')
      await openSignedIn(page)
      await inSemiAuto(async () => {
        for (const path of await everyPage()) await expectNoBarrier(path)
      })
      await context.close()
    })

    it('a sign-in with a second factor asks for the code', async () => {
      const authenticator = await Authenticator.of(daemon)
      await authenticator.turnOn(daemon)
      const { context, page } = await windowWith({ javaScriptEnabled: false })
      await page.goto(`${daemon.url}/traffic`)
      await page.fill('[name=username]', USERNAME)
      await page.fill('[name=password]', PASSWORD)
      await page.click('button')
      await page.fill('[name=totp_code]', '000000')
      await page.click('button')
      expect(await page.locator('.notice').innerText()).toContain('Invalid TOTP code')
      await page.fill('[name=totp_code]', await authenticator.next())
      await page.click('button')
      await page.waitForURL(`${daemon.url}/traffic`)
      await context.close()
    })

    it('a fresh installation is set up in the browser, which shows the API key once', async () => {
      const fresh = new DaemonProcess()
      await fresh.start()
      const { context, page } = await windowWith({ javaScriptEnabled: false })
      await page.goto(`${fresh.url}/logs`)
      await page.waitForURL(`${fresh.url}/setup`)
      const fill = async (again: string) => {
        const account = {
          username: 'ravi',
          email: 'ravi@example.org',
          password: PASSWORD,
          confirm_password: again,
        }
        for (const [name, value] of Object.entries(account)) await page.fill(`[name=${name}]`, value)
        await page.click('button')
      }
      await fill('Another1!')
      expect(await page.locator('.notice').innerText()).toBe('The two passwords differ')
      await fill(PASSWORD)
      expect(await page.locator('.secret').innerText()).toMatch(/^[0-9a-f]{64}$/)
      await page.goto(`${fresh.url}/setup`)
      await page.waitForURL(`${fresh.url}/login`)
      await context.close()
      await fresh.dispose()
    })
  },
)

/** Checks a page for barriers, and takes a picture of it where somebody wants to look. */
async function look(page: Page, path: string, device: string): Promise<string[]> {
  if (PICTURES !== undefined) {
    mkdirSync(PICTURES, { recursive: true })
    const name = `${device} ${path}`.replaceAll(/\W+/g, '-')
    await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true })
  }
  return barriers(page)
}
