import { pointerOf } from '../../../documents/index.js'
import { isObject } from '../../../validation/index.js'
import type { FlowGraph } from '../../graph/graph.js'
import { enclosedIn } from '../../language/enclosed.js'
import type { NodeTable } from '../read/readable.js'
import { fieldTexts } from '../schema/field-texts.js'
import type { GraphFinding } from './references.js'

const ENVIRONMENT_NAME = /^FLOW_[A-Z0-9_]+$/
const SECRET_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/
const CREDENTIAL_HEADER = /authorization|cookie|token|secret|passw|api-?key|signature/i
const CREDENTIAL_IN_URL =
  /[?&][^=&]*(?:token|secret|passw|api_?-?key|signature)[^=&]*=(?![^&]*[{])[^&]+|:\/\/[^/\s:@]+:[^/\s@{]+@/i

/** Finds references to secrets that no run could read, and credentials in plain text. */
export function secretFindings(graph: FlowGraph, table: NodeTable): GraphFinding[] {
  return [...referenceProblems(graph, table), ...literalCredentials(graph)]
}

function referenceProblems(graph: FlowGraph, table: NodeTable): GraphFinding[] {
  return fieldTexts(graph, table).flatMap(({ node, name, text, path }) =>
    [...enclosedIn(text, '${', '}')].flatMap(({ token, inner }) => {
      const problem = problemOf(inner)
      if (problem === undefined) return []
      const message = `Node '${node.id}': ${token} in ${name}: ${problem}`
      return [{ severity: 'error', code: 'invalid_secret', path, message } as const]
    }),
  )
}

function problemOf(inner: string): string | undefined {
  const [kind, ...rest] = inner.split(':')
  const name = rest.join(':').trim()
  if (kind === 'env') {
    return ENVIRONMENT_NAME.test(name) ? undefined : 'workflows can read only variables named FLOW_….'
  }
  if (kind === 'secret') return SECRET_NAME.test(name) ? undefined : 'this is not a valid secret name.'
  return undefined
}

function literalCredentials(graph: FlowGraph): GraphFinding[] {
  return graph.nodes.flatMap((node, index) => {
    if (node.type !== 'httpRequest') return []
    const found = (field: string, what: string, path: string): GraphFinding => ({
      severity: 'warning',
      code: 'literal_secret',
      path,
      message: `Node '${node.id}': ${what} in ${field} is in plain text. Use a secret instead: \${secret:name} or \${env:FLOW_NAME}.`,
    })
    const headers = headersOf(node.data.headers)
      .filter(([name, value]) => CREDENTIAL_HEADER.test(name) && isWrittenOut(value))
      .map(([name]) => {
        return found('headers', name, pointerOf(['nodes', index, 'data', 'headers', name]))
      })
    const { url } = node.data
    const isOpen = typeof url === 'string' && CREDENTIAL_IN_URL.test(url)
    return isOpen
      ? [...headers, found('url', 'a credential', pointerOf(['nodes', index, 'data', 'url']))]
      : headers
  })
}

function headersOf(headers: unknown): [string, unknown][] {
  if (isObject(headers)) return Object.entries(headers)
  if (typeof headers !== 'string') return []
  try {
    const parsed: unknown = JSON.parse(headers)
    return isObject(parsed) ? Object.entries(parsed) : []
  } catch {
    return []
  }
}

function isWrittenOut(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '' && !/\{\{|\$\{(?:env|secret):/.test(value)
}
