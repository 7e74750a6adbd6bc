/** The type of a value in the result of a node. */
export type Output =
  /** A number may be the text of a number, as some endpoints give it. `any` is open: it may have members. */
  | ({ readonly type: 'text' | 'number' | 'flag' | 'any' } & About)
  | ({ readonly type: 'list'; readonly item: Output } & About)
  | ({ readonly type: 'object'; readonly members: Outputs } & About)

interface About {
  /** One line of documentation; empty for members that the line above describes. */
  readonly description: string
  /** True if a successful result may lack the value. */
  readonly optional?: boolean
}

export type Outputs = Readonly<Record<string, Output>>

export const text = (description = ''): Output => ({ type: 'text', description })
export const number = (description = ''): Output => ({ type: 'number', description })
export const flag = (description = ''): Output => ({ type: 'flag', description })
export const anything = (description = ''): Output => ({ type: 'any', description })
export const list = (item: Output, description = ''): Output => ({ type: 'list', item, description })
export const object = (members: Outputs, description = ''): Output => ({
  type: 'object',
  members,
  description,
})
export const optional = (output: Output): Output => ({ ...output, optional: true })

export const texts = (...names: readonly string[]): Outputs => each(names, text())
export const numbers = (...names: readonly string[]): Outputs => each(names, number())
export const flags = (...names: readonly string[]): Outputs => each(names, flag())

/** Returns the same members, each of which a result may lack. */
export function optionals(outputs: Outputs): Outputs {
  return Object.fromEntries(Object.entries(outputs).map(([name, output]) => [name, optional(output)]))
}

function each(names: readonly string[], output: Output): Outputs {
  return Object.fromEntries(names.map((name) => [name, output]))
}

/** Members that every result may have beside its own. */
export const COMMON: Outputs = optionals({
  ...texts('status', 'message', 'error', 'mode'),
  ...numbers('code'),
})

/** Returns the type as the documentation names it. */
export function typeText(output: Output): string {
  return output.type === 'list' ? `list of ${PLURAL[output.item.type]}` : output.type
}

const PLURAL: Readonly<Record<Output['type'], string>> = {
  text: 'texts',
  number: 'numbers',
  flag: 'flags',
  any: 'anything',
  list: 'lists',
  object: 'objects',
}

/** One line of documentation for an output, or for several that need no explanation. */
interface OutputLine {
  names: string[]
  type: string
  meaning: string
}

/** Returns the documentation of outputs. Outputs without a description share the lines after the others. */
export function outputLines(outputs: Outputs): OutputLine[] {
  const described: OutputLine[] = []
  const others = new Map<string, string[]>()
  for (const [name, output] of Object.entries(outputs)) {
    const type = output.optional ? `${typeText(output)}, or absent` : typeText(output)
    if (output.description === '') others.set(type, [...(others.get(type) ?? []), name])
    else described.push({ names: [name], type, meaning: meaningOf(output, outputs) })
  }
  return [...described, ...[...others].map(([type, names]) => ({ names, type, meaning: '' }))]
}

/** Returns the description of an output with its members, unless they are those of the result itself. */
function meaningOf(output: Output, outputs: Outputs): string {
  const names = memberNames(output)
  if (names.every((name) => Object.hasOwn(outputs, name))) return output.description
  return `${output.description} Members: ${names.join(', ')}.`
}

function memberNames(output: Output): string[] {
  if (output.type === 'list') return memberNames(output.item)
  return output.type === 'object' ? Object.keys(output.members) : []
}
