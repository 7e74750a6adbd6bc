import type { DrawnStep } from './drawing.js'

/** The brackets of each shape. */
const SHAPES: Readonly<Record<DrawnStep['shape'], readonly [string, string]>> = {
  trigger: ['([', '])'],
  condition: ['{', '}'],
  gate: ['{{', '}}'],
  order: ['[[', ']]'],
  other: ['[', ']'],
}

/** Returns a graph as a Mermaid flowchart. */
export function mermaidOf(steps: readonly DrawnStep[]): string {
  const names = new Map(steps.map(({ id }, index) => [id, `n${index}`]))
  const boxes = steps.map(({ id, type, shape, label, summary }) => {
    const [open, close] = SHAPES[shape]
    const title = label === undefined ? `${id}: ${type}` : `${id}: ${type} "${label}"`
    const text = [title, summary]
      .filter((part) => part !== '')
      .map(escaped)
      .join('<br/>')
    return `  ${names.get(id)}${open}"${text}"${close}`
  })
  const arrows = steps.flatMap(({ id, links }) =>
    links.flatMap(({ to, name }) => {
      const target = names.get(to)
      const label = name === undefined ? '' : `|${name}|`
      return target === undefined ? [] : [`  ${names.get(id)} -->${label} ${target}`]
    }),
  )
  return ['flowchart TD', ...boxes, ...arrows].map((line) => `${line}\n`).join('')
}

/** Replaces the characters that mean something in a label. */
function escaped(text: string): string {
  return text.replaceAll(/[#"<>&`\\{}]/g, (sign) => `#${sign.charCodeAt(0)};`).replaceAll(/\s+/g, ' ')
}
