import { isObject, type JsonObject, textMember } from '../../../client/answers/json.js'
import { symbolOf } from '../../../views/text/symbol.js'
import { factsInWords, inWords } from '../../../views/text/words.js'

/** An event for a person. */
interface EventLine {
  topic: string
  /** `NSE:SBIN`, or empty. */
  symbol: string
  words: string
  tone: 'green' | 'red' | 'yellow' | undefined
}

type Words = (data: JsonObject) => string

/** Returns the words of the fields that have a value. */
const joined = (data: JsonObject, ...names: string[]): string =>
  names.flatMap((name) => textMember(data, name) || []).join(' ')

const order = (data: JsonObject): string =>
  [joined(data, 'action', 'quantity', 'pricetype', 'price_type', 'product', 'product_type'), orderId(data)]
    .filter((part) => part !== '')
    .join(', ')

const orderId = (data: JsonObject): string => {
  const id = textMember(data, 'orderid')
  // A request of several orders has a count here: "2/2 orders".
  return id ? (id.endsWith(' orders') ? id : `order ${id}`) : ''
}

/** Appends a reason after a colon, if there is one. */
const because = (text: string, reason: string | undefined): string => (reason ? `${text}: ${reason}` : text)

/** The words of each event. Events without an entry show their fields. */
const WORDS: Readonly<Record<string, Words>> = {
  order_event: (data) => `accepted: ${order(data)}`,
  order_failed: (data) =>
    because(`failed: ${joined(data, 'api_type')} ${orderId(data)}`.trimEnd(), textMember(data, 'message')),
  order_update: (data) =>
    because(
      `${textMember(data, 'order_status')}: ${order(data)}, filled ${textMember(data, 'filled_quantity')} at ${textMember(data, 'average_price')}`,
      textMember(data, 'rejection_reason'),
    ),
  order_in_doubt: (data) =>
    `${textMember(data, 'state') === 'settled' ? 'doubt settled' : 'IN DOUBT'}: ${order(data)}. ${textMember(data, 'message') ?? ''}`,
  analyzer_update: (data) => analyzed(data),
  pending_order_created: (data) =>
    `waits for approval: ${textMember(data, 'pending_order_id')} (${textMember(data, 'api_type')})`,
  pending_order_updated: (data) =>
    data.action === 'batch_approved'
      ? `${textMember(data, 'count')} approved together`
      : `approval ${textMember(data, 'order_id')} ${textMember(data, 'action')}`,
  app_mode_changed: (data) =>
    data.analyze_mode === true ? 'orders are simulated' : 'LIVE: orders reach the broker',
  kill_switch: (data) =>
    because(
      `kill switch ${data.engaged === true ? 'ON' : 'off'} by ${textMember(data, 'by')}`,
      textMember(data, 'reason'),
    ),
  flow_execution: (data) =>
    because(
      `${textMember(data, 'workflow_name')} ${textMember(data, 'status')} (run ${textMember(data, 'execution_id')}, ${textMember(data, 'trigger')})`,
      textMember(data, 'error'),
    ),
  strategy_event: (data) =>
    `strategy ${textMember(data, 'strategy_id')} ${textMember(data, 'severity')} ${textMember(data, 'kind')}: ${textMember(data, 'message')}`,
  strategy_order_update: (data) =>
    because(
      `strategy ${textMember(data, 'strategy_id')} order ${textMember(data, 'order_ref')} ${textMember(data, 'status')}`,
      textMember(data, 'reason'),
    ),
  strategy_run_update: (data) =>
    `strategy ${textMember(data, 'strategy_id')} run ${textMember(data, 'run_id')} ${textMember(data, 'state')} ${textMember(data, 'mtm_total')}`,
  backup_failed: (data) => because('backup failed', textMember(data, 'message')),
  broker_session: brokerSession,
  broker_drift: (data) => `${textMember(data, 'message')}`,
  active_sessions_update: (data) => `${textMember(data, 'count')} signed in`,
  gap: (data) => `${textMember(data, 'lost')} events were lost`,
}

/** The events without words of their own: their message says it all. */
const PLAIN = [
  ...['order_notification', 'modify_order_event', 'cancel_order_event', 'close_position_event', 'gtt_event'],
  ...['master_contract_download', 'force_logout'],
]

export const EVENT_NAMES: readonly string[] = [...Object.keys(WORDS), ...PLAIN]

/** What a session that is not just signed in means for orders. */
const SESSION_EFFECTS: Readonly<Record<string, string>> = {
  expires_soon: 'session ends soon',
  ip_not_allowed: 'orders from this address are refused',
  signed_out: 'session ended, live orders are refused',
}

function brokerSession(data: JsonObject): string {
  const [broker, state = ''] = [textMember(data, 'broker'), textMember(data, 'state')]
  if (state === 'signed_in') return `signed in at ${broker}`
  const effect = SESSION_EFFECTS[state] ?? 'session lost, live orders are refused'
  return because(`${broker} ${effect}`, textMember(data, 'reason'))
}

/** The words of a simulated order: the request with its answer, or what the sandbox did by itself. */
function analyzed({ request, response }: JsonObject): string {
  const [asked, answer] = [isObject(request) ? request : {}, isObject(response) ? response : {}]
  const event = textMember(answer, 'event')
  if (event !== undefined) {
    const price = textMember(answer, 'price')
    const what = inWords(event.replace(/^sandbox\./, ''))
    return `simulated, ${what}: ${order(answer)}${price ? ` at ${price}` : ''}`
  }
  const facts = { ...asked, ...answer }
  const name = textMember(asked, 'api_type')
  const what = [name === undefined ? '' : inWords(name), order(facts)].filter((part) => part !== '').join(' ')
  return textMember(answer, 'status') === 'error'
    ? because(`simulated, refused: ${what}`, textMember(answer, 'message'))
    : `simulated: ${what}`
}

const GREEN = /(^|\b)(complete|filled|approved|accepted)\b/
const RED = /\b(IN DOUBT|LIVE|ON|refused|rejected|failed|error|lost)\b/
const YELLOW = /\b(waits|ends soon|cancelled|expired|trigger pending)\b/

function toneOf(words: string): EventLine['tone'] {
  const head = words.split(':')[0] ?? ''
  if (RED.test(head)) return 'red'
  if (YELLOW.test(head)) return 'yellow'
  return GREEN.test(head) ? 'green' : undefined
}

/** Returns the topic, the symbol and the words of an event. */
export function eventLine(event: string, data: JsonObject): EventLine {
  const words = WORDS[event]?.(data) ?? factsInWords(data, OMITTED)
  return { topic: event, symbol: anySymbolOf(data), words, tone: toneOf(words) }
}

const OMITTED = new Set(['user_id', 'symbol', 'exchange', 'mode'])

/** Returns the symbol of an event, of its request or of its answer. */
function anySymbolOf(data: JsonObject): string {
  const symbols = [data, data.request, data.response].map((facts) => (isObject(facts) ? symbolOf(facts) : ''))
  return symbols.find((symbol) => symbol !== '') ?? ''
}
