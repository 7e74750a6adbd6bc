// Writes the declarations of the client library: those of its modules as they are, and of the calls plain types, so that a
// program which uses the library does not compile the schemas of the daemon.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import ts from 'typescript'
import { answerSchema } from '../../src/daemon/openapi/json-schema.js'
import { errorBody } from '../../src/daemon/operations/common/answers.js'
import { clientCalls } from './calls.js'
import { typeText } from './type-text.js'

const SOURCES = 'src/client'
const ENTRY = 'index.ts'
/** The module with the types that come from the operations. */
const CALLS = 'endpoints.ts'
const IMPORT = /(?:\bfrom |\bimport\(|\bimport )['"](\.[^'"]+)\.js['"]/g

const target = process.argv[2]
if (target === undefined) throw new Error('usage: declarations.ts FOLDER')

const written = new Set<string>()
write(resolve(SOURCES, ENTRY))

/** Writes the declaration of a module, and of those that it leads to. */
function write(file: string): void {
  if (written.has(file)) return
  written.add(file)
  const name = relative(SOURCES, file)
  if (name.startsWith('..')) throw new Error(`${name} is not part of the client library`)
  const text = name === CALLS ? callTypes() : declarationOf(file)
  const path = join(target ?? '', name.replace(/\.ts$/, '.d.ts'))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  for (const [, found = ''] of text.matchAll(IMPORT)) write(resolve(dirname(file), `${found}.ts`))
}

function declarationOf(file: string): string {
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(readFileSync(file, 'utf8'), {
    fileName: file,
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext, strict: true },
  })
  const [first] = diagnostics
  if (first) throw new Error(`${file}: ${ts.flattenDiagnosticMessageText(first.messageText, '\n')}`)
  return outputText
}

function callTypes(): string {
  const routes = clientCalls('  ').map(
    ({ route, summary, request, answer }) =>
      `  /** ${summary} */\n  ${JSON.stringify(route)}: { request: ${request}; answer: ${answer} }\n`,
  )
  return `/** The calls, by method and path: what the caller gives, and the body of a success. */
export interface Calls {
${routes.join('')}}

/** Every route of the daemon, as its method and path: \`GET /orders/journal/:ref\`. */
export type RouteName = keyof Calls

/** The parameters, query and body of a request to a route, by the API's own names. Never the credential. */
export type RouteRequest<N extends RouteName> = Calls[N]['request']

/** The body of a success. A route that answers with a file or a stream has none. */
export type RouteAnswer<N extends RouteName> = Calls[N]['answer']

/** Every \`POST /api/v1/<name>\`. */
export type EndpointName = RouteName extends infer N ? (N extends \`POST /api/v1/\${infer Name}\` ? Name : never) : never
export type RouteOf<N extends EndpointName> = \`POST /api/v1/\${N}\`
export type Body<N extends EndpointName> = Calls[RouteOf<N>]['request'] extends { body?: infer B } ? B : undefined
export type AnswerOf<N extends EndpointName> = Calls[RouteOf<N>]['answer']

/** The body of a refusal. */
export type Refusal = ${typeText(answerSchema(errorBody))}
`
}
