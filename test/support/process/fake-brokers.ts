import { ACCOUNT as ANGEL_ACCOUNT } from '../../fixtures/fake-angel/server.js'
import { ACCOUNT as DHAN } from '../../fixtures/fake-dhan/sign-in.js'
import { FAKE_ACCOUNT } from '../../fixtures/fake-kite/server.js'
import { FAKE_ACCOUNT as UPSTOX } from '../../fixtures/fake-upstox/sign-in.js'

/** How the end-to-end tests start the fake of a broker as a process, and sign in to it. */
export interface FakeBroker {
  /** The id of the plugin. */
  id: string
  /** The program, from the root of the repository: it takes `--port` and `--ledger`, and prints `{"port":N}` when it listens. */
  program: string
  /**
   * Returns the endpoints of the plugin by their names in `BROKER_ENDPOINTS`.
   * @param at the address and port of the fake
   */
  endpoints(at: string): Readonly<Record<string, string>>
  /** The fields of the sign-in. */
  fields: Readonly<Record<string, string>>
  /** The most orders of a test's traffic, where the broker takes fewer in a minute than the test sends. */
  mostOrders?: number
}

/** Every plugin that the daemon knows has a row: `test/daemon/broker/plugins.test.ts` counts them. */
export const FAKE_BROKERS = {
  zerodha: {
    id: 'zerodha',
    program: 'test/fixtures/fake-kite/main.ts',
    endpoints: (at) => ({ 'zerodha.api': `http://${at}`, 'zerodha.ticker': `ws://${at}` }),
    fields: { api_key: FAKE_ACCOUNT.apiKey, access_token: FAKE_ACCOUNT.accessToken },
  },
  upstox: {
    id: 'upstox',
    program: 'test/fixtures/fake-upstox/main.ts',
    // The host of orders is a path of the fake.
    endpoints: (at) => ({
      'upstox.login': `http://${at}`,
      'upstox.api': `http://${at}`,
      'upstox.hft': `http://${at}/hft`,
      'upstox.master': `http://${at}`,
    }),
    fields: { api_key: UPSTOX.apiKey, access_token: UPSTOX.accessToken },
  },
  angel: {
    id: 'angel',
    program: 'test/fixtures/fake-angel/main.ts',
    endpoints: (at) => ({
      'angel.api': `http://${at}`,
      'angel.feed': `ws://${at}`,
      'angel.orders': `ws://${at}`,
      'angel.master': `http://${at}`,
    }),
    fields: {
      api_key: ANGEL_ACCOUNT.apiKey,
      client_code: ANGEL_ACCOUNT.clientCode,
      pin: ANGEL_ACCOUNT.pin,
      totp_secret: ANGEL_ACCOUNT.totpSecret,
    },
  },
  dhan: {
    id: 'dhan',
    program: 'test/fixtures/fake-dhan/main.ts',
    endpoints: (at) => ({
      'dhan.auth': `http://${at}`,
      'dhan.api': `http://${at}/v2`,
      'dhan.feed': `ws://${at}`,
      'dhan.orders': `ws://${at}`,
      'dhan.master': `http://${at}`,
    }),
    fields: { client_id: DHAN.clientId, access_token: DHAN.accessToken },
    mostOrders: 150,
  },
} as const satisfies Readonly<Record<string, FakeBroker>>

export const EVERY_FAKE_BROKER: readonly FakeBroker[] = Object.values(FAKE_BROKERS)
