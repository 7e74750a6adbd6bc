import { onTestFinished } from 'vitest'
import type { Clock } from '../../../src/core/time/index.js'
import { signInToBroker } from '../../../src/daemon/broker/instrument-loading.js'
import { FAKE_ACCOUNT, FakeKite } from '../../fixtures/fake-kite/server.js'
import { type DeskOptions, TestDesk } from './desk.js'

/** The time after a start in which the budgets let no call leave. */
const FIRST_SECOND_MS = 1_112

/** A fake broker that lives as long as the test, and a desk that trades live through it. */
export class KiteDesk {
  private constructor(readonly fake: FakeKite) {}

  /** `clock` is that of the broker, by default the real one. */
  static async start({ clock }: { clock?: Clock } = {}): Promise<KiteDesk> {
    // The desk's clock runs faster than that of the fake, which would count its calls in one second.
    const fake = await FakeKite.start({ limits: 'none', ...(clock && { clock }) })
    onTestFinished(() => fake.stop())
    return new KiteDesk(fake)
  }

  /**
   * Opens a desk with a session at this broker; a home with an earlier session resumes it while it is valid.
   */
  async desk(options: DeskOptions = {}): Promise<TestDesk> {
    const { api, ticker } = this.fake.endpoints
    const env = { BROKER_ENDPOINTS: `zerodha.api=${api},zerodha.ticker=${ticker}`, ...options.env }
    const desk = await TestDesk.open({ ...options, env, startWaits: options.home !== undefined })
    await desk.clock.advance(FIRST_SECOND_MS)
    desk.service.openOrders.start()
    await desk.service.brokers.use('zerodha')
    if (!desk.service.brokers.connected()) await this.signIn(desk)
    return desk
  }

  async signIn(desk: TestDesk): Promise<void> {
    const { apiKey, accessToken } = FAKE_ACCOUNT
    await desk.settled(signInToBroker(desk.service, { api_key: apiKey, access_token: accessToken }))
  }

  /** Returns the number of downloads of the whole order book. */
  get bookReads(): number {
    return this.fake.requests.filter((request) => request === 'GET /orders').length
  }
}
