type Body = Readonly<Record<string, unknown>>

/** A route of `/api/v1` with a well-formed request, without its API key. */
export interface ApiRoute {
  method: 'GET' | 'POST'
  path: string
  /** The body; the query of a GET. */
  body: Body
  /** The required fields of the body. */
  required: readonly string[]
  /** The error message for a missing required field, if the route has its own. */
  sentence?: string
  /** Further fields, with a valid value. */
  optional?: Body
  /** Accepts unknown fields from a client. */
  open?: true
  /** Answers in Analyzer mode only. */
  simulated?: true
  /** Changes nothing, whatever the request. */
  reads?: true
}

const EXECUTION = {
  pricetype: 'LIMIT',
  product: 'CNC',
  price: '700.5',
  trigger_price: 0,
  disclosed_quantity: 0,
}
const LINE = { exchange: 'NSE', symbol: 'SBIN', action: 'BUY', quantity: 1 }
const STRATEGY = { strategy: 'suite' }
const UNDERLYING = { underlying: 'NIFTY', exchange: 'NSE_INDEX', expiry_date: '24NOV26' }
const LEG = { offset: 'ATM', option_type: 'ce', action: 'BUY', quantity: 65 }
const GTT = {
  ...STRATEGY,
  trigger_type: 'single',
  ...LINE,
  product: 'CNC',
  price: 690,
  triggerprice_sl: 700,
}
const SYMBOL = { symbol: 'SBIN', exchange: 'NSE' }
const OPTION = { symbol: 'NIFTY24NOV2626000CE', exchange: 'NFO' }
const POSITION = { ...LINE, product: 'MIS', pricetype: 'MARKET' }

function posted(path: string, body: Body, more: Partial<ApiRoute> = {}): ApiRoute {
  return { method: 'POST', path, body, required: Object.keys(body), ...more }
}

function fetched(path: string, body: Body, more: Partial<ApiRoute> = {}): ApiRoute {
  return { method: 'GET', path, body, required: Object.keys(body), reads: true, ...more }
}

/** Every route of `/api/v1`: orders, account, market data, instruments, options, calendar, utility. */
export const API_ROUTES: readonly ApiRoute[] = [
  posted('placeorder', { ...STRATEGY, ...LINE }, { optional: EXECUTION }),
  posted('placesmartorder', { ...STRATEGY, ...LINE, position_size: 1 }, { optional: EXECUTION }),
  posted('modifyorder', { ...STRATEGY, ...LINE, orderid: '1', ...EXECUTION }),
  posted('cancelorder', { ...STRATEGY, orderid: '1' }),
  posted('cancelallorder', STRATEGY),
  posted('closeposition', STRATEGY),
  posted('basketorder', { ...STRATEGY, orders: [LINE] }),
  posted('splitorder', { ...STRATEGY, ...LINE, splitsize: 1 }, { optional: EXECUTION }),
  posted(
    'optionsorder',
    { ...STRATEGY, underlying: 'NIFTY', exchange: 'NSE_INDEX', ...LEG },
    { optional: { expiry_date: '24NOV26', splitsize: 0, price: 0 } },
  ),
  posted(
    'optionsmultiorder',
    { ...STRATEGY, underlying: 'NIFTY', exchange: 'NSE_INDEX', legs: [LEG] },
    { optional: { expiry_date: '24NOV26' } },
  ),
  posted('placegttorder', GTT, {
    required: Object.keys(GTT).filter((field) => field !== 'triggerprice_sl'),
  }),
  posted(
    'modifygttorder',
    { ...GTT, trigger_id: '1' },
    {
      required: ['trigger_id', ...Object.keys(GTT).filter((field) => field !== 'triggerprice_sl')],
    },
  ),
  posted('cancelgttorder', { ...STRATEGY, trigger_id: '1' }),
  posted('gttorderbook', {}, { reads: true }),
  posted('orderstatus', { ...STRATEGY, orderid: '1' }, { reads: true }),
  posted('why', { id: '1' }, { reads: true }),
  posted('refusedorders', {}, { reads: true }),
  posted('openposition', { ...STRATEGY, ...SYMBOL, product: 'MIS' }),
  posted('orderbook', {}, { reads: true }),
  posted('tradebook', {}, { reads: true }),
  posted('positionbook', {}, { reads: true }),
  posted('holdings', {}, { reads: true }),
  posted('funds', {}, { reads: true }),
  posted('margin', { positions: [POSITION] }),
  posted('analyzer', {}, { reads: true }),
  posted('analyzer/toggle', { mode: false }),
  posted('pnl/symbols', {}, { simulated: true, reads: true }),
  posted('desk', {}, { reads: true }),
  posted('ping', {}, { reads: true }),

  posted('quotes', SYMBOL, { reads: true }),
  posted('multiquotes', { symbols: [SYMBOL] }, { reads: true }),
  posted('depth', SYMBOL, { reads: true }),
  posted(
    'history',
    { ...SYMBOL, interval: '5m', start_date: '2026-11-20', end_date: '2026-11-20' },
    { optional: { source: 'api' }, reads: true },
  ),
  posted('intervals', {}, { reads: true }),
  {
    method: 'GET',
    path: 'ticker/NSE:SBIN',
    body: { from: '2026-11-19', to: '2026-11-20' },
    required: ['from', 'to'],
    optional: { interval: 'D', format: 'json' },
    reads: true,
  },
  posted('symbol', SYMBOL, { reads: true }),
  posted('search', { query: 'SBIN' }, { optional: { exchange: 'NSE' }, reads: true }),
  posted('expiry', { symbol: 'NIFTY', exchange: 'NFO', instrumenttype: 'options' }, { reads: true }),
  {
    method: 'GET',
    path: 'instruments',
    body: {},
    required: [],
    optional: { exchange: 'NSE', format: 'json' },
    reads: true,
  },
  posted(
    'optionsymbol',
    { underlying: 'NIFTY', exchange: 'NSE_INDEX', offset: 'ATM', option_type: 'CE' },
    { optional: { expiry_date: '24NOV26', strike_int: 50 }, reads: true },
  ),
  posted('optionchain', UNDERLYING, {
    optional: { strike_count: 2, with_greeks: true, interest_rate: 6.5 },
    reads: true,
  }),
  posted('syntheticfuture', UNDERLYING, { reads: true }),
  posted('optiongreeks', OPTION, {
    optional: { interest_rate: 0, forward_price: 26000, expiry_time: '15:30' },
    reads: true,
  }),
  posted('multioptiongreeks', { symbols: [OPTION] }, { optional: { interest_rate: 0 }, reads: true }),
  posted('market/holidays', {}, { optional: { year: '2026' }, reads: true }),
  posted('market/timings', { date: '2026-11-20' }, { reads: true }),
  posted('checkholiday', { date: '2026-11-20' }, { optional: { exchange: 'NSE' }, reads: true }),
  { method: 'GET', path: 'chart', body: {}, required: [], open: true, reads: true },
  posted('chart', { theme: 'dark' }, { required: [], open: true }),
  posted(
    'telegram/notify',
    { username: 'asha', message: 'Hello' },
    {
      optional: { wait_for_delivery: false },
      sentence: 'Username and message are required',
      reads: true,
    },
  ),
  fetched('telegram/config', {}, { required: [] }),
  posted('telegram/config', {}, { required: [], optional: { rate_limit_per_minute: 30 } }),
  posted('telegram/start', {}, { required: [] }),
  posted('telegram/stop', {}, { required: [] }),
  fetched('telegram/users', {}, { required: [] }),
  posted('telegram/broadcast', { message: 'Hello' }, { sentence: 'Message is required' }),
  fetched('telegram/stats', { days: '7' }, { required: [] }),
  fetched(
    'telegram/preferences',
    { telegram_id: '4711' },
    { sentence: 'telegram_id is required', reads: undefined },
  ),
  posted(
    'telegram/preferences',
    { telegram_id: 4711 },
    { optional: { trade_notifications: true }, sentence: 'telegram_id is required' },
  ),
  posted('strategy/list', {}, { optional: { status: 'running', q: 'a' }, reads: true }),
  posted('strategy/status', { strategy_id: 1 }, { reads: true }),
  posted('strategy/start', { strategy_id: 1, mode: 'sandbox' }),
  posted('strategy/stop', { strategy_id: 1 }),
  posted('strategy/close_all', { strategy_id: 1 }),
  posted('strategy/close_leg', { strategy_id: 1, leg_id: 1 }),
  posted('strategy/runs', { strategy_id: 1 }, { optional: { limit: 10 }, reads: true }),
  posted('strategy/orders', { strategy_id: 1 }, { optional: { run_id: 1 }, reads: true }),
  posted(
    'strategy/events',
    { strategy_id: 1 },
    { optional: { run_id: 1, kind: 'run_started', severity: 'info', limit: 10 }, reads: true },
  ),
  posted('whatsapp/notify', {}, { optional: { self: true, message: 'Hello' }, reads: true }),
]

/** The routes that place, change, cancel or close. They check the fields of a request before its key. */
export const TRADING_ROUTES: ReadonlySet<string> = new Set([
  ...['placeorder', 'placesmartorder', 'basketorder', 'splitorder', 'optionsorder', 'optionsmultiorder'],
  ...['modifyorder', 'cancelorder', 'cancelallorder', 'closeposition'],
  ...['placegttorder', 'modifygttorder', 'cancelgttorder'],
])

/**
 * Routes that write but send no order: they end something, only reduce, or have nothing to do with orders.
 */
const SENDS_NOTHING: ReadonlySet<string> = new Set([
  'cancelorder',
  'cancelallorder',
  'cancelgttorder',
  'closeposition',
  'openposition',
  'margin',
  'analyzer/toggle',
  'chart',
  ...['config', 'start', 'stop', 'broadcast', 'preferences'].map((path) => `telegram/${path}`),
  // A run decides on each of its orders itself: its exits pass while trading is stopped.
  ...['start', 'stop', 'close_all', 'close_leg'].map((path) => `strategy/${path}`),
])

/**
 * The routes that send an order or change something into one: all routes that are not known to be harmless.
 */
export const ORDER_ROUTES: readonly ApiRoute[] = API_ROUTES.filter(
  ({ method, path, reads }) => method === 'POST' && !reads && !SENDS_NOTHING.has(path),
)
