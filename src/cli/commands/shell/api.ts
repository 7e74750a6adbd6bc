import { isObject, type JsonObject, parseJson } from '../../../client/answers/json.js'
import { visible } from '../../../views/table/cells.js'
import { masked } from '../../../views/text/masked.js'
import type { NounSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { type Call, failureOf, type HttpResponse } from '../../http/client.js'
import { readSecret } from '../../io/home.js'
import { withQuery } from './api-fields.js'
import { METHODS, requestOf } from './api-request.js'

export const api: NounSpec = {
  summary: 'Sends any request to the daemon with your credential, and prints the answer.',
  examples: [
    'api GET /risk',
    'api POST /api/v1/quotes -f symbol=SBIN -f exchange=NSE --jq .data.ltp',
    'api POST /api/v1/placeorder --input order.json -H "Idempotency-Key: my-key-1"',
    'api PUT /risk -F max_order_value=500000',
    'api GET /action-center/api/data -f status=all --paginate --jq ".data.orders[].id"',
    'api GET /version -i',
  ],
  details:
    'Without a method: GET, or POST with a body. Fields are the query of a GET, otherwise the JSON body; beside --input they are the query. Routes under /api/v1 get the API key, the others the session or token; without a key, these also read under /api/v1. A refusal is printed too; its exit status is that of every command. Your credentials are masked in the output.',
  arguments: [
    { syntax: '<method>', summary: `${METHODS.join(', ')}; or the path`, complete: METHODS },
    { syntax: '[path]', summary: 'path of a route; svc open docs lists them' },
  ],
  options: [
    { flags: '-X, --method <method>', summary: 'the method, instead of the first word', complete: METHODS },
    { flags: '-f, --raw-field <name=value>', summary: 'a text field (may be repeated)', repeatable: true },
    {
      flags: '-F, --field <name=value>',
      summary: 'a typed field: a number, true, null, other JSON, or the text of @file (may be repeated)',
      repeatable: true,
    },
    { flags: '--input <file>', summary: 'the body, sent unchanged; - reads stdin' },
    { flags: '-H, --header <name:value>', summary: 'a request header (may be repeated)', repeatable: true },
    { flags: '-i, --include', summary: 'print status and headers of the answer first' },
    { flags: '--paginate', summary: 'print every page of a list that has pages' },
  ],
  async run(context, input) {
    const request = await requestOf(context, input)
    const paginates = input.flag('paginate')
    if (paginates && request.method !== 'GET') throw usageError('--paginate needs a GET.')
    for (let page: Call | undefined = request; page !== undefined; ) {
      const answer: HttpResponse = await context.client().raw(page)
      await print(context, answer, input.flag('include'), credentialsOf(context, page))
      if (answer.status >= 400) throw failureOf(answer, page)
      page = paginates ? nextPage(page, answer) : undefined
    }
    return EXIT.done
  },
}

/** Returns the request for the next page; undefined after the last. */
function nextPage(call: Call, { body }: HttpResponse): Call | undefined {
  const data = isObject(body.data) ? body.data : body
  const before = data.next_before
  if (typeof before !== 'number' && typeof before !== 'string') return undefined
  return { ...call, path: withQuery(call.path, [{ name: 'before', value: String(before) }]) }
}

/** Returns the credentials that this program holds: those of the request and those stored in the home. */
function credentialsOf({ settings, io, target }: Context, { headers = {}, token }: Call): string[] {
  const stored = (['apikey.json', 'session.json', 'token.json'] as const).map(
    (name) => readSecret(target.folder, name)?.value,
  )
  const all = [
    token,
    headers['x-api-key'],
    headers.authorization,
    settings.apikey,
    io.env.SVC_API_KEY,
    io.env.SVC_TOKEN,
  ]
  return [...all, ...stored].flatMap((secret) => (secret !== undefined && secret.length > 7 ? [secret] : []))
}

async function print(
  { out, io, settings }: Context,
  answer: HttpResponse,
  withHeaders: boolean,
  secrets: readonly string[],
): Promise<void> {
  const safe = (text: string) =>
    secrets.reduce((rest, secret) => rest.replaceAll(secret, masked(secret)), text)
  if (withHeaders) out.write(safe(headText(answer)))
  const text = safe(answer.text)
  const value = parseJson(text)
  if (isObject(value)) {
    await out.answer(value, () => out.record({ record: value, fields: [], id: 'status' }))
  } else if (Array.isArray(value)) {
    const rows = value.map((row: unknown): JsonObject => (isObject(row) ? row : { value: row }))
    await out.answer(value, () => out.list({ rows, columns: [], id: 'id', empty: '' }))
  } else if (settings.format !== 'name') {
    const lines = text === '' || text.endsWith('\n') ? text : `${text}\n`
    out.write(io.stdout.isTty ? lines.split('\n').map(visible).join('\n') : lines)
  }
}

/** Returns the status line and the headers. The value of a cookie is a credential. */
function headText({ status, headers = [] }: HttpResponse): string {
  const shown = headers.map(([name, value]) =>
    visible(`${name}: ${name === 'set-cookie' ? value.replace(/=[^;]*/, '=…') : value}`),
  )
  return `${[`HTTP ${status}`, ...shown].join('\n')}\n\n`
}
