import { createHash } from 'node:crypto'
import type {
  DocumentedOperation,
  DocumentedResponse,
  OpenApiDocument,
  Parameter,
  Reference,
} from './document.js'
import { STYLE } from './page-style.js'
import { sketch } from './sketch.js'

interface Page {
  html: string
  /** The Content-Security-Policy that the page needs. It allows the page's own style and nothing else. */
  policy: string
}

interface Entry {
  method: string
  path: string
  operation: DocumentedOperation
}

/** Returns the document as an HTML page without scripts or external resources. */
export function referencePage(document: OpenApiDocument): Page {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Entry => ({ method, path, operation })),
  )
  const chapters = document.tags.map((tag) => ({
    ...tag,
    entries: entries.filter(({ operation }) => operation.tags.includes(tag.name)),
  }))
  const { title, version, description } = document.info
  const html = [
    '<!doctype html>',
    '<html lang="en">',
    '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)} API</title><style>${STYLE}</style></head>`,
    '<body>',
    `<nav aria-label="Endpoints">${chapters.map((chapter) => contents(chapter)).join('')}</nav>`,
    `<main><h1>${escaped(title)} API <span class="dim">${escaped(version)}</span></h1>`,
    `<p>${escaped(description)}</p>`,
    '<p>Machine-readable form: <a href="/openapi.json">/openapi.json</a>. In the examples <code>$URL</code> is the address of the',
    ' service, <code>$KEY</code> the API key and <code>$TOKEN</code> a personal access token.</p>',
    '<h2 id="Error">Error</h2><p>Every refusal has this shape.</p>',
    block(sketch(document.components.schemas.Error)),
    ...chapters.map(
      ({ name, description: about, entries: own }) =>
        `<h2 id="${anchor(name)}">${escaped(name)}</h2><p>${escaped(about)}</p>${own.map((entry) => article(entry, document)).join('')}`,
    ),
    '</main></body></html>',
  ].join('\n')
  const hash = createHash('sha256').update(STYLE).digest('base64')
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  return { html, policy }
}

function contents({ name, entries }: { name: string; entries: readonly Entry[] }): string {
  const items = entries.map(
    ({ method, path, operation }) =>
      `<li><a href="#${operation.operationId}"><span class="method ${method}">${method.toUpperCase()}</span> ${escaped(path.replace('/api/v1/', ''))}</a></li>`,
  )
  return `<h2><a href="#${anchor(name)}">${escaped(name)}</a></h2><ul>${items.join('')}</ul>`
}

function article(entry: Entry, document: OpenApiDocument): string {
  const { method, path, operation } = entry
  const id = operation.operationId
  return [
    `<article id="${id}"><h3><a href="#${id}"><span class="method ${method}">${method.toUpperCase()}</span> ${escaped(path)}</a></h3>`,
    `<p>${escaped(operation.summary)} <span class="dim">${escaped(credential(operation))}</span></p>`,
    fields(entry),
    `<h4>Example</h4>${block(curl(entry))}`,
    ...Object.entries(operation.responses).map(([status, response]) =>
      answer(status, resolved(response, document)),
    ),
    '</article>',
  ].join('')
}

function credential({ security }: DocumentedOperation): string {
  if (security.length === 0) return 'Open.'
  if (security.some(({ apiKey }) => apiKey)) return 'API key.'
  const scopes = security.flatMap(({ bearer = [] }) => bearer)
  return scopes.length > 0 ? `Session, or a token with ${scopes.join(' or ')}.` : 'Session or token.'
}

/** Returns one table of every parameter, header and field that a caller can send. */
function fields({ operation }: Entry): string {
  const body = operation.requestBody?.content['application/json']?.schema
  const inBody = Object.entries(body?.properties ?? {}).map(
    ([name, schema]): Parameter & { place: string } => ({
      name,
      in: 'query',
      place: 'body',
      required: body?.required?.includes(name) ?? false,
      schema,
    }),
  )
  const rows = [...(operation.parameters ?? []).map((given) => ({ ...given, place: given.in })), ...inBody]
  if (rows.length === 0) return ''
  const cells = rows.map(({ name, place, required, description, schema }) => {
    const preset = schema.default === undefined ? 'optional' : `default ${JSON.stringify(schema.default)}`
    const about = description ?? schema.description ?? ''
    return `<tr><td><code>${escaped(name)}</code></td><td>${place}</td><td><code>${escaped(sketch(schema))}</code></td><td>${required ? 'required' : escaped(preset)}</td><td>${escaped(about)}</td></tr>`
  })
  return `<table><thead><tr><th>Field</th><th>In</th><th>Type</th><th>Needed</th><th>About</th></tr></thead><tbody>${cells.join('')}</tbody></table>`
}

function resolved(
  response: DocumentedResponse | Reference,
  { components }: OpenApiDocument,
): DocumentedResponse {
  if (!('$ref' in response)) return response
  return components.responses[response.$ref.split('/').at(-1) ?? ''] ?? { description: '' }
}

function answer(status: string, { description, content = {} }: DocumentedResponse): string {
  const shapes = Object.entries(content).map(([type, { schema }]) =>
    type === 'application/json' ? sketch(schema) : type,
  )
  if (shapes.join() === 'Error') {
    return `<p class="dim"><strong>${escaped(status)}</strong> ${escaped(description)}</p>`
  }
  return `<h4>${escaped(status)} ${escaped(description)}</h4>${block(shapes.join('\n\n'))}`
}

/** Returns a command line that calls the operation. */
function curl({ method, path, operation }: Entry): string {
  const isKeyed = operation.security.some(({ apiKey }) => apiKey)
  const media = operation.requestBody?.content['application/json']
  const parts = ['curl -fsS']
  if (method !== 'get') parts.push(`-X ${method.toUpperCase()}`)
  parts.push(`"$URL${path.replace(/\{(\w+)\}/g, '<$1>')}${queryOf(operation)}"`)
  if (isKeyed) parts.push('-H "X-API-KEY: $KEY"')
  else if (operation.security.length > 0) parts.push('-H "Authorization: Bearer $TOKEN"')
  if (media) {
    const body = JSON.stringify(media.example, (key, value) => (key === 'apikey' ? undefined : value))
    parts.push("-H 'Content-Type: application/json'", `-d '${body.replaceAll("'", "'\\''")}'`)
  }
  return parts.join(' \\\n  ')
}

function queryOf({ parameters = [] }: DocumentedOperation): string {
  const given = parameters.filter(({ example }) => example !== undefined)
  const pairs = given.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`)
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}

const anchor = (name: string) => name.replaceAll(' ', '-')
const block = (text: string) => `<pre><code>${escaped(text)}</code></pre>`

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '')
