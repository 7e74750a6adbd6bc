import { onTestFinished } from 'vitest'
import { signInToBroker } from '../../src/daemon/instrument-loading.js'
import { FAKE_ACCOUNT, FakeKite } from '../fixtures/fake-kite/server.js'
import { type DeskOptions, TestDesk } from './desk.js'

/** A fake broker that lives as long as the test, and a desk that trades live through it. */
export class KiteDesk {
  private constructor(readonly fake: FakeKite) {}

  static async start(): Promise<KiteDesk> {
    const fake = await FakeKite.start()
    onTestFinished(() => fake.stop())
    return new KiteDesk(fake)
  }

  /** A desk signed in to this broker; one on a home that was signed in before resumes its session while that lasts. */
  async desk(options: DeskOptions = {}): Promise<TestDesk> {
    const { api, ticker } = this.fake.endpoints
    const env = { BROKER_ENDPOINTS: `zerodha.api=${api},zerodha.ticker=${ticker}`, ...options.env }
    const desk = await TestDesk.open({ ...options, env })
    desk.service.openOrders.start()
    await desk.service.brokers.use('zerodha')
    if (!desk.service.brokers.connected()) await this.signIn(desk)
    return desk
  }

  async signIn(desk: TestDesk): Promise<void> {
    const { apiKey, accessToken } = FAKE_ACCOUNT
    await desk.settled(signInToBroker(desk.service, { api_key: apiKey, access_token: accessToken }))
  }

  /** How often the whole order book was downloaded. */
  get bookReads(): number {
    return this.fake.requests.filter((request) => request === 'GET /orders').length
  }
}
