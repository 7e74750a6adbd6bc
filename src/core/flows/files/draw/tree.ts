import type { DrawnStep } from './drawing.js'

/** A line to draw: what precedes its text, and what precedes the lines it wraps into. */
interface Branch {
  step: DrawnStep
  lead: string
  indent: string
}

/**
 * Returns a graph as a tree of lines of at most `width` characters. Steps that follow each other stay in one column, branches
 * are indented and carry their names. A step that several paths reach is drawn once.
 */
export function treeOf(steps: readonly DrawnStep[], width: number): string {
  const byId = new Map(steps.map((step) => [step.id, step]))
  const entered = new Set(steps.flatMap(({ links }) => links.map(({ to }) => to)))
  const drawn = new Set<string>()
  const lines: string[] = []
  const roots = steps.filter(({ id }) => !entered.has(id))
  // Steps of a cycle that nothing leads into come last.
  for (const root of [...roots, ...steps]) {
    if (drawn.has(root.id)) continue
    const stack: Branch[] = [{ step: root, lead: '', indent: '' }]
    for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
      stack.push(...drawStep(top, { byId, drawn, lines, width }).reverse())
    }
  }
  return lines.map((line) => `${line}\n`).join('')
}

interface Sheet {
  byId: ReadonlyMap<string, DrawnStep>
  drawn: Set<string>
  lines: string[]
  width: number
}

/** Draws one step, and returns the ones that follow it. */
function drawStep({ step, lead, indent }: Branch, { byId, drawn, lines, width }: Sheet): Branch[] {
  if (drawn.has(step.id)) {
    lines.push(...wrapped(`${step.id} (drawn elsewhere)`, lead, indent, width))
    return []
  }
  drawn.add(step.id)
  const links = step.links.flatMap(({ to, name }) => {
    const target = byId.get(to)
    return target === undefined ? [] : [{ target, name }]
  })
  const [only] = links
  const isChain = links.length === 1 && only?.name === undefined
  const below = links.length === 0 || isChain ? '  ' : '│ '
  lines.push(...wrapped(stepText(step), lead, `${indent}${below}`, width))
  if (isChain && only !== undefined) return [{ step: only.target, lead: `${indent}↓ `, indent }]
  return links.map(({ target, name }, index) => {
    const isLast = index === links.length - 1
    const lead = `${indent}${isLast ? '└─' : '├─'} ${name === undefined ? '' : `${name}: `}`
    return { step: target, lead, indent: `${indent}${isLast ? '   ' : '│  '}` }
  })
}

function stepText({ id, type, label, summary }: DrawnStep): string {
  return [`${id}:`, type, label === undefined ? '' : `"${label}"`, summary]
    .filter((part) => part !== '')
    .join(' ')
}

/** Splits a text at spaces into lines of at most `width` characters; longer words are split anywhere. */
function wrapped(text: string, lead: string, indent: string, width: number): string[] {
  const lines: string[] = []
  let line = lead
  let isEmpty = true
  // The tree of a deep graph may leave little room, and a line needs some.
  const room = Math.max(width, indent.length + 20)
  for (const word of text.split(/\s+/)) {
    if (!isEmpty && line.length + 1 + word.length > room) {
      lines.push(line)
      line = indent
      isEmpty = true
    }
    line += isEmpty ? word : ` ${word}`
    isEmpty = false
    for (; line.length > room; line = `${indent}${line.slice(room)}`) lines.push(line.slice(0, room))
  }
  return [...lines, line].map((one) => one.trimEnd())
}
