export type Path = readonly (string | number)[]

/** A fault of a configuration: a whole sentence, and the place of the value it is about. */
export interface ConfigProblem {
  path: Path
  message: string
}

/** Returns a path as a reader writes it: `legs[0].trail.x`. */
export function pathText(path: Path): string {
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : i === 0 ? part : `.${part}`))
    .join('')
}
