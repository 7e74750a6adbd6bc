import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const CORE = fileURLToPath(new URL('../../../src/core', import.meta.url))
const DATABASE = /(^|[.#])(db|database)$/
const OF_TRANSACTION = new Set(['select', 'selectDistinct', 'with', 'query'])

function isQuery(node: ts.Node): boolean {
  if (!ts.isPropertyAccessExpression(node)) return false
  const [name, of] = [node.name.text, node.expression.getText()]
  if (name === 'queryRaw') return true
  return name === 'read' ? DATABASE.test(of) : of === 'tx' && OF_TRANSACTION.has(name)
}

/** Returns every function that queries a database, as `area/file.ts function`, from the sources. */
export function storeQueries(): string[] {
  const found = new Set<string>()
  const visit = (node: ts.Node, file: string, within: string): void => {
    const named = (ts.isMethodDeclaration(node) || ts.isFunctionDeclaration(node)) && node.name
    const name = named ? named.getText() : within
    if (isQuery(node)) found.add(`${file} ${name}`)
    ts.forEachChild(node, (child) => visit(child, file, name))
  }
  for (const entry of readdirSync(CORE, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const file = relative(CORE, path)
    if (!file.endsWith('.ts') || file.startsWith('storage')) continue
    visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true), file, '')
  }
  return [...found].sort()
}
